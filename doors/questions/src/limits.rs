//! Limits of time and memory as a watch. No other file of the libraries reads the clock, and none reads memory.

// A library with a limit on time has to read the clock somewhere: here.
#![allow(clippy::disallowed_types, clippy::float_arithmetic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use num_traits::{Signed, ToPrimitive};
use oneport::watch::{Left, Limit, Watch};

use crate::error::{Result, usage};
use crate::quantity;
use crate::words::decimal;

/// Limits of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Time from the beginning of the clock. The answer comes at most 10 % and half a second later.
    pub time: Option<Duration>,
    /// Resident bytes of the process.
    pub bytes: Option<u64>,
}

impl Limits {
    /// Limits as texts: a time, as `60` (seconds) or `2 min`, and bytes, as `500M`. Without the second, 80 % of the
    /// memory that is available now.
    ///
    /// # Errors
    /// A text that is no time, or no number of bytes above 0.
    pub fn read(time: Option<&str>, bytes: Option<&str>) -> Result<Limits> {
        let time = time.map(|text| seconds("--time-limit", text)).transpose()?;
        let bytes = match bytes {
            Some(text) => Some(self::bytes("--memory-limit", text)?),
            None => available().map(|bytes| bytes / 100 * MOST),
        };
        Ok(Limits { time, bytes })
    }

    /// The watch over these limits from now on: memory counts from the bytes that the process holds now.
    pub fn starting_now(
        self,
        stop: impl Fn() -> Option<(Limit, Duration)> + Send + Sync + 'static,
    ) -> Watch {
        self.watch(Instant::now(), held(), stop)
    }

    /// The watch over these limits. Time counts from `began`, memory from `held` bytes on. `stop` returns whether an
    /// end is requested, and the age of the request.
    pub fn watch(
        self,
        began: Instant,
        held: u64,
        stop: impl Fn() -> Option<(Limit, Duration)> + Send + Sync + 'static,
    ) -> Watch {
        let clock = Clock(began);
        let (meter, turns) = (Arc::new(Meter::default()), Arc::new(Turns::default()));
        Watch::new(move || Left {
            time: self.time.map(|limit| {
                tolerated(limit, turns.last_steps(clock)).saturating_sub(began.elapsed())
            }),
            bytes: self
                .bytes
                .map(|limit| limit.saturating_sub(meter.used(clock).saturating_sub(held))),
            stop: stop(),
        })
    }
}

/// The watch, limited to `most` from now on. A limit of the whole work is noted as one.
pub fn within(all: &Watch, most: Duration) -> Watch {
    let (started, all) = (Instant::now(), all.clone());
    Watch::new(move || {
        // The answer is in the time left.
        let _ = all.ask();
        let (left, own) = (all.left(), most.saturating_sub(started.elapsed()));
        Left {
            time: Some(left.time.map_or(own, |time| time.min(own))),
            ..left
        }
    })
}

/// Resident bytes of this process. 0 if the system does not report them.
pub fn held() -> u64 {
    kilobytes("/proc/self/status", "VmRSS:").unwrap_or(0) * 1024
}

/// Milliseconds since a moment.
#[derive(Debug, Clone, Copy)]
struct Clock(Instant);

impl Clock {
    fn milliseconds(self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Time between measurements of memory. Trades bytes above the limit for system calls. Not measured.
const MEASURED: Duration = Duration::from_millis(10);
/// The default memory limit, in percent of the available memory. Trades larger questions for memory of other programs.
/// Not measured.
const MOST: u64 = 80;
/// Time of the work after the last look on an idle machine. Trades an answer in time for a longer search. Not measured.
const LAST: Duration = Duration::from_millis(100);
/// Processor time of that work, for which a thread waits on a busy machine. Trades an answer in time for a longer
/// search. Not measured.
const LAST_RUN: Duration = Duration::from_millis(250);

/// The time limit plus 10 % and half a second, less the time of the last steps. The steps after a search (slots, the
/// referee, writing) are planned to end before the limit, and may use the extension too.
fn tolerated(limit: Duration, last_steps: Duration) -> Duration {
    let all = limit
        .saturating_add(limit / 10)
        .saturating_add(Duration::from_millis(500));
    all.saturating_sub(last_steps.min(all / 2))
}

/// A time limit, 0 or more: a number of seconds, or `2 min`.
fn seconds(option: &str, text: &str) -> Result<Duration> {
    let wrong = || {
        usage(format!(
            "{option}: '{text}' is not a number of seconds, 0 or more; give one such as 60, or 2 min"
        ))
    };
    let seconds = quantity::seconds(option, text).map_err(|_| wrong())?;
    // The limit is a hint to a clock: the decimal rounding is harmless.
    let seconds: f64 = decimal(&seconds).parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// A number of bytes above 0: `500000000`, `500MB`, or `500k`, `2.5G` in units of 1024, 1024^2 and 1024^3.
pub fn bytes(option: &str, text: &str) -> Result<u64> {
    let wrong = || {
        usage(format!(
            "{option}: '{text}' is not a number of bytes; give one above 0, such as 500000000, 500k, 500M or 2.5G"
        ))
    };
    let number = quantity::bytes(option, text).map_err(|_| wrong())?;
    if !number.is_positive() {
        return Err(wrong());
    }
    Ok(number.ceil().to_integer().to_u64().unwrap_or(u64::MAX))
}

/// How long the last steps take: on a busy machine a thread waits for its turns.
#[derive(Default)]
struct Turns {
    /// When it is measured next, in milliseconds from the beginning.
    next: AtomicU64,
    /// Milliseconds of the last steps. 0 before the first measurement.
    last: AtomicU64,
}

impl Turns {
    fn last_steps(&self, clock: Clock) -> Duration {
        let (now, next) = (clock.milliseconds(), self.next.load(Ordering::Relaxed));
        let later = now + MEASURED.as_millis() as u64;
        let own = self
            .next
            .compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok();
        if now >= next
            && own
            && let Some((ran, waited)) = turns()
        {
            let last = LAST.saturating_add(wait(LAST_RUN, ran, waited));
            self.last.store(last.as_millis() as u64, Ordering::Relaxed);
        }
        Duration::from_millis(self.last.load(Ordering::Relaxed)).max(LAST)
    }
}

/// Nanoseconds that a thread has run before its ratio counts. Trades an early ratio for a true one. Not measured.
const ENOUGH: u64 = 10_000_000;

/// How long a thread that has run and waited for so long waits while it runs for this time.
fn wait(time: Duration, ran: u64, waited: u64) -> Duration {
    let nanoseconds = time.as_nanos().saturating_mul(waited.into()) / u128::from(ran.max(1));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

/// Nanoseconds that this thread has run and waited for a processor, once it has run for a while. `None` if the
/// system does not report them.
fn turns() -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let (ran, waited) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    (ran >= ENOUGH).then_some((ran, waited))
}

/// Measures this process, not too often.
#[derive(Default)]
struct Meter {
    /// When it is measured next, in milliseconds from the beginning.
    next: AtomicU64,
    used: AtomicU64,
}

impl Meter {
    /// Resident bytes of the process, at most [`MEASURED`] old. 0 if the system does not report them.
    fn used(&self, clock: Clock) -> u64 {
        let (now, next) = (clock.milliseconds(), self.next.load(Ordering::Relaxed));
        let later = now + MEASURED.as_millis() as u64;
        if now >= next
            && self
                .next
                .compare_exchange(next, later, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            self.used.store(held(), Ordering::Relaxed);
        }
        self.used.load(Ordering::Relaxed)
    }
}

/// Bytes that the process may still allocate: the minimum of the machine's available memory and the control group's
/// rest.
fn available() -> Option<u64> {
    let machine =
        kilobytes("/proc/meminfo", "MemAvailable:").map(|kilobytes| kilobytes.saturating_mul(1024));
    machine.into_iter().chain(of_group()).min()
}

/// Bytes that the control group (version 2) of this process still allows. `None` if unknown or unlimited.
fn of_group() -> Option<u64> {
    let read = |path: String| {
        std::fs::read_to_string(path)
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    };
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = groups
        .lines()
        .find_map(|line| line.strip_prefix("0::"))
        .unwrap_or("/")
        .trim_end_matches('/')
        .to_string();
    let allowed =
        |folder: &str| {
            let limit = read(format!("/sys/fs/cgroup{folder}/memory.max"))?;
            Some(limit.saturating_sub(
                read(format!("/sys/fs/cgroup{folder}/memory.current")).unwrap_or(0),
            ))
        };
    [own.as_str(), ""].into_iter().filter_map(allowed).min()
}

/// A number of kilobytes on the line of a file that begins with a word.
fn kilobytes(path: &str, word: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The key of a limit in a question.
pub(crate) fn key_of(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "time_limit",
        Limit::Memory => "memory_limit",
        Limit::Interrupt => "interrupt",
        Limit::Caller => "caller",
    }
}

/// Names the limit that ended a search, with its option.
pub fn named(limit: Limit) -> &'static str {
    match limit {
        Limit::Time => "ended by --time-limit",
        Limit::Memory => "ended by --memory-limit",
        Limit::Interrupt => "ended by Ctrl-C",
        Limit::Caller => "ended early",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 s are held to 6 s: with a whole processor the search may take 5.9 s, with a third of one 5.4 s.
    #[test]
    fn a_busy_machine_ends_a_search_earlier() {
        let limit = Duration::from_secs(5);
        let last = |ran, waited| LAST.saturating_add(wait(LAST_RUN, ran, waited));
        let ends = |ran, waited| tolerated(limit, last(ran, waited)).as_millis();
        assert_eq!(ends(1_000, 0), 5900);
        assert_eq!(ends(1_000, 2_000), 5400);
        assert_eq!(ends(1_000, 4_000), 4900);
        assert_eq!(ends(1, u64::MAX / 2), 3000);
    }

    #[test]
    fn bytes_have_units() {
        for (text, expected) in [
            ("1", 1),
            ("500000000", 500_000_000),
            ("3k", 3072),
            ("2.5G", 5 << 29),
            (" 7M ", 7 << 20),
            ("1e3", 1000),
            ("5T", 5 << 40),
            ("5 MB", 5_000_000),
            ("64KiB", 65_536),
        ] {
            assert_eq!(bytes("--memory-limit", text).unwrap(), expected, "{text}");
        }
        for text in ["", "0", "-1", "M", "5 s", "many"] {
            let error = bytes("--memory-limit", text).unwrap_err().to_string();
            assert!(
                error.contains("--memory-limit") && error.contains("500M"),
                "{text}: {error}"
            );
        }
    }
}
