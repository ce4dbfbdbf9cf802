//! The options that fix a period, or limit its instances.

use std::num::NonZeroU64;

use oneport::platform::whole;
use oneport::{Rational, parse_rational};

use crate::error::{Result, usage};

/// The most instances per period that `--max-instances` allows.
pub fn most(text: &str) -> Result<u64> {
    let wrong = || {
        usage(format!(
            "--max-instances: '{text}' is not a whole number from 1 on"
        ))
    };
    text.parse().map(NonZeroU64::get).map_err(|_| wrong())
}

/// The length of a period that `--period` gives: a positive number.
pub fn length(text: &str) -> Result<Rational> {
    let value = parse_rational(text).map_err(|error| usage(format!("--period: {error}")))?;
    if value > whole(0) {
        Ok(value)
    } else {
        Err(usage(format!(
            "--period: {text} is not positive; give a number such as 12, 0.5 or 5/2"
        )))
    }
}
