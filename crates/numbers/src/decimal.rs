//! Rationals as decimals for people, in integer arithmetic.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::Rational;

/// The number with `digits` significant digits, rounded down (towards zero): `0.3333333333`, `133.333`, `1e20`,
/// `8.1e-9`. Zeros at the end are left out. Time quadratic in the length of the number.
///
/// ```
/// use oneport_numbers::{decimal, parse_rational};
/// assert_eq!(decimal(&parse_rational("400/3")?, 6), "133.333");
/// # Ok::<(), oneport_numbers::NumberError>(())
/// ```
pub fn decimal(value: &Rational, digits: usize) -> String {
    if value.is_zero() {
        return "0".to_string();
    }
    let wanted = digits.max(1);
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
    if (-5..10.max(wanted as i64)).contains(&exponent) {
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
    let before = exponent as usize + 1;
    if digits.len() <= before {
        return format!("{digits}{}", "0".repeat(before - digits.len()));
    }
    let (whole, part) = digits.split_at(before);
    let part = part.trim_end_matches('0');
    if part.is_empty() { whole.to_string() } else { format!("{whole}.{part}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_rational;

    #[test]
    fn decimals_are_rounded_down() {
        for (text, expected) in [
            ("0", "0"),
            ("1/2", "0.5"),
            ("2/3", "0.6666666666"),
            ("-22/7", "-3.142857142"),
            ("1/3000000", "3.333333333e-7"),
            ("12345678901234", "1.23456789e13"),
            ("1000", "1000"),
            ("999999999999/1000000000000", "0.9999999999"),
            ("1e20", "1e20"),
            ("0.001", "0.001"),
        ] {
            assert_eq!(parse_rational(text).map(|value| decimal(&value, 10)).as_deref(), Ok(expected), "{text}");
        }
        for (text, expected) in [("123456", "123000"), ("99.99", "99.9"), ("1/12345678901", "8.1e-11")] {
            assert_eq!(parse_rational(text).map(|value| decimal(&value, 3)).as_deref(), Ok(expected), "{text}");
        }
    }
}
