//! Quantities for people: a unit in which the number has one to three digits before the point, and six digits.

use num_traits::{One, Signed, Zero};

use super::{Data, Time, Units};
use crate::{Rational, decimal, whole};

/// Shown: digits of a quantity.
const DIGITS: usize = 6;

impl Units {
    /// A number of units of time: `1.25 ms`.
    pub fn show_time(&self, value: &Rational) -> String {
        let seconds = value * self.time.seconds();
        let units: Vec<Time> = ["s", "ms", "us", "ns"]
            .into_iter()
            .filter_map(Time::find)
            .collect();
        let fits = |unit: &Time| seconds.abs() >= unit.seconds();
        let unit = match units.iter().copied().find(fits) {
            Some(unit) => unit,
            None if seconds.is_zero() => Time::SECOND,
            None => units.last().copied().unwrap_or(Time::SECOND),
        };
        format!("{} {unit}", decimal(&(seconds / unit.seconds()), DIGITS))
    }

    /// A number of units of data: `64 MiB` if that is whole, else `67.1 MB`.
    pub fn show_data(&self, value: &Rational) -> String {
        let bits = value * self.data.bits();
        let thousand = whole(1000);
        let names =
            |names: [&str; 4]| -> Vec<Data> { names.into_iter().filter_map(Data::find).collect() };
        let is_whole = |unit: &Data| {
            let number = &bits / unit.bits();
            number.is_integer() && number.abs() >= Rational::one() && number.abs() < thousand
        };
        // Powers of ten first: 1 GB is not a whole number of MiB, but 1024 GB is one of GiB.
        let decimal_units = names(["TB", "GB", "MB", "kB"]);
        let units = decimal_units
            .iter()
            .copied()
            .chain([Data::BYTE])
            .chain(names(["TiB", "GiB", "MiB", "KiB"]));
        if let Some(unit) = units.into_iter().find(is_whole) {
            return format!("{} {unit}", decimal(&(bits / unit.bits()), DIGITS));
        }
        let unit = decimal_units
            .into_iter()
            .find(|unit| bits.abs() >= unit.bits())
            .unwrap_or(Data::BYTE);
        format!("{} {unit}", decimal(&(bits / unit.bits()), DIGITS))
    }

    /// A number of units of data per unit of time: `25 GB/s`, or `200 Gbit/s` if the platform counts bits.
    pub fn show_rate(&self, value: &Rational) -> String {
        let bits = value * self.data.bits() / self.time.seconds();
        let names = if self.data.is_of_bits() {
            ["Tbit", "Gbit", "Mbit", "kbit", "bit"]
        } else {
            ["TB", "GB", "MB", "kB", "B"]
        };
        let units: Vec<Data> = names.into_iter().filter_map(Data::find).collect();
        // Bandwidths read best in one unit: terabytes begin at ten.
        let scale = |unit: &Data| {
            if unit.name().starts_with('T') {
                unit.bits() * ten()
            } else {
                unit.bits()
            }
        };
        let unit = units
            .iter()
            .copied()
            .find(|unit| bits.abs() >= scale(unit))
            .or_else(|| units.last().copied());
        let unit = unit.unwrap_or(Data::BYTE);
        format!("{} {unit}/s", decimal(&(bits / unit.bits()), DIGITS))
    }

    /// A number per unit of time: `12.2236 per second`.
    pub fn show_frequency(&self, value: &Rational) -> String {
        format!(
            "{} per second",
            decimal(&(value / self.time.seconds()), DIGITS)
        )
    }
}

fn ten() -> Rational {
    whole(10)
}
