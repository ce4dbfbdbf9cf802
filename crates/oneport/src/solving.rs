//! One problem: a bound, a throughput or a schedule, or, without room for it, the bound.

use oneport_lp::{self as lp, LpError};
use oneport_plan::Problem;

use crate::bounding::bounded;
use crate::error::{Error, GRACE, Refusal};
use crate::options::{Goal, Options};
use crate::rating::rated;
use crate::scheduling::scheduled;
use crate::solved::{Solved, Unwritten};

/// Solves a problem and has the referee check the answer. The watch in the options gets a report of every stage and
/// round.
///
/// **[`Goal::Schedule`]**: throughput, proof and periodic schedule. The watch ends the program at 60 % of its time and
/// memory, and the search for a period at 40 % of the rest. Slots and the referee have the remainder, so that every
/// plan is checked. If a search ends early, the best found so far counts: a feasible steady state, a bound that the
/// referee recomputes, a schedule. If an interrupt or the caller asks for an end, program and period end at once, and
/// slots and referee have five more seconds. If even the referee is cut short, the plan is feasible, with a bound that
/// can be recomputed in a moment.
///
/// **[`Goal::Rate`]**: throughput, patterns and proof.
///
/// ```
/// use std::sync::Arc;
/// use oneport::platform::{Change, LinkId, Number, generate};
/// use oneport::{Collective, Goal, Options, Problem, Status, Volumes, parse_rational, solve};
/// let ring = generate::torus(&[3])?;
/// let gather = Collective::all_gather(ring.processors().collect());
/// let problem = Problem::new(ring, gather, Volumes::default())?;
/// let base = Arc::new(solve(&problem, &Options::of(Goal::Rate))?.answer);
/// let half = Number::Times(parse_rational("1/2")?);
/// let faster = problem.platform().changed(&[Change::Cost(LinkId::new(0), half)])?.platform;
/// let options = Options::of(Goal::Rate).knowing(Arc::clone(&base));
/// let answer = solve(&problem.on(faster)?, &options)?.answer;
/// assert_eq!(answer.status(), Status::Optimal);
/// assert!(answer.throughput() >= base.throughput());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **[`Goal::Bound`]**: several searches, until one steady state attains the bound.
///
/// 1. Cuts if only links are exclusive ([`lp::cut_bound`]), partitions for all-reduces ([`lp::all_reduce_bound`]), the
///    load of single ports.
/// 2. Trees that attain the cut by Edmonds' theorem. A ring of all participants ([`lp::ring_routings`]). For messages
///    that travel alone, prices by multiplicative weights and their flows ([`lp::spread()`]).
/// 3. The program of [`Goal::Rate`]: on small platforms to its end, on others within a counted budget of work, so that
///    the answer is the same on every machine. Its bound and its steady state both count.
///
/// ```
/// use oneport::{Collective, Goal, Options, Problem, Status, Volumes, platform::generate, solve};
/// let box_of_gpus = generate::dgx1()?;
/// let gather = Collective::all_gather(box_of_gpus.processors().collect());
/// let problem = Problem::new(box_of_gpus, gather, Volumes::default())?;
/// let answer = solve(&problem, &Options::of(Goal::Bound))?.answer;
/// assert_eq!(*answer.bound(), oneport::parse_rational("150/7")?);
/// assert_eq!(answer.status(), Status::Optimal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If no plan fits into the limits, or into any, the answer is that of [`Goal::Bound`], and [`Solved::unwritten`] has
/// the reason.
///
/// # Errors
/// [`Error::Problem`] names what cannot be solved or scheduled, [`Error::Stopped`] the limit that came before anything
/// was checked.
pub fn solve(problem: &Problem, options: &Options) -> Result<Solved, Error> {
    let solved = match options.goal {
        Goal::Bound => return bounded(problem, options),
        Goal::Rate => {
            rated(problem, options, None).map(|answer| Solved::of(answer, options.watch.ended_by()))
        }
        Goal::Schedule => scheduled(problem, options),
    };
    solved.or_else(|error| unwritten(problem, options, error))
}

/// The answer in place of an error: the bound, if there was no room for more.
///
/// # Errors
/// The error itself if it is of another kind, or if nothing is proved either.
fn unwritten(problem: &Problem, options: &Options, error: Error) -> Result<Solved, Error> {
    let limit = match &error {
        Error::Stopped(limit) => Some(*limit),
        Error::Problem(Refusal::Question(LpError::TooManyTasks { .. })) => None,
        _ => return Err(error),
    };
    let finishing = Options {
        watch: options.watch.finishing(GRACE),
        ..options.clone()
    };
    let Ok(solved) = bounded(problem, &finishing) else {
        return Err(error);
    };
    let tasks = lp::least_tasks(problem);
    Ok(Solved {
        unwritten: Some(Unwritten { tasks, limit }),
        ..solved
    })
}
