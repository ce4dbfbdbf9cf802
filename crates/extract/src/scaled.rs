//! Rates as whole numbers over one unit.

use std::borrow::Borrow;

use num_bigint::BigInt;
use num_traits::One;
use oneport_numbers::{common_denominator, numerator_over};
use oneport_platform::{Rational, ratio, whole};

/// The unit of a demand's rates: one over their common denominator.
pub(crate) struct Unit(BigInt);

impl Unit {
    /// The least common denominator of the numbers.
    pub(crate) fn of<N: Borrow<Rational>>(numbers: impl IntoIterator<Item = N>) -> Self {
        Unit(common_denominator(numbers))
    }

    /// The number in units. It must be one of the numbers that the unit was made of.
    pub(crate) fn whole(&self, number: &Rational) -> BigInt {
        numerator_over(number, &self.0)
    }

    /// A number of units.
    pub(crate) fn amount(&self, units: BigInt) -> Rational {
        if self.0.is_one() {
            whole(units)
        } else {
            ratio(units, self.0.clone())
        }
    }
}
