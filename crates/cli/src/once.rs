//! What one operation takes: our own way and named algorithms, each in its best number of pieces.

use anyhow::{Context, Result, bail};
use oneport::plan::SteadyState;
use oneport::{Problem, Rational, referee};
use oneport_baselines::{Algorithm, Routes};
use oneport_once::{Draft, OnceError, Shortest, shortest, shortest_of};

/// Most deeds of a run that is tried: of a named algorithm, of the optimum's patterns.
const NAMED: usize = 30_000;
const OWN: usize = 300_000;

/// The optimum's patterns, each on its share; `least` is what no schedule undercuts.
pub fn own(problem: Problem<'_>, state: &SteadyState, guess: u32, least: &Rational) -> Result<Shortest> {
    let draft = |pieces| Draft::of_patterns(problem, state, pieces);
    Ok(shortest(problem, guess, OWN, least, draft)?)
}

/// A named algorithm; `None` where it sends where no way leads, or more messages than can be dated. Less effort is made
/// where it cannot take less than `goal`.
pub fn named(
    problem: Problem<'_>,
    algorithm: &Algorithm,
    routes: &Routes,
    guess: u32,
    goal: Option<&Rational>,
) -> Result<Option<Shortest>> {
    match shortest_of(problem, algorithm, routes, guess, NAMED, goal) {
        Err(OnceError::NoWay { .. } | OnceError::TooMany(_)) => Ok(None),
        found => Ok(Some(found?)),
    }
}

/// The referee executes the draft and finds this length.
pub fn executed(problem: Problem<'_>, draft: Draft, length: &Rational) -> Result<()> {
    let run = draft.dated(problem)?.run(draft);
    let found = referee::check_run(problem, &run).context("the referee objects to our own run; please report it")?;
    if found != *length {
        bail!("the referee's run takes {found}, ours {length}; please report it with the platform file");
    }
    Ok(())
}
