//! Rationals for people, and least common multiples.

use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use num_traits::ToPrimitive;
use oneport::{Rational, Volumes, decimal, parse_rational};
pub use oneport_numbers::{common_denominator, whole};

/// Longest fraction shown as it is.
const SHORT: usize = 24;
/// Digits of a rounded number.
const DIGITS: usize = 6;

/// Reads an exact number.
pub fn number(text: &str) -> Result<Rational> {
    Ok(parse_rational(text)?)
}

/// The value as a machine integer, if it is one.
pub fn whole_number(value: &Rational) -> Result<u64> {
    ensure!(value.is_integer(), "{value} is no whole number");
    u64::try_from(value.to_integer()).with_context(|| format!("{value} is out of range"))
}

/// The fraction itself, or six digits after `≈` if it is long.
pub fn short(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= SHORT {
        exact
    } else {
        format!("≈ {}", decimal(value, DIGITS))
    }
}

/// Six significant digits.
pub fn digits(value: f64) -> String {
    Rational::from_float(value).map_or_else(|| value.to_string(), |value| decimal(&value, DIGITS))
}

/// For drawings and rounded figures only. It decides nothing.
pub fn pixels(value: &Rational) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

/// Messages of size 1, merges of one unit of work, as in the papers' examples.
pub fn unit_volumes() -> &'static Volumes {
    static UNIT: LazyLock<Volumes> = LazyLock::new(Volumes::default);
    &UNIT
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;

    #[test]
    fn numbers_are_read_and_shown() -> Result<()> {
        for (text, expected) in [
            ("1/2", "1/2"),
            ("2/4", "1/2"),
            ("123456789012345678901/1000000", "≈ 1.23457e14"),
        ] {
            assert_eq!(short(&number(text)?), expected);
        }
        assert_eq!(
            [0.0, 0.25, 1234567.0, 2.0e-7].map(digits),
            ["0", "0.25", "1234570", "2e-7"]
        );
        assert_eq!(
            common_denominator(&[number("1/4")?, number("5/6")?]),
            BigInt::from(12)
        );
        Ok(())
    }
}
