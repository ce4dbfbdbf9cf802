//! The unit of dates: every length of a schedule and of its tasks is a whole number of units.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::One;
use oneport_plan::{Interval, PeriodicSchedule, Problem, Task};
use oneport_platform::{LinkId, Rational};

/// Links that transfer at a part of their full rate, which each keeps over the period, and the part.
pub(crate) type Speeds = BTreeMap<LinkId, Rational>;

/// The shares of a schedule's links.
pub(crate) fn speeds(schedule: &PeriodicSchedule) -> Speeds {
    let shares = schedule.slots.iter().flat_map(|slot| &slot.shares);
    shares.cloned().collect()
}

/// The number of units in one unit of time, such that all dates of the schedule are integers.
pub(crate) fn units(problem: &Problem, schedule: &PeriodicSchedule) -> BigInt {
    let speeds = speeds(schedule);
    let mut units = BigInt::one();
    let mut include = |time: &Rational| {
        if !units.is_multiple_of(time.denom()) {
            units = units.lcm(time.denom());
        }
    };
    include(&schedule.period);
    for slot in &schedule.slots {
        include(&slot.length);
    }
    // Many patterns send the same parts over the same links.
    let mut known: BTreeSet<(LinkId, Interval)> = BTreeSet::new();
    let tasks = schedule.patterns.iter().flat_map(|one| &one.pattern.tasks);
    for task in tasks {
        let is_new = match *task {
            Task::Send { link, part, .. } => known.insert((link, part)),
            Task::Merge { .. } => true,
        };
        if is_new {
            include(&duration(problem, &speeds, task));
        }
    }
    units
}

/// How long a task takes.
pub(crate) fn duration(problem: &Problem, speeds: &Speeds, task: &Task) -> Rational {
    let (platform, volumes) = (problem.platform(), problem.volumes());
    match *task {
        Task::Send { link, part, .. } => {
            let time = volumes.size.of(part).unwrap_or_default() * &platform.link(link).cost;
            match speeds.get(&link) {
                Some(share) => time / share,
                None => time,
            }
        }
        Task::Merge {
            node, part, split, ..
        } => volumes.merge_time(platform, node, part, split),
    }
}

/// Converts a time, which is an integer number of units.
pub(crate) fn in_units(time: &Rational, units: &BigInt) -> BigInt {
    time.numer() * (units / time.denom())
}
