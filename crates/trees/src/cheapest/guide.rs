//! Reads bounds and cheap trees off the table of rounded prices.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_plan::{Interval, Pattern};
use oneport_platform::{LinkId, NodeId, Rational};

use super::reduction::Reduction;
use super::rounded::CAP;
use super::table::Table;
use super::tree::{Choices, build};
use super::weights::ratio;

/// Fact: above the price of every useful tree, in units.
const FAR: i64 = 1 << 40;

/// The cheapest trees under one list of prices, up to rounding. See [`Reduction::guide`].
pub struct Guide<'a> {
    reduction: &'a Reduction,
    table: Table,
    denominator: BigUint,
}

impl<'a> Guide<'a> {
    pub(super) fn new(reduction: &'a Reduction, table: Table, denominator: BigUint) -> Self {
        Guide {
            reduction,
            table,
            denominator,
        }
    }

    /// A lower bound on the price of every tree to the target, in the unit of the given prices. `None` if no tree
    /// exists.
    pub fn lower_bound(&self, target: NodeId) -> Option<Rational> {
        let (_, units) = self.walk().best(self.reduction.whole()?, target.index())?;
        Some(ratio(self.table.rounded.price(units), &self.denominator))
    }

    /// A tree to the target whose price is least up to rounding: above [`lower_bound`](Self::lower_bound) by less than
    /// one unit per task. Among equally cheap trees it prefers partial results that stay in place, then short paths.
    /// `None` if no tree exists. The demand is 0.
    pub fn tree(&self, target: NodeId) -> Option<Pattern> {
        build(self.reduction, &mut self.walk(), target.index())
    }

    fn walk(&self) -> Walk<'_> {
        Walk {
            reduction: self.reduction,
            table: &self.table,
            made: BTreeMap::new(),
            best: BTreeMap::new(),
            splits: BTreeMap::new(),
        }
    }
}

/// Reads decisions off the table.
struct Walk<'g> {
    reduction: &'g Reduction,
    table: &'g Table,
    /// Prices by processor, of the partial results met so far.
    made: BTreeMap<Interval, Vec<i32>>,
    /// The best source and its price for each partial result and consumer met so far. The same for splits.
    best: BTreeMap<(Interval, usize), Option<(usize, i64)>>,
    splits: BTreeMap<(Interval, usize), Option<usize>>,
}

impl<'g> Walk<'g> {
    fn look_up(&mut self, part: Interval) {
        if part.first < part.last {
            self.made
                .entry(part)
                .or_insert_with(|| self.table.made(self.reduction, part));
        }
    }

    /// The processors that can make the input of `node`, and the price of having it there.
    fn sources(&self, part: Interval, node: usize) -> Vec<(i64, u32, usize)> {
        let (reduction, rounded) = (self.reduction, &self.table.rounded);
        let size = reduction.sizes.class(part);
        let from = |(processor, made): (usize, i64)| {
            let transfer = rounded.transfer_in(size, processor, node, rounded.unit);
            rounded.paths[processor].distance(node)?;
            Some((
                made + i64::try_from(transfer).map_or(FAR, |price| price.min(FAR)),
                rounded.paths[processor].links(node),
                processor,
            ))
        };
        if let Some(owner) = reduction.owner(part) {
            return from((owner, 0)).into_iter().collect();
        }
        // A capped price may be possible or impossible. (With work by task the check is skipped: the unit suits the
        // cheapest trees.)
        let by_task = reduction.is_by_task();
        let possible = |&(processor, &made): &(usize, &i32)| {
            made < CAP || (!by_task && self.gathers(part, processor))
        };
        let here = |&(processor, _): &(usize, &i32)| {
            !reduction.rests(part) || reduction.processors[processor] == node
        };
        let made = self.made.get(&part).into_iter().flatten().enumerate();
        made.filter(here)
            .filter(possible)
            .filter_map(|(processor, &made)| from((processor, i64::from(made))))
            .collect()
    }

    /// Whether the processor can be reached from the owners of all these operands.
    fn gathers(&self, part: Interval, processor: usize) -> bool {
        let reduction = self.reduction;
        let reaches = |&owner: &usize| {
            self.table.rounded.paths[owner]
                .distance(reduction.processors[processor])
                .is_some()
        };
        reduction.owners[part.first..=part.last].iter().all(reaches)
    }

    /// The best processor for the input of `node`, and its price.
    fn best(&mut self, part: Interval, node: usize) -> Option<(usize, i64)> {
        if let Some(&known) = self.best.get(&(part, node)) {
            return known;
        }
        self.look_up(part);
        let best = self
            .sources(part, node)
            .into_iter()
            .min()
            .map(|(price, _, processor)| (processor, price));
        self.best.insert((part, node), best);
        best
    }

    /// The cheapest split of a partial result at a processor.
    fn best_split(&mut self, part: Interval, at: usize) -> Option<usize> {
        let table = self.table;
        let splits = || {
            table
                .operands(self.reduction, part, at)
                .into_iter()
                .zip(part.first..)
        };
        *self
            .splits
            .entry((part, at))
            .or_insert_with(|| splits().min().map(|(_, split)| split))
    }
}

impl Choices for Walk<'_> {
    fn source(&mut self, part: Interval, node: usize) -> Option<usize> {
        self.best(part, node).map(|(source, _)| source)
    }

    fn split(&mut self, part: Interval, at: usize) -> Option<usize> {
        self.best_split(part, at)
    }

    fn path(&mut self, from: usize, node: usize) -> Vec<LinkId> {
        self.table.rounded.paths[from].path(node)
    }
}
