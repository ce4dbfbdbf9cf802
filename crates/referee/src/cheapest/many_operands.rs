//! A lower bound for commutative operators of many operands, for which no exact method is fast.
//!
//! **Counting.** Let `G[c][j]` be the least price of a tree over *any* `c` operands, the same one perhaps several
//! times, with the result at `j`. Sizes and work depend on the count alone, so the recursion is that of the exact price
//! with counts for sets, and every tree over distinct operands is among those: `G[n][target] <= ` the cheapest tree.
//! But nothing keeps such a tree from using the operand next door `n` times.
//!
//! **Leaving.** For every owner `o` but the target some transfer leaves `o`: the value that contains operand `o` has to
//! get from `o` to the target. So let `y(o)` be the length of the shortest link out of `o` and shorten all links out of
//! owners by their `y`. A transfer of size `s` out of `o` costs `s y(o)` more than under the shortened lengths, the
//! smallest size is `s0`, and transfers out of different owners are different. So every tree costs at least `s0 sum
//! y(o)` over the owners but the target, plus its price under the shortened lengths. For that price there are two lower
//! bounds: `G` under the shortened lengths, and the longest of the paths that the operands have to take, for size `s0`,
//! plus the least work that `n - 1` merges can be, at the cheapest processor.
//!
//! The bound is the larger of `G` and of `s0 sum y(o)` plus the larger of those two.

use num_bigint::BigUint;
use num_traits::Zero;

use super::parts::Class;
use super::priced::{Priced, improve, or_zero};
use crate::Violation;
use crate::case::Case;

/// A lower bound of the price of the cheapest tree, by target.
pub(super) struct LowerBound<'p> {
    priced: &'p Priced,
    leaving: Vec<BigUint>,
    left: BigUint,
    rest: Vec<Option<BigUint>>,
    counted: Vec<BigUint>,
    rest_counted: Vec<BigUint>,
    smallest: BigUint,
    merging: BigUint,
}

impl<'p> LowerBound<'p> {
    /// O(n^2 processors + n processors^2) operations on big integers.
    pub(super) fn new(
        case: &Case<'_>,
        priced: &'p Priced,
        distances: &[Option<BigUint>],
    ) -> Result<LowerBound<'p>, Violation> {
        let leaving = shortest_out(case, priced);
        let mut shortened = priced.lengths.clone();
        for &owner in &priced.owners {
            for link in case.platform.outgoing(priced.processors[owner]) {
                shortened[*link] -= &leaving[owner];
            }
        }
        let rest = priced.distances(case, &shortened)?;
        Ok(LowerBound {
            priced,
            left: priced.owners.iter().map(|&owner| &leaving[owner]).sum(),
            leaving,
            counted: counting(priced, distances),
            rest_counted: counting(priced, &rest),
            rest,
            smallest: or_zero(priced.sizes.iter().min().cloned()),
            merging: least_work(priced) * or_zero(priced.merges.iter().min().cloned()),
        })
    }

    /// The bound for one target: O(n) operations.
    pub(super) fn price(&self, target: usize) -> BigUint {
        let (owners, count) = (&self.priced.owners, self.priced.processors.len());
        let stays = if owners.contains(&target) {
            &self.leaving[target]
        } else {
            &BigUint::ZERO
        };
        let leaves = (&self.left - stays) * &self.smallest;
        let ways = owners
            .iter()
            .filter_map(|owner| self.rest[owner * count + target].as_ref());
        let longest = ways
            .max()
            .map_or_else(BigUint::zero, |way| way * &self.smallest)
            + &self.merging;
        (leaves + longest.max(self.rest_counted[target].clone())).max(self.counted[target].clone())
    }
}

/// Per processor: the length of the shortest link that leaves it. 0 if it owns no operand or no link leaves it.
fn shortest_out(case: &Case<'_>, priced: &Priced) -> Vec<BigUint> {
    let mut leaving = vec![BigUint::zero(); priced.processors.len()];
    for &owner in &priced.owners {
        let links = case.platform.outgoing(priced.processors[owner]).iter();
        leaving[owner] = or_zero(links.map(|link| &priced.lengths[*link]).min().cloned());
    }
    leaving
}

/// The amount for a number of operands.
fn amount(amounts: &[BigUint], class: Class, operands: usize) -> &BigUint {
    &amounts[if let Class::Nothing = class {
        0
    } else {
        operands - 1
    }]
}

/// The least work of all merges of one tree, over all shapes.
fn least_work(priced: &Priced) -> BigUint {
    // Index: operands - 1.
    let mut least = vec![BigUint::zero()];
    for operands in 2..=priced.owners.len() {
        let halves = (1..=operands / 2)
            .map(|left| &least[left - 1] + &least[operands - left - 1])
            .min();
        least.push(or_zero(halves) + amount(&priced.works, priced.work_class, operands));
    }
    or_zero(least.pop())
}

/// `G[n]` by processor. 0 if nothing can be brought.
fn counting(priced: &Priced, distances: &[Option<BigUint>]) -> Vec<BigUint> {
    let count = priced.processors.len();
    let mut by_operands: Vec<Vec<Option<BigUint>>> = Vec::new();
    for operands in 1..=priced.owners.len() {
        let mut made: Vec<Option<BigUint>> = vec![None; count];
        if operands == 1 {
            for &owner in priced.owners.iter() {
                made[owner] = Some(BigUint::zero());
            }
        }
        let work = amount(&priced.works, priced.work_class, operands);
        for (processor, made) in made.iter_mut().enumerate() {
            for left in 1..=operands / 2 {
                let halves = (
                    &by_operands[left - 1][processor],
                    &by_operands[operands - left - 1][processor],
                );
                if let (Some(one), Some(other)) = halves {
                    improve(made, one + other);
                }
            }
            if operands > 1
                && let Some(made) = made
            {
                *made += work * &priced.merges[processor];
            }
        }
        by_operands.push(brought(
            &made,
            amount(&priced.sizes, priced.size_class, operands),
            distances,
        ));
    }
    by_operands
        .pop()
        .unwrap_or_default()
        .into_iter()
        .map(or_zero)
        .collect()
}

/// The least price of a partial result at each processor, if it may be made at any.
fn brought(
    made: &[Option<BigUint>],
    size: &BigUint,
    distances: &[Option<BigUint>],
) -> Vec<Option<BigUint>> {
    let mut there: Vec<Option<BigUint>> = vec![None; made.len()];
    for (made, ways) in made.iter().zip(distances.chunks_exact(made.len())) {
        let Some(made) = made else { continue };
        for (there, way) in there.iter_mut().zip(ways) {
            if let Some(way) = way {
                improve(there, size * way + made);
            }
        }
    }
    there
}
