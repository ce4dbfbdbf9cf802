//! Sizes in bytes.

use anyhow::Result;
use oneport::units::{Dimension, Quantity};
use oneport::{Rational, Units, parse_rational};

use crate::words::usage::usage;

/// The bytes of a size, as an option gives it: a number, or a number with a unit such as `64 MiB`.
pub fn bytes(option: &str, text: &str) -> Result<Rational> {
    let wrong = |error: &dyn std::fmt::Display| usage(format!("{option}: {error}"));
    let quantity = Quantity::parse(text).map_err(|error| wrong(&error))?;
    if quantity.dimension == Dimension::Number {
        return parse_rational(text).map_err(|error| wrong(&error));
    }
    Units::bytes_and_seconds()
        .data(&quantity, text)
        .map_err(|error| wrong(&error))
}
