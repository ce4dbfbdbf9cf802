//! Rational vectors over a common denominator: one gcd only for each entry that is read.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::Rational;
use crate::fraction::lowest;
use crate::program::{Column, Row};

/// A vector of rationals with one positive denominator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RationalVector {
    pub(crate) numerators: Vec<BigInt>,
    pub(crate) denominator: BigInt,
}

/// Indices of a [`RationalVector`].
pub trait Index {
    /// The position in the vector.
    fn position(self) -> usize;
}

impl Index for Row {
    fn position(self) -> usize {
        self.0
    }
}

impl Index for Column {
    fn position(self) -> usize {
        self.0
    }
}

impl RationalVector {
    pub(crate) fn new(numerators: Vec<BigInt>, denominator: BigInt) -> Self {
        RationalVector {
            numerators,
            denominator,
        }
    }

    pub(crate) fn zeros(length: usize) -> Self {
        RationalVector {
            numerators: vec![BigInt::zero(); length],
            denominator: BigInt::one(),
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.numerators.len()
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.numerators.is_empty()
    }

    /// The entry of a row or column, in lowest terms. Zero if the vector has no such entry.
    pub fn get(&self, index: impl Index) -> Rational {
        match self.numerators.get(index.position()) {
            Some(numerator) if !numerator.is_zero() => {
                lowest(numerator.clone(), self.denominator.clone())
            }
            _ => Rational::zero(),
        }
    }

    /// The entry's numerator over [`denominator`](Self::denominator), not reduced. The entry must exist.
    pub fn numerator(&self, index: impl Index) -> &BigInt {
        &self.numerators[index.position()]
    }

    /// The common denominator, positive.
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }
}
