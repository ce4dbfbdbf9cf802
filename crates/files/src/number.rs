//! Exact numbers of plans: as [`parse_rational`], and far longer.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_platform::{NumberError, Rational, parse_rational};

use crate::error::{FormatError, Mistake, clip};
use crate::json::Json;
use crate::scalar::Scalar;

/// Longest number of a plan: exact optima have far more digits than measurements.
const MAX_DIGITS: usize = 20_000;

/// A rational, as a string or as a JSON number.
pub fn rational(value: Json<'_, '_>) -> Result<Rational, FormatError> {
    match value.scalar()? {
        Scalar::Text(text) | Scalar::Number(text) => {
            long_rational(&text).map_err(|error| value.fail(Mistake::Number(error)))
        }
        _ => Err(value.wrong("a number; write \"2/3\"")),
    }
}

/// A whole number, as a string or as a JSON number.
pub(crate) fn natural(value: Json<'_, '_>) -> Result<BigUint, FormatError> {
    let number = match value.scalar()? {
        Scalar::Text(text) | Scalar::Number(text) => {
            digits(&text).and_then(|text| text.parse().ok())
        }
        _ => None,
    };
    number.ok_or_else(|| value.wrong("a whole number, such as \"12\""))
}

/// [`parse_rational`], and beyond its length integers and fractions of integers.
pub(crate) fn long_rational(text: &str) -> Result<Rational, NumberError> {
    let short = match parse_rational(text) {
        Err(NumberError::TooLarge(shown)) => NumberError::TooLarge(shown),
        other => return other,
    };
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    let integer = |text: &str| -> Option<BigInt> {
        digits(text.strip_prefix('-').unwrap_or(text))?;
        text.parse().ok()
    };
    match (integer(numerator), digits(denominator).and_then(integer)) {
        (Some(_), Some(denominator)) if denominator.is_zero() => {
            Err(NumberError::ZeroDenominator(clip(text)))
        }
        (Some(numerator), Some(denominator)) => Ok(Rational::new(numerator, denominator)),
        _ => Err(short),
    }
}

/// The text, when it is nothing but digits and not too many.
fn digits(text: &str) -> Option<&str> {
    let plain = !text.is_empty()
        && text.len() <= MAX_DIGITS
        && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then_some(text)
}
