//! Rates a problem: its throughput and the proof, without a schedule.

use num_traits::{One, Zero};
use oneport_lp::{self as lp, LpError, Question, Solution};
use oneport_plan::{Bound, Certificate, Known, Problem, Status, SteadyState, WeightedPattern};
use oneport_platform::{Platform, Rational};
use oneport_referee as referee;
use oneport_watch::Watch;

use crate::bounded::Unlisted;
use crate::error::Error;
use crate::loads::Loads;
use crate::proving::{checking, proved};
use crate::{Options, stage};

/// Percent of the time and memory left for the program; the rest is for the referee. Trades throughput for an answer in
/// time. Not measured.
const PROGRAM: u32 = 80;

/// A throughput with its proof; the referee has checked both.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rated {
    /// The steady state that attains the throughput.
    pub steady_state: SteadyState,
    /// The proof of the bound.
    pub certificate: Certificate,
    /// Upper bound on the throughput of every schedule, as computed by the referee.
    pub upper_bound: Rational,
    /// Whether the two meet.
    pub status: Status,
}

/// The result of a rating.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rating {
    /// A throughput.
    Rated(Box<Rated>),
    /// Throughput and bound alone: there is no room for a steady state written task by task.
    Unlisted(Box<Unlisted>),
}

/// [`rate`](crate::rate) by the program alone; the best bound that `bound` has found is the one that an answer with a
/// gap is compared with.
pub(crate) fn program_rated(
    problem: &Problem,
    options: &Options,
    known: Option<(&Problem, &Rated)>,
    bound: Option<Bound>,
) -> Result<Rating, Error> {
    let known = known.filter(|(other, _)| is_alike(problem, other));
    let known = known
        .map(|(_, rated)| carried_over(problem, rated, &options.watch))
        .unwrap_or_default();
    if known.is_optimal() {
        return rated(known);
    }
    options.watch.tell(stage::THROUGHPUT);
    let patterns = known
        .state()
        .into_iter()
        .flat_map(|state| &state.patterns)
        .map(|one| one.pattern.clone());
    let question = Question::new(problem)
        .watched(options.watch.stage(PROGRAM))
        .knowing(patterns.collect());
    let solution = lp::solve(&question, &options.program())?;
    options.watch.tell(stage::REFEREE);
    let Solution {
        steady_state,
        certificate,
        ..
    } = solution;
    let mut best = Known::default();
    best.offer_bound(proved(
        &question,
        certificate,
        &steady_state.throughput,
        &options.watch,
        bound,
    )?);
    referee::check_steady_state_watched(
        problem,
        &steady_state,
        &checking(problem, &options.watch),
    )?;
    best.offer_state(steady_state);
    best.offer(known);
    rated(best)
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

/// The facts of another problem's rating that hold for this one, which has the same shape, as the referee accepts them.
fn carried_over(problem: &Problem, rated: &Rated, watch: &Watch) -> Known {
    let mut known = Known::default();
    let state = sustained(problem, &rated.steady_state);
    let state = state.filter(|state| referee::check_steady_state(problem, state).is_ok());
    state.into_iter().for_each(|state| known.offer_state(state));
    let certificate = rated.certificate.clone();
    if let Ok(throughput) = referee::bound_watched(problem, &certificate, &watch.stage(PROGRAM)) {
        known.offer_bound(Bound {
            throughput,
            certificate,
        });
    }
    known
}

fn rated(known: Known) -> Result<Rating, Error> {
    let known = known
        .finished()
        .ok_or(Error::from(LpError::Contradiction("a solution is none")))?;
    let (
        steady_state,
        _,
        Bound {
            throughput: upper_bound,
            certificate,
        },
        status,
    ) = known;
    Ok(Rating::Rated(Box::new(Rated {
        steady_state,
        certificate,
        upper_bound,
        status,
    })))
}

/// The steady state as often as the busiest resource allows; `None` where nothing is busy.
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
