//! Numbers and quantities of a platform file: plain numbers are in the file's units, if it has any.

use oneport_platform::units::{Dimension, Quantity};
use oneport_platform::{NumberError, Rational, Units};

use crate::error::{Mistake, clip};

/// The quantity that a number measures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Time per unit of message.
    Cost,
    /// Its inverse.
    Bandwidth,
    /// Time per unit of work (`2 ms`), or per unit of data that is merged (`2 ms/GB`, `500 GB/s`).
    Compute,
    /// Time that a message takes however small it is.
    Delay,
}

/// Units and kinds of numbers seen so far in a file.
pub(super) struct Measures {
    number: fn(&str) -> Result<Rational, NumberError>,
    /// The file's `units`.
    declared: Option<Units>,
    /// The first number with a unit and the first without, by their texts.
    with_unit: Option<String>,
    plain: Option<String>,
    /// The first compute per unit of work and the first per unit of data.
    per_work: Option<String>,
    per_data: Option<String>,
}

impl Measures {
    pub(super) fn new(number: fn(&str) -> Result<Rational, NumberError>) -> Self {
        Measures {
            number,
            declared: None,
            with_unit: None,
            plain: None,
            per_work: None,
            per_data: None,
        }
    }

    pub(super) fn declare(&mut self, text: &str) -> Result<(), Mistake> {
        self.declared = Some(Units::parse(text)?);
        Ok(())
    }

    /// The platform's units: those declared, or gigabytes and seconds if every number carries its own.
    pub(super) fn units(&self) -> Option<Units> {
        let units = self.declared.or_else(|| {
            self.with_unit
                .as_ref()
                .map(|_| Units::gigabytes_and_seconds())
        })?;
        Some(Units {
            work_is_data: self.per_data.is_some(),
            ..units
        })
    }

    /// The number in the file's units.
    pub(super) fn value(&mut self, measure: Measure, text: &str) -> Result<Rational, Mistake> {
        let quantity = Quantity::parse_with(text, self.number)?;
        if quantity.dimension == Dimension::Number {
            if self.declared.is_none() && self.with_unit.is_some() {
                return Err(mixed(text, &self.with_unit, "no unit", "has one"));
            }
            self.plain.get_or_insert_with(|| clip(text));
            if measure == Measure::Compute {
                self.compute(text, false)?;
            }
            return Ok((self.number)(text)?);
        }
        if self.declared.is_none() && self.plain.is_some() {
            return Err(mixed(text, &self.plain, "a unit", "has none"));
        }
        self.with_unit.get_or_insert_with(|| clip(text));
        let units = self.units().unwrap_or_else(Units::gigabytes_and_seconds);
        Ok(match (measure, quantity.dimension) {
            (Measure::Bandwidth, _) => units.rate(&quantity, text)?,
            (Measure::Compute, Dimension::Cost | Dimension::Rate) => {
                self.compute(text, true)?;
                units.cost(&quantity, text)?
            }
            (Measure::Compute, _) => {
                self.compute(text, false)?;
                units.time(&quantity, text)?
            }
            (Measure::Delay, _) => units.time(&quantity, text)?,
            // A bandwidth in place of a cost is a mistaken key.
            (Measure::Cost, Dimension::Rate | Dimension::Scaled) => {
                return Err(Mistake::RateAsCost(clip(text)));
            }
            (Measure::Cost, _) => units.cost(&quantity, text)?,
        })
    }

    /// Records the unit of work. All nodes must have the same.
    fn compute(&mut self, text: &str, per_data: bool) -> Result<(), Mistake> {
        let (own, other) = if per_data {
            (&mut self.per_data, &self.per_work)
        } else {
            (&mut self.per_work, &self.per_data)
        };
        own.get_or_insert_with(|| clip(text));
        match other {
            Some(other) => Err(Mistake::MixedWork {
                value: clip(text),
                other: other.clone(),
            }),
            None => Ok(()),
        }
    }
}

fn mixed(text: &str, other: &Option<String>, has: &'static str, differs: &'static str) -> Mistake {
    Mistake::MixedUnits {
        value: clip(text),
        has,
        other: other.clone().unwrap_or_default(),
        differs,
    }
}
