//! Rationals as decimals for people, in integer arithmetic.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use crate::{Rational, whole};

/// The number with `digits` significant digits: `0.3333333333`, `133.333`, `1e20`, `8.1e-9`. It is rounded to the
/// nearest, halves away from zero. Zeros at the end are left out. All rounded numbers for people are written here, so
/// that one number has one text. Time quadratic in the length of the number.
///
/// ```
/// use oneport_numbers::{decimal, parse_rational};
/// assert_eq!(decimal(&parse_rational("200/3")?, 3), "66.7");
/// # Ok::<(), oneport_numbers::NumberError>(())
/// ```
pub fn decimal(value: &Rational, digits: usize) -> String {
    written(value, digits, true)
}

/// [`decimal`] rounded towards zero: for files whose numbers must not exceed the exact ones.
pub fn decimal_down(value: &Rational, digits: usize) -> String {
    written(value, digits, false)
}

/// The fraction itself if it has at most `room` characters, else `≈` and the number with `digits` significant digits.
///
/// ```
/// use oneport_numbers::{parse_rational, readable};
/// let third = parse_rational("1/3")?;
/// assert_eq!((readable(&third, 3, 2), readable(&third, 2, 2)), ("1/3".to_string(), "≈0.33".to_string()));
/// # Ok::<(), oneport_numbers::NumberError>(())
/// ```
pub fn readable(value: &Rational, room: usize, digits: usize) -> String {
    let exact = value.to_string();
    if exact.len() <= room {
        exact
    } else {
        format!("≈{}", decimal(value, digits))
    }
}

/// The number with at most `places` digits after its point, rounded down: two dates keep their order. Zeros at the end
/// are left out.
pub fn floored(value: &Rational, places: u32) -> String {
    floored_quotient(value.numer(), value.denom(), places)
}

/// [`floored`] of a quotient that need not be in lowest terms. The divisor is positive.
///
/// ```
/// use oneport_numbers::floored_quotient;
/// let write = |number: i32, divisor: i32| floored_quotient(&number.into(), &divisor.into(), 2);
/// assert_eq!([write(10, 4), write(-1, 3), write(8, 4)], ["2.5", "-0.34", "2"]);
/// ```
pub fn floored_quotient(number: &BigInt, divisor: &BigInt, places: u32) -> String {
    let scaled = (number * BigInt::from(10).pow(places)).div_floor(divisor);
    let sign = if scaled.is_negative() { "-" } else { "" };
    let digits = format!(
        "{:0>width$}",
        scaled.magnitude(),
        width = places as usize + 1
    );
    let (whole, part) = digits.split_at(digits.len() - places as usize);
    let part = part.trim_end_matches('0');
    if part.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{part}")
    }
}

/// A number of things: `1 slot`, `2 slots`, `2 switches`.
///
/// ```
/// use oneport_numbers::count;
/// assert_eq!([count(1, "slot"), count(2, "slot"), count(4, "NVSwitch")], ["1 slot", "2 slots", "4 NVSwitches"]);
/// ```
pub fn count(number: impl std::fmt::Display, noun: &str) -> String {
    let number = number.to_string();
    let plural = match number.as_str() {
        "1" => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {noun}{plural}")
}

/// Shown: significant digits of a percentage.
const PERCENT: usize = 3;

/// Shown: further digits of a percentage above 100, at most.
const ABOVE: usize = 12;

/// A share of one as a percentage with three significant digits, rounded as by [`decimal`]: `66.7 %`. A share below one
/// is never shown as 100 %, but as 99.9 %, and one above with as many digits as it takes to show that.
///
/// ```
/// use oneport_numbers::{parse_rational, percent};
/// assert_eq!(percent(&parse_rational("2/3")?), "66.7 %");
/// assert_eq!(percent(&parse_rational("0.9999")?), "99.9 %");
/// assert_eq!(percent(&parse_rational("1.00021")?), "100.02 %");
/// # Ok::<(), oneport_numbers::NumberError>(())
/// ```
pub fn percent(share: &Rational) -> String {
    let one = whole(1);
    let hundredfold = share * whole(100);
    let mut rounded = decimal(&hundredfold, PERCENT);
    if rounded == "100" && *share < one {
        return "99.9 %".to_string();
    }
    let above = (PERCENT + 1..PERCENT + ABOVE).map(|digits| decimal(&hundredfold, digits));
    if rounded == "100"
        && *share > one
        && let Some(longer) = above.into_iter().find(|text| text != "100")
    {
        rounded = longer;
    }
    format!("{rounded} %")
}

fn written(value: &Rational, digits: usize, nearest: bool) -> String {
    if value.is_zero() {
        return "0".to_string();
    }
    let wanted = digits.max(1);
    let sign = if value.is_negative() { "-" } else { "" };
    let (numerator, denominator) = (
        value.numer().magnitude().clone(),
        value.denom().magnitude().clone(),
    );
    let (numerator, denominator) = (BigInt::from(numerator), BigInt::from(denominator));
    // 10^exponent <= value < 10^(exponent + 1), first guessed from the lengths.
    let mut exponent = numerator.to_string().len() as i64 - denominator.to_string().len() as i64;
    if shifted(&numerator, &denominator, -exponent, false) < BigInt::from(1) {
        exponent -= 1;
    }
    let mut digits = shifted(
        &numerator,
        &denominator,
        wanted as i64 - 1 - exponent,
        nearest,
    )
    .to_string();
    if digits.len() > wanted {
        // Nines that were rounded up to the next power of ten.
        digits.truncate(wanted);
        exponent += 1;
    }
    if (-5..10.max(wanted as i64)).contains(&exponent) {
        return format!("{sign}{}", fixed(&digits, exponent));
    }
    let tail = digits[1..].trim_end_matches('0');
    let point = if tail.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{tail}e{exponent}", &digits[..1])
}

/// `numerator / denominator * 10^shift`, rounded down or to the nearest, halves up.
fn shifted(numerator: &BigInt, denominator: &BigInt, shift: i64, nearest: bool) -> BigInt {
    let power = BigInt::from(10).pow(shift.unsigned_abs() as u32);
    let (over, under) = if shift >= 0 {
        (numerator * power, denominator.clone())
    } else {
        (numerator.clone(), denominator * power)
    };
    if nearest {
        (over * 2_u32 + &under) / (under * 2_u32)
    } else {
        over / under
    }
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
    if part.is_empty() {
        whole.to_string()
    } else {
        format!("{whole}.{part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_rational, ratio};

    fn read(text: &str) -> Rational {
        parse_rational(text).unwrap_or_default()
    }

    #[test]
    fn decimals_are_rounded_to_the_nearest() {
        for (text, expected) in [
            ("0", "0"),
            ("1/2", "0.5"),
            ("2/3", "0.6666666667"),
            ("-22/7", "-3.142857143"),
            ("1/3000000", "3.333333333e-7"),
            ("12345678901234", "1.23456789e13"),
            ("1000", "1000"),
            ("999999999999/1000000000000", "1"),
            ("99999999999", "1e11"),
            ("9999999999", "9999999999"),
            ("1e20", "1e20"),
            ("0.001", "0.001"),
        ] {
            assert_eq!(decimal(&read(text), 10), expected, "{text}");
        }
        let short = [
            ("123456", "123000"),
            ("99.99", "100"),
            ("0.099995", "0.1"),
            ("1/12345678901", "8.1e-11"),
        ];
        for (text, expected) in
            short
                .into_iter()
                .chain([("0.0625", "0.0625"), ("1.125", "1.13"), ("-1.125", "-1.13")])
        {
            assert_eq!(decimal(&read(text), 3), expected, "{text}");
        }
        assert_eq!(decimal_down(&read("2/3"), 3), "0.666");
        assert_eq!(decimal_down(&read("-99.99"), 3), "-99.9");
    }

    /// A rounded number differs from the number by at most half a unit of its last digit. A number rounded down is not
    /// above it.
    #[test]
    fn rounded_numbers_are_the_nearest() -> Result<(), crate::NumberError> {
        for numerator in 1..400_i64 {
            for denominator in 1..40_i64 {
                let value = ratio(numerator, denominator);
                for digits in 1..5 {
                    let (near, down) = (decimal(&value, digits), decimal_down(&value, digits));
                    let (near, down) = (parse_rational(&near)?, parse_rational(&down)?);
                    // Ten to the power of the number's last digit, from the digits before its point.
                    let mut unit = whole(1);
                    let ten = whole(10);
                    while &unit * &ten <= value {
                        unit *= &ten;
                    }
                    while unit > value {
                        unit /= &ten;
                    }
                    for _ in 1..digits {
                        unit /= &ten;
                    }
                    assert!(
                        (&near - &value).abs() * whole(2) <= unit,
                        "{value} {digits}"
                    );
                    assert!(down <= value && value < &down + &unit, "{value} {digits}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn only_the_whole_is_a_hundred_percent() {
        for (text, expected) in [
            ("1", "100 %"),
            ("0.9996", "99.9 %"),
            ("99999999999999/100000000000000", "99.9 %"),
            ("0.9994", "99.9 %"),
            ("2/3", "66.7 %"),
            ("1/3", "33.3 %"),
            ("1/12345678901", "8.1e-9 %"),
            ("0", "0 %"),
            ("1.5", "150 %"),
            ("-1/3", "-33.3 %"),
        ] {
            assert_eq!(percent(&read(text)), expected, "{text}");
        }
    }
}
