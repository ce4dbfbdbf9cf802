//! Formats rationals: exact if they are short, else rounded and marked.

use num_bigint::BigUint;
use oneport::platform::whole;
use oneport::{Platform, Rational, Units, percent};

/// Limit on the characters of a number printed in full.
const SHORT: usize = 40;
/// Significant digits of a rounded number: alone, and next to its fraction.
const DIGITS: usize = 10;
const ABOUT: usize = 6;

/// The fraction itself, or `≈` and ten significant digits when it is long.
pub fn readable(value: &Rational) -> String {
    oneport::readable(value, SHORT, DIGITS)
}

/// A short whole number in full. Another short number has six digits and its fraction. A long one has `≈` and ten
/// digits.
pub fn both(value: &Rational) -> String {
    let text = readable(value);
    if value.is_integer() || text.starts_with('≈') {
        text
    } else {
        format!("{} (= {text})", short(value))
    }
}

/// Formats the numbers of a platform: in its units, if it has units, next to the fraction.
#[derive(Clone, Copy)]
pub struct Shown {
    units: Option<Units>,
    exact: bool,
}

impl Shown {
    /// With `exact`, fractions are in full at any length.
    pub fn of(platform: &Platform, exact: bool) -> Shown {
        Shown {
            units: platform.units(),
            exact,
        }
    }

    /// A number per unit of time, next to its fraction: `133.333 (= 400/3) per unit of time`.
    pub fn frequency(&self, value: &Rational) -> String {
        match self.units {
            Some(units) => {
                let seconds = value / units.time.seconds();
                self.beside(&seconds, &format!("{} per second", short(&seconds)))
            }
            None if self.exact => format!("{} per unit of time", self.beside(value, &short(value))),
            None => format!("{} per unit of time", both(value)),
        }
    }

    /// [`Shown::frequency`] without the fraction, if the platform has units.
    pub fn plainly(&self, value: &Rational) -> String {
        match self.units {
            Some(units) => units.show_frequency(value),
            None => format!("{} per unit of time", readable(value)),
        }
    }

    /// A number per unit of time, without the unit: see [`Shown::per`].
    pub fn rate(&self, value: &Rational) -> String {
        let value = self
            .units
            .map_or_else(|| value.clone(), |units| value / units.time.seconds());
        match self.exact {
            true => value.to_string(),
            false if self.units.is_some() => short(&value),
            false => readable(&value),
        }
    }

    /// The unit of [`Shown::rate`].
    pub fn per(&self) -> &'static str {
        if self.units.is_some() {
            "per second"
        } else {
            "per unit of time"
        }
    }

    /// The name of one unit of the platform's time.
    pub fn unit_of_time(&self) -> String {
        self.units.map_or("a unit of time".to_string(), |units| {
            units.show_time(&whole(1))
        })
    }

    /// A number of units of time.
    pub fn time(&self, value: &Rational) -> String {
        match self.units {
            Some(units) => self.beside(&(value * units.time.seconds()), &units.show_time(value)),
            None if self.exact => value.to_string(),
            None => readable(value),
        }
    }

    /// A number of units of time, without the fraction if the platform has units.
    pub fn briefly(&self, value: &Rational) -> String {
        self.units
            .map_or_else(|| self.time(value), |units| units.show_time(value))
    }

    /// A number of units of time in seconds. Without units, the number itself.
    pub fn seconds(&self, value: &Rational) -> Rational {
        self.units
            .map_or_else(|| value.clone(), |units| value * units.time.seconds())
    }

    /// A share of one as a percentage, with its fraction if `exact` is set.
    pub fn share(&self, value: &Rational) -> String {
        if self.exact {
            format!("{} (= {value})", percent(value))
        } else {
            percent(value)
        }
    }

    /// The text, followed by the value if that is a short fraction or `exact` is set.
    fn beside(&self, value: &Rational, text: &str) -> String {
        let exact = value.to_string();
        let is_shown = self.exact || exact.len() <= SHORT && !value.is_integer();
        if is_shown && short(value) != exact {
            format!("{text} (= {exact})")
        } else {
            text.to_string()
        }
    }
}

/// A whole number, as [`readable`].
pub fn readable_count(value: &BigUint) -> String {
    readable(&whole(value.clone()))
}

/// Six significant digits.
pub fn short(value: &Rational) -> String {
    oneport::decimal(value, ABOUT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport::parse_rational;
    use oneport::platform::NumberError;

    #[test]
    fn numbers_are_short_and_exact_where_they_can_be() -> Result<(), NumberError> {
        assert_eq!(both(&parse_rational("400/3")?), "133.333 (= 400/3)");
        assert_eq!(both(&parse_rational("25")?), "25");
        Ok(())
    }
}
