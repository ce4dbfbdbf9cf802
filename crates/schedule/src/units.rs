//! The unit of dates: every length of a schedule and of its tasks is a whole number of units.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::One;
use oneport_plan::{PeriodicSchedule, Task, Volumes};
use oneport_platform::{Platform, Rational};

/// The number of units in one unit of time, such that all dates of the schedule are integers.
pub(crate) fn units(platform: &Platform, volumes: &Volumes, schedule: &PeriodicSchedule) -> BigInt {
    let mut units = BigInt::one();
    let mut include = |time: &Rational| {
        if !units.is_multiple_of(time.denom()) {
            units = units.lcm(time.denom());
        }
    };
    include(&schedule.period);
    schedule.slots.iter().for_each(|slot| include(&slot.length));
    for scheduled in &schedule.patterns {
        scheduled
            .pattern
            .tasks
            .iter()
            .for_each(|task| include(&duration(platform, volumes, task)));
    }
    units
}

/// How long a task takes.
pub(crate) fn duration(platform: &Platform, volumes: &Volumes, task: &Task) -> Rational {
    match *task {
        Task::Send { link, part, .. } => {
            volumes.size.of(part).unwrap_or_default() * &platform.link(link).cost
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
