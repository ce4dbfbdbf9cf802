//! Prices of single transfers and merges, rounded down to machine integers.
//!
//! A price is a product `x y` of big integers: a size and a distance, or an amount of work and the price of a unit of
//! it. It is kept as the integer `r` with `r <= x y / 2^unit < r + 2`:
//!
//! Drop the lowest bits of both factors, so that 64 are left of the longest, `x = (x' + f) 2^a` and `y = (y' + g) 2^b`
//! with `0 <= f, g < 1` and `f = 0` if `a = 0`, `g = 0` if `b = 0`. Let `t = unit - a - b` and `r = floor(x' y' /
//! 2^t)`. The unit is such that the longest product has at most `KEPT` bits: `unit >= bits(x) + bits(y) - KEPT` (and 0
//! or more) for the longest `x` and `y` of each kind. The loss, besides the fraction that `floor` drops, is `e = (x'
//! g + y' f + f g) / 2^t`, and `e < 1`:
//! - `a = b = 0`: `e = 0`.
//! - `b > 0 = a`: `b = bits(y) - 64`, so `t >= bits(x) + 64 - KEPT > bits(x)`, and `e < x' / 2^t < 1`; likewise
//!   `a > 0 = b`;
//! - `a, b > 0`: `t >= 128 - KEPT >= 67`, and `e < (x' + y' + 1) / 2^t < 2^65 / 2^t < 1`.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

/// Fact: above each price, for unreachable nodes. Two of these, or one and some prices, fit 64 bits.
pub(super) const NEVER: u64 = 1 << 62;
/// Fact: a tree's rounded prices together stay below this many bits.
const TREE_BITS: u64 = 61;
/// Fact: a rounded price is less than this below the price.
const ERROR: u64 = 2;

/// Factors of prices, rounded.
#[derive(Debug)]
pub(super) struct Rounded {
    sizes: Vec<u64>,
    /// As the exact ones. `None`: unreachable.
    distances: Vec<Option<u64>>,
    works: Vec<u64>,
    merges: Vec<u64>,
    /// How far the products are shifted down.
    transfer_shift: u32,
    merge_shift: u32,
    /// One unit of a rounded price is 2 to this power. 0 if nothing is rounded.
    unit: u64,
}

impl Rounded {
    /// Rounds the factors such that the tasks of one tree over `operands` operands have room together.
    pub(super) fn new(
        [sizes, works, merges]: [&[BigUint]; 3],
        distances: &[Option<BigUint>],
        operands: usize,
    ) -> Rounded {
        let kept = TREE_BITS - u64::from(tasks(operands).ilog2() + 1);
        let lengths: Vec<&BigUint> = distances.iter().flatten().collect();
        let longest = |values: &[BigUint]| values.iter().map(BigUint::bits).max().unwrap_or(0);
        let distance_bits = lengths
            .iter()
            .map(|length| length.bits())
            .max()
            .unwrap_or(0);
        let (size_bits, work_bits, merge_bits) = (longest(sizes), longest(works), longest(merges));
        // A product with 0 has no bits, however long the other factor.
        let product = |one: u64, other: u64| {
            if one == 0 || other == 0 {
                0
            } else {
                one + other
            }
        };
        let unit = product(size_bits, distance_bits)
            .max(product(work_bits, merge_bits))
            .saturating_sub(kept);
        let dropped = |bits: u64| bits.saturating_sub(64);
        let top = |bits: u64| {
            move |value: &BigUint| (value >> dropped(bits)).to_u64().unwrap_or(u64::MAX)
        };
        // If a shift is cut off at 0, one of the factors is always 0. Beyond 128, every product is rounded to 0.
        let shift = |one: u64, other: u64| {
            u32::try_from(unit.saturating_sub(dropped(one) + dropped(other))).unwrap_or(u32::MAX)
        };
        Rounded {
            sizes: sizes.iter().map(top(size_bits)).collect(),
            distances: distances
                .iter()
                .map(|length| length.as_ref().map(top(distance_bits)))
                .collect(),
            works: works.iter().map(top(work_bits)).collect(),
            merges: merges.iter().map(top(merge_bits)).collect(),
            transfer_shift: shift(size_bits, distance_bits),
            merge_shift: shift(work_bits, merge_bits),
            unit,
        }
    }

    /// Per processor: the prices of merges of a class of work.
    pub(super) fn merge(&self, work: usize, into: &mut Vec<u64>) {
        into.clear();
        into.extend(
            self.merges
                .iter()
                .map(|&merge| product(self.works[work], merge, self.merge_shift)),
        );
    }

    /// The price of a merge of a class of work at one processor.
    pub(super) fn merge_at(&self, work: usize, processor: usize) -> u64 {
        product(self.works[work], self.merges[processor], self.merge_shift)
    }

    /// Per pair of processors: the prices of transfers of a class of size.
    pub(super) fn transfer(&self, size: usize, into: &mut Vec<u64>) {
        into.clear();
        into.extend(
            self.distances
                .iter()
                .map(|&distance| self.one_transfer(size, distance)),
        );
    }

    /// The price of one transfer between this pair of processors, by its index in the distances.
    pub(super) fn transfer_at(&self, size: usize, pair: usize) -> u64 {
        self.one_transfer(size, self.distances[pair])
    }

    fn one_transfer(&self, size: usize, distance: Option<u64>) -> u64 {
        distance.map_or(NEVER, |distance| {
            product(self.sizes[size], distance, self.transfer_shift)
        })
    }

    /// Upper bound on the cheapest price of a part of `operands` operands minus its cheapest rounded price, in units of
    /// the latter: the tree that is cheapest when rounded has at most [`tasks`] tasks, and it costs at least the
    /// cheapest price.
    pub(super) fn slack(&self, operands: usize) -> u64 {
        if self.unit == 0 {
            0
        } else {
            ERROR * tasks(operands)
        }
    }

    /// The price that a rounded price represents, if nothing is rounded. Else `None`.
    pub(super) fn exactly(&self, price: u64) -> Option<BigUint> {
        self.unit.is_zero().then(|| price.into())
    }
}

/// Most tasks of a tree over `operands` operands, a journey counted as one: one journey for every value, and one merge
/// for every value that is not an operand.
fn tasks(operands: usize) -> u64 {
    let operands = operands as u64;
    (3 * operands).saturating_sub(2).max(1)
}

fn product(one: u64, other: u64, shift: u32) -> u64 {
    let product = (u128::from(one) * u128::from(other))
        .checked_shr(shift)
        .unwrap_or(0);
    u64::try_from(product).unwrap_or(NEVER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = BigUint> {
        (0u64..300, any::<u64>(), any::<u64>()).prop_map(|(bits, high, low)| {
            ((BigUint::from(high) << 300u32) + BigUint::from(low)) >> (364 - bits).min(364)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        /// The claim of the module's head, for every product of random lists.
        #[test]
        fn rounded_products_are_less_than_two_below(
            sizes in prop::collection::vec(number(), 1..4), distances in prop::collection::vec(number(), 1..4),
            works in prop::collection::vec(number(), 1..4), merges in prop::collection::vec(number(), 1..4),
            operands in 1usize..200,
        ) {
            let exact: Vec<Option<BigUint>> = distances.iter().cloned().map(Some).collect();
            let rounded = Rounded::new([&sizes, &works, &merges], &exact, operands);
            let mut found = Vec::new();
            let room = (1u64 << 61) / tasks(operands);
            let check = |found: &[u64], factor: &BigUint, others: &[BigUint]| {
                for (found, other) in found.iter().zip(others) {
                    let (low, high) = (BigUint::from(*found) << rounded.unit, BigUint::from(*found + 2) << rounded.unit);
                    let price = factor * other;
                    let off = if rounded.unit == 0 { price != low } else { price < low || price >= high };
                    prop_assert!(!off && *found < room, "{price} as {found} times 2^{}", rounded.unit);
                }
                Ok(())
            };
            for (class, size) in sizes.iter().enumerate() {
                rounded.transfer(class, &mut found);
                check(&found, size, &distances)?;
            }
            for (class, work) in works.iter().enumerate() {
                rounded.merge(class, &mut found);
                check(&found, work, &merges)?;
            }
        }
    }

    /// One bit more than a power of 2 needs the unit's next step, all ones lose most when they are cut off.
    fn long_number() -> impl Strategy<Value = BigUint> {
        (90u32..200, any::<u64>())
            .prop_map(|(bits, low)| (BigUint::from(1u8) << bits) - 1u8 - (low >> 40))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        /// A tree over `operands` operands, with one journey for every value and one merge for every value that is not
        /// an operand, costs less than its rounded price and the slack. The rounded price is never above it, and does
        /// not overflow.
        #[test]
        fn the_slack_covers_a_tree(
            size in long_number(), distance in long_number(), work in long_number(), merge in long_number(),
            operands in 1usize..60,
        ) {
            let distances = [Some(distance.clone())];
            let factors = [&size, &work, &merge].map(std::slice::from_ref);
            let rounded = Rounded::new(factors, &distances, operands);
            let (mut journey, mut combination) = (Vec::new(), Vec::new());
            rounded.transfer(0, &mut journey);
            rounded.merge(0, &mut combination);
            let (journeys, merges) = (2 * operands as u64 - 1, operands as u64 - 1);
            let price = size * distance * journeys + work * merge * merges;
            let found = journey[0] * journeys + combination[0] * merges;
            prop_assert!(rounded.unit > 0 && found < NEVER, "{} {}", rounded.unit, found);
            prop_assert!(BigUint::from(found) << rounded.unit <= price);
            prop_assert!(BigUint::from(found + rounded.slack(operands)) << rounded.unit > price);
        }
    }
}
