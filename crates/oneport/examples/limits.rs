//! The limits of all-gathers, found within ten seconds:
//! `cargo run -p oneport --example limits -- fixtures/platforms/dgx1.toml`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout
)] // a program reads the clock

use std::path::Path;
use std::time::{Duration, Instant};

use oneport::watch::{Left, Watch};
use oneport::{Collective, Options, Problem, Rating, Volumes, explain, files, percent, rate};

/// A line for each class of resources that limits all-gathers among all processors.
pub fn limits(file: &Path, within: Duration) -> Result<String, Box<dyn std::error::Error>> {
    let platform = files::read_platform(file)?;
    let all_gather = Collective::all_gather(platform.processors().collect());
    let problem = Problem::new(platform, all_gather, Volumes::default())?;
    let end = Instant::now() + within;
    let left = move || Left {
        time: Some(end.saturating_duration_since(Instant::now())),
        ..Left::default()
    };
    let options = Options {
        watch: Watch::new(left),
        ..Options::default()
    };
    let Rating::Rated(rated) = rate(&problem, &options, None)? else {
        return Err("there is no steady state".into());
    };
    let limits = explain::limits(
        &problem,
        &rated.steady_state,
        &rated.certificate,
        rated.status,
    );
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
