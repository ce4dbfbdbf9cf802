//! Rounded prices of transfers and merges in rows by processor, and moving a partial result to its consumers.

use super::paths::Paths;
use super::reduction::Reduction;
use super::rounded::{CAP, NO_PATH, Rounded};
use super::simd::Lanes;

/// Marks a row that is not there.
const NONE: usize = usize::MAX;

/// Transfers from every processor to every processor, by size class. Rows are rounded when they are first used.
pub(super) struct Transfers {
    processors: usize,
    width: usize,
    /// Distances by sender, then receiver.
    distances: Vec<u64>,
    /// Classes kept at the same time. Class `c` has its rows at `c % slots`.
    slots: usize,
    /// Per slot and sender: the row's class, and its start in `cells`.
    kept: Vec<(usize, usize)>,
    cells: Vec<i32>,
    /// Per processor: the other processors at distance 0.
    beside: Vec<Vec<usize>>,
    /// Per processor: whether it has nothing more to offer, since it or a processor at distance 0 that made the result
    /// at most as expensively has been processed.
    idle: Vec<bool>,
}

impl Transfers {
    pub(super) fn new(reduction: &Reduction, rounded: &Rounded, width: usize) -> Self {
        let (processors, classes) = (&reduction.processors, reduction.sizes.values.len());
        let count = processors.len();
        // Sizes that depend on the number of operands recur. Sizes of a table do not.
        let slots = if classes <= reduction.operands() {
            classes.max(1)
        } else {
            1
        };
        let row = |paths: &Paths<u64>| -> Vec<u64> {
            processors
                .iter()
                .map(|&to| paths.distance(to).copied().unwrap_or(NO_PATH))
                .collect()
        };
        let distances: Vec<u64> = rounded.paths.iter().flat_map(row).collect();
        let beside = |from: usize| {
            let free = |&to: &usize| to != from && distances[from * count + to] == 0;
            (0..count).filter(free).collect()
        };
        Transfers {
            processors: count,
            width,
            slots,
            kept: vec![(NONE, NONE); slots * count],
            cells: Vec::new(),
            beside: (0..count).map(beside).collect(),
            idle: vec![false; count],
            distances,
        }
    }

    /// Transfers of this size class from a processor, to each processor.
    pub(super) fn row(&mut self, rounded: &Rounded, class: usize, from: usize) -> &[i32] {
        let (kept, start) = &mut self.kept[class % self.slots * self.processors + from];
        if *start == NONE {
            *start = self.cells.len();
            self.cells.resize(*start + self.width, CAP);
        }
        let cells = &mut self.cells[*start..*start + self.width];
        if *kept != class {
            *kept = class;
            rounded.size(class).units(
                &self.distances[from * self.processors..][..self.processors],
                cells,
            );
        }
        cells
    }

    /// `held(j) = min_i made(i) + transfer(i, j)`, by processor.
    ///
    /// A processor that has the result cheaper from another one (`held < made`) has nothing to offer: the result comes
    /// cheaper from that other one. This is so in spite of the rounding: two transfers in a row cost at most one unit
    /// less, rounded down, than the transfer that replaces them, and the first one was cheaper by at least a unit. Nor
    /// has one that has it at the same price from a processor at distance 0.
    pub(super) fn close(
        &mut self,
        rounded: &Rounded,
        class: usize,
        made: &[i32],
        held: &mut [i32],
        lanes: Lanes,
    ) {
        held.copy_from_slice(made);
        self.idle.fill(false);
        let processors = self.processors;
        // The cheapest first: it leaves fewest others.
        let first = (0..processors).min_by_key(|&processor| made[processor]);
        for from in first.into_iter().chain(0..processors) {
            let price = made[from];
            if held[from] < price || price >= CAP || self.idle[from] {
                continue;
            }
            self.idle[from] = true;
            for &other in &self.beside[from] {
                self.idle[other] |= made[other] >= price;
            }
            lanes.lower(held, price, self.row(rounded, class, from));
        }
    }
}

/// Merges of one work class at a time, at every processor.
pub(super) struct Merges {
    class: Option<usize>,
    row: Vec<i32>,
}

impl Merges {
    pub(super) fn new(width: usize) -> Self {
        Merges {
            class: None,
            row: vec![CAP; width],
        }
    }

    /// Merges of this class, by processor.
    pub(super) fn row(&mut self, rounded: &Rounded, class: usize, processors: usize) -> &[i32] {
        if self.class != Some(class) {
            self.class = Some(class);
            for (processor, price) in self.row.iter_mut().take(processors).enumerate() {
                *price = rounded.merge(class, processor);
            }
        }
        &self.row
    }
}
