//! Distributes copies over patterns so that the busiest resource has the least load.
//!
//! The sum of the copies is given for each demand. There are two initial distributions: shares in proportion by largest
//! remainders, and shares rounded down with the rest placed so that resources stay least busy. Copies are moved from
//! one pattern to another while fewer resources become busiest. If there are few patterns, all distributions that may
//! be better are searched.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use oneport_plan::{PeriodicSchedule, Problem};
use oneport_schedule::{Measure, common_denominator};

/// Copies up to which all distributions are searched. They are distributed again per number of pieces. Trades balance
/// for time. Measured: some hundredths of a second.
const SEARCHED: usize = 24;
/// Resources examined in the search and while copies are moved. Trades balance for time. Measured: some hundredths of a
/// second.
const WORK: usize = 1 << 22;

/// Copies of patterns, and the load of resources.
#[derive(Debug)]
pub(crate) struct Sharing {
    /// Per demand: its patterns.
    demands: Vec<Vec<usize>>,
    /// Per pattern: its resources, and the time that a copy occupies each.
    uses: Vec<Vec<(usize, u64)>>,
    copies: Vec<u64>,
    /// Per resource: its busy time.
    loads: Vec<u128>,
}

impl Sharing {
    /// An initial distribution. `None` if times or copies have more than 64 bits.
    pub(crate) fn new(
        problem: &Problem,
        schedule: &PeriodicSchedule,
        copies: &[u64],
    ) -> Option<Self> {
        let measure = Measure::new(problem);
        let times: Vec<_> = (0..measure.carriers())
            .map(|carrier| measure.time(carrier))
            .collect();
        let unit = common_denominator(&times);
        let mut demands: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut all = Vec::with_capacity(copies.len());
        for (pattern, scheduled) in schedule.patterns.iter().enumerate() {
            demands
                .entry(scheduled.pattern.demand)
                .or_default()
                .push(pattern);
            let mut uses: BTreeMap<usize, BigInt> = BTreeMap::new();
            for (carrier, units) in measure.uses(&scheduled.pattern) {
                let time = (&times[carrier] * &unit * units).to_integer();
                measure.occupy(carrier, &time, |resource, time| {
                    *uses.entry(resource).or_default() += time;
                });
            }
            let counted = uses.into_iter().map(|(resource, time)| {
                Some((resource, measure.counted(resource, time).to_u64()?))
            });
            all.push(counted.collect::<Option<Vec<_>>>()?);
        }
        let resources = all
            .iter()
            .flatten()
            .map(|&(resource, _)| resource + 1)
            .max()
            .unwrap_or(0);
        let empty = Sharing {
            demands: demands.into_values().collect(),
            uses: all,
            copies: vec![0; copies.len()],
            loads: vec![0; resources],
        };
        Some(empty.with(copies))
    }

    /// These copies.
    fn with(mut self, copies: &[u64]) -> Self {
        self.copies.fill(0);
        self.loads.fill(0);
        for (pattern, &copies) in copies.iter().enumerate() {
            self.add(pattern, copies);
        }
        self
    }

    fn busiest(&self) -> u128 {
        self.loads.iter().copied().max().unwrap_or(0)
    }

    /// The best distribution found from here and from `floors`, the shares rounded down.
    pub(crate) fn least(self, floors: &[u64]) -> Vec<u64> {
        let wanted: Vec<u64> = self.sums(&self.copies);
        let first = self.moved();
        let mut best = Best::of(&first);
        let mut second = first.with(floors);
        second.fill(&wanted);
        let second = second.moved();
        if second.busiest() < best.busiest {
            best = Best::of(&second);
        }
        if second.copies.len() <= SEARCHED {
            let none = vec![0; second.copies.len()];
            let (order, mut work) = (second.demands.concat(), WORK);
            let ends = second.demands.iter().flat_map(|patterns| patterns.last());
            let mut search = SharingSearch {
                ends: ends.copied().collect(),
                sharing: second.with(&none),
                order,
                wanted,
                best,
                work: &mut work,
            };
            search.from(0, 0);
            best = search.best;
        }
        best.copies
    }

    /// Copies of each demand.
    fn sums(&self, copies: &[u64]) -> Vec<u64> {
        self.demands
            .iter()
            .map(|patterns| patterns.iter().map(|&pattern| copies[pattern]).sum())
            .collect()
    }

    fn add(&mut self, pattern: usize, copies: u64) {
        self.copies[pattern] += copies;
        for &(resource, time) in &self.uses[pattern] {
            self.loads[resource] += u128::from(time) * u128::from(copies);
        }
    }

    fn take(&mut self, pattern: usize, copies: u64) {
        self.copies[pattern] -= copies;
        for &(resource, time) in &self.uses[pattern] {
            self.loads[resource] -= u128::from(time) * u128::from(copies);
        }
    }

    /// Load of a pattern's resources with one more copy.
    fn with_one_more(&self, pattern: usize) -> u128 {
        self.uses[pattern]
            .iter()
            .map(|&(resource, time)| self.loads[resource] + u128::from(time))
            .max()
            .unwrap_or(0)
    }

    /// Adds the missing copies of each demand one at a time, to the pattern with the least busy resources.
    fn fill(&mut self, wanted: &[u64]) {
        let missing: Vec<u64> = wanted
            .iter()
            .zip(self.sums(&self.copies))
            .map(|(all, has)| all - has)
            .collect();
        for round in 0..missing.iter().copied().max().unwrap_or(0) {
            for (demand, _) in missing
                .iter()
                .enumerate()
                .filter(|(_, missing)| **missing > round)
            {
                let least = self.demands[demand]
                    .iter()
                    .copied()
                    .min_by_key(|&pattern| (self.with_one_more(pattern), pattern));
                if let Some(pattern) = least {
                    self.add(pattern, 1);
                }
            }
        }
    }

    /// Moves copies while that leaves fewer resources as busy as the busiest one.
    fn moved(mut self) -> Self {
        let mut work = WORK;
        while let Some((from, to)) = self.better(&mut work) {
            self.take(from, 1);
            self.add(to, 1);
        }
        self
    }

    /// A move that leaves fewer resources busiest.
    fn better(&mut self, work: &mut usize) -> Option<(usize, usize)> {
        let most = self.busiest();
        let at_most = |sharing: &Sharing, pattern: usize| {
            sharing.uses[pattern]
                .iter()
                .filter(|&&(resource, time)| time > 0 && sharing.loads[resource] == most)
                .count()
        };
        for demand in 0..self.demands.len() {
            for from in self.demands[demand].clone() {
                if self.copies[from] == 0 || at_most(self, from) == 0 {
                    continue;
                }
                let relieved = at_most(self, from);
                self.take(from, 1);
                let better = self.demands[demand].iter().copied().find(|&to| {
                    *work = work.saturating_sub(self.uses[to].len());
                    let reach = self.uses[to].iter().filter(|&&(resource, time)| {
                        time > 0 && self.loads[resource] + u128::from(time) >= most
                    });
                    let (mut again, mut above) = (0, false);
                    for &(resource, time) in reach {
                        again += 1;
                        above |= self.loads[resource] + u128::from(time) > most;
                    }
                    to != from && !above && again < relieved
                });
                self.add(from, 1);
                if *work == 0 {
                    return None;
                }
                if let Some(to) = better {
                    return Some((from, to));
                }
            }
        }
        None
    }
}

/// The best distribution found so far.
struct Best {
    busiest: u128,
    copies: Vec<u64>,
}

impl Best {
    fn of(sharing: &Sharing) -> Best {
        Best {
            busiest: sharing.busiest(),
            copies: sharing.copies.clone(),
        }
    }
}

/// A search through all distributions.
struct SharingSearch<'w> {
    sharing: Sharing,
    /// The patterns, grouped by demand.
    order: Vec<usize>,
    /// The last pattern of each demand.
    ends: Vec<usize>,
    /// Copies of each demand. During the search, the copies that are left.
    wanted: Vec<u64>,
    best: Best,
    work: &'w mut usize,
}

impl SharingSearch<'_> {
    /// Searches all distributions over the patterns from an index on. The first of these belongs to `demand`.
    fn from(&mut self, index: usize, demand: usize) {
        let Some(&pattern) = self.order.get(index) else {
            self.best = Best::of(&self.sharing);
            return;
        };
        let (left, is_last) = (self.wanted[demand], self.ends[demand] == pattern);
        // If a number of copies is above the best load, all larger ones are.
        let time = |sharing: &Sharing, copies: u64| {
            let uses = sharing.uses[pattern].iter();
            uses.map(|&(resource, time)| {
                sharing.loads[resource] + u128::from(time) * u128::from(copies)
            })
            .max()
        };
        for copies in if is_last { left } else { 0 }..=left {
            *self.work = self.work.saturating_sub(self.sharing.uses[pattern].len());
            if *self.work == 0 || time(&self.sharing, copies).unwrap_or(0) >= self.best.busiest {
                return;
            }
            self.sharing.add(pattern, copies);
            self.wanted[demand] -= copies;
            self.from(index + 1, demand + usize::from(is_last));
            self.wanted[demand] += copies;
            self.sharing.take(pattern, copies);
        }
    }
}
