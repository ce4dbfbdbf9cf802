//! Rationals for people: exact where they are short, rounded and marked where they are not.

use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use oneport::Rational;

/// Longest fraction printed in full.
const SHORT: usize = 40;
/// Digits of a rounded number, and of one with the fraction beside.
const DIGITS: usize = 10;
const ABOUT: usize = 6;

/// The fraction itself, or `≈` and ten significant digits when it is long.
pub fn readable(value: &Rational) -> String {
    let exact = value.to_string();
    if exact.len() <= SHORT { exact } else { format!("≈{}", decimal(value)) }
}

/// For reading: a whole number as it is; else six digits with the fraction beside, or ten where that is long.
pub fn both(value: &Rational) -> String {
    let exact = value.to_string();
    match exact.len() <= SHORT {
        true if value.is_integer() => exact,
        true => format!("{} (= {exact})", rounded(value, ABOUT)),
        false => format!("≈{}", decimal(value)),
    }
}

/// A whole number in full where it is short, else as [`readable`].
pub fn readable_count(value: &BigUint) -> String {
    readable(&Rational::from_integer(value.clone().into()))
}

/// Ten significant digits, in exact integer arithmetic, rounded down.
pub fn decimal(value: &Rational) -> String {
    rounded(value, DIGITS)
}

fn rounded(value: &Rational, wanted: usize) -> String {
    if value.is_zero() {
        return "0".to_string();
    }
    let sign = if value.is_negative() { "-" } else { "" };
    let (numerator, denominator) = (value.numer().magnitude().clone(), value.denom().magnitude().clone());
    let (numerator, denominator) = (BigInt::from(numerator), BigInt::from(denominator));
    // 10^exponent <= value < 10^(exponent + 1), first guessed from the lengths.
    let mut exponent = numerator.to_string().len() as i64 - denominator.to_string().len() as i64;
    if shifted(&numerator, &denominator, -exponent) < BigInt::from(1) {
        exponent -= 1;
    }
    let digits = shifted(&numerator, &denominator, wanted as i64 - 1 - exponent).to_string();
    let digits = &digits[..wanted.min(digits.len())];
    if (-5..wanted as i64).contains(&exponent) {
        return format!("{sign}{}", fixed(digits, exponent));
    }
    let tail = digits[1..].trim_end_matches('0');
    let point = if tail.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{tail}e{exponent}", &digits[..1])
}

/// `numerator / denominator * 10^shift`, rounded down.
fn shifted(numerator: &BigInt, denominator: &BigInt, shift: i64) -> BigInt {
    let power = BigInt::from(10).pow(shift.unsigned_abs() as u32);
    if shift >= 0 { numerator * power / denominator } else { numerator / (denominator * power) }
}

/// Places the decimal point after digit `exponent`.
fn fixed(digits: &str, exponent: i64) -> String {
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("0.{zeros}{}", digits.trim_end_matches('0'));
    }
    let (whole, part) = digits.split_at((exponent as usize + 1).min(digits.len()));
    let part = part.trim_end_matches('0');
    if part.is_empty() { whole.to_string() } else { format!("{whole}.{part}") }
}

/// A share of one as a percentage with three significant digits, however small.
pub fn percent(share: &Rational) -> String {
    format!("{} %", rounded(&(share * Rational::from_integer(100.into())), 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport::parse_rational;

    #[test]
    fn decimals_round_down_to_ten_digits() -> anyhow::Result<()> {
        for (text, expected) in [
            ("0", "0"),
            ("1/2", "0.5"),
            ("2/3", "0.6666666666"),
            ("-22/7", "-3.142857142"),
            ("1/3000000", "3.333333333e-7"),
            ("12345678901234", "1.234567890e13"),
            ("1000", "1000"),
            ("999999999999/1000000000000", "0.9999999999"),
            ("1e20", "1e20"),
            ("0.001", "0.001"),
        ] {
            let expected = expected.replace("1.234567890e13", "1.23456789e13");
            assert_eq!(decimal(&parse_rational(text)?), expected, "{text}");
        }
        assert_eq!(both(&parse_rational("400/3")?), "133.333 (= 400/3)");
        assert_eq!(both(&parse_rational("25")?), "25");
        assert_eq!(percent(&parse_rational("1/3")?), "33.3 %");
        assert_eq!(percent(&parse_rational("1/12345678901")?), "8.1e-9 %");
        assert_eq!(percent(&parse_rational("1")?), "100 %");
        Ok(())
    }
}
