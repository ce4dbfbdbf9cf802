//! The cheapest tree exactly, without exact arithmetic for every state.
//!
//! First all `C[S][j]` and `M[S][i]` are computed with prices rounded down to machine integers (see [`rounded`]): these
//! are lower bounds, and the exact value is less than a known slack above them. Then the exact value of the wanted
//! state is computed from the top down, and a candidate is followed only if its lower bound is at most the state's
//! plus the slack: every other one is provably more expensive. Near an optimum of the linear program many trees cost
//! exactly the same, and these are followed. Still they are few of all.
//!
//! [`rounded`]: super::rounded

use std::collections::BTreeMap;

use num_bigint::BigUint;

use super::parts::Parts;
use super::priced::Priced;
use super::rounded::{NEVER, Rounded};
use crate::case::Case;

/// Lower bounds for all states, and the exact values computed so far.
pub(super) struct TreeSearch<'a> {
    /// Returns whether the search may continue. Later results are meaningless.
    case: Case<'a>,
    priced: &'a Priced,
    distances: &'a [Option<BigUint>],
    parts: &'a Parts,
    rounded: Rounded,
    processors: usize,
    /// Per part x processor: lower bounds of `M` and `C`, in units of the rounded prices.
    made: Vec<u64>,
    there: Vec<u64>,
    /// The exact `M` and `C` computed so far.
    exactly_made: Vec<Option<Known>>,
    exactly_there: Vec<Option<Known>>,
    known: Numbers,
}

impl<'a> TreeSearch<'a> {
    /// Computes the lower bounds: O(splits x processors + parts x processors^2) machine operations, and 16 bytes for
    /// each part and processor.
    pub(super) fn new(
        case: Case<'a>,
        priced: &'a Priced,
        distances: &'a [Option<BigUint>],
        parts: &'a Parts,
    ) -> TreeSearch<'a> {
        let rounded = Rounded::new(
            [&priced.sizes, &priced.works, &priced.merges],
            distances,
            parts.operands(parts.full()),
        );
        let processors = priced.processors.len();
        let states = parts.len() * processors;
        let mut search = TreeSearch {
            case,
            priced,
            distances,
            parts,
            rounded,
            processors,
            made: vec![NEVER; states],
            there: vec![NEVER; states],
            exactly_made: Vec::new(),
            exactly_there: Vec::new(),
            known: Numbers::default(),
        };
        search.bound_all();
        search
    }

    fn bound_all(&mut self) {
        let (mut splits, mut merge, mut transfer) = (Vec::new(), Vec::new(), Vec::new());
        let mut size_before = None;
        for part in self.parts.all() {
            if self.case.ask().is_err() {
                return;
            }
            let size = self.priced.size_class.of(self.parts, part);
            if size_before.replace(size) != Some(size) {
                self.rounded.transfer(size, &mut transfer);
            }
            match self.parts.single(part) {
                Some(operand) => {
                    self.made[part * self.processors + self.priced.owners[operand]] = 0
                }
                None if self.priced.is_by_task() => {
                    self.parts.splits(part, &mut splits);
                    self.bound_tasks(part, &splits);
                }
                None => {
                    self.rounded
                        .merge(self.priced.work_class.of(self.parts, part), &mut merge);
                    self.parts.splits(part, &mut splits);
                    self.bound_merges(part, &splits, &merge);
                }
            }
            self.bound_transfers(part, &transfer);
        }
    }

    fn bound_merges(&mut self, part: usize, splits: &[(usize, usize)], merge: &[u64]) {
        let row = |part: usize| part * self.processors..(part + 1) * self.processors;
        let made = &mut self.made[row(part)];
        for &(left, right) in splits {
            let operands = self.there[row(left)].iter().zip(&self.there[row(right)]);
            for (made, (left, right)) in made.iter_mut().zip(operands) {
                *made = (*made).min(left + right);
            }
        }
        for (made, merge) in made.iter_mut().zip(merge) {
            *made = (*made + merge).min(NEVER);
        }
    }

    /// [`bound_merges`](Self::bound_merges) if work depends on the split and the processor.
    fn bound_tasks(&mut self, part: usize, splits: &[(usize, usize)]) {
        for &(left, right) in splits {
            for processor in 0..self.processors {
                let Some(work) =
                    self.priced
                        .work_of(self.parts, part, self.parts.last(left), processor)
                else {
                    continue;
                };
                let is_present = |part: usize| self.there[part * self.processors + processor];
                let price = (is_present(left) + is_present(right)).min(NEVER)
                    + self.rounded.merge_at(work, processor);
                let made = &mut self.made[part * self.processors + processor];
                *made = (*made).min(price);
            }
        }
    }

    /// Whether a part can be made and brought to a processor.
    pub(super) fn is_possible(&self, part: usize, processor: usize) -> bool {
        self.there[part * self.processors + processor] < NEVER
    }

    fn bound_transfers(&mut self, part: usize, transfer: &[u64]) {
        let row = part * self.processors..(part + 1) * self.processors;
        let there = &mut self.there[row.clone()];
        for (&made, transfer) in self.made[row]
            .iter()
            .zip(transfer.chunks_exact(self.processors))
        {
            if made < NEVER {
                for (there, transfer) in there.iter_mut().zip(transfer) {
                    *there = (*there).min(made + transfer);
                }
            }
        }
    }

    /// `C[part][processor]`, exactly, times the common denominator. The part can be brought there.
    pub(super) fn price(&mut self, part: usize, processor: usize) -> BigUint {
        if self.case.ask().is_err() {
            return BigUint::ZERO;
        }
        if let Some(price) = self
            .rounded
            .exactly(self.there[part * self.processors + processor])
        {
            return price;
        }
        self.exactly_made.resize(self.made.len(), None);
        self.exactly_there.resize(self.there.len(), None);
        let known = self.bring(part, processor);
        self.known.number(known).clone()
    }

    /// `C[part][processor]`.
    fn bring(&mut self, part: usize, processor: usize) -> Known {
        let state = part * self.processors + processor;
        if let Some(known) = self.exactly_there[state] {
            return known;
        }
        let limit = self.there[state] + self.rounded.slack(self.parts.operands(part));
        let size = self.priced.size_class.of(self.parts, part);
        let mut best = Best::default();
        for from in 0..self.processors {
            if self.case.ask().is_err() {
                break;
            }
            let way = from * self.processors + processor;
            if self.made[part * self.processors + from] + self.rounded.transfer_at(size, way)
                > limit
            {
                continue;
            }
            if let Some(distance) = &self.distances[way] {
                let way = self.priced.size(self.parts, part) * distance;
                let made = self.make(part, from);
                best.offer(&way, self.known.number(made));
            }
        }
        let known = self.known.keep(best.price);
        self.exactly_there[state] = Some(known);
        known
    }

    /// `M[part][processor]`.
    fn make(&mut self, part: usize, processor: usize) -> Known {
        let state = part * self.processors + processor;
        if let Some(known) = self.exactly_made[state] {
            return known;
        }
        let mut best = Best::default();
        if self.parts.single(part).is_none() && self.priced.is_by_task() {
            best.price = self.make_by_task(part, processor);
        } else if self.parts.single(part).is_none() {
            let (mut splits, mut merge) = (Vec::new(), Vec::new());
            self.parts.splits(part, &mut splits);
            self.rounded
                .merge(self.priced.work_class.of(self.parts, part), &mut merge);
            let limit = self.made[state] + self.rounded.slack(self.parts.operands(part));
            let mut before = None;
            for (left, right) in splits {
                let lower = |part: usize| self.there[part * self.processors + processor];
                if lower(left) + lower(right) + merge[processor] > limit {
                    continue;
                }
                let operands = (self.bring(left, processor), self.bring(right, processor));
                if before.replace(operands) != Some(operands) {
                    best.offer(self.known.number(operands.0), self.known.number(operands.1));
                }
            }
            best.price += self.priced.work(self.parts, part) * &self.priced.merges[processor];
        }
        let known = self.known.keep(best.price);
        self.exactly_made[state] = Some(known);
        known
    }
}

impl TreeSearch<'_> {
    /// `M[part][processor]` if work depends on the split and the processor.
    fn make_by_task(&mut self, part: usize, processor: usize) -> BigUint {
        let mut splits = Vec::new();
        self.parts.splits(part, &mut splits);
        let limit = self.made[part * self.processors + processor]
            + self.rounded.slack(self.parts.operands(part));
        let mut least: Option<BigUint> = None;
        for (left, right) in splits {
            let Some(work) =
                self.priced
                    .work_of(self.parts, part, self.parts.last(left), processor)
            else {
                continue;
            };
            let lower = |part: usize| self.there[part * self.processors + processor];
            if lower(left) + lower(right) + self.rounded.merge_at(work, processor) > limit {
                continue;
            }
            let (left, right) = (self.bring(left, processor), self.bring(right, processor));
            let merge = &self.priced.works[work] * &self.priced.merges[processor];
            let price = self.known.number(left) + self.known.number(right) + merge;
            if least.as_ref().is_none_or(|least| price < *least) {
                least = Some(price);
            }
        }
        least.unwrap_or_default()
    }
}

/// The smallest sum offered. 0 before the first. Two buffers take turns, for nearly all time would otherwise go into
/// allocations.
#[derive(Default)]
struct Best {
    price: BigUint,
    any: bool,
    scratch: BigUint,
}

impl Best {
    fn offer(&mut self, one: &BigUint, other: &BigUint) {
        self.scratch.clone_from(one);
        self.scratch += other;
        if !self.any || self.scratch < self.price {
            std::mem::swap(&mut self.scratch, &mut self.price);
            self.any = true;
        }
    }
}

/// Index in a list of [`Numbers`], counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known(std::num::NonZeroU32);

/// Long numbers, each kept once: if very many trees have equal costs, very many states have.
#[derive(Debug, Default)]
struct Numbers {
    numbers: Vec<BigUint>,
    /// Indices in the list, by the last digits of the number.
    by_digits: BTreeMap<u64, Vec<Known>>,
}

static ZERO: BigUint = BigUint::ZERO;

impl Numbers {
    fn number(&self, known: Known) -> &BigUint {
        self.numbers
            .get(known.0.get() as usize - 1)
            .unwrap_or(&ZERO)
    }

    fn keep(&mut self, number: BigUint) -> Known {
        let digits = number.iter_u64_digits().next().unwrap_or(0);
        let alike = self.by_digits.entry(digits).or_default();
        if let Some(known) = alike
            .iter()
            .find(|known| self.numbers.get(known.0.get() as usize - 1) == Some(&number))
        {
            return *known;
        }
        self.numbers.push(number);
        // There are fewer numbers than states, and fewer than 2^32 states.
        let count = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let known = Known(std::num::NonZeroU32::new(count).unwrap_or(std::num::NonZeroU32::MAX));
        alike.push(known);
        known
    }
}
