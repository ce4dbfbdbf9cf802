//! Throughput and proof, without a schedule.

use num_traits::{One, Zero};
use oneport_lp::{self as lp, Question, Solution};
use oneport_plan::{Problem, State, SteadyState, WeightedPattern};
use oneport_platform::Platform;
use oneport_referee::{Answer, Proved};
use oneport_watch::Watch;

use crate::error::Error;
use crate::loads::Loads;
use crate::options::Options;
use crate::proving::{checking, proved};
use crate::stage;

/// Percent of the time and memory left for the program. The rest is for the referee. Trades throughput for an answer in
/// time. Not measured.
const PROGRAM: u32 = 80;

/// The throughput by the program alone. If a gap remains, the bound is compared with `bound` if that is given, else
/// with the quick bounds.
///
/// # Errors
/// Those of [`solve`](crate::solve).
pub(crate) fn rated(
    problem: &Problem,
    options: &Options,
    bound: Option<Proved>,
) -> Result<Answer, Error> {
    let known = options.known.as_deref();
    let known = known.filter(|known| is_alike(problem, known.problem()));
    let known = known.map_or(Proved::about(problem), |known| {
        carried_over(problem, known, &options.watch)
    });
    if known.is_optimal() {
        return Ok(known.answer()?);
    }
    options.watch.tell(stage::THROUGHPUT);
    let patterns = known.patterns().into_iter();
    let patterns = patterns.flat_map(|state| &state.patterns);
    let patterns = patterns.map(|one| one.pattern.clone()).collect();
    let question = Question::new(problem)
        .watched(options.watch.stage(PROGRAM))
        .knowing(patterns);
    let Solution {
        steady_state,
        certificate,
        ..
    } = lp::solve(&question, &options.program())?;
    options.watch.tell(stage::REFEREE);
    let throughput = Some(steady_state.throughput.clone());
    let mut best = proved(&question, certificate, throughput, &options.watch, bound)?;
    best.sustain(
        State::Listed(steady_state),
        &checking(problem, &options.watch),
    )?;
    best.merge(known);
    Ok(best.answer()?)
}

/// Whether patterns and prices of one problem mean something for the other.
fn is_alike(problem: &Problem, other: &Problem) -> bool {
    let (one, two) = (problem.platform(), other.platform());
    let ends = |platform: &Platform| {
        platform
            .links()
            .iter()
            .map(|link| (link.from, link.to))
            .collect::<Vec<_>>()
    };
    one.nodes().len() == two.nodes().len()
        && ends(one) == ends(two)
        && problem.collective() == other.collective()
        && problem.volumes() == other.volumes()
}

/// The facts of another problem's answer that hold for this one, which has the same shape, as the referee accepts them.
fn carried_over(problem: &Problem, known: &Answer, watch: &Watch) -> Proved {
    let mut proved = Proved::about(problem);
    if let Some(state) = known.patterns().and_then(|state| sustained(problem, state)) {
        // A state that the changed platform does not admit is no fact.
        let _ = proved.sustain(State::Listed(state), &Watch::unlimited());
    }
    let _ = proved.prove(known.certificate().clone(), &watch.stage(PROGRAM));
    proved
}

/// The steady state at the largest rate that the busiest resource allows. `None` if no resource is busy.
fn sustained(problem: &Problem, steady_state: &SteadyState) -> Option<SteadyState> {
    let busiest = Loads::of(problem, steady_state).busiest()?;
    let often = (!busiest.is_zero()).then(|| busiest.recip())?;
    if often.is_one() {
        return Some(steady_state.clone());
    }
    let weighted = |WeightedPattern { pattern, weight }: &WeightedPattern| WeightedPattern {
        pattern: pattern.clone(),
        weight: weight * &often,
    };
    let patterns = steady_state.patterns.iter().map(weighted).collect();
    Some(SteadyState {
        throughput: &steady_state.throughput * often,
        patterns,
    })
}
