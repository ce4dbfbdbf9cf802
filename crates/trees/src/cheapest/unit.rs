//! The unit of rounded prices: as fine as the prices of the trees in question allow.

use std::collections::BTreeMap;

use oneport_plan::Interval;

use super::reduction::Reduction;
use super::rounded::Rounded;

/// Fact: cap on the price of a task in the search for the unit. Sums of such prices do not overflow.
const FAR: u64 = 1 << 60;
/// Fact: bits of the highest price of a task in the first attempt.
const FIRST: i64 = 58;
/// Bits of a tree's price by which the unit is chosen. Trades attempts for accuracy of rounded prices. Not measured.
const ENOUGH: u64 = 1 << 32;
/// Limit: refinements of the unit. Each gains dozens of bits, so a platform's prices need few.
const ATTEMPTS: usize = 40;

/// The exponent of the finest unit in which some tree to each of the targets, reachable ones, has a price of at most
/// `bits` bits. The tree considered halves the operands again and again. Its merges are at the cheapest processors. If
/// work depends on the task, halving may be impossible, and the cheapest tree is considered.
///
/// `O(n p a)` with `a` processors that are not worse than a transfer from another one. If work depends on the task:
/// `O(n^3 p + n^2 p a)`.
pub(super) fn unit(reduction: &Reduction, rounded: &Rounded, targets: &[usize], bits: u64) -> i64 {
    let Some(whole) = reduction.whole() else {
        return 0;
    };
    let length = |value: u64| i64::from(64 - value.leading_zeros());
    // The largest loss of a tree's price by rounding.
    let lost = 4 * u64::try_from(reduction.operands()).unwrap_or(u64::MAX / 4);
    let bits = i64::try_from(bits).unwrap_or(0);
    let mut unit = rounded.ceiling() + length(lost) - FIRST;
    let mut price = 0;
    for _ in 0..ATTEMPTS {
        let halving = Halving {
            reduction,
            rounded,
            unit,
        };
        price = halving.dearest(whole, targets).unwrap_or(0);
        if price >= ENOUGH || unit <= rounded.floor() {
            break;
        }
        unit = rounded.floor().max(unit + length(price + lost) - FIRST);
    }
    // Leave room for trees that cost up to an eighth more.
    unit + length(price + price / 8 + lost) - bits
}

/// Prices of the trees that halve the operands, in multiples of `2^unit`.
struct Halving<'r> {
    reduction: &'r Reduction,
    rounded: &'r Rounded,
    unit: i64,
}

impl Halving<'_> {
    /// The highest price among the reachable targets.
    fn dearest(&self, whole: Interval, targets: &[usize]) -> Option<u64> {
        let made = if self.reduction.is_by_task() {
            self.cheapest(whole)?
        } else {
            self.made(whole)
        };
        self.held(whole, &made, targets)
            .into_iter()
            .filter(|&price| price < FAR)
            .max()
    }

    /// Per processor: the price of making the partial result there.
    fn made(&self, part: Interval) -> Vec<u64> {
        let processors = 0..self.reduction.processors.len();
        if let Some(owner) = self.reduction.owner(part) {
            return processors
                .map(|processor| if processor == owner { 0 } else { FAR })
                .collect();
        }
        let (left, right) = part.split(part.first + (part.last - part.first) / 2);
        let nodes = &self.reduction.processors;
        let [left, right] = [left, right].map(|half| self.held(half, &self.made(half), nodes));
        let class = self.reduction.works.class(part);
        let merge = |processor| capped(self.rounded.merge_in(class, processor, self.unit));
        processors
            .map(|processor| (left[processor] + right[processor] + merge(processor)).min(FAR))
            .collect()
    }

    /// Per processor: the cost of making the partial result there by the cheapest tree.
    fn cheapest(&self, whole: Interval) -> Option<Vec<u64>> {
        let nodes = &self.reduction.processors;
        let mut there: BTreeMap<Interval, Vec<u64>> = BTreeMap::new();
        let mut made = Vec::new();
        for last in whole.first..=whole.last {
            for first in (whole.first..=last).rev() {
                let part = Interval { first, last };
                made = if first == last {
                    self.made(part)
                } else {
                    self.least_merges(part, &there)?
                };
                let held = self.held(part, &made, nodes);
                there.insert(part, held);
            }
        }
        Some(made)
    }

    /// For each processor: the cheapest split, of parts that are known.
    fn least_merges(
        &self,
        part: Interval,
        there: &BTreeMap<Interval, Vec<u64>>,
    ) -> Option<Vec<u64>> {
        let works = &self.reduction.works;
        let mut made = vec![FAR; self.reduction.processors.len()];
        for split in part.first..part.last {
            let (left, right) = part.split(split);
            let (left, right) = (there.get(&left)?, there.get(&right)?);
            for (processor, made) in made.iter_mut().enumerate() {
                let Some(class) = works.class_of_merge(part, split, processor) else {
                    continue;
                };
                let merge = capped(self.rounded.merge_in(class, processor, self.unit));
                *made = (*made).min(left[processor] + right[processor] + merge);
            }
        }
        Some(made)
    }

    /// Per node of `nodes`: the price of having the partial result there.
    fn held(&self, part: Interval, made: &[u64], nodes: &[usize]) -> Vec<u64> {
        // A resting result is used only by its maker. (If a price is capped, halved operands are priced again.)
        if self.reduction.is_by_task() && self.reduction.rests(part) {
            let index_of = |node: &usize| self.reduction.processors.binary_search(node).ok();
            let here = |node| index_of(node).map_or(FAR, |processor| made[processor]);
            return nodes.iter().map(here).collect();
        }
        let class = self.reduction.sizes.class(part);
        let mut order: Vec<usize> = (0..made.len())
            .filter(|&processor| made[processor] < FAR)
            .collect();
        order.sort_by_key(|&processor| made[processor]);
        let mut held = vec![FAR; nodes.len()];
        let same = nodes.len() == made.len() && *nodes == self.reduction.processors;
        for from in order {
            // A processor whose cheapest copy comes from elsewhere is dominated as a source.
            if same && held[from] <= made[from] {
                continue;
            }
            for (price, &node) in held.iter_mut().zip(nodes) {
                let transfer = capped(self.rounded.transfer_in(class, from, node, self.unit));
                *price = (*price).min(made[from] + transfer);
            }
        }
        held
    }
}

fn capped(price: u128) -> u64 {
    u64::try_from(price).map_or(FAR, |price| price.min(FAR))
}
