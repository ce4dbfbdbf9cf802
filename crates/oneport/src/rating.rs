//! Rates a problem: its throughput and the proof, without a schedule.

use std::ops::ControlFlow;

use num_bigint::BigInt;
use num_traits::{One, Zero};
use oneport_lp::{self as lp, Answer, Question, Solution};
use oneport_plan::{Certificate, Commodity, Problem, Status, SteadyState, WeightedPattern};
use oneport_platform::{Platform, Rational};
use oneport_referee as referee;
use oneport_schedule::{Measure, common_denominator};
use oneport_watch::Watch;

use crate::bounded::Unlisted;
use crate::error::Error;
use crate::proving::{Proved, checking, proved};
use crate::{Options, Stage};

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
    /// No throughput at all: these messages cannot arrive.
    Unreachable(Vec<Commodity>),
}

/// [`rate_watched`](crate::rate_watched) by the program alone; the best bound that `bound` has found is the one that an
/// answer with a gap is compared with.
pub(crate) fn program_rated(
    problem: Problem<'_>,
    options: &Options,
    known: Option<(Problem<'_>, &Rated)>,
    bound: Option<(Certificate, Rational)>,
    watch: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Result<Rating, Error> {
    let unreachable = problem.unreachable();
    if !unreachable.is_empty() {
        return Ok(Rating::Unreachable(unreachable));
    }
    let known = known.filter(|(other, _)| is_alike(problem, *other));
    let known = known.map(|(_, rated)| Known::of(problem, rated, &options.watch)).unwrap_or_default();
    if let Some(rated) = known.clone().optimal() {
        return Ok(Rating::Rated(Box::new(rated)));
    }
    let _ = watch(Stage::Throughput);
    let patterns = known.steady_state.iter().flat_map(|state| &state.patterns).map(|one| one.pattern.clone());
    let question = Question::new(problem).watched(options.watch.stage(PROGRAM)).knowing(patterns.collect());
    let lp_options = lp::Options { formulation: options.formulation, time_limit: options.time_limit };
    let answer = lp::solve_watched(&question, &lp_options, &mut |progress| watch(Stage::Round(progress.clone())))?;
    let solution = match answer {
        Answer::Steady(solution) => solution,
        Answer::Unreachable(commodities) => return Ok(Rating::Unreachable(commodities)),
    };
    let _ = watch(Stage::Referee);
    let Solution { steady_state, certificate, .. } = *solution;
    let Proved { bound, certificate } =
        proved(&question, certificate, &steady_state.throughput, &options.watch, bound)?;
    referee::check_steady_state_watched(problem, &steady_state, &checking(problem, &options.watch))?;
    let new = Known { steady_state: Some(steady_state), proof: Some((certificate, bound)) };
    let best = new.better(known).rated();
    Ok(Rating::Rated(Box::new(best.ok_or(Error::Question(crate::LpError::Contradiction("an incomplete rating")))?)))
}

/// Whether patterns and prices of one problem mean something for the other.
fn is_alike(problem: Problem<'_>, other: Problem<'_>) -> bool {
    let (one, two) = (problem.platform(), other.platform());
    let ends = |platform: &Platform| platform.links().iter().map(|link| (link.from, link.to)).collect::<Vec<_>>();
    one.nodes().len() == two.nodes().len()
        && ends(one) == ends(two)
        && problem.collective() == other.collective()
        && problem.volumes() == other.volumes()
}

/// Best steady state and best bound accepted by the referee.
#[derive(Debug, Clone, Default)]
struct Known {
    steady_state: Option<SteadyState>,
    proof: Option<(Certificate, Rational)>,
}

impl Known {
    /// The facts of another problem's rating that hold for this one, which has the same shape. The rest is left out.
    fn of(problem: Problem<'_>, rated: &Rated, watch: &Watch) -> Known {
        let steady_state = sustained(problem, &rated.steady_state);
        let certificate = rated.certificate.clone();
        let bound = referee::bound_watched(problem, &certificate, &watch.stage(PROGRAM)).ok();
        Known {
            steady_state: steady_state.filter(|state| referee::check_steady_state(problem, state).is_ok()),
            proof: bound.map(|bound| (certificate, bound)),
        }
    }

    /// The better of each side.
    fn better(self, other: Known) -> Known {
        let states = self.steady_state.into_iter().chain(other.steady_state);
        let proofs = self.proof.into_iter().chain(other.proof);
        Known {
            // If both are equal, the first.
            steady_state: states.reduce(|one, two| if two.throughput > one.throughput { two } else { one }),
            proof: proofs.reduce(|one, two| if two.1 < one.1 { two } else { one }),
        }
    }

    fn rated(self) -> Option<Rated> {
        let (steady_state, (certificate, upper_bound)) = (self.steady_state?, self.proof?);
        let status = Status::of(&steady_state.throughput, &upper_bound);
        Some(Rated { steady_state, certificate, upper_bound, status })
    }

    fn optimal(self) -> Option<Rated> {
        self.rated().filter(|rated| rated.status == Status::Optimal)
    }
}

/// The steady state as often as the busiest resource allows; `None` where nothing is busy.
fn sustained(problem: Problem<'_>, steady_state: &SteadyState) -> Option<SteadyState> {
    let measure = Measure::new(problem);
    let unit = common_denominator(steady_state.patterns.iter().map(|weighted| &weighted.weight));
    let mut totals = vec![BigInt::zero(); measure.places()];
    for WeightedPattern { pattern, weight } in &steady_state.patterns {
        measure.add(pattern, &(weight.numer() * (&unit / weight.denom())), &mut totals);
    }
    let busiest = measure.loads(&totals, |place| measure.time(place)).into_iter().max()?;
    let often = (!busiest.is_zero()).then(|| busiest.recip() * (unit * measure.scale()))?;
    if often.is_one() {
        return Some(steady_state.clone());
    }
    let weighted = |WeightedPattern { pattern, weight }: &WeightedPattern| WeightedPattern {
        pattern: pattern.clone(),
        weight: weight * &often,
    };
    let patterns = steady_state.patterns.iter().map(weighted).collect();
    Some(SteadyState { throughput: &steady_state.throughput * often, patterns })
}
