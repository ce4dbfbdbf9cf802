//! The paper's dynamic program for any number of classes (Liu-Kuo-Wang 2009, Theorem 6): small counts.
//!
//! The root of some best tree is the fastest sender (Observation 1). Per split of all but the slowest class, the split
//! of the slowest is a crossover (Lemma 4). O(n^(2k-1) log n).

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use oneport_plan::{Class, Proof};
use std::collections::BTreeMap;

use crate::integers::scale;
use crate::placement::MethodResult;
use crate::slowest_first::tree_levels;
use crate::{Cluster, Error, PlacedSenders, Placement};

/// Limit: pairs of cells that a program compares.
pub const MOST_PAIRS: u64 = 1 << 27;

/// The shortest reduction by dynamic programming.
///
/// # Errors
/// A program of more than [`MOST_PAIRS`] splits. Times without a common unit that keeps their sum below 2^64.
pub(crate) fn solve(cluster: &Cluster) -> Result<MethodResult, Error> {
    let program = Program::new(cluster)?;
    let lengths = program.fill();
    let ticks = cluster.ticks()?;
    let all = lengths.len() - 1;
    let length = ticks.date(lengths[all].into());
    let mut rows: BTreeMap<(u64, usize), u64> = BTreeMap::new();
    let mut open = vec![(all, 0u64)];
    while let Some((cell, date)) = open.pop() {
        let Some((class, rest)) = program.root(cell) else {
            continue;
        };
        *rows.entry((date, class)).or_default() += 1;
        let (_, left) = program.split(&lengths, rest);
        open.extend([
            (left, date + program.times[class]),
            (rest - left, date + program.times[class]),
        ]);
    }
    let rows = rows
        .into_iter()
        .map(|((date, class), senders)| PlacedSenders {
            date: ticks.date(date.into()),
            class,
            senders,
        });
    let proof = if cluster.classes().len() == 2 {
        Proof::Levels
    } else {
        Proof::Exhaustion {
            states: lengths.len() as u64,
        }
    };
    Ok(MethodResult {
        lower_bound: length.clone(),
        length,
        proof,
        placement: Some(Placement {
            rows: rows.collect(),
        }),
    })
}

/// Pairs of cells that the program compares at most: per cell as many searches as its counts of the faster classes can
/// be split, so per faster class of `a` senders `1 + 2 + ... + (a + 1)` in all.
fn most_pairs(classes: &[Class]) -> u128 {
    let Some((slowest, faster)) = classes.split_last() else {
        return 0;
    };
    let row = u128::from(slowest.senders) + 1;
    let search = u128::from(u128::BITS - row.leading_zeros()) + 2;
    let splits = faster.iter().map(|class| {
        let parts = u128::from(class.senders) + 1;
        parts.saturating_mul(parts + 1) / 2
    });
    splits.fold(row.saturating_mul(search), u128::saturating_mul)
}

/// Counts of senders per class are one number: the slowest class counts single, each faster one in strides.
struct Program {
    times: Vec<u64>,
    counts: Vec<usize>,
    strides: Vec<usize>,
    cells: usize,
}

impl Program {
    fn new(cluster: &Cluster) -> Result<Program, Error> {
        let classes = cluster.classes();
        let mut cells = 1u128;
        let mut strides = vec![0; classes.len()];
        for (class, stride) in classes.iter().zip(&mut strides).rev() {
            *stride = cells as usize;
            cells = cells
                .saturating_mul(u128::from(class.senders) + 1)
                .min(1 << 60);
        }
        let pairs = most_pairs(classes);
        if pairs > MOST_PAIRS.into() {
            let why =
                format!("it compares up to {pairs} pairs of cells, at most {MOST_PAIRS}; use auto");
            return Err(Error::Method { method: "dp", why });
        }
        let times: Vec<_> = classes.iter().map(|class| &class.time).collect();
        let counts: Vec<usize> = classes.iter().map(|class| class.senders as usize).collect();
        let most = |ticks: &[BigInt]| {
            ticks
                .iter()
                .zip(&counts)
                .map(|(ticks, &count)| ticks * BigInt::from(count))
                .sum()
        };
        let crate::integers::Scaled::Small(times) = scale(&times, most).1 else {
            return Err(Error::Unit { bits: 65 });
        };
        Ok(Program {
            times,
            counts,
            strides,
            cells: cells.to_usize().unwrap_or(usize::MAX),
        })
    }

    /// The fastest class of a cell, and the cell without one of it.
    fn root(&self, cell: usize) -> Option<(usize, usize)> {
        let class = self.strides.iter().position(|&stride| cell >= stride)?;
        Some((class, cell - self.strides[class]))
    }

    fn fill(&self) -> Vec<u64> {
        let mut lengths = vec![0];
        let slowest = self.counts.last().copied().unwrap_or(0);
        for cell in 1..self.cells {
            let Some((class, rest)) = self.root(cell) else {
                continue;
            };
            let length = if cell <= slowest {
                u64::from(tree_levels(cell as u64)) * self.times[class]
            } else {
                self.times[class] + self.split(&lengths, rest).0
            };
            lengths.push(length);
        }
        lengths
    }

    /// The best split of a cell in two: the longer length, and the left part.
    fn split(&self, lengths: &[u64], cell: usize) -> (u64, usize) {
        let row = self.counts.last().map_or(1, |&slowest| slowest + 1);
        let (upper, slow) = (cell / row * row, cell % row);
        let mut best = (u64::MAX, 0);
        let mut left = 0;
        loop {
            // The first split of the slowest at which the left part is at least as long.
            let (mut low, mut high) = (0, slow);
            while low < high {
                let middle = (low + high) / 2;
                if lengths[left + middle] < lengths[upper - left + slow - middle] {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            for share in low.saturating_sub(1)..=low {
                let longer = lengths[left + share].max(lengths[upper - left + slow - share]);
                best = best.min((longer, left + share));
            }
            match self.next(left, upper) {
                Some(next) => left = next,
                None => return best,
            }
        }
    }

    /// The next part of `whole`, a cell without senders of the slowest class.
    fn next(&self, part: usize, whole: usize) -> Option<usize> {
        let mut part = part;
        for class in (0..self.strides.len().saturating_sub(1)).rev() {
            let count = |cell: usize| cell / self.strides[class] % (self.counts[class] + 1);
            if count(part) < count(whole) {
                return Some(part + self.strides[class]);
            }
            part -= count(part) * self.strides[class];
        }
        None
    }
}
