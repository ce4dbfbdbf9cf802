//! Sizes and works as integers over a common denominator.

use num_bigint::BigUint;
use oneport_numbers::Scaled;
use oneport_plan::{Amount, Interval};
use oneport_platform::Rational;

/// Which intervals have the same amount.
#[derive(Debug, Clone, Copy)]
enum Classes {
    One,
    ByOperands,
    ByInterval,
}

/// An amount for every interval, by class.
#[derive(Debug, Clone)]
pub(super) struct Amounts {
    classes: Classes,
    operands: usize,
    /// Numerators by class.
    pub values: Vec<BigUint>,
    /// Of all the values.
    pub denominator: BigUint,
}

impl Amounts {
    pub fn new(amount: &Amount, operands: usize) -> Self {
        let (classes, parts): (_, Vec<Interval>) = match amount {
            Amount::Constant(_) => (Classes::One, vec![Interval { first: 0, last: 0 }]),
            Amount::Affine { .. } => {
                (Classes::ByOperands, (0..operands).map(|last| Interval { first: 0, last }).collect())
            }
            Amount::Table(_) => {
                let row = |first| (0..operands).map(move |last| Interval { first, last });
                (Classes::ByInterval, (0..operands).flat_map(row).collect())
            }
        };
        let exact: Vec<Rational> = parts.iter().map(|&part| amount.of(part).unwrap_or_default()).collect();
        let Scaled { values, unit } = Scaled::of(&exact);
        Amounts { classes, operands, values, denominator: unit.denom().magnitude().clone() }
    }

    /// The class of an interval of these operands: its place in `values`.
    pub fn class(&self, part: Interval) -> usize {
        match self.classes {
            Classes::One => 0,
            Classes::ByOperands => part.last - part.first,
            Classes::ByInterval => part.first * self.operands + part.last,
        }
    }

    pub fn of(&self, part: Interval) -> &BigUint {
        &self.values[self.class(part)]
    }
}
