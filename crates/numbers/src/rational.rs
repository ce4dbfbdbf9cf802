//! Rationals from integers.

use num_bigint::BigInt;

use crate::Rational;

/// An integer as a rational.
///
/// ```
/// assert_eq!(oneport_numbers::whole(7).to_string(), "7");
/// ```
pub fn whole(number: impl Into<BigInt>) -> Rational {
    Rational::from_integer(number.into())
}

/// `numerator / denominator`, in lowest terms.
///
/// # Panics
/// The denominator is 0. [`parse_rational`](crate::parse_rational) returns an error for a text with such a denominator.
///
/// ```
/// assert_eq!(oneport_numbers::ratio(-4, 6).to_string(), "-2/3");
/// ```
pub fn ratio(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}
