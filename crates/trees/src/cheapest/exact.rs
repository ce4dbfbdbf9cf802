//! Exact prices, evaluated if rounded ones leave a doubt.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_plan::{Interval, Pattern};
use oneport_platform::{LinkId, NodeId, Rational};

use super::paths::{Length, Paths};
use super::reduction::Reduction;
use super::table::Table;
use super::tree::{Choices, build};
use super::weights::{Weights, ratio};
use super::zero_cost::Free;

/// Exact prices, each computed when it is first used. See [`Reduction::exactly`].
///
/// The exact recurrence, memoised. `None` means impossible. Nodes that reach one another at cost 0 have equal prices,
/// so prices are stored per group of such nodes.
pub struct ExactPrices<'r> {
    reduction: &'r Reduction,
    weights: Weights,
    table: Table,
    free: Free,
    /// Lengths of links, by id.
    lengths: Vec<Length<BigUint>>,
    /// From each processor. Found when first needed.
    paths: Vec<Option<Paths<BigUint>>>,
    /// Rounded prices of making partial results, by processor.
    made: BTreeMap<Interval, Vec<i32>>,
    /// `C[k,m](j)`, by group.
    held: BTreeMap<(Interval, usize), Option<BigUint>>,
    /// The least `C[k,l](i) + C[l+1,m](i)` and its split, by group. If work depends on the task: with the merge, by
    /// processor.
    operands: BTreeMap<(Interval, usize), Option<(BigUint, usize)>>,
}

/// A processor that may make a partial result: the rounded price of having it from there, the links of the path, the
/// processor's index.
type Source = (i64, u32, usize);

impl<'r> ExactPrices<'r> {
    pub(super) fn new(reduction: &'r Reduction, weights: Weights, table: Table) -> Self {
        ExactPrices {
            reduction,
            free: Free::new(reduction, &weights),
            lengths: Length::of_links(&weights.links),
            weights,
            table,
            paths: reduction.processors.iter().map(|_| None).collect(),
            made: BTreeMap::new(),
            held: BTreeMap::new(),
            operands: BTreeMap::new(),
        }
    }

    /// Common denominator of all prices.
    pub fn denominator(&self) -> &BigUint {
        &self.weights.denominator
    }

    /// No tree to the target, one of those prepared for, is cheaper: rounded, and found at once. `None` if there is
    /// no tree.
    pub fn at_least(&mut self, target: NodeId) -> Option<Rational> {
        let whole = self.reduction.whole()?;
        if let Some(owner) = self.reduction.owner(whole) {
            return Some(ratio(
                self.transfer(whole, owner, target.index())?,
                &self.weights.denominator,
            ));
        }
        let units = self
            .sources(whole, target.index())
            .first()
            .map(|&(units, ..)| units)?;
        Some(ratio(
            self.table.rounded.price(units),
            &self.weights.denominator,
        ))
    }

    /// The cheapest price and tree to a target, which must be one of the prepared targets. `None` if no tree exists.
    pub fn cheapest(&mut self, target: NodeId) -> Option<(Rational, Pattern)> {
        let node = target.index();
        let price = self.held(self.reduction.whole()?, node)?;
        let tree = build(self.reduction, self, node)?;
        Some((ratio(price, &self.weights.denominator), tree))
    }

    /// The price of having a partial result at a node.
    fn held(&mut self, part: Interval, node: usize) -> Option<BigUint> {
        let key = (part, self.free.group(node));
        if let Some(known) = self.held.get(&key) {
            return known.clone();
        }
        let found = match self.reduction.owner(part) {
            Some(owner) => self.transfer(part, owner, node),
            None => self.least(part, node),
        };
        self.held.insert(key, found.clone());
        found
    }

    /// The least price over all processors that may make it. A processor counts if its rounded price is below the exact
    /// price of the best one so far, and if no processor that is better or the same in every respect counts as well.
    fn least(&mut self, part: Interval, node: usize) -> Option<BigUint> {
        let mut best: Option<BigUint> = None;
        for (bound, _, source) in self.sources(part, node) {
            if self.reduction.watch.ask().is_err() {
                return None;
            }
            if best
                .as_ref()
                .is_some_and(|price| self.table.rounded.round_up(price) <= bound)
            {
                break;
            }
            if best.is_some() && self.is_dominated(source, node) {
                continue;
            }
            if let Some(price) = self.from(part, source, node)
                && best.as_ref().is_none_or(|best| price < *best)
            {
                best = Some(price);
            }
        }
        best
    }

    /// The price of having a partial result at a node if it is made at this processor.
    fn from(&mut self, part: Interval, source: usize, node: usize) -> Option<BigUint> {
        let transfer = self.transfer(part, source, node)?;
        let (operands, _) = self.operands(part, source)?;
        if self.reduction.is_by_task() {
            return Some(operands + transfer);
        }
        Some(operands + self.reduction.works.of(part) * &self.weights.merges[source] + transfer)
    }

    /// All processors, by rounded price.
    fn sources(&mut self, part: Interval, node: usize) -> Vec<Source> {
        let (rounded, size) = (&self.table.rounded, self.reduction.sizes.class(part));
        let made = self
            .made
            .entry(part)
            .or_insert_with(|| self.table.made(self.reduction, part));
        let source = |(processor, &made): (usize, &i32)| {
            let transfer = i64::from(rounded.transfer(size, processor, node));
            (
                i64::from(made) + transfer,
                rounded.paths[processor].links(node),
                processor,
            )
        };
        let reduction = self.reduction;
        let here = |&(processor, _): &(usize, &i32)| {
            !reduction.rests(part) || reduction.processors[processor] == node
        };
        let mut sources: Vec<Source> = made.iter().enumerate().filter(here).map(source).collect();
        sources.sort_unstable();
        sources
    }

    fn is_dominated(&mut self, source: usize, node: usize) -> bool {
        let better: Vec<usize> = self.free.better(source).to_vec();
        better.into_iter().any(|other| {
            let distance = self.paths(source).distance(node).cloned();
            self.paths(other).distance(node) == distance.as_ref()
        })
    }

    /// The price of having both operands of a merge at a processor, and the split. If work depends on the task: with
    /// the merge.
    fn operands(&mut self, part: Interval, at: usize) -> Option<(BigUint, usize)> {
        let node = self.reduction.processors[at];
        let key = (
            part,
            if self.reduction.is_by_task() {
                node
            } else {
                self.free.group(node)
            },
        );
        if let Some(known) = self.operands.get(&key) {
            return known.clone();
        }
        let found = self.best_split(part, at);
        self.operands.insert(key, found.clone());
        found
    }

    fn best_split(&mut self, part: Interval, at: usize) -> Option<(BigUint, usize)> {
        let bounds = self.table.operands(self.reduction, part, at);
        let mut splits: Vec<(i32, usize)> = bounds.into_iter().zip(part.first..).collect();
        splits.sort_unstable();
        let node = self.reduction.processors[at];
        let mut best: Option<(BigUint, usize)> = None;
        for (bound, split) in splits {
            let rounded = &self.table.rounded;
            if best
                .as_ref()
                .is_some_and(|(price, _)| rounded.round_up(price) <= i64::from(bound))
            {
                break;
            }
            let Some(merge) = self.merge_by_task(part, split, at) else {
                continue;
            };
            let (left, right) = part.split(split);
            let Some((left, right)) = self.held(left, node).zip(self.held(right, node)) else {
                continue;
            };
            let price = left + right + merge;
            if best.as_ref().is_none_or(|(best, _)| price < *best) {
                best = Some((price, split));
            }
        }
        best
    }

    /// The price of a merge whose work depends on the split (else 0). `None` if it cannot be done.
    fn merge_by_task(&self, part: Interval, split: usize, at: usize) -> Option<BigUint> {
        if !self.reduction.is_by_task() {
            return Some(BigUint::ZERO);
        }
        let class = self.reduction.works.class_of_merge(part, split, at)?;
        Some(&self.reduction.works.values[class] * &self.weights.merges[at])
    }

    fn transfer(&mut self, part: Interval, from: usize, node: usize) -> Option<BigUint> {
        let size = self.reduction.sizes.of(part);
        self.paths(from)
            .distance(node)
            .map(|distance| distance * size)
    }

    fn paths(&mut self, from: usize) -> &Paths<BigUint> {
        let ExactPrices {
            reduction,
            lengths,
            paths,
            ..
        } = self;
        paths[from].get_or_insert_with(|| {
            Paths::new(&reduction.graph, lengths, reduction.processors[from])
        })
    }
}

impl Choices for ExactPrices<'_> {
    /// The first processor that attains the price, in the order of rounded prices, then of links.
    fn source(&mut self, part: Interval, node: usize) -> Option<usize> {
        if let Some(owner) = self.reduction.owner(part) {
            return Some(owner);
        }
        let price = self.held(part, node)?;
        let sources = self.sources(part, node);
        sources
            .into_iter()
            .map(|(_, _, source)| source)
            .find(|&source| self.from(part, source, node).as_ref() == Some(&price))
    }

    fn split(&mut self, part: Interval, at: usize) -> Option<usize> {
        self.operands(part, at).map(|(_, split)| split)
    }

    fn path(&mut self, from: usize, node: usize) -> Vec<LinkId> {
        self.paths(from).path(node)
    }
}
