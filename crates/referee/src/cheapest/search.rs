//! The cheapest tree exactly, without exact arithmetic for every state.
//!
//! First all `C[S][j]` and `M[S][i]` are computed with prices rounded down to machine integers (see [`rounded`]): these
//! are lower bounds, and the exact value is less than a known slack above them. Then the exact value of the wanted state
//! is computed from the top down, where only those candidates are followed whose lower bound does not exceed that of the
//! state by more than the slack: every other one is provably dearer. Near an optimum of the linear program many trees
//! cost exactly the same, and these are followed; still they are few of all.
//!
//! [`rounded`]: super::rounded

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;

use super::parts::Parts;
use super::rounded::{NEVER, Rounded};
use super::{Priced, improve, or_zero};

/// Lower bounds for all states, and the exact values that were asked for.
pub(super) struct Search<'a> {
    priced: &'a Priced,
    distances: &'a [Option<BigUint>],
    parts: &'a Parts,
    rounded: Rounded,
    processors: usize,
    /// By part x processor: lower bounds of `M` and `C`, in units of the rounded prices.
    made: Vec<u64>,
    there: Vec<u64>,
    exactly_made: BTreeMap<usize, BigUint>,
    exactly_there: BTreeMap<usize, BigUint>,
}

impl<'a> Search<'a> {
    /// Computes the lower bounds: O(splits x processors + parts x processors^2) machine operations, and 16 bytes for
    /// each part and processor.
    pub(super) fn new(priced: &'a Priced, distances: &'a [Option<BigUint>], parts: &'a Parts) -> Search<'a> {
        let rounded =
            Rounded::new([&priced.sizes, &priced.works, &priced.merges], distances, parts.operands(parts.full()));
        let processors = priced.processors.len();
        let states = parts.len() * processors;
        let mut search = Search {
            priced,
            distances,
            parts,
            rounded,
            processors,
            made: vec![NEVER; states],
            there: vec![NEVER; states],
            exactly_made: BTreeMap::new(),
            exactly_there: BTreeMap::new(),
        };
        search.bound_all();
        search
    }

    fn bound_all(&mut self) {
        let (mut splits, mut merge, mut transfer) = (Vec::new(), Vec::new(), Vec::new());
        let mut size_before = None;
        for part in self.parts.all() {
            let size = self.priced.size_class.of(self.parts, part);
            if size_before.replace(size) != Some(size) {
                self.rounded.transfer(size, &mut transfer);
            }
            match self.parts.single(part) {
                Some(operand) => self.made[part * self.processors + self.priced.owners[operand]] = 0,
                None => {
                    self.rounded.merge(self.priced.work_class.of(self.parts, part), &mut merge);
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

    fn bound_transfers(&mut self, part: usize, transfer: &[u64]) {
        let row = part * self.processors..(part + 1) * self.processors;
        let there = &mut self.there[row.clone()];
        for (&made, transfer) in self.made[row].iter().zip(transfer.chunks_exact(self.processors)) {
            if made < NEVER {
                for (there, transfer) in there.iter_mut().zip(transfer) {
                    *there = (*there).min(made + transfer);
                }
            }
        }
    }

    /// `C[part][processor]`, exactly, times the common denominator. The part can be brought there.
    pub(super) fn price(&mut self, part: usize, processor: usize) -> BigUint {
        let state = part * self.processors + processor;
        if let Some(price) = self.rounded.exactly(self.there[state]) {
            return price;
        }
        if let Some(price) = self.exactly_there.get(&state) {
            return price.clone();
        }
        let limit = self.there[state] + self.rounded.slack(self.parts.operands(part));
        let size = self.priced.size_class.of(self.parts, part);
        let mut best = None;
        for from in 0..self.processors {
            let way = from * self.processors + processor;
            if self.made[part * self.processors + from] + self.rounded.transfer_at(size, way) > limit {
                continue;
            }
            if let Some(distance) = &self.distances[way] {
                improve(&mut best, self.made(part, from) + self.priced.size(self.parts, part) * distance);
            }
        }
        let price = or_zero(best);
        self.exactly_there.insert(state, price.clone());
        price
    }

    /// `M[part][processor]`, likewise.
    fn made(&mut self, part: usize, processor: usize) -> BigUint {
        if self.parts.single(part).is_some() {
            return BigUint::zero();
        }
        let state = part * self.processors + processor;
        if let Some(price) = self.exactly_made.get(&state) {
            return price.clone();
        }
        let (mut splits, mut merge) = (Vec::new(), Vec::new());
        self.parts.splits(part, &mut splits);
        self.rounded.merge(self.priced.work_class.of(self.parts, part), &mut merge);
        let limit = self.made[state] + self.rounded.slack(self.parts.operands(part));
        let mut best = None;
        for (left, right) in splits {
            let lower = |part: usize| self.there[part * self.processors + processor];
            if lower(left) + lower(right) + merge[processor] <= limit {
                improve(&mut best, self.price(left, processor) + self.price(right, processor));
            }
        }
        let price = or_zero(best) + self.priced.work(self.parts, part) * &self.priced.merges[processor];
        self.exactly_made.insert(state, price.clone());
        price
    }
}
