//! What one operation takes: our own way and named algorithms, each in its best number of pieces.

use anyhow::{Context, Result, bail};
use num_traits::ToPrimitive;
use oneport::plan::SteadyState;
use oneport::watch::Watch;
use oneport::{Problem, Rational, Units, referee};
use oneport_baselines::{Algorithm, Routes};
use oneport_once::{Draft, OnceError, Search, Shortest, shortest, shortest_of};

/// Most deeds of a run that is tried: of a named algorithm, of the optimum's patterns.
const NAMED: usize = 30_000;
const OWN: usize = 300_000;

/// How far numbers of pieces are tried, from the first on: no piece is less than a byte.
pub fn search<'w>(problem: Problem<'_>, watch: &'w Watch) -> Search<'w> {
    let bytes =
        |units: Units| Some((problem.volumes().size.constant()? * units.data.bits() / bits_of_a_byte()).to_integer());
    let bytes = problem.platform().units().and_then(bytes);
    let pieces = bytes.map_or(u32::MAX, |bytes| bytes.to_u32().unwrap_or(u32::MAX).max(1));
    Search { guess: 1, deeds: OWN, pieces, watch }
}

fn bits_of_a_byte() -> Rational {
    Rational::from_integer(8.into())
}

/// The optimum's patterns, each on its share; `least` is what no schedule undercuts.
pub fn own(problem: Problem<'_>, state: &SteadyState, search: &Search<'_>, least: &Rational) -> Result<Shortest> {
    let draft = |pieces| Draft::of_patterns(problem, state, pieces);
    Ok(shortest(problem, search, least, draft)?)
}

/// A named algorithm; `None` where it sends where no way leads, or more messages than can be dated. Less effort is made
/// where it cannot take less than `goal`.
pub fn named(
    problem: Problem<'_>,
    algorithm: &Algorithm,
    routes: &Routes,
    search: &Search<'_>,
    goal: Option<&Rational>,
) -> Result<Option<Shortest>> {
    match shortest_of(problem, algorithm, routes, &Search { deeds: NAMED, ..*search }, goal) {
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
