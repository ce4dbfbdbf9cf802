//! Exact numbers from text, never through a float.

use num_bigint::BigInt;
use num_traits::{Pow, Zero};

use crate::{Rational, ratio, whole};

/// Limit: characters of a number. A thousand digits are far more than any measurement has.
const MAX_LENGTH: usize = 1000;
/// Limit: absolute value of a decimal exponent.
const MAX_EXPONENT: i64 = 1000;

/// Why a text is not an exact number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// The text is not a number.
    #[error(
        "'{0}' is not a number; write an integer, a decimal (41.279125, 1e-3) or a fraction (2/3)"
    )]
    Syntax(String),
    /// The denominator of a fraction is zero.
    #[error("'{0}' divides by zero; the denominator of a fraction must not be 0")]
    ZeroDenominator(String),
    /// More digits, or a larger exponent, than any measurement has.
    #[error(
        "'{0}' is too long or too large; at most {MAX_LENGTH} characters and exponents up to {MAX_EXPONENT}"
    )]
    TooLarge(String),
}

/// Reads an integer (`7`), a decimal (`41.279125`, `1e-3`) or a fraction (`2/3`, `0.5/1.5`) exactly.
///
/// A leading `+` or `-` is allowed. Surrounding white space is ignored.
///
/// # Errors
/// [`NumberError`] names the text, shortened if it is long, and states the right form.
pub fn parse_rational(text: &str) -> Result<Rational, NumberError> {
    let trimmed = text.trim();
    if trimmed.len() > MAX_LENGTH {
        return Err(NumberError::TooLarge(shorten(trimmed)));
    }
    match trimmed.split_once('/') {
        None => decimal(trimmed, trimmed),
        Some((numerator, denominator)) => {
            let numerator = decimal(numerator.trim_end(), trimmed)?;
            let denominator = decimal(denominator.trim_start(), trimmed)?;
            if denominator.is_zero() {
                return Err(NumberError::ZeroDenominator(shorten(trimmed)));
            }
            Ok(numerator / denominator)
        }
    }
}

/// `[+-] digits [. digits] [e [+-] digits]`, at least one digit before the exponent.
fn decimal(text: &str, all: &str) -> Result<Rational, NumberError> {
    let syntax = || NumberError::Syntax(shorten(all));
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        None => (text, 0),
        Some(at) => {
            let exponent = &text[at + 1..];
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(syntax());
            }
            let exponent: i64 = exponent
                .parse()
                .map_err(|_| NumberError::TooLarge(shorten(all)))?;
            (&text[..at], exponent)
        }
    };
    if exponent.abs() > MAX_EXPONENT {
        return Err(NumberError::TooLarge(shorten(all)));
    }
    let negative = mantissa.starts_with('-');
    let unsigned = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (integer, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = format!("{integer}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(syntax());
    }
    let mut value: BigInt = digits.parse().map_err(|_| syntax())?;
    if negative {
        value = -value;
    }
    let shift = exponent - fraction.len() as i64;
    let power: BigInt = Pow::pow(BigInt::from(10), shift.unsigned_abs());
    Ok(if shift >= 0 {
        whole(value * power)
    } else {
        ratio(value, power)
    })
}

/// The text itself, or its beginning when it is too long for an error message.
fn shorten(text: &str) -> String {
    // Shown: characters of a text that is too long.
    const KEEP: usize = 40;
    if text.chars().count() <= KEEP {
        return text.to_string();
    }
    let head: String = text.chars().take(KEEP).collect();
    format!("{head}... ({} characters)", text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_mean_exactly_what_they_say() {
        for (text, expected) in [
            ("0.1", ratio(1, 10)),
            ("41.279125", ratio(41_279_125, 1_000_000)),
            ("1e-3", ratio(1, 1000)),
            ("2.5E+2", ratio(250, 1)),
            ("-3", ratio(-3, 1)),
            (" +7. ", ratio(7, 1)),
            (".5", ratio(1, 2)),
            ("2/3", ratio(2, 3)),
            ("0.5 / 1.5", ratio(1, 3)),
        ] {
            assert_eq!(parse_rational(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "", ".", "abc", "NaN", "inf", "1e", "1e+", "1/2/3", "--1", "1 2", "0x10", "1_000",
            "1,5", "½", "e5", "-",
        ] {
            assert!(
                matches!(parse_rational(text), Err(NumberError::Syntax(_))),
                "{text}"
            );
        }
        assert!(matches!(
            parse_rational("1/0"),
            Err(NumberError::ZeroDenominator(_))
        ));
        assert!(matches!(
            parse_rational("1/0.00"),
            Err(NumberError::ZeroDenominator(_))
        ));
        for text in ["1e1001", "1e-99999999999999999999", &"9".repeat(1001)] {
            assert!(
                matches!(parse_rational(text), Err(NumberError::TooLarge(_))),
                "{text}"
            );
        }
    }
}
