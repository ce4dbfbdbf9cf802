//! Commutative operators, equal sizes, equal work, a value on every processor: cheapest trees are arborescences.
//!
//! **Upper bound.** Let every processor but one, `r`, send its stream to some other, without a circle, and let `r` send
//! its own to the target. Each processor merges its value with every stream that arrives: a reduction tree whose price
//! is the sum over streams `i -> j` of `D(i,j) + q_j`, plus `D(r, target)`; `D` is the price of the way, `q` of a
//! merge.
//!
//! **No tree is cheaper.** Take a cheapest tree, of equal ones that with the fewest *strange* merges: those not
//! connected with `v_x`, where `x` is the processor that merges, by merges at `x` alone. Suppose that there is a
//! strange merge of `A` and `B` at `x`. Say `v_x` leaves `x` as (part of) a value `V`, merged or not.
//! - If `v_x` takes part in a merge at `x`, let one of `A`, `B` that does not contain that merge take part there
//!   instead, and the other pass: the same number of merges at `x`, ways no longer, fewer strange merges.
//! - Otherwise `v_x` alone goes to some `y` and is merged there. If `D(x,y) + q_y < q_x`, take one of `A`, `B` without
//!   `v_x` in it along to `y`, merge it there and let the other pass: cheaper, a contradiction. If not, merge `v_x` at
//!   `x`, with the result of the strange merge, instead of at `y`: no dearer, and the merges at `x` are not strange any
//!   more.
//!
//! Either contradicts the choice (that `v_x` is in one of `A` and `B` does no harm: it is left out there). So there is
//! no strange merge, every processor sends one stream, and the tree is an arborescence as above.

use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::Priced;
use crate::case::Case;
use crate::copies::{Arc, spanning_from_each};

/// Whether the theorem applies to a commutative operator on so many processors.
pub(super) fn is_for(case: &Case<'_>, processors: usize) -> bool {
    let alike = [&case.volumes.size, &case.volumes.work].iter().all(|amount| amount.constant().is_some());
    alike && case.operands().len() == processors
}

/// What it costs to bring all streams together at each processor.
pub(super) struct Streams<'p> {
    distances: &'p [Option<BigUint>],
    size: &'p BigUint,
    gathered: Vec<Option<BigUint>>,
}

impl<'p> Streams<'p> {
    /// O(n^3) operations on numbers for `n` processors, usually about O(n^2 log n).
    pub(super) fn new(priced: &'p Priced, distances: &'p [Option<BigUint>]) -> Option<Self> {
        let count = priced.processors.len();
        let (size, work) = (priced.sizes.first()?, priced.works.first()?);
        let stream = |from: usize, to: usize| {
            let distance = distances[from * count + to].as_ref().filter(|_| to != from)?;
            // Turned around: what leads from a root to everybody are the streams from everybody to it.
            Some((to, from, distance * size + work * &priced.merges[to]))
        };
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        let streams: Vec<Arc<BigUint>> = pairs.filter_map(|(from, to)| stream(from, to)).collect();
        Some(Streams { distances, size, gathered: from_each(count, streams) })
    }

    /// The exact price of the cheapest tree to a target: some processor gathers, and sends what it has made. `O(n)`.
    pub(super) fn price(&self, target: usize) -> Option<BigUint> {
        let count = self.gathered.len();
        let from = |(from, gathered): (usize, &Option<BigUint>)| {
            Some(gathered.as_ref()? + self.distances[from * count + target].as_ref()? * self.size)
        };
        self.gathered.iter().enumerate().filter_map(from).min()
    }
}

/// In machine integers, where sums fit.
fn from_each(count: usize, arcs: Vec<Arc<BigUint>>) -> Vec<Option<BigUint>> {
    // Fewer than two groups per node pay an arc each.
    let longest = arcs.iter().map(|(.., length)| length.bits()).max().unwrap_or(0);
    let bits = longest + u64::from(usize::BITS - count.leading_zeros()) + 1;
    if bits > u128::BITS.into() {
        return spanning_from_each(count, arcs);
    }
    let small = |(from, to, length): &Arc<BigUint>| Some((*from, *to, length.to_u128()?));
    let prices = spanning_from_each(count, arcs.iter().filter_map(small).collect());
    prices.into_iter().map(|price| price.map(BigUint::from)).collect()
}
