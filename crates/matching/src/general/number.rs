//! The integers in which a port graph is decomposed: 64 or 128 bits while everything fits, else big ones.

use std::ops::{AddAssign, SubAssign};

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;

/// A non-negative integer.
pub(crate) trait Number:
    Integer + Clone + From<u64> + Into<BigUint> + for<'a> AddAssign<&'a Self> + for<'a> SubAssign<&'a Self>
{
    /// How many bits a number may have.
    const BITS: u64;

    /// How many bits this number has.
    fn bits(&self) -> u64;

    /// The same number, if it fits.
    fn exact(number: &BigUint) -> Option<Self>;
}

impl Number for u64 {
    const BITS: u64 = 64;

    fn bits(&self) -> u64 {
        u64::from(u64::BITS - self.leading_zeros())
    }

    fn exact(number: &BigUint) -> Option<Self> {
        number.to_u64()
    }
}

impl Number for u128 {
    const BITS: u64 = 128;

    fn bits(&self) -> u64 {
        u64::from(u128::BITS - self.leading_zeros())
    }

    fn exact(number: &BigUint) -> Option<Self> {
        number.to_u128()
    }
}

impl Number for BigUint {
    const BITS: u64 = u64::MAX;

    fn bits(&self) -> u64 {
        BigUint::bits(self)
    }

    fn exact(number: &BigUint) -> Option<Self> {
        Some(number.clone())
    }
}

/// `a - b`, or 0 where `a < b`.
pub(super) fn minus<W: Number>(a: &W, b: &W) -> W {
    let mut difference = a.clone();
    if *a < *b {
        return W::zero();
    }
    difference -= b;
    difference
}

/// `number * factor`.
pub(super) fn times<W: Number>(number: &W, factor: u64) -> W {
    if factor == 1 { number.clone() } else { number.clone() * W::from(factor) }
}
