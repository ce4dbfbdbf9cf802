//! Few participants, any volumes: dynamic programming over the sets of operands, exact.
//!
//! ```text
//! M[S](i) = min over A, B with A + B = S of C[A](i) + C[B](i)  +  work(|S|) compute_i price_i
//! C[S](j) = min_i M[S](i) + size(|S|) dist(i,j),      C[{k}](j) = size(1) dist(owner_k, j)
//! ```
//!
//! The table is filled with prices rounded down to machine integers, so its entries are lower bounds, short of the
//! exact values by less than one unit per task. Exact values follow from the result downwards, only of those choices
//! whose lower bound does not exclude them.

use oneport_platform::NodeId;

use oneport_numbers::Whole;

use super::merge_tree::Shape;
use super::scaled::{Fixed, Priced};

/// Bits of a tree's price in the table. Trades accuracy for vector operations on 32-bit words. Not measured.
const BITS: u64 = 29;
/// Fact: out of reach. Two such values and a price fit 32 bits.
const FAR: i32 = 1 << BITS;

/// A price and the choice it comes from.
type Choice<N> = Option<(N, usize)>;

/// The table of one pricing. `O(3^n p + 2^n p^2)` for `n` participants and `p` processors.
pub(super) struct Subsets<'p, N> {
    priced: &'p Priced<N>,
    /// Table prices are multiples of two to this power.
    shift: u64,
    /// `M` by set (bits of participants), then processor.
    made: Vec<i32>,
    /// `C` by set, then processor.
    held: Vec<i32>,
    /// Exact values already known, of `M` with the set `A`, of `C` with the processor `i`.
    known_made: Vec<Option<Choice<N>>>,
    known_held: Vec<Option<Choice<N>>>,
}

impl<'p, N: Fixed> Subsets<'p, N> {
    /// Fills the table. The number of participants is small enough for `2^n p` entries.
    pub(super) fn new(priced: &'p Priced<N>) -> Self {
        let (count, processors) = (priced.participants, priced.processors.len());
        let entries = processors << count;
        let mut this = Subsets {
            priced,
            shift: 0,
            made: vec![FAR; entries],
            held: vec![FAR; entries],
            known_made: vec![None; entries],
            known_held: vec![None; entries],
        };
        // A tree has less than 3 n tasks.
        let tasks = usize::BITS - (4 * count).leading_zeros();
        this.shift = (this.longest() + u64::from(tasks)).saturating_sub(BITS);
        for count in 1..=count {
            this.fill(count);
        }
        this
    }

    /// Bits of the highest price of a task.
    fn longest(&self) -> u64 {
        let widest = |numbers: &[N]| numbers.iter().map(Whole::bits).max().unwrap_or(0);
        let processors = 0..self.priced.processors.len();
        let ways = processors
            .clone()
            .flat_map(|from| processors.clone().map(move |to| (from, to)));
        let distances = ways.filter_map(|(from, to)| {
            Some(
                self.priced
                    .distance(from, self.priced.processors[to])?
                    .bits(),
            )
        });
        let merges = self.priced.merges.iter().flatten().map(Whole::bits);
        let (way, merge) = (distances.max().unwrap_or(0), merges.max().unwrap_or(0));
        (way + widest(&self.priced.sizes)).max(merge + widest(&self.priced.works))
    }

    fn round(&self, price: Option<N>) -> i32 {
        price
            .and_then(|price| (price >> self.shift).to_i32())
            .map_or(FAR, |price| price.min(FAR))
    }

    /// How much less than the exact value an entry for `count` operands may be, in table units. Held or made.
    fn slack(&self, count: usize, held: bool) -> i32 {
        let tasks = i32::try_from(3 * count).map_or(FAR, |tasks| tasks - 3) + i32::from(held);
        if self.shift == 0 { 0 } else { tasks }
    }

    /// The entries of all sets of this size.
    fn fill(&mut self, count: usize) {
        let processors = self.priced.processors.len();
        let nodes = &self.priced.processors;
        let merges: Vec<i32> = (0..processors)
            .map(|at| self.round(self.priced.merge(count, at)))
            .collect();
        let ways: Vec<Vec<i32>> = (0..processors)
            .map(|from| {
                nodes
                    .iter()
                    .map(|&to| self.round(self.priced.transfer(count, from, to)))
                    .collect()
            })
            .collect();
        let last = 1usize << self.priced.participants;
        for set in (1..last).filter(|set| set.count_ones() as usize == count) {
            if self.priced.watch.ask().is_err() {
                return;
            }
            let mut made = vec![FAR; processors];
            if count == 1 {
                made[set.trailing_zeros() as usize] = 0;
            } else {
                for (first, second) in splits(set) {
                    let (first, second) = (
                        &self.held[first * processors..],
                        &self.held[second * processors..],
                    );
                    let (first, second) = (&first[..processors], &second[..processors]);
                    for ((made, first), second) in made.iter_mut().zip(first).zip(second) {
                        *made = (*made).min(first + second);
                    }
                }
                for (made, merge) in made.iter_mut().zip(&merges) {
                    *made = (*made + merge).min(FAR);
                }
            }
            let held = &mut self.held[set * processors..][..processors];
            hold(&made, &ways, held);
            self.made[set * processors..][..processors].copy_from_slice(&made);
        }
    }

    /// Up to `wanted` trees to a target that differ in the processor that makes the result, with their prices, cheapest
    /// first: the first is a cheapest tree.
    pub(super) fn trees(&mut self, target: NodeId, wanted: usize) -> Vec<(N, Shape)> {
        let (count, processors) = (self.priced.participants, self.priced.processors.len());
        let all = (1usize << count) - 1;
        let transfer = |this: &Self, at: usize| this.priced.transfer(count, at, target);
        let mut order: Vec<(i32, usize)> = (0..processors)
            .map(|at| {
                (
                    self.made[all * processors + at].saturating_add(self.round(transfer(self, at))),
                    at,
                )
            })
            .filter(|&(price, _)| price < FAR)
            .collect();
        order.sort_unstable();
        let Some(&(least, _)) = order.first() else {
            return Vec::new();
        };
        let limit = least + self.slack(count, true);
        let mut found = Vec::new();
        for (rank, &(price, at)) in order.iter().enumerate() {
            if price > limit && rank >= wanted {
                break;
            }
            let Some(price) = transfer(self, at).zip(self.exact_made(all, at)) else {
                continue;
            };
            found.push((price.0.plus(&price.1), at));
        }
        found.sort_by(|one, two| one.0.cmp(&two.0));
        found.truncate(wanted);
        found
            .into_iter()
            .filter_map(|(price, at)| Some((price, self.shape(all, at)?)))
            .collect()
    }

    /// `M[set](at)`, exactly.
    fn exact_made(&mut self, set: usize, at: usize) -> Option<N> {
        let entry = set * self.priced.processors.len() + at;
        if set.is_power_of_two() {
            return (self.made[entry] == 0).then(N::zero);
        }
        if self.known_made[entry].is_none() {
            self.known_made[entry] = Some(self.find_made(set, at));
        }
        Some(self.known_made[entry].as_ref()?.as_ref()?.0.clone())
    }

    fn find_made(&mut self, set: usize, at: usize) -> Choice<N> {
        let processors = self.priced.processors.len();
        let count = set.count_ones() as usize;
        let merge = self.priced.merge(count, at)?;
        if self.made[set * processors + at] >= FAR {
            return None;
        }
        let slack = self.slack(count, false);
        let limit = self.made[set * processors + at] - self.round(Some(merge.clone())) + slack;
        let mut best: Choice<N> = None;
        for (first, second) in splits(set) {
            if self.held[first * processors + at] + self.held[second * processors + at] > limit {
                continue;
            }
            let price = self.exact_held(first, at).zip(self.exact_held(second, at));
            let Some(price) = price.map(|(first, second)| first.plus(&second).plus(&merge)) else {
                continue;
            };
            if best.as_ref().is_none_or(|best| price < best.0) {
                best = Some((price, first));
            }
            if slack == 0 {
                break;
            }
        }
        best
    }

    /// `C[set](to)`, exactly.
    fn exact_held(&mut self, set: usize, to: usize) -> Option<N> {
        let entry = set * self.priced.processors.len() + to;
        if self.known_held[entry].is_none() {
            self.known_held[entry] = Some(self.find_held(set, to));
        }
        Some(self.known_held[entry].as_ref()?.as_ref()?.0.clone())
    }

    fn find_held(&mut self, set: usize, to: usize) -> Choice<N> {
        let processors = self.priced.processors.len();
        let node = self.priced.processors[to];
        let count = set.count_ones() as usize;
        let least = self.held[set * processors + to];
        if least >= FAR {
            return None;
        }
        let slack = self.slack(count, true);
        let mut best: Choice<N> = None;
        for at in 0..processors {
            let made = self.made[set * processors + at];
            if made > least + slack {
                continue;
            }
            let Some(transfer) = self.priced.transfer(count, at, node) else {
                continue;
            };
            if made + self.round(Some(transfer.clone())) > least + slack {
                continue;
            }
            let Some(price) = self.exact_made(set, at).map(|made| made.plus(&transfer)) else {
                continue;
            };
            if best.as_ref().is_none_or(|best| price < best.0) {
                best = Some((price, at));
            }
            if slack == 0 {
                break;
            }
        }
        best
    }

    /// The tree of a set made at a processor, whose exact value is known.
    fn shape(&self, set: usize, at: usize) -> Option<Shape> {
        let mut shape = Shape::default();
        self.add(&mut shape, set, at)?;
        Some(shape)
    }

    fn add(&self, shape: &mut Shape, set: usize, at: usize) -> Option<usize> {
        if set.is_power_of_two() {
            return Some(shape.single(at));
        }
        let processors = self.priced.processors.len();
        let &(_, first) = self.known_made[set * processors + at].as_ref()?.as_ref()?;
        let mut part = |set: usize| {
            let &(_, from) = self.known_held[set * processors + at].as_ref()?.as_ref()?;
            self.add(shape, set, from)
        };
        let parts = (part(first)?, part(set ^ first)?);
        Some(shape.merge(at, parts.0, parts.1))
    }
}

/// The pairs of non-empty sets that make a set, each once.
fn splits(set: usize) -> impl Iterator<Item = (usize, usize)> {
    let lowest = set & set.wrapping_neg();
    let rest = set ^ lowest;
    // All subsets of the rest but the rest itself, in descending order.
    std::iter::successors(rest.checked_sub(1).map(|next| next & rest), move |&part| {
        part.checked_sub(1).map(|next| next & rest)
    })
    .map(move |part| (lowest | part, rest ^ part))
}

/// Brings the results to all processors.
fn hold(made: &[i32], ways: &[Vec<i32>], held: &mut [i32]) {
    let mut order: Vec<(i32, usize)> = made
        .iter()
        .enumerate()
        .filter(|(_, made)| **made < FAR)
        .map(|(at, &made)| (made, at))
        .collect();
    order.sort_unstable();
    held.fill(FAR);
    for (price, at) in order {
        // If the value comes cheaper from another processor, sending from there directly costs at most as much, since
        // rounding breaks the triangle inequality by at most one unit.
        if held[at] < price {
            continue;
        }
        for (held, way) in held.iter_mut().zip(&ways[at]) {
            *held = (*held).min(price + way);
        }
    }
}
