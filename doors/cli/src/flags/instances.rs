//! The option that limits the instances of a period.

use std::num::NonZeroU64;

use anyhow::Result;

use crate::words::usage::usage;

/// The most instances per period that `--max-instances` allows.
pub fn most(text: &str) -> Result<u64> {
    let wrong = || {
        usage(format!(
            "--max-instances: '{text}' is not a whole number from 1 on"
        ))
    };
    text.parse().map(NonZeroU64::get).map_err(|_| wrong())
}
