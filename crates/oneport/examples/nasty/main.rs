//! Small questions with unfriendly numbers, one after another, until the time is up: `nasty [--seconds N] [--seed S]`.
//!
//! The referee checks every plan. A defect is printed with its seed, the collective and the platform as TOML. Ends with
//! counts, and with exit code 1 if there was a defect.

#![allow(unreachable_pub, reason = "an example has no outside")]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::float_arithmetic
)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod questions;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use oneport::files::PlatformFormat;
use questions::{ask, question};

/// Long enough for any question of this size, however loaded the machine. A longer one is reported.
const SLOW: Duration = Duration::from_secs(20);

fn option(name: &str, default: u64) -> u64 {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn main() -> ExitCode {
    let (seconds, first) = (option("--seconds", 60), option("--seed", 0));
    let started = Instant::now();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut defects = 0;
    for seed in first.. {
        if started.elapsed() >= Duration::from_secs(seconds) {
            println!("seeds {first} to {}", seed.wrapping_sub(1));
            break;
        }
        let nasty = question(seed);
        let asked = Instant::now();
        let fate = catch_unwind(AssertUnwindSafe(|| ask(&nasty, SLOW)))
            .unwrap_or_else(|_| Err("panic".into()));
        let took = asked.elapsed();
        if took > SLOW {
            println!(
                "# seed {seed}: {:.1} s, {}",
                took.as_secs_f64(),
                nasty.collective.name()
            );
            *counts.entry("slow".into()).or_default() += 1;
        }
        match fate {
            Ok(fate) => {
                *counts
                    .entry(format!("{fate:?}").to_lowercase())
                    .or_default() += 1
            }
            Err(what) => {
                defects += 1;
                let platform =
                    oneport::files::write_platform(&nasty.platform, PlatformFormat::Toml);
                let platform = platform.unwrap_or_else(|error| format!("# {error}"));
                println!(
                    "# seed {seed}: {what}\n# {:?}\n# {:?}\n{platform}",
                    nasty.collective, nasty.options
                );
            }
        }
    }
    println!("{counts:?}, {defects} defects");
    if defects == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
