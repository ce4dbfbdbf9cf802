//! All processors end with the result: a reduction to one of them, then a broadcast from it. Slowest-node-first into
//! the fastest processor and fastest-node-first from it are at most 3.5 times the optimum (Liu-Kuo-Wang 2009, Theorem
//! 3). A shorter reduction makes them shorter.

use oneport_plan::{Broadcast, Reduction};
use oneport_platform::Rational;

use crate::{Destination, Error, Processors, bound, broadcast, slowest_first};

/// One all-reduction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllReduce {
    /// A reduction to one of the processors.
    pub reduction: Reduction,
    /// Fastest-node-first from there. Its dates count from the end of the reduction.
    pub broadcast: Broadcast,
    /// Both together.
    pub length: Rational,
    /// No all-reduction is shorter: it contains a reduction to every processor, and a broadcast from every one.
    pub lower_bound: Rational,
}

/// The all-reduction of Theorem 3. Of several fastest processors the first is taken. O(n log n).
///
/// The bound: an all-reduction contains, for each processor, a reduction to it (of each processor's transfers the last
/// from which the value still gets there) and a broadcast from it (for each processor the first transfer that brings
/// the value). Reducing to the fastest takes longest, since all slower ones send. For broadcasts the fastest and the
/// slowest source are tried.
///
/// # Errors
/// No processor, a time that is not positive, more than 2^32 - 1 processors.
pub fn all_reduce(times: &[Rational]) -> Result<AllReduce, Error> {
    let hardest = Processors::new(times.to_vec(), Destination::Listed(fastest(times)?))?;
    all_reduce_by(times, slowest_first::schedule(&hardest)?)
}

/// The first of the fastest processors: Theorem 3 reduces to it.
///
/// # Errors
/// No processor.
pub fn fastest(times: &[Rational]) -> Result<usize, Error> {
    (0..times.len())
        .min_by(|&a, &b| times[a].cmp(&times[b]).then(a.cmp(&b)))
        .ok_or(Error::NoProcessor)
}

/// [`all_reduce`] with this reduction of the processors of the list: fastest-node-first from its destination. O(n log
/// n).
///
/// # Errors
/// Those of [`all_reduce`]. A root out of range.
pub fn all_reduce_by(times: &[Rational], reduction: Reduction) -> Result<AllReduce, Error> {
    let fastest = fastest(times)?;
    let slowest = (0..times.len())
        .max_by(|&a, &b| times[a].cmp(&times[b]))
        .unwrap_or(fastest);
    let hardest = Processors::new(times.to_vec(), Destination::Listed(fastest))?;
    let reduced = bound::lower_bound(&hardest.cluster()).length;
    let spread =
        broadcast::lower_bound(times, fastest)?.max(broadcast::lower_bound(times, slowest)?);
    let broadcast = broadcast::fastest_first(times, reduction.root as usize)?;
    Ok(AllReduce {
        length: &reduction.length + &broadcast.length,
        reduction,
        broadcast,
        lower_bound: reduced.max(spread),
    })
}
