//! The limits of a run: time since the command began, memory, Ctrl-C. No other file reads signals.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use oneport::Status;
use oneport::watch::{Limit, Watch};
use oneport_questions::Limits;
pub use oneport_questions::limits::named;

use crate::words::clock::{self, elapsed};
use crate::words::exit;

/// Limits of a run. Ctrl-C is another: the first ends the search with the best result so far, the second ends the
/// command.
#[derive(Debug, Args)]
pub struct LimitArguments {
    /// Wall-clock limit of the whole command, in seconds or as "2 min". The best result so far is
    /// reported, at most 10 % and half a second later.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub time_limit: Option<String>,
    /// Stop the search before the process uses more memory, and report the best result: bytes, or 500M, 2.5G, 16GB
    /// (default: 80 % of the available memory; has no effect except on Linux).
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    pub memory_limit: Option<String>,
}

impl LimitArguments {
    /// The watch over these limits, and over Ctrl-C.
    ///
    /// # Errors
    /// A limit is not a number.
    pub fn watch(&self) -> Result<Watch> {
        #[cfg(test)]
        if let Some(watch) = REPLACED.lock().ok().and_then(|watch| watch.clone()) {
            return Ok(watch);
        }
        let limits = Limits::read(self.time_limit.as_deref(), self.memory_limit.as_deref())?;
        listen();
        Ok(limits.watch(clock::began(), 0, || {
            match INTERRUPTED.load(Ordering::Relaxed) {
                0 => None,
                since => Some((
                    Limit::Interrupt,
                    Duration::from_millis(milliseconds().saturating_sub(since - 1)),
                )),
            }
        }))
    }
}

/// A test's watch, in place of the one over the options.
#[cfg(test)]
pub static REPLACED: std::sync::Mutex<Option<Watch>> = std::sync::Mutex::new(None);

/// When Ctrl-C was pressed first, in milliseconds from the beginning, plus 1; 0: never.
static INTERRUPTED: AtomicU64 = AtomicU64::new(0);

fn milliseconds() -> u64 {
    u64::try_from(elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Lets the first Ctrl-C end the work with the best so far, and the second one the command.
fn listen() {
    let interrupted = || {
        let first = INTERRUPTED
            .compare_exchange(0, milliseconds() + 1, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok();
        if first {
            eprintln!("interrupted: finishing with the best result so far (Ctrl-C again quits)");
        } else {
            std::process::exit(exit::INTERRUPTED.into());
        }
    };
    // If the handler cannot be installed, Ctrl-C ends the command.
    let _ = ctrlc::set_handler(interrupted);
}

/// The effect of a limit on an answer. If the answer is optimal, a limit of time or memory only ended the search for a
/// shorter period.
pub fn effect(limit: Limit, status: Status) -> String {
    let kept = |option: &str| {
        format!("no shorter period sought: what {option} leaves is kept for the checks")
    };
    match (status, limit) {
        (Status::Optimal, Limit::Time) => kept("--time-limit"),
        (Status::Optimal, Limit::Memory) => kept("--memory-limit"),
        _ => named(limit).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An optimal answer is not one that was cut short.
    #[test]
    fn an_optimal_answer_was_not_ended() {
        assert_eq!(
            effect(Limit::Time, Status::Feasible),
            "ended by --time-limit"
        );
        for limit in [Limit::Time, Limit::Memory] {
            assert!(effect(limit, Status::Optimal).starts_with("no shorter period sought"));
        }
        assert_eq!(effect(Limit::Interrupt, Status::Optimal), "ended by Ctrl-C");
    }
}
