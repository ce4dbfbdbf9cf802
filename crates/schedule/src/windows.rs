//! The windows of a link or a processor within the period, each for one task.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::PeriodicSchedule;
use oneport_platform::LinkId;

use crate::units::in_units;

/// A stretch of time, in units.
pub(crate) type Stretch = (BigInt, BigInt);

/// The windows of one link or one processor, in the order of their starts, each free or taken.
#[derive(Debug, Clone)]
pub(crate) enum Windows {
    /// Tasks that take no time need none.
    Instant,
    /// Any task fits any of these windows: each is as long as the longest task.
    Any {
        /// The dates of each window.
        stretches: Stretches,
        /// Union-find: a taken window points to a later one, before which all are taken.
        taken: BTreeMap<u64, u64>,
    },
    /// Tasks that take different times, in an order that is fixed.
    InOrder(Vec<Vec<Stretch>>),
}

/// When the tasks at the windows of a link or a processor run.
#[derive(Debug, Clone)]
pub(crate) enum Stretches {
    /// Windows of a link, in the time that its slots leave, one by one.
    Listed(Vec<Vec<Stretch>>),
    /// Windows of a processor: `count` windows back to back from the start of the period, each `length` long.
    Regular { count: u64, length: BigInt },
}

impl Stretches {
    fn count(&self) -> u64 {
        match self {
            Stretches::Listed(list) => list.len() as u64,
            Stretches::Regular { count, .. } => *count,
        }
    }

    /// The first window that does not start before a date.
    fn from(&self, date: &BigInt) -> u64 {
        match self {
            Stretches::Listed(list) => {
                let before =
                    |window: &Vec<Stretch>| window.first().is_some_and(|(start, _)| start < date);
                list.partition_point(before) as u64
            }
            Stretches::Regular { length, .. } => {
                let windows: BigInt = (date + length - 1u32) / length;
                windows.to_u64().unwrap_or(u64::MAX)
            }
        }
    }

    /// When a task of this duration runs at a window.
    fn at(&self, window: u64, duration: &BigInt) -> Vec<Stretch> {
        match self {
            Stretches::Listed(list) => list.get(window as usize).cloned().unwrap_or_default(),
            Stretches::Regular { length, .. } => {
                let start = length * window;
                vec![(start.clone(), start + duration)]
            }
        }
    }
}

impl Windows {
    /// A link's windows, from its slots, for the durations of its tasks.
    pub(crate) fn of_link(mut clock: Clock, durations: &[BigInt]) -> Windows {
        if durations.iter().all(Zero::is_zero) {
            return Windows::Instant;
        }
        let stretches: Vec<Vec<Stretch>> = durations
            .iter()
            .map(|duration| clock.take(duration))
            .collect();
        if equal(durations) {
            Windows::Any {
                stretches: Stretches::Listed(stretches),
                taken: BTreeMap::new(),
            }
        } else {
            Windows::InOrder(stretches)
        }
    }

    /// A processor's windows for the durations of its merges: all as long as the longest, if the period has room for
    /// them, else the merges back to back.
    pub(crate) fn of_processor(period: &BigInt, durations: &[BigInt]) -> Windows {
        let Some(length) = durations.iter().max().filter(|longest| !longest.is_zero()) else {
            return Windows::Instant;
        };
        let count = (period / length).to_u64().unwrap_or(u64::MAX);
        if count >= durations.len() as u64 {
            let stretches = Stretches::Regular {
                count,
                length: length.clone(),
            };
            return Windows::Any {
                stretches,
                taken: BTreeMap::new(),
            };
        }
        let mut end = BigInt::zero();
        let next = |duration: &BigInt| {
            let start = end.clone();
            end += duration;
            vec![(start, end.clone())]
        };
        Windows::InOrder(durations.iter().map(next).collect())
    }

    /// Takes the first free window that starts at or after a date of the period, or else the first of the next period.
    /// `turn`: the task's window if the order is fixed. Returns the stretches, and whether they are in the next period.
    pub(crate) fn take(
        &mut self,
        date: &BigInt,
        turn: usize,
        duration: &BigInt,
    ) -> (Vec<Stretch>, bool) {
        match self {
            Windows::Instant => (vec![(date.clone(), date.clone())], false),
            Windows::InOrder(list) => {
                let stretches = list.get(turn).cloned().unwrap_or_default();
                let next = stretches.first().is_some_and(|(start, _)| start < date);
                let next = next || stretches.is_empty() && !date.is_zero();
                (stretches, next)
            }
            Windows::Any { stretches, taken } => {
                let here = free(taken, stretches.from(date));
                let next = here >= stretches.count();
                let window = if next { free(taken, 0) } else { here };
                taken.insert(window, window.saturating_add(1));
                let at = stretches.at(window, duration);
                let next = next || at.is_empty() && !date.is_zero();
                (at, next)
            }
        }
    }
}

fn equal(durations: &[BigInt]) -> bool {
    durations.windows(2).all(|pair| pair[0] == pair[1])
}

/// First free window at or after `from`. Compresses paths.
fn free(taken: &mut BTreeMap<u64, u64>, from: u64) -> u64 {
    let mut window = from;
    while let Some(&next) = taken.get(&window) {
        window = next;
    }
    let mut passed = from;
    while let Some(next) = taken.get_mut(&passed) {
        passed = std::mem::replace(next, window);
    }
    window
}

/// The stretches of one period during which a link is busy, and how far they are used up.
#[derive(Debug, Default, Clone)]
pub(crate) struct Clock {
    stretches: Vec<Stretch>,
    current: usize,
    used: BigInt,
}

/// Every link's stretches, from the slots.
pub(crate) fn clocks(schedule: &PeriodicSchedule, units: &BigInt) -> BTreeMap<LinkId, Clock> {
    let mut clocks: BTreeMap<LinkId, Clock> = BTreeMap::new();
    let mut start = BigInt::zero();
    for slot in &schedule.slots {
        let end = &start + in_units(&slot.length, units);
        for &link in &slot.links {
            let stretches = &mut clocks.entry(link).or_default().stretches;
            match stretches.last_mut() {
                Some(last) if last.1 == start => last.1 = end.clone(),
                _ => stretches.push((start.clone(), end.clone())),
            }
        }
        start = end;
    }
    clocks
}

impl Clock {
    /// How long each stretch is.
    pub(crate) fn lengths(&self) -> Vec<BigInt> {
        self.stretches
            .iter()
            .map(|(start, end)| end - start)
            .collect()
    }

    /// The next stretches that add up to `duration`.
    fn take(&mut self, duration: &BigInt) -> Vec<Stretch> {
        let mut missing = duration.clone();
        let mut pieces = Vec::new();
        while !missing.is_zero() {
            let Some((start, end)) = self.stretches.get(self.current) else {
                break;
            };
            let from = start + &self.used;
            let left = end - &from;
            if left <= missing {
                pieces.push((from, end.clone()));
                missing -= left;
                self.current += 1;
                self.used = BigInt::zero();
            } else {
                self.used += &missing;
                pieces.push((from.clone(), from + &missing));
                break;
            }
        }
        pieces
    }
}
