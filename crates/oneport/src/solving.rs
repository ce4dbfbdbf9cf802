//! One problem: a plan, or, without room for one, throughput and bound.

use oneport_lp::{self as lp, LpError};
use oneport_plan::Problem;

use crate::bounded::Unlisted;
use crate::bounding::{Bounding, bound};
use crate::error::{Error, GRACE, Refusal};
use crate::rating::{Rated, Rating, program_rated};
use crate::{Options, Outcome, listed};

/// Solves and checks; see the crate's example. The watch in the options is told of every stage and round.
///
/// The watch in the options ends the program at 60 % of its time and memory, and the search for a period at 40 % of
/// what is left then; slots and the referee have the rest, so that every plan is checked. What ends keeps the best
/// known: a feasible steady state, a bound that the referee recomputes, a schedule. If an interrupt or the caller asks
/// for an end, program and period end at once, and slots and referee have five more seconds. Where even the referee is
/// cut short, the plan is feasible, with a bound that can be recomputed in a moment. Where no plan fits into the
/// limits, or into any, the answer is what [`bound`](crate::bound) knows.
///
/// # Errors
/// [`Error::Problem`] names what cannot be solved or scheduled, [`Error::Stopped`] the limit that came before anything
/// was checked.
pub fn solve(problem: Problem<'_>, options: &Options) -> Result<Outcome, Error> {
    let outcome = listed(problem, options);
    outcome.or_else(|error| unlisted(problem, options, error).map(Outcome::Unlisted))
}

/// The throughput that a problem sustains: [`solve`](crate::solve) without whole messages, period and slots.
///
/// `known` is the rating of a similar problem: the same collective, volumes, nodes and links, perhaps other costs. Its
/// steady state, scaled to the capacities, is compared with the bound of its certificate at the new costs. If they
/// meet, no program is solved. Otherwise the search starts from the known patterns, and the better state and the better
/// bound are kept.
///
/// ```
/// use oneport::{Options, Problem, Rating, Status, Volumes, parse_rational, rate};
/// use oneport::platform::{Change, LinkId, NodeId, Number, generate};
/// use oneport::plan::Collective;
/// let ring = generate::torus(&[3])?;
/// let gather = Collective::all_gather(ring.processors().collect());
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
/// As [`solve`].
pub fn rate(
    problem: Problem<'_>,
    options: &Options,
    known: Option<(Problem<'_>, &Rated)>,
) -> Result<Rating, Error> {
    let rated = program_rated(problem, options, known, None);
    rated.or_else(|error| unlisted(problem, options, error).map(Rating::Unlisted))
}

/// The answer in place of an error: what [`bound`](crate::bound) knows, if there was no room for more.
///
/// # Errors
/// The error itself, where it is of another kind, or nothing is proved either.
fn unlisted(problem: Problem<'_>, options: &Options, error: Error) -> Result<Box<Unlisted>, Error> {
    let limit = match &error {
        Error::Stopped(limit) => Some(*limit),
        Error::Problem(Refusal::Question(LpError::TooManyTasks { .. })) => None,
        _ => return Err(error),
    };
    let options = Options {
        watch: options.watch.finishing(GRACE),
        ..options.clone()
    };
    match bound(problem, &options) {
        Ok(Bounding::Bounded(bounded)) => Ok(Box::new(Unlisted {
            bounded: *bounded,
            tasks: lp::least_tasks(problem),
            limit,
        })),
        _ => Err(error),
    }
}
