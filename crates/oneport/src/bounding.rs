//! What no schedule exceeds, without a schedule.

use std::ops::ControlFlow;

use oneport_lp::{self as lp, Bound, Question};
use oneport_plan::{Certificate, Commodity, Problem};
use oneport_platform::Rational;
use oneport_referee as referee;

use crate::rating::{Rating, rate};
use crate::{Error, Options};

/// Most nodes and links of a platform on which the optimum itself is computed where cuts do not decide.
const SMALL: (usize, usize) = (64, 400);
/// Percent of the time and memory left that the search may use.
const SEARCH: u32 = 60;

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
/// ones, what leads into or out of one node.
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
/// Those of the solver and of the referee.
pub fn bound(problem: Problem<'_>, options: &Options) -> Result<Bounding, Error> {
    let unreachable = problem.unreachable();
    if !unreachable.is_empty() {
        return Ok(Bounding::Unreachable(unreachable));
    }
    let question = Question::new(problem).watched(options.watch.stage(SEARCH));
    let mut best: Option<Bounded> = None;
    let checked = |certificate: Certificate| -> Result<Bounded, Error> {
        let bound = referee::bound_watched(problem, &certificate, &options.watch)?;
        Ok(Bounded { bound, certificate, attained: false })
    };
    for found in [lp::cut_bound(&question)?, of_all_reduce(&question)?].into_iter().flatten() {
        best = better(best, checked(found.certificate)?);
    }
    let platform = problem.platform();
    let small = platform.nodes().len() <= SMALL.0 && platform.links().len() <= SMALL.1;
    if small {
        let options = Options { watch: options.watch.stage(SEARCH), ..options.clone() };
        if let Ok(Rating::Rated(rated)) = rate(problem, &options, None) {
            let attained = rated.steady_state.throughput == rated.upper_bound;
            let (bound, certificate) = (rated.upper_bound, rated.certificate);
            best = better(best, Bounded { bound, certificate, attained });
        }
    }
    if best.is_none() {
        for certificate in lp::simple_certificates(&question) {
            if let Ok(found) = checked(certificate) {
                best = better(best, found);
            }
        }
    }
    let nothing = || Error::Question(crate::LpError::Contradiction("nothing bounds the problem"));
    Ok(Bounding::Bounded(Box::new(best.ok_or_else(nothing)?)))
}

/// The bound of an all-reduce by the best partition; where ports count, by what single participants exchange.
fn of_all_reduce(question: &Question<'_>) -> Result<Option<Bound>, Error> {
    // More than anything: the search ends with the first bound.
    let enough = Rational::from_integer(i64::MAX.into());
    Ok(lp::all_reduce_bound(question, &enough, &mut |_| ControlFlow::Continue(()))?)
}

/// The smaller one; of equals the first, whose certificate is the simpler one, attained if either is.
fn better(known: Option<Bounded>, found: Bounded) -> Option<Bounded> {
    Some(match known {
        Some(known) if known.bound < found.bound => known,
        Some(known) if known.bound == found.bound => Bounded { attained: known.attained || found.attained, ..known },
        _ => found,
    })
}
