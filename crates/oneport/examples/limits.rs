//! The limits of all-gathers, found within ten seconds:
//! `cargo run -p oneport --example limits -- fixtures/platforms/dgx1.toml`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout
)] // a program reads the clock

use std::path::Path;
use std::time::{Duration, Instant};

use oneport::{Collective, Goal, Options, Problem, Volumes, explain, files, percent, solve};

/// A line for each class of resources that limits all-gathers among all processors.
pub fn limits(file: &Path, within: Duration) -> Result<String, Box<dyn std::error::Error>> {
    let platform = files::read_platform(file)?;
    let all_gather = Collective::all_gather(platform.processors().collect());
    let problem = Problem::new(platform, all_gather, Volumes::default())?;
    let options = Options::of(Goal::Rate).within(within, Instant::now);
    let limits = explain::limits(&solve(&problem, &options)?.answer);
    let line = |class: &explain::Class| {
        format!(
            "{} of the price: {} x {}\n",
            percent(&class.share),
            class.count(),
            class.name(problem.platform())
        )
    };
    Ok(limits.limiting.iter().map(line).collect())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("usage: limits PLATFORM")?;
    print!("{}", limits(file.as_ref(), Duration::from_secs(10))?);
    Ok(())
}
