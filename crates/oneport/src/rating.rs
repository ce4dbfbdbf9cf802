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

use crate::cheap::cheaply;
use crate::error::{Error, GRACE};
use crate::proving::{Proved, checking, proved};
use crate::{Options, Stage};

/// Percent of the time and memory left that the program may use; the referee has the rest.
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
    /// No throughput at all: these messages cannot arrive.
    Unreachable(Vec<Commodity>),
}

/// Throughput of a problem: [`solve`](crate::solve) without whole messages, period and slots.
///
/// Where a similar problem (the same collective and volumes; the same nodes and links, perhaps of other costs) has been
/// rated before, what is known of it comes first: its steady state, slowed down until nothing is too busy, against what
/// its certificate proves here. Often the two meet: nothing that is charged was improved, or nothing that was slowed
/// down is too busy for it. Then no program is solved. Else the search starts from the patterns that are known, and the
/// better of old and new is taken, on either side.
///
/// ```
/// use oneport::{Options, Problem, Rating, Status, Volumes, parse_rational, rate};
/// use oneport::platform::{Change, LinkId, NodeId, Number, generate};
/// use oneport::plan::Collective;
/// let ring = generate::torus(&[3])?;
/// let gather = Collective::AllGather { participants: ring.processors().collect() };
/// let volumes = Volumes::default();
/// let problem = Problem::new(&ring, &gather, &volumes)?;
/// let Rating::Rated(base) = rate(problem, &Options::default(), None)? else { panic!("connected") };
/// let half = Number::Times(parse_rational("1/2")?);
/// let faster = ring.changed(&[Change::Cost(LinkId::new(0), half)])?.platform;
/// let faster = Problem::new(&faster, &gather, &volumes)?;
/// let Rating::Rated(rated) = rate(faster, &Options::default(), Some((problem, &base)))? else { panic!("connected") };
/// assert_eq!(rated.status, Status::Optimal);
/// assert!(rated.steady_state.throughput >= base.steady_state.throughput);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Question`] names what cannot be solved, [`Error::Unchecked`] the limit that came before anything was
/// checked.
pub fn rate(problem: Problem<'_>, options: &Options, known: Option<(Problem<'_>, &Rated)>) -> Result<Rating, Error> {
    rate_watched(problem, options, known, &mut |_| ControlFlow::Continue(()))
}

/// [`rate`], announcing every stage as [`solve_watched`](crate::solve_watched) does.
///
/// # Errors
/// As [`rate`].
pub fn rate_watched(
    problem: Problem<'_>,
    options: &Options,
    known: Option<(Problem<'_>, &Rated)>,
    watch: &mut dyn FnMut(Stage) -> ControlFlow<()>,
) -> Result<Rating, Error> {
    let rated = match program_rated(problem, options, known, watch)? {
        Rating::Rated(rated) if rated.status == Status::Feasible => *rated,
        other => return Ok(other),
    };
    let ended = options.watch.ended_by().is_some();
    let cheap = cheaply(problem, &options.watch.finishing(GRACE), ended).filter(|found| found.1 < rated.upper_bound);
    let (certificate, upper_bound) = cheap.unwrap_or((rated.certificate, rated.upper_bound));
    let status = Status::of(&rated.steady_state.throughput, &upper_bound);
    Ok(Rating::Rated(Box::new(Rated { certificate, upper_bound, status, ..rated })))
}

/// [`rate_watched`] by the program alone, without the bounds that `bound` asks itself.
pub(crate) fn program_rated(
    problem: Problem<'_>,
    options: &Options,
    known: Option<(Problem<'_>, &Rated)>,
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
    let Proved { bound, certificate } = proved(&question, certificate, &steady_state.throughput, &options.watch)?;
    referee::check_steady_state_watched(problem, &steady_state, &checking(problem, &options.watch))?;
    let new = Known { steady_state: Some(steady_state), proof: Some((certificate, bound)) };
    let best = new.better(known).rated();
    Ok(Rating::Rated(Box::new(best.ok_or(Error::Question(crate::LpError::Contradiction("a solution is none")))?)))
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
