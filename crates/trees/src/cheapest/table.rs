//! The table of rounded prices: the hot kernel.

use oneport_plan::Interval;
use oneport_watch::Limit;

use super::reduction::Reduction;
use super::rounded::{CAP, Rounded, classes};
use super::simd::{LANES, Lanes};
use super::transfer_rows::{Merges, Transfers};
use super::unit;
use super::weights::Weights;

/// Lower bounds on the price of having each partial result at each processor, rounded.
pub(super) struct Table {
    pub rounded: Rounded,
    operands: usize,
    /// Row length: processors, padded.
    width: usize,
    /// `C[k,m]` by processor, at row `k n + m` and again at row `m n + k`: the inputs of merges, `[k,l]` and `[l+1,m]`
    /// for all `l`, are two blocks of consecutive rows. (The whole interval is not needed.)
    cells: Vec<i32>,
    /// Index at which row 0 starts.
    start: usize,
    lanes: Lanes,
}

impl Table {
    /// Fills the table. The unit suits trees to these nodes.
    pub(super) fn new(reduction: &Reduction, weights: &Weights, targets: &[usize]) -> Self {
        let (operands, processors) = (reduction.operands(), reduction.processors.len());
        let width = processors.next_multiple_of(LANES);
        let mut rounded = Rounded::new(reduction, weights);
        rounded.unit = unit::unit(reduction, &rounded, targets, u64::from(CAP.ilog2()) + 1);
        let count = operands * operands * width + LANES;
        if reduction
            .watch
            .room_for(size_of::<i32>() as u64 * count as u64)
            .is_err()
        {
            reduction.watch.end(Limit::Memory);
        }
        // Zeros cost no memory before they are written. They are not written if the watch has ended.
        let cells = vec![0; count];
        // Blocks of lanes that are not cut by cache lines are fetched at once.
        let start = cells
            .as_ptr()
            .align_offset(size_of::<[i32; LANES]>())
            .min(LANES);
        let mut table = Table {
            rounded,
            operands,
            width,
            start,
            cells,
            lanes: Lanes::new(),
        };
        table.fill(reduction);
        table
    }

    fn fill(&mut self, reduction: &Reduction) {
        let mut transfers = Transfers::new(reduction, &self.rounded, self.width);
        let mut merges = Merges::new(self.width);
        let mut made = vec![CAP; self.width];
        let mut held = vec![CAP; self.width];
        for last in 0..self.operands {
            // Check the watch once per row: a check costs as much as a short interval.
            if reduction.watch.ask().is_err() {
                return;
            }
            for first in (0..=last).rev() {
                let part = Interval { first, last };
                let (size, work) = classes(reduction, part);
                if let Some(owner) = reduction.owner(part) {
                    held.copy_from_slice(transfers.row(&self.rounded, size, owner));
                } else if last - first + 1 < self.operands {
                    if reduction.is_by_task() {
                        self.combine_by_task(reduction, part, &mut made);
                    } else {
                        self.combine(
                            part,
                            merges.row(&self.rounded, work, reduction.processors.len()),
                            &mut made,
                        );
                    }
                    if reduction.rests(part) {
                        held.copy_from_slice(&made);
                    } else {
                        transfers.close(&self.rounded, size, &made, &mut held, self.lanes);
                    }
                } else {
                    continue;
                }
                for row in [first * self.operands + last, last * self.operands + first] {
                    self.cells[self.start + row * self.width..][..self.width]
                        .copy_from_slice(&held);
                }
            }
        }
    }

    /// `M[k,m]` by processor, for an interval of at least two operands.
    fn combine(&self, part: Interval, merges: &[i32], made: &mut [i32]) {
        let (left, right) = self.operand_rows(part);
        self.lanes.least_sums(left, right, CAP, made);
        for (made, merge) in made.iter_mut().zip(merges) {
            *made = (*made + merge).min(CAP);
        }
    }

    /// `M[k,m]` if work depends on the split.
    fn combine_by_task(&self, reduction: &Reduction, part: Interval, made: &mut [i32]) {
        made.fill(CAP);
        let (left, right) = self.operand_rows(part);
        let splits = left
            .chunks_exact(self.width)
            .zip(right.chunks_exact(self.width))
            .zip(part.first..);
        for ((left, right), split) in splits {
            for processor in 0..reduction.processors.len() {
                let merge = self.merge(reduction, part, split, processor);
                made[processor] =
                    made[processor].min((left[processor] + right[processor]).min(CAP) + merge);
            }
        }
        for made in made.iter_mut() {
            *made = (*made).min(CAP);
        }
    }

    /// The rounded price of a merge, [`CAP`] if it cannot be done.
    fn merge(&self, reduction: &Reduction, part: Interval, split: usize, processor: usize) -> i32 {
        let class = reduction.works.class_of_merge(part, split, processor);
        class.map_or(CAP, |class| self.rounded.merge(class, processor))
    }

    /// The rows of `[k,k] .. [k,m-1]` and the rows of `[k+1,m] .. [m,m]`.
    fn operand_rows(&self, part: Interval) -> (&[i32], &[i32]) {
        let Interval { first, last } = part;
        let rows = |row: usize| {
            &self.cells[self.start + row * self.width..][..(last - first) * self.width]
        };
        (
            rows(first * self.operands + first),
            rows(last * self.operands + first + 1),
        )
    }

    /// Per processor: the price of making a partial result of at least two operands there.
    pub(super) fn made(&self, reduction: &Reduction, part: Interval) -> Vec<i32> {
        let mut made = vec![CAP; self.width];
        if reduction.is_by_task() {
            self.combine_by_task(reduction, part, &mut made);
        } else {
            let mut merges = Merges::new(self.width);
            let merges = merges.row(
                &self.rounded,
                reduction.works.class(part),
                reduction.processors.len(),
            );
            self.combine(part, merges, &mut made);
        }
        made.truncate(reduction.processors.len());
        made
    }

    /// Per split: the price of having both operands of a merge at a processor, plus the merge if its work depends on
    /// the split.
    pub(super) fn operands(&self, reduction: &Reduction, part: Interval, at: usize) -> Vec<i32> {
        let (left, right) = self.operand_rows(part);
        let column = move |rows: &[i32]| -> Vec<i32> {
            rows.iter().skip(at).step_by(self.width).copied().collect()
        };
        let sums = column(left)
            .into_iter()
            .zip(column(right))
            .map(|(left, right)| left + right);
        if !reduction.is_by_task() {
            return sums.collect();
        }
        let merge = |split| self.merge(reduction, part, split, at);
        sums.zip(part.first..)
            .map(|(sum, split)| sum.min(CAP) + merge(split))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use oneport_plan::{Amount, Volumes};
    use oneport_platform::NodeId;
    use oneport_platform::generate::{Options, random_connected};

    use super::super::prices::Prices;
    use super::*;
    use oneport_platform::whole;

    /// The recurrence in rounded prices without any skipping.
    fn naive(reduction: &Reduction, table: &Table, part: Interval) -> (Vec<i32>, Vec<i32>) {
        let processors = reduction.processors.len();
        let (size, work) = classes(reduction, part);
        let cell = |first: usize, last: usize, processor: usize| {
            let row = first * table.operands + last;
            table.cells[table.start + row * table.width + processor]
        };
        let made: Vec<i32> = (0..processors)
            .map(|at| {
                let sums = (part.first..part.last)
                    .map(|split| cell(part.first, split, at) + cell(split + 1, part.last, at));
                (sums.min().unwrap_or(CAP).min(CAP) + table.rounded.merge(work, at)).min(CAP)
            })
            .collect();
        let made = match reduction.owner(part) {
            Some(owner) => (0..processors)
                .map(|processor| if processor == owner { 0 } else { CAP })
                .collect(),
            None => made,
        };
        let transfer =
            |from: usize, to: usize| table.rounded.transfer(size, from, reduction.processors[to]);
        let held = |to: usize| {
            (0..processors)
                .map(|from| made[from] + transfer(from, to))
                .min()
                .unwrap_or(CAP)
                .min(CAP)
        };
        let held = (0..processors).map(held).collect();
        (made, held)
    }

    #[test]
    fn skipping_changes_nothing() {
        for seed in 0..60 {
            let n = 5 + seed as usize % 14;
            let platform = random_connected(
                n,
                3,
                &Options {
                    seed,
                    ..Options::default()
                },
            )
            .unwrap();
            let owners: Vec<NodeId> = platform.node_ids().collect();
            let draw = |at: usize| {
                (seed + 3)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ (at as u64) << 17)
                    .rotate_left(23)
                    >> 24
            };
            let rows = (0..n)
                .map(|k| (k..n).map(|m| whole(1 + draw(k * n + m) % 7)).collect())
                .collect();
            let size = match seed % 3 {
                0 => Amount::Table(rows),
                1 => Amount::Affine {
                    fixed: whole(1),
                    per_operand: whole(2),
                },
                _ => Amount::Constant(whole(1)),
            };
            let volumes = Volumes {
                size,
                work: Amount::Constant(whole(1)),
            };
            let most = [3, 1 << 20, 1 << 40][seed as usize % 5 % 3];
            let list = |salt: usize| {
                (0..n)
                    .map(|at| (draw(salt + at) % 3 / 2) * draw(salt + 77 * at) % most)
                    .collect::<Vec<u64>>()
            };
            let prices = Prices::of_ports(&platform, &list(1000), &list(2000), list(3000));
            let reduction = Reduction::new(&platform, &owners, &volumes);
            let weights = reduction
                .factors
                .weigh_integers(&reduction.processors, &prices);
            let table = Table::new(&reduction, &weights, &reduction.processors);
            for (first, last) in (0..n).flat_map(|first| (first..n).map(move |last| (first, last)))
            {
                let part = Interval { first, last };
                let (made, held) = naive(&reduction, &table, part);
                if first < last {
                    assert_eq!(table.made(&reduction, part), made, "seed {seed} {part:?}");
                }
                for row in [first * n + last, last * n + first] {
                    let cells = &table.cells[table.start + row * table.width..][..n];
                    assert!(
                        cells == held || last - first + 1 == n,
                        "seed {seed} {part:?}: {cells:?} {held:?}"
                    );
                }
            }
        }
    }
}
