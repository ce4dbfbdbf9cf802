//! One problem: a plan, or, without room for one, throughput and bound.

use oneport_lp::{self as lp, LpError};
use oneport_plan::Problem;

use crate::bounded::Unlisted;
use crate::bounding::bound;
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
pub fn solve(problem: &Problem, options: &Options) -> Result<Outcome, Error> {
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
/// let problem = Problem::new(ring, gather, Volumes::default())?;
/// let Rating::Rated(base) = rate(&problem, &Options::default(), None)? else { panic!("there is room") };
/// let half = Number::Times(parse_rational("1/2")?);
/// let faster = problem.platform().changed(&[Change::Cost(LinkId::new(0), half)])?.platform;
/// let faster = problem.on(faster)?;
/// let known = Some((&problem, &*base));
/// let Rating::Rated(rated) = rate(&faster, &Options::default(), known)? else { panic!("there is room") };
/// assert_eq!(rated.status, Status::Optimal);
/// assert!(rated.steady_state.throughput >= base.steady_state.throughput);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`solve`].
pub fn rate(
    problem: &Problem,
    options: &Options,
    known: Option<(&Problem, &Rated)>,
) -> Result<Rating, Error> {
    let rated = program_rated(problem, options, known, None);
    rated.or_else(|error| unlisted(problem, options, error).map(Rating::Unlisted))
}

/// The answer in place of an error: what [`bound`](crate::bound) knows, if there was no room for more.
///
/// # Errors
/// The error itself, where it is of another kind, or nothing is proved either.
fn unlisted(problem: &Problem, options: &Options, error: Error) -> Result<Box<Unlisted>, Error> {
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
        Ok(bounded) => Ok(Box::new(Unlisted {
            bounded,
            tasks: lp::least_tasks(problem),
            limit,
        })),
        Err(_) => Err(error),
    }
}
