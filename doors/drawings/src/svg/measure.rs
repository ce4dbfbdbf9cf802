//! The quantity of an axis.

use oneport_platform::{Units, decimal};

use super::ticks;
use crate::words;

/// The quantity of an axis, so that its ticks are round numbers with units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Numbers without a unit.
    #[default]
    Number,
    /// Bytes: by thousands (`64 MB`) on a linear axis, by 1024 (`64 MiB`) on a logarithmic one.
    Bytes,
    /// Seconds: `1.5 ms`.
    Seconds,
    /// Bytes per second: `25 GB/s`.
    BytesPerSecond,
}

impl Measure {
    /// Round values between two others, about `most` at most.
    pub(super) fn ticks(self, (low, high): (f64, f64), log: bool, most: usize) -> Vec<f64> {
        match (self, log) {
            (_, false) => ticks::round_values(low, high, most),
            (Measure::Bytes, true) => powers_of_two(low, high, most),
            (_, true) => ticks::log_values(low, high),
        }
    }

    /// A value in the unit that suits it.
    pub(super) fn show(self, value: f64) -> String {
        let units = Units::bytes_and_seconds();
        let Some(exact) = words::rational(value) else {
            return value.to_string();
        };
        match self {
            Measure::Number => decimal(&exact, 4),
            Measure::Seconds => units.show_time(&exact),
            Measure::Bytes => units.show_data(&exact),
            Measure::BytesPerSecond => units.show_rate(&exact),
        }
    }
}

/// Powers of two, so few that their labels have room.
fn powers_of_two(low: f64, high: f64, most: usize) -> Vec<f64> {
    let (first, last) = (
        low.max(f64::MIN_POSITIVE).log2().ceil() as i32,
        high.log2().floor() as i32,
    );
    let least = ((last - first + 1).max(1) as usize).div_ceil(most.max(1)) as i32;
    // Multiples of five and ten meet the units.
    let every = [1, 2, 5, 10]
        .into_iter()
        .find(|&every| every >= least)
        .unwrap_or(least);
    (first..=last)
        .filter(|power| power.rem_euclid(every) == 0)
        .map(|power| 2f64.powi(power))
        .collect()
}
