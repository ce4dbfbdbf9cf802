//! Finds the optimal throughput, for commands that do not build a schedule.

use anyhow::Result;
use oneport::{Answer, Goal, Options, Problem, Solved, solve};

use crate::words::progress::Progress;

/// The throughput, or its bound alone if there is no room for patterns.
///
/// # Errors
/// Those of [`solve`].
pub fn found(problem: &Problem, options: &Options) -> Result<Solved> {
    let progress = Progress::new();
    let watch = progress.of(&options.watch);
    let options = options.clone().goal(Goal::Rate).watched(watch);
    Ok(solve(problem, &options)?)
}

/// An answer with patterns.
///
/// # Errors
/// Those of [`found`]. The reason if there is no room for patterns.
pub fn listed(problem: &Problem, options: &Options) -> Result<Answer> {
    let solved = found(problem, options)?;
    solved.patterns()?;
    Ok(solved.answer)
}
