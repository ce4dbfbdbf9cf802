//! From a file to a plan: `cargo run -p oneport --example plan -- fixtures/platforms/two-racks.toml plan.json`.

#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a program reads its arguments and prints

use std::path::Path;

use oneport::watch::Watch;
use oneport::{Collective, Options, Problem, Volumes, files, solve};

/// Writes the best periodic schedule of all-reduces of 64 MiB, with its proof. The result is its throughput.
pub fn plan(file: &Path, out: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let platform = files::read_platform(file)?;
    let volumes = Volumes::of_message(&platform, files::parse_size("64 MiB", platform.units())?);
    let all_reduce = Collective::all_reduce(platform.processors().collect());
    let problem = Problem::new(&platform, &all_reduce, &volumes)?;
    let solved = solve(&problem, &Options::default())?;
    let plan = solved.plan()?;
    files::write_atomically_with(out, |file| {
        files::write_plan(plan, file, &Watch::unlimited())
    })?;
    Ok(format!(
        "{} per unit of time, {}",
        plan.steady_state.throughput,
        plan.status.name()
    ))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [file, out] = &files[..] else {
        return Err("usage: plan PLATFORM PLAN".into());
    };
    println!("{}", plan(file.as_ref(), out.as_ref())?);
    Ok(())
}
