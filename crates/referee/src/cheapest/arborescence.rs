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

use std::collections::BTreeMap;
use std::ops::{AddAssign, SubAssign};

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

use super::{Class, Priced};

/// Prices from processor to processor; the last place is the end of all streams.
type Costs<N> = Vec<Vec<Option<N>>>;

/// By processor: what it costs to end there.
type Ends = Vec<Option<BigUint>>;

/// Whether the theorem applies.
pub(super) fn applies(priced: &Priced) -> bool {
    let alike = matches!((priced.size_class, priced.work_class), (Class::Nothing, Class::Nothing));
    alike && priced.owners.len() == priced.processors.len()
}

/// What streams cost, and their merges; the same for all targets.
pub(super) struct Streams<'p> {
    priced: &'p Priced,
    distances: &'p [Option<BigUint>],
    /// In machine integers, where sums fit.
    small: Option<Costs<u128>>,
    large: Costs<BigUint>,
    /// Dearer than all streams together.
    end: BigUint,
    known: BTreeMap<Ends, Option<BigUint>>,
}

impl<'p> Streams<'p> {
    /// O(n^2) operations on big integers for `n` processors.
    pub(super) fn new(priced: &'p Priced, distances: &'p [Option<BigUint>]) -> Option<Self> {
        let count = priced.processors.len();
        let (size, work) = (priced.sizes.first()?, priced.works.first()?);
        let row = |from: usize| {
            let stream = |to: usize| {
                let distance = distances[from * count + to].as_ref().filter(|_| to != from)?;
                Some(distance * size + work * &priced.merges[to])
            };
            (0..count).map(stream).collect::<Vec<_>>()
        };
        let large: Costs<BigUint> = (0..count).map(row).collect();
        let ways: BigUint = distances.iter().flatten().sum();
        let end: BigUint = large.iter().flatten().flatten().sum::<BigUint>() + ways * size + 1u32;
        // At most twice as many rows as processors, circles among them, pay at most two ends each.
        let fits = end.bits() + u64::from(usize::BITS - count.leading_zeros()) + 2 < u64::from(u128::BITS);
        let small =
            |row: &Vec<Option<BigUint>>| row.iter().map(|cost| cost.as_ref().and_then(BigUint::to_u128)).collect();
        let small = fits.then(|| large.iter().map(small).collect());
        Some(Streams { priced, distances, small, large, end, known: BTreeMap::new() })
    }

    /// The exact price of the cheapest tree to a target: O(n^3) operations on numbers, once for all targets that are as
    /// far from everybody.
    pub(super) fn price(&mut self, target: usize) -> Option<BigUint> {
        let count = self.priced.processors.len();
        let size = self.priced.sizes.first()?;
        let ends: Ends = (0..count)
            .map(|from| self.distances[from * count + target].as_ref().map(|distance| distance * size + &self.end))
            .collect();
        if let Some(price) = self.known.get(&ends) {
            return price.clone();
        }
        let total = match &self.small {
            Some(small) => {
                let ends = ends.iter().map(|end| end.as_ref().and_then(BigUint::to_u128));
                least(with_ends(small, ends)).map(BigUint::from)
            }
            None => least(with_ends(&self.large, ends.iter().cloned())),
        };
        // One stream ends at the target: each end is dearer than all streams together.
        let price = total.map(|total| total - &self.end);
        self.known.insert(ends, price.clone());
        price
    }
}

fn with_ends<N: Clone>(costs: &Costs<N>, ends: impl Iterator<Item = Option<N>>) -> Costs<N> {
    let with_end = |(row, end): (&Vec<Option<N>>, _)| row.iter().cloned().chain([end]).collect();
    costs.iter().zip(ends).map(with_end).collect()
}

/// The least sum of one cost per row without circles (Chu and Liu, Edmonds): rows pay their least, circles become rows.
fn least<N>(mut costs: Costs<N>) -> Option<N>
where
    N: Clone + Ord + Zero + AddAssign + for<'n> SubAssign<&'n N>,
{
    let mut total = N::zero();
    loop {
        let mut next = Vec::with_capacity(costs.len());
        for row in &mut costs {
            let paid = row.iter().flatten().min()?.clone();
            row.iter_mut().flatten().for_each(|cost| *cost -= &paid);
            next.push(row.iter().position(|cost| cost.as_ref().is_some_and(N::is_zero))?);
            total += paid;
        }
        let (groups, count) = groups(&next);
        if count == costs.len() {
            return Some(total);
        }
        let mut merged: Costs<N> = vec![vec![None; count + 1]; count];
        for (from, row) in costs.into_iter().enumerate() {
            for (to, cost) in row.into_iter().enumerate() {
                let (from, to) = (groups[from], groups[to]);
                let known = &mut merged[from][to];
                if from != to && cost.is_some() && (known.is_none() || cost < *known) {
                    *known = cost;
                }
            }
        }
        costs = merged;
    }
}

/// Numbers for rows, the same for those on a circle, and how many; the end gets the last.
fn groups(next: &[usize]) -> (Vec<usize>, usize) {
    let end = next.len();
    let mut group = vec![None; end];
    let mut count = 0;
    let mut seen = vec![usize::MAX; end];
    for start in 0..end {
        let mut at = start;
        while at != end && seen[at] == usize::MAX {
            seen[at] = start;
            at = next[at];
        }
        if at == end || seen[at] != start || group[at].is_some() {
            continue;
        }
        // `at` is on a circle that this walk found.
        let mut around = at;
        while group[around].is_none() {
            group[around] = Some(count);
            around = next[around];
        }
        count += 1;
    }
    let mut numbers: Vec<usize> = Vec::with_capacity(end + 1);
    for known in group {
        numbers.push(known.unwrap_or_else(|| {
            count += 1;
            count - 1
        }));
    }
    numbers.push(count);
    (numbers, count)
}
