//! What the table of rounded prices tells: bounds and cheap trees.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use oneport_plan::{Interval, Pattern};
use oneport_platform::{LinkId, NodeId, Rational};

use super::rounded::CAP;
use super::table::Table;
use super::tree::{Choices, build, halves};
use super::{Reduction, ratio};

/// Trees that cost up to this part of the cheapest one's price more are near enough.
const SLACK: i64 = 16;
/// Dearer than any tree worth considering, in units.
const FAR: i64 = 1 << 40;

/// The cheapest trees under one list of prices, up to rounding; see [`Reduction::guide`].
pub struct Guide<'a> {
    reduction: &'a Reduction,
    table: Table,
    denominator: BigUint,
}

/// One decision of a tree: a partial result that `node` consumes is made at `source` of two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Decision {
    part: Interval,
    node: usize,
    source: usize,
    split: usize,
}

impl<'a> Guide<'a> {
    pub(super) fn new(reduction: &'a Reduction, table: Table, denominator: BigUint) -> Self {
        Guide { reduction, table, denominator }
    }

    /// No tree to the target is cheaper, in the unit of the given prices; `None` where there is no tree.
    pub fn lower_bound(&self, target: NodeId) -> Option<Rational> {
        let (_, units) = self.walk().best(self.reduction.whole()?, target.index())?;
        Some(ratio(self.table.rounded.price(units), &self.denominator))
    }

    /// A tree to the target whose price is least up to rounding: above [`lower_bound`](Self::lower_bound) by less than
    /// one unit per task. Among equally cheap ones, it prefers not to move partial results, and short ways.
    /// `None` where there is no tree. The demand is 0.
    pub fn tree(&self, target: NodeId) -> Option<Pattern> {
        build(self.reduction, &mut self.walk(), target.index())
    }

    /// Up to `limit` different trees, cheapest first (in rounded prices): the cheapest one, and those that differ from
    /// it in one decision and are the cheapest of this kind: the result made at another processor, the result made of
    /// other parts, and for each other partial result another processor or other parts. All cost at most 1/16 more than
    /// the cheapest.
    pub fn trees(&self, target: NodeId, limit: usize) -> Vec<Pattern> {
        let mut walk = self.walk();
        let Some(whole) = self.reduction.whole() else { return Vec::new() };
        let Some((_, price)) = walk.best(whole, target.index()) else { return Vec::new() };
        let mut others = walk.others(whole, target.index());
        others.retain(|&(extra, _)| extra <= price / SLACK);
        others.sort_unstable();
        let mut seen = BTreeSet::new();
        let mut trees = Vec::new();
        for forced in std::iter::once(None).chain(others.into_iter().map(|(_, decision)| Some(decision))) {
            if trees.len() >= limit {
                break;
            }
            walk.forced = forced;
            let tree = build(self.reduction, &mut walk, target.index());
            trees.extend(tree.filter(|tree| seen.insert(tree.tasks.clone())));
        }
        trees
    }

    fn walk(&self) -> Walk<'_> {
        Walk {
            reduction: self.reduction,
            table: &self.table,
            made: BTreeMap::new(),
            best: BTreeMap::new(),
            splits: BTreeMap::new(),
            forced: None,
        }
    }
}

/// Reads decisions off the table.
struct Walk<'g> {
    reduction: &'g Reduction,
    table: &'g Table,
    /// Prices by place, of the partial results met so far.
    made: BTreeMap<Interval, Vec<i32>>,
    /// The best source and its price for each partial result and consumer met so far; the same for splits.
    best: BTreeMap<(Interval, usize), Option<(usize, i64)>>,
    splits: BTreeMap<(Interval, usize), Option<usize>>,
    /// Overrules the table.
    forced: Option<Decision>,
}

impl<'g> Walk<'g> {
    fn look_up(&mut self, part: Interval) {
        if part.first < part.last {
            self.made.entry(part).or_insert_with(|| self.table.made(self.reduction, part));
        }
    }

    /// Where what `node` consumes can be made, and the price of having it there.
    fn sources(&self, part: Interval, node: usize) -> Vec<(i64, u32, usize)> {
        let (reduction, rounded) = (self.reduction, &self.table.rounded);
        let size = reduction.sizes.class(part);
        let from = |(place, made): (usize, i64)| {
            let transfer = rounded.transfer_in(size, place, node, rounded.unit);
            rounded.paths[place].distance(node)?;
            Some((
                made + i64::try_from(transfer).map_or(FAR, |price| price.min(FAR)),
                rounded.paths[place].links(node),
                place,
            ))
        };
        if let Some(owner) = reduction.owner(part) {
            return from((owner, 0)).into_iter().collect();
        }
        // What is capped may be possible or not.
        let possible = |&(place, &made): &(usize, &i32)| made < CAP || self.gathers(part, place);
        let here = |&(place, _): &(usize, &i32)| !reduction.rests(part) || reduction.processors[place] == node;
        let made = self.made.get(&part).into_iter().flatten().enumerate();
        made.filter(here).filter(possible).filter_map(|(place, &made)| from((place, i64::from(made)))).collect()
    }

    /// Whether the price of making a partial result at a place is not capped.
    fn is_known(&self, part: Interval, place: usize) -> bool {
        self.made.get(&part).and_then(|made| made.get(place)).is_some_and(|&made| made < CAP)
    }

    /// Whether the processor can be reached from the owners of all these operands.
    fn gathers(&self, part: Interval, place: usize) -> bool {
        let reduction = self.reduction;
        let reaches = |&owner: &usize| self.table.rounded.paths[owner].distance(reduction.processors[place]).is_some();
        reduction.owners[part.first..=part.last].iter().all(reaches)
    }

    /// Where what `node` consumes is best made, and its price.
    fn best(&mut self, part: Interval, node: usize) -> Option<(usize, i64)> {
        if let Some(&known) = self.best.get(&(part, node)) {
            return known;
        }
        self.look_up(part);
        let best = self.sources(part, node).into_iter().min().map(|(price, _, place)| (place, price));
        self.best.insert((part, node), best);
        best
    }

    /// The best way to make a partial result at a processor.
    fn best_split(&mut self, part: Interval, at: usize) -> Option<usize> {
        let table = self.table;
        let splits = || table.operands(part, at).zip(part.first..);
        *self.splits.entry((part, at)).or_insert_with(|| splits().min().map(|(_, split)| split))
    }

    /// Decisions that differ from the best ones, and what each adds to the price.
    fn others(&mut self, whole: Interval, target: usize) -> Vec<(i64, Decision)> {
        let mut others = Vec::new();
        let mut left = vec![(whole, target)];
        while let Some((part, node)) = left.pop() {
            let Some((source, price)) = self.best(part, node) else { continue };
            if part.first == part.last {
                continue;
            }
            let Some(split) = self.best_split(part, source) else { continue };
            let mut of_sources = self.other_sources(part, node, source, price);
            let mut of_splits = if part == whole {
                self.splits_anywhere(part, node, price)
            } else {
                self.splits_here(part, node, source)
            };
            of_splits.retain(|(_, decision)| decision.split != split);
            if part != whole {
                of_sources = of_sources.into_iter().min().into_iter().collect();
                of_splits = of_splits.into_iter().min().into_iter().collect();
            }
            others.extend(of_sources.into_iter().chain(of_splits));
            let (first, second) = halves(part, split);
            let at = self.reduction.processors[source];
            left.extend([(first, at), (second, at)]);
        }
        others
    }

    fn other_sources(&mut self, part: Interval, node: usize, best: usize, price: i64) -> Vec<(i64, Decision)> {
        let mut others = self.sources(part, node);
        others.retain(|&(_, _, source)| source != best && self.is_known(part, source));
        let decision = |(other, _, source): (i64, u32, usize)| {
            let split = self.best_split(part, source)?;
            Some((other - price, Decision { part, node, source, split }))
        };
        others.into_iter().filter_map(decision).collect()
    }

    /// Every split of what is made at `source`.
    fn splits_here(&self, part: Interval, node: usize, source: usize) -> Vec<(i64, Decision)> {
        let operands: Vec<i64> = self.table.operands(part, source).map(i64::from).collect();
        let least = operands.iter().min().copied().unwrap_or(0);
        let decision = |(price, split): (i64, usize)| (price - least, Decision { part, node, source, split });
        let known = operands.into_iter().zip(part.first..).filter(|&(price, _)| price < i64::from(CAP));
        known.map(decision).collect()
    }

    /// Every split, each with the processor that is best for it.
    fn splits_anywhere(&mut self, part: Interval, node: usize, price: i64) -> Vec<(i64, Decision)> {
        let mut best: BTreeMap<usize, (i64, Decision)> = BTreeMap::new();
        for (here, _, source) in self.sources(part, node) {
            if !self.is_known(part, source) {
                continue;
            }
            for (extra, decision) in self.splits_here(part, node, source) {
                let found = (here + extra - price, decision);
                let known = best.entry(decision.split).or_insert(found);
                *known = found.min(*known);
            }
        }
        best.into_values().collect()
    }
}

impl Choices for Walk<'_> {
    fn source(&mut self, part: Interval, node: usize) -> Option<usize> {
        match self.forced.filter(|forced| forced.part == part) {
            Some(forced) => Some(forced.source),
            None => self.best(part, node).map(|(source, _)| source),
        }
    }

    fn split(&mut self, part: Interval, at: usize) -> Option<usize> {
        match self.forced.filter(|forced| forced.part == part) {
            Some(forced) => Some(forced.split),
            None => self.best_split(part, at),
        }
    }

    fn path(&mut self, from: usize, node: usize) -> Vec<LinkId> {
        self.table.rounded.paths[from].path(node)
    }
}
