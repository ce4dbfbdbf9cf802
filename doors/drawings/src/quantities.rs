//! Quantities in the platform's units, or as plain numbers if the platform declares no units.

use num_traits::Zero;
use oneport_plan::{Amount, Problem};
use oneport_platform::units::Time;
use oneport_platform::{Platform, Rational, whole};

use crate::words;

/// A stretch of time: "1.25 ms", or a plain number.
pub(crate) fn time(platform: &Platform, value: &Rational) -> String {
    platform
        .units()
        .map_or_else(|| words::show(value), |units| units.show_time(value))
}

/// A shorter form of [`time`] for little room.
pub(crate) fn terse_time(platform: &Platform, value: &Rational) -> String {
    platform
        .units()
        .map_or_else(|| words::terse(value), |units| units.show_time(value))
}

/// How often something happens: "12.5 per second", or a number "per unit of time".
pub(crate) fn frequency(platform: &Platform, value: &Rational) -> String {
    match platform.units() {
        Some(units) => units.show_frequency(value),
        None => format!("{} per unit of time", words::show(value)),
    }
}

/// "weight 1/3 per unit of time": how often a pattern is executed.
pub(crate) fn weight(platform: &Platform, value: &Rational) -> String {
    format!("weight {}", frequency(platform, value))
}

/// A link's cost as a bandwidth: "25 GB/s", or "1/25 per unit of message".
pub(crate) fn bandwidth(platform: &Platform, cost: &Rational) -> String {
    match platform.units() {
        _ if cost.is_zero() => "no time".to_string(),
        Some(units) => units.show_rate(&cost.recip()),
        None => format!("{} per unit of message", words::show(cost)),
    }
}

/// A shorter form of [`bandwidth`] for little room, with a letter for costs: "c 1/25".
pub(crate) fn terse_bandwidth(platform: &Platform, cost: &Rational) -> String {
    match platform.units() {
        Some(units) if !cost.is_zero() => units.show_rate(&cost.recip()),
        _ => format!("c {}", words::show(cost)),
    }
}

/// A size of messages: "64 MiB", "3/2", "1 + 1/2 n" or "by table".
fn data(platform: &Platform, amount: &Amount) -> String {
    in_words(amount, &|value| size(platform, value))
}

/// A size of one message.
pub(crate) fn size(platform: &Platform, value: &Rational) -> String {
    platform
        .units()
        .map_or_else(|| words::show(value), |units| units.show_data(value))
}

fn in_words(amount: &Amount, show: &dyn Fn(&Rational) -> String) -> String {
    match amount {
        Amount::Constant(value) => show(value),
        Amount::Affine { fixed, per_operand } => {
            format!("{} + {} n", show(fixed), show(per_operand))
        }
        Amount::Table(_) => "by table".to_string(),
        Amount::Tasks(_) => "by task".to_string(),
    }
}

/// "message size 1", with the work of merges if there are any.
pub(crate) fn volumes(problem: &Problem) -> String {
    let (platform, collective, volumes) =
        (problem.platform(), problem.collective(), problem.volumes());
    let size = format!("message size {}", data(platform, &volumes.size));
    if !collective.combines() {
        return size;
    }
    // Where work is counted in data, it has the unit of data.
    let work = match platform.units() {
        Some(units) if units.work_is_data => data(platform, &volumes.work),
        _ => in_words(&volumes.work, &words::show),
    };
    format!("{size} · work of a merge {work}")
}

/// The unit of a time axis, and how many of it are 1 on the platform: the largest that is not longer than the axis.
pub(crate) fn axis_unit(platform: &Platform, horizon: &Rational) -> Option<(Time, Rational)> {
    let units = platform.units()?;
    let factor = |unit: &Time| units.time.seconds() / unit.seconds();
    let known: Vec<Time> = ["s", "ms", "us", "ns"]
        .into_iter()
        .filter_map(Time::find)
        .collect();
    let one = whole(1);
    let unit = known
        .iter()
        .copied()
        .find(|unit| horizon * factor(unit) >= one)
        .or(known.last().copied())?;
    Some((unit, factor(&unit)))
}
