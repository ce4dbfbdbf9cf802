//! Prices of single tasks, rounded down to machine integers.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use oneport_plan::Interval;

use super::paths::{Length, Paths};
use super::reduction::Reduction;
use super::weights::Weights;

/// Fact: replaces each price that is too high to matter, and "impossible". Two of them add up within 31 bits.
pub(super) const CAP: i32 = (1 << 30) - 1;
/// The distance to a node that no path leads to.
pub(super) const NO_PATH: u64 = u64::MAX;
/// Fact: bits kept of amounts, of merges' weights and of distances.
const BITS: u64 = 62;

/// A natural number `mantissa x 2^exponent`, rounded down.
#[derive(Debug, Clone, Copy)]
struct Rough {
    mantissa: u64,
    exponent: i64,
}

/// Rounded prices of tasks, as multiples of `2^unit` (over the weights' denominator).
pub(super) struct Rounded {
    /// From each processor.
    pub paths: Vec<Paths<u64>>,
    merges: Vec<u64>,
    sizes: Vec<Rough>,
    works: Vec<Rough>,
    path_exponent: i64,
    merge_exponent: i64,
    pub unit: i64,
}

impl Rounded {
    /// Prepares paths from every processor. The unit is still to be chosen.
    pub(super) fn new(reduction: &Reduction, weights: &Weights) -> Self {
        let nodes = u64::try_from(reduction.graph.nodes()).unwrap_or(u64::MAX);
        // A path has fewer links than there are nodes: no distance overflows.
        let (links, path_exponent) =
            common(&weights.links, BITS - u64::from(64 - nodes.leading_zeros()));
        let (merges, merge_exponent) = common(&weights.merges, BITS);
        let lengths = Length::of_links(&links);
        let from = |&node: &usize| Paths::new(&reduction.graph, &lengths, node);
        Rounded {
            paths: reduction.processors.iter().map(from).collect(),
            merges,
            sizes: reduction.sizes.values.iter().map(Rough::new).collect(),
            works: reduction.works.values.iter().map(Rough::new).collect(),
            path_exponent,
            merge_exponent,
            unit: 0,
        }
    }

    /// The price of moving a partial result of this size class from a processor to a node.
    pub(super) fn transfer(&self, class: usize, from: usize, node: usize) -> i32 {
        small(self.transfer_in(class, from, node, self.unit))
    }

    /// The price of a merge of this work class at a processor.
    pub(super) fn merge(&self, class: usize, at: usize) -> i32 {
        small(self.merge_in(class, at, self.unit))
    }

    /// The multiplier from distances to prices of transfers of this size class.
    pub(super) fn size(&self, class: usize) -> Multiplier {
        Multiplier::new(self.sizes[class], self.unit - self.path_exponent)
    }

    /// [`transfer`](Self::transfer) in multiples of `2^unit`. `u128::MAX` if no path leads.
    pub(super) fn transfer_in(&self, class: usize, from: usize, node: usize, unit: i64) -> u128 {
        let Some(&distance) = self.paths[from].distance(node) else {
            return u128::MAX;
        };
        self.sizes[class].times(distance, unit - self.path_exponent)
    }

    /// [`merge`](Self::merge) in multiples of `2^unit`.
    pub(super) fn merge_in(&self, class: usize, at: usize, unit: i64) -> u128 {
        self.works[class].times(self.merges[at], unit - self.merge_exponent)
    }

    /// An exponent of two that no price of a task reaches.
    pub(super) fn ceiling(&self) -> i64 {
        let bits = |value: u64| i64::from(64 - value.leading_zeros());
        let top = |rough: &[Rough]| {
            rough
                .iter()
                .map(|rough| rough.exponent + bits(rough.mantissa))
                .max()
        };
        let far = self
            .paths
            .iter()
            .filter_map(Paths::farthest)
            .max()
            .copied()
            .unwrap_or(0);
        let heavy = self.merges.iter().max().copied().unwrap_or(0);
        let transfer = bits(far) + self.path_exponent + top(&self.sizes).unwrap_or(0);
        transfer.max(bits(heavy) + self.merge_exponent + top(&self.works).unwrap_or(0))
    }

    /// The unit below which nothing more is known about prices.
    pub(super) fn floor(&self) -> i64 {
        let least = |rough: &[Rough]| rough.iter().map(|rough| rough.exponent).min().unwrap_or(0);
        (self.path_exponent + least(&self.sizes)).min(self.merge_exponent + least(&self.works))
    }

    /// An exact price in multiples of the unit, rounded up. Saturating.
    pub(super) fn round_up(&self, price: &BigUint) -> i64 {
        if price.bits() == 0 {
            return 0;
        }
        let bits = i64::try_from(price.bits()).unwrap_or(i64::MAX);
        if bits - self.unit > i64::from(CAP.ilog2()) + 4 {
            return i64::MAX;
        }
        let Ok(down) = u64::try_from(self.unit) else {
            return (price << self.unit.unsigned_abs())
                .to_i64()
                .unwrap_or(i64::MAX);
        };
        let whole = (price >> down).to_i64().unwrap_or(i64::MAX - 1);
        whole + i64::from(price.trailing_zeros().is_some_and(|zeros| zeros < down))
    }

    /// The exact price of this many units, rounded down.
    pub(super) fn price(&self, units: i64) -> BigUint {
        let units = BigUint::from(units.unsigned_abs());
        if self.unit >= 0 {
            units << self.unit.unsigned_abs()
        } else {
            units >> self.unit.unsigned_abs()
        }
    }
}

impl Rough {
    fn new(value: &BigUint) -> Self {
        let exponent = value.bits().saturating_sub(BITS);
        let mantissa = (value >> exponent).to_u64().unwrap_or(u64::MAX);
        Rough {
            mantissa,
            exponent: i64::try_from(exponent).unwrap_or(i64::MAX),
        }
    }

    /// `self x factor / 2^unit`, rounded down. Saturating.
    fn times(self, factor: u64, unit: i64) -> u128 {
        let product = u128::from(self.mantissa) * u128::from(factor);
        let down = unit - self.exponent;
        if let Ok(down) = u32::try_from(down) {
            return product.checked_shr(down).unwrap_or(0);
        }
        if down > 0 || product == 0 {
            return 0;
        }
        let up = u32::try_from(-down).unwrap_or(u32::MAX);
        if up < product.leading_zeros() {
            product << up
        } else {
            u128::MAX
        }
    }
}

/// Multiplication by an amount, made fast.
#[derive(Debug, Clone, Copy)]
pub(super) struct Multiplier {
    amount: Rough,
    unit: i64,
    /// The mantissa with its highest bit set, and how far the upper half of a product is shifted to the right.
    fast: Option<(u64, u32)>,
}

impl Multiplier {
    fn new(amount: Rough, unit: i64) -> Self {
        let zeros = amount.mantissa.leading_zeros();
        let down = unit - amount.exponent + i64::from(zeros) - 64;
        let down = u32::try_from(down)
            .ok()
            .filter(|&down| down < 64 && zeros < 64);
        Multiplier {
            amount,
            unit,
            fast: down.map(|down| (amount.mantissa << zeros, down)),
        }
    }

    /// Converts distances to prices in units, rounded down. The distance without a path is [`NO_PATH`].
    pub(super) fn units(&self, distances: &[u64], prices: &mut [i32]) {
        let pairs = prices.iter_mut().zip(distances);
        let Some((mantissa, down)) = self.fast else {
            let times = |distance| {
                if distance == NO_PATH {
                    u128::MAX
                } else {
                    self.amount.times(distance, self.unit)
                }
            };
            return pairs.for_each(|(price, &distance)| *price = small(times(distance)));
        };
        for (price, &distance) in pairs {
            let product = u128::from(mantissa) * u128::from(distance);
            let units = ((product >> 64) as u64) >> down; // the upper half: no bit is lost
            let units = if distance == NO_PATH { u64::MAX } else { units };
            *price = units.min(CAP as u64) as i32; // at most CAP
        }
    }
}

/// The numbers, rounded down to multiples of one power of two such that they have at most this many bits. Its exponent.
fn common(values: &[BigUint], bits: u64) -> (Vec<u64>, i64) {
    let exponent = values
        .iter()
        .map(BigUint::bits)
        .max()
        .unwrap_or(0)
        .saturating_sub(bits);
    let rounded = values
        .iter()
        .map(|value| (value >> exponent).to_u64().unwrap_or(u64::MAX))
        .collect();
    (rounded, i64::try_from(exponent).unwrap_or(i64::MAX))
}

fn small(price: u128) -> i32 {
    i32::try_from(price).map_or(CAP, |price| price.min(CAP))
}

/// The class of the amounts of an interval: of its size and of the work to make it.
pub(super) fn classes(reduction: &Reduction, part: Interval) -> (usize, usize) {
    (reduction.sizes.class(part), reduction.works.class(part))
}
