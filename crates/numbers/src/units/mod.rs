//! The units of data and time of a platform, exact quantities such as `10 Gbit/s`, and their text.
//!
//! A quantity never passes through a float: `64 MiB` are 67,108,864 bytes, and `10 Gbit/s` are 5/4 if the units are
//! `GB/s`.

mod show;
mod table;

use std::fmt;

use num_traits::{One, Zero};

use crate::{NumberError, Rational, parse_rational, whole};
pub use table::{Data, Time};

/// The dimension of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// A number without a unit.
    Number,
    /// A number with a letter for thousands, millions, ...: `64M` as data are 64 MiB, `400G` as a rate are 400 Gbit/s.
    Scaled,
    /// Data, such as `64 MiB`.
    Data,
    /// Time, such as `5 us`.
    Time,
    /// Data per time, such as `25 GB/s`: a bandwidth.
    Rate,
    /// Time per data, such as `80 ms/GB`: a cost.
    Cost,
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dimension::Number => "a number without a unit",
            Dimension::Scaled => "a number with a letter for its size, but without a unit",
            Dimension::Data => "an amount of data",
            Dimension::Time => "a time",
            Dimension::Rate => "a rate (data per time)",
            Dimension::Cost => "a cost (time per data)",
        })
    }
}

/// A number with its unit, in bits and seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The value: bits, seconds, bits per second, or seconds per bit.
    value: Rational,
    /// Exponent of the scale 1000 or 1024 of a number such as `64M`. 0 without a scale.
    power: i32,
    /// The dimension.
    pub dimension: Dimension,
}

/// Why a text is not a quantity, or not the one wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnitError {
    /// The number is not valid.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The unit is unknown.
    #[error("'{unit}' is not a unit{right}")]
    Unknown {
        /// The unit found.
        unit: String,
        /// A unit of similar spelling.
        right: String,
    },
    /// Something else is measured.
    #[error("'{text}' is {found}; here stands {wanted}, such as {example}")]
    Other {
        /// The quantity found.
        text: String,
        /// The dimension of the quantity.
        found: Dimension,
        /// The dimension that is expected.
        wanted: Dimension,
        /// One that would be right.
        example: &'static str,
    },
    /// Text that is not a pair of units.
    #[error(
        "'{0}' is not a pair of units; write a unit of data over one of time, such as GB/s, Gbit/s or MiB/ms"
    )]
    NotUnits(String),
}

impl Quantity {
    /// Reads `64 MiB`, `10 Gbit/s`, `80 ms/GB`, `5 us` or a plain number. The space may be left out. Other names are
    /// `Gbps` and `Gb/s`, `10GbE`, `GBps`, `msec`. `64M` are 64 MiB as data, as benchmarks count, and `400G` are 400
    /// Gbit/s as a rate, as ports of networks are named. The number has the forms of [`parse_rational`].
    ///
    /// # Errors
    /// A number that is not valid, or an unknown unit. The error for the latter names the units of similar spelling.
    pub fn parse(text: &str) -> Result<Quantity, UnitError> {
        Quantity::parse_with(text, parse_rational)
    }

    /// [`parse`](Self::parse) with another reader of numbers.
    ///
    /// # Errors
    /// Those of [`parse`](Self::parse).
    pub fn parse_with(
        text: &str,
        number: impl Fn(&str) -> Result<Rational, NumberError>,
    ) -> Result<Quantity, UnitError> {
        let (digits, unit) = text.split_at(unit_begin(text));
        if digits.trim().is_empty() {
            // No number before the unit: the whole is a mistaken number.
            return Err(number(text)
                .err()
                .unwrap_or_else(|| NumberError::Syntax(clip(text)))
                .into());
        }
        let value = number(digits)?;
        let unit = unit.trim();
        let parts: Vec<&str> = unit.split('/').map(str::trim).collect();
        let mut power = 0;
        let (factor, dimension) = match parts[..] {
            [""] => (Rational::one(), Dimension::Number),
            [one] => match (Data::find(one), Time::find(one), table::rate_word(one)) {
                (Some(data), ..) => (data.bits(), Dimension::Data),
                (None, Some(time), _) => (time.seconds(), Dimension::Time),
                (None, None, Some((data, time))) => (data.bits() / time.seconds(), Dimension::Rate),
                _ => match table::power(one) {
                    Some(of) => {
                        power = of;
                        (Rational::one(), Dimension::Scaled)
                    }
                    None => return Err(unknown(one, one)),
                },
            },
            [above, below] => match (
                Data::find_in_rate(above),
                Time::find(below),
                Time::find(above),
                Data::find_in_rate(below),
            ) {
                (Some(data), Some(time), ..) => (data.bits() / time.seconds(), Dimension::Rate),
                (.., Some(time), Some(data)) => (time.seconds() / data.bits(), Dimension::Cost),
                _ => {
                    let known = |unit: &&str| {
                        Data::find_in_rate(unit).is_none() && Time::find(unit).is_none()
                    };
                    return Err(unknown(
                        [above, below].into_iter().find(known).unwrap_or(unit),
                        unit,
                    ));
                }
            },
            _ => return Err(unknown(unit, unit)),
        };
        Ok(Quantity {
            value: value * factor,
            power,
            dimension,
        })
    }
}

/// Where the unit begins: at the first letter that is not the `e` of an exponent.
fn unit_begin(text: &str) -> usize {
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let rest = &text[at + letter.len_utf8()..];
        let exponent = matches!(letter, 'e' | 'E')
            && (before.is_ascii_digit() || before == '.')
            && rest
                .trim_start_matches(['+', '-'])
                .starts_with(|c: char| c.is_ascii_digit());
        if letter.is_alphabetic() && !exponent {
            return at;
        }
        before = letter;
    }
    text.len()
}

fn unknown(unit: &str, whole: &str) -> UnitError {
    UnitError::Unknown {
        unit: clip(whole),
        right: table::instead_of(unit),
    }
}

/// The meaning of 1 of message and 1 of time on a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// The unit of data.
    pub data: Data,
    /// The unit of time.
    pub time: Time,
    /// Whether the unit of work is one unit of data merged, so that the work of a merge follows the size of messages.
    pub work_is_data: bool,
}

impl Units {
    /// Units by their names in [`Data::ALL`] and [`Time::ALL`], as in `GB/s`. A unit of work is not data.
    ///
    /// # Errors
    /// Text that is not a unit of data over one of time.
    pub fn parse(text: &str) -> Result<Units, UnitError> {
        let unreadable = || UnitError::NotUnits(clip(text));
        let units_of = |(data, time)| Units {
            data,
            time,
            work_is_data: false,
        };
        if let Some(both) = table::rate_word(text.trim()) {
            return Ok(units_of(both));
        }
        let (data, time) = text.split_once('/').ok_or_else(unreadable)?;
        let (data, time) = (data.trim(), time.trim());
        match (Data::find_in_rate(data), Time::find(time)) {
            (Some(data), Some(time)) => Ok(units_of((data, time))),
            (None, Some(_)) => Err(unknown(data, data)),
            (Some(_), None) => Err(unknown(time, time)),
            (None, None) => Err(unreadable()),
        }
    }

    /// Gigabytes and seconds: the units of a platform if all its quantities carry units.
    pub fn gigabytes_and_seconds() -> Units {
        Units {
            data: Data::GIGABYTE,
            time: Time::SECOND,
            work_is_data: false,
        }
    }

    /// Bytes and seconds: the units of benchmarks.
    pub fn bytes_and_seconds() -> Units {
        Units {
            data: Data::BYTE,
            ..Units::gigabytes_and_seconds()
        }
    }

    /// A number of units of data in bytes.
    pub fn bytes(&self, data: &Rational) -> Rational {
        data * self.data.bits() / Data::BYTE.bits()
    }

    /// A number of units of data per unit of time in GB/s.
    pub fn gigabytes_per_second(&self, rate: &Rational) -> Rational {
        rate * self.data.bits() / (self.time.seconds() * Data::GIGABYTE.bits())
    }

    /// The amount of data, as a number of units of data.
    ///
    /// # Errors
    /// A quantity that is not an amount of data, such as a plain number. The error quotes `text`, the user's text.
    pub fn data(&self, quantity: &Quantity, text: &str) -> Result<Rational, UnitError> {
        let value = of(quantity, Dimension::Data, text, "64 MiB")?;
        Ok(value / self.data.bits())
    }

    /// The time, as a number of units of time.
    ///
    /// # Errors
    /// A quantity that is not a time.
    pub fn time(&self, quantity: &Quantity, text: &str) -> Result<Rational, UnitError> {
        Ok(of(quantity, Dimension::Time, text, "5 us")? / self.time.seconds())
    }

    /// The rate, in units of data per unit of time.
    ///
    /// # Errors
    /// A quantity that is not a rate.
    pub fn rate(&self, quantity: &Quantity, text: &str) -> Result<Rational, UnitError> {
        Ok(
            of(quantity, Dimension::Rate, text, "25 GB/s")? * self.time.seconds()
                / self.data.bits(),
        )
    }

    /// The time per unit of data: of a cost, or of a rate that is not 0.
    ///
    /// # Errors
    /// A quantity that is neither.
    pub fn cost(&self, quantity: &Quantity, text: &str) -> Result<Rational, UnitError> {
        let is_rate = matches!(quantity.dimension, Dimension::Rate | Dimension::Scaled);
        if is_rate && !quantity.value.is_zero() {
            return Ok(self.rate(quantity, text)?.recip());
        }
        Ok(
            of(quantity, Dimension::Cost, text, "80 ms/GB")? * self.data.bits()
                / self.time.seconds(),
        )
    }
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.data, self.time)
    }
}

fn of(
    quantity: &Quantity,
    wanted: Dimension,
    text: &str,
    example: &'static str,
) -> Result<Rational, UnitError> {
    let scaled = |base: i64| whole(base).pow(quantity.power);
    match (quantity.dimension, wanted) {
        (found, wanted) if found == wanted => return Ok(quantity.value.clone()),
        (Dimension::Scaled, Dimension::Data) => {
            return Ok(&quantity.value * scaled(1024) * Data::BYTE.bits());
        }
        (Dimension::Scaled, Dimension::Rate) => return Ok(&quantity.value * scaled(1000)),
        _ => {}
    }
    Err(UnitError::Other {
        text: clip(text.trim()),
        found: quantity.dimension,
        wanted,
        example,
    })
}

/// The text, or its beginning if it is long.
fn clip(text: &str) -> String {
    // Shown: characters of a text that is too long.
    const KEEP: usize = 40;
    let mut kept: String = text.chars().take(KEEP).collect();
    if text.chars().nth(KEEP).is_some() {
        kept.push_str("...");
    }
    kept
}

#[cfg(test)]
mod tests;
