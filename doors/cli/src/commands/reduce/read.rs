//! Numbers as `oneport reduce` takes them.

use anyhow::Result;
use num_traits::Signed;
use oneport::{Rational, parse_rational};

use crate::words::usage::usage;

/// Limit on the numbers of values, senders and states: 2^63.
const MOST: u64 = 1 << 63;

/// A whole number from 1 to 2^63. 1e9 is one.
pub fn whole(option: &str, text: &str) -> Result<u64> {
    let number = parse_rational(text)
        .ok()
        .filter(Rational::is_integer)
        .and_then(|number| number.to_integer().try_into().ok());
    let number = number.filter(|number| (1..=MOST).contains(number));
    let right = "a whole number from 1 to 2^63 (9223372036854775808)";
    number.ok_or_else(|| {
        usage(format!(
            "{option}: '{}' is not {right}",
            shorten(text.trim())
        ))
    })
}

/// The beginning of a long text.
pub fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        text.to_string()
    } else {
        text.chars().take(MOST).chain("...".chars()).collect()
    }
}

/// A cost, 0 or more.
pub fn cost(option: &str, text: &str) -> Result<Rational> {
    let value = parse_rational(text).map_err(|error| usage(format!("{option}: {error}")))?;
    if value.is_negative() {
        return Err(usage(format!(
            "{option}: {text} is negative; give 0 or more"
        )));
    }
    Ok(value)
}

/// A comma-separated list of numbers. An error names the index of the invalid entry.
pub fn numbers(option: &str, text: &str) -> Result<Vec<Rational>> {
    let read = |(index, item): (usize, &str)| {
        parse_rational(item)
            .map_err(|error| usage(format!("{option}: entry {index} (counted from 0): {error}")))
    };
    text.split(',').enumerate().map(read).collect()
}
