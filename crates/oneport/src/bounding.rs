//! What no schedule exceeds, without a schedule.

use std::ops::ControlFlow;

use oneport_lp::{self as lp, Bound, LpError, Question};
use oneport_plan::{Block, Certificate, Commodity, Problem};
use oneport_platform::Rational;
use oneport_referee as referee;
use oneport_watch::Limit;

use crate::proving::{Proved, quickest};
use crate::rating::{Rating, rate};
use crate::{Error, GRACE, Options};

/// Most nodes and links of a platform on which the optimum itself is computed where cuts do not decide.
const SMALL: (usize, usize) = (64, 400);
/// Percent of the time and memory left that the search may use.
const SEARCH: u32 = 60;

/// Most messages, each counted where it is wanted, that are looked at.
const MOST: u64 = 1 << 28;

/// A bound; the referee has recomputed it from the certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounded {
    /// No schedule has a larger throughput.
    pub bound: Rational,
    /// Why.
    pub certificate: Certificate,
    /// Whether a steady state is known that attains it.
    pub attained: bool,
    /// Which limit ended the search before its time: with more, less may be proved.
    pub ended_by: Option<Limit>,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bounding {
    /// A bound.
    Bounded(Box<Bounded>),
    /// No throughput at all: these messages cannot arrive.
    Unreachable(Vec<Commodity>),
}

/// What no schedule of a problem exceeds, with its proof; no schedule is made.
///
/// Where only links are exclusive: by cuts ([`lp::cut_bound`]), all-reduces by partitions. On small platforms the
/// optimum is computed where that may be less. Where ports count, small platforms only are bounded well; of larger
/// ones, what leads into or out of one node. A limit ends the search; what is proved by then, or proved in a moment, is
/// kept, and [`Bounded::ended_by`] names the limit.
///
/// ```
/// use oneport::plan::Collective;
/// use oneport::{Bounding, Options, Problem, Volumes, bound, platform::generate};
/// let box_of_gpus = generate::dgx1()?;
/// let gather = Collective::AllGather { participants: box_of_gpus.processors().collect() };
/// let volumes = Volumes::default();
/// let problem = Problem::new(&box_of_gpus, &gather, &volumes)?;
/// let Bounding::Bounded(bounded) = bound(problem, &Options::default())? else { panic!("connected") };
/// assert_eq!(bounded.bound, oneport::parse_rational("150/7")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the solver and of the referee; [`LpError::Stopped`] where a limit came before anything was proved;
/// [`Error::TooLarge`].
pub fn bound(problem: Problem<'_>, options: &Options) -> Result<Bounding, Error> {
    check_size(problem)?;
    let unreachable = problem.unreachable();
    if !unreachable.is_empty() {
        return Ok(Bounding::Unreachable(unreachable));
    }
    let search = options.watch.stage(SEARCH);
    let question = Question::new(problem).watched(search.clone());
    let mut best: Option<Bounded> = None;
    let mut ended_by: Option<Limit> = None;
    let finishing = options.watch.finishing(GRACE);
    let checked = |certificate: Certificate| -> Result<Bounded, Error> {
        let bound = referee::bound_watched(problem, &certificate, &finishing)?;
        Ok(Bounded { bound, certificate, attained: false, ended_by: None })
    };
    for search in [lp::cut_bound, of_all_reduce] {
        match search(&question) {
            Ok(None) => {}
            Ok(Some(found)) => match checked(found.certificate) {
                Err(Error::Unchecked(limit)) => ended_by = Some(limit),
                found => best = better(best, found?),
            },
            Err(LpError::Stopped(limit)) => ended_by = Some(limit),
            Err(error) => return Err(error.into()),
        }
    }
    let platform = problem.platform();
    let small = platform.nodes().len() <= SMALL.0 && platform.links().len() <= SMALL.1;
    if small {
        let options = Options { watch: options.watch.stage(SEARCH), ..options.clone() };
        match rate(problem, &options, None) {
            Ok(Rating::Rated(rated)) => {
                let attained = rated.steady_state.throughput == rated.upper_bound;
                let (bound, certificate) = (rated.upper_bound, rated.certificate);
                best = better(best, Bounded { bound, certificate, attained, ended_by: None });
            }
            _ => ended_by = ended_by.or(options.watch.ended()),
        }
    }
    if best.is_none() {
        // Some of them prove nothing.
        let quick = quickest(&question, &finishing);
        best =
            quick.map(|Proved { bound, certificate }| Bounded { bound, certificate, attained: false, ended_by: None });
    }
    match (best, ended_by.or(search.ended())) {
        (Some(best), ended_by) => Ok(Bounding::Bounded(Box::new(Bounded { ended_by, ..best }))),
        (None, Some(limit)) => Err(Error::Question(LpError::Stopped(limit))),
        (None, None) => Err(Error::Question(LpError::Contradiction("nothing bounds the problem"))),
    }
}

/// Refuses what would be looked at for minutes before anything is proved.
fn check_size(problem: Problem<'_>) -> Result<(), Error> {
    let of_block = |block: &Block<'_>| {
        let wanted = block.demand(0).map_or(0, |demand| demand.targets().len().max(demand.operands.len()));
        (block.count as u64).saturating_mul(wanted as u64)
    };
    let messages = problem.blocks().iter().map(of_block).fold(0, u64::saturating_add);
    match messages <= MOST {
        true => Ok(()),
        false => Err(Error::TooLarge { collective: problem.collective().name(), messages, most: MOST }),
    }
}

/// The bound of an all-reduce by the best partition; where ports count, by what single participants exchange.
fn of_all_reduce(question: &Question<'_>) -> Result<Option<Bound>, LpError> {
    // More than anything: the search ends with the first bound.
    let enough = Rational::from_integer(i64::MAX.into());
    lp::all_reduce_bound(question, &enough, &mut |_| ControlFlow::Continue(()))
}

/// The smaller one; of equals the first, whose certificate is the simpler one, attained if either is.
fn better(known: Option<Bounded>, found: Bounded) -> Option<Bounded> {
    Some(match known {
        Some(known) if known.bound < found.bound => known,
        Some(known) if known.bound == found.bound => Bounded { attained: known.attained || found.attained, ..known },
        _ => found,
    })
}
