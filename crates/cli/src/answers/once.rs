//! What one operation takes: our own way and named algorithms, each in its best number of pieces.

use anyhow::{Context, Result, bail};
use num_traits::ToPrimitive;
use oneport::plan::SteadyState;
use oneport::watch::Watch;
use oneport::{Problem, Rational, Units, referee};
use oneport_once::{Found, Named, OnceError, Search, Shortest, Way};

/// Most deeds of a run that is tried: of a named algorithm, of the optimum's patterns.
const NAMED: usize = 30_000;
const OWN: usize = 300_000;

/// How far numbers of pieces are tried, from the first on: no piece is less than a byte.
pub fn search<'w>(problem: Problem<'_>, watch: &'w Watch) -> Search<'w> {
    let bytes =
        |units: Units| Some((problem.volumes().size.constant()? * units.data.bits() / bits_of_a_byte()).to_integer());
    let bytes = problem.platform().units().and_then(bytes);
    let pieces = bytes.map_or(u32::MAX, |bytes| bytes.to_u32().unwrap_or(u32::MAX).max(1));
    Search { deeds: OWN, pieces, watch }
}

fn bits_of_a_byte() -> Rational {
    Rational::from_integer(8.into())
}

/// The optimum's patterns, each on its share; `least` is what no schedule undercuts.
pub fn own(problem: Problem<'_>, state: &SteadyState, search: &Search<'_>, least: &Rational) -> Result<Shortest> {
    Ok(Way::of_patterns(problem, state).shortest(problem, search, least)?.shortest)
}

/// A named algorithm; `None` where it sends where no way leads, or more messages than can be dated. Less effort is made
/// where it cannot take less than `goal`.
pub fn named(
    problem: Problem<'_>,
    way: &mut Named<'_>,
    search: &Search<'_>,
    goal: Option<&Rational>,
) -> Result<Option<Found>> {
    match way.shortest(problem, &Search { deeds: NAMED, ..*search }, goal) {
        Err(OnceError::NoWay { .. } | OnceError::TooMany(_)) => Ok(None),
        found => Ok(Some(found?)),
    }
}

/// The referee executes what was found and finds the same length.
pub fn executed(problem: Problem<'_>, found: &Found) -> Result<()> {
    let length = &found.shortest.length;
    let executed = referee::check_run(problem, &found.run());
    let executed = executed.context("the referee objects to our own run; please report it")?;
    if executed != *length {
        bail!("the referee's run takes {executed}, ours {length}; please report it with the platform file");
    }
    Ok(())
}
