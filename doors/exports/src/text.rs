//! Writes names and numbers.

use std::borrow::Cow;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;
use oneport_platform::Rational;

/// A JSON string.
pub fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A field of a CSV row (RFC 4180).
pub fn csv(text: &str) -> Cow<'_, str> {
    match text.contains([',', '"', '\n', '\r']) {
        true => Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))),
        false => Cow::Borrowed(text),
    }
}

/// Text within XML, in elements and attributes; control characters cannot be there.
pub fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            control if control.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A rational with `decimals` decimals, rounded down: two dates keep their order.
pub fn decimal(number: &Rational, decimals: u32) -> String {
    quotient(number.numer(), number.denom(), decimals)
}

/// The decimals of a quotient, which need not be in lowest terms; the divisor is positive.
pub fn quotient(number: &BigInt, divisor: &BigInt, decimals: u32) -> String {
    let scale = BigInt::from(10).pow(decimals);
    fixed(&(number * &scale).div_floor(divisor), decimals)
}

/// The number `scaled / 10^decimals`.
pub fn fixed(scaled: &BigInt, decimals: u32) -> String {
    let scale = BigInt::from(10).pow(decimals);
    if decimals == 0 {
        return scaled.to_string();
    }
    let (whole, rest) = scaled.abs().div_rem(&scale);
    let sign = if scaled.is_negative() { "-" } else { "" };
    let digits = format!("{rest:0>width$}", width = decimals as usize);
    let digits = digits.trim_end_matches('0');
    match digits.is_empty() {
        true => format!("{sign}{whole}"),
        false => format!("{sign}{whole}.{digits}"),
    }
}

/// Words of a file in a message: whole, or their beginning if they are long.
pub fn clipped(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}... ({} characters)", &text[..end], text.chars().count()).into(),
    }
}
