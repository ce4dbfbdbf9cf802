//! Integers to count in: 64 or 128 bits while everything fits, else big ones.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;

use crate::Exact;

/// A non-negative integer, of a machine word or of any length. An algorithm written for it runs in the narrowest kind
/// in which all its sums fit.
pub trait Whole: Exact + Integer + From<u64> + Into<BigUint> + ToPrimitive {
    /// How many bits a number may have.
    const BITS: u64;

    /// How many bits this number has. 0 has none.
    fn bits(&self) -> u64;

    /// This number, if it fits.
    fn narrow(number: &BigUint) -> Option<Self>;

    /// `self * factor`.
    #[must_use]
    fn multiple(&self, factor: u64) -> Self {
        if factor == 1 {
            self.clone()
        } else {
            self.clone() * Self::from(factor)
        }
    }
}

impl Whole for u64 {
    // Fact: the width of the type.
    const BITS: u64 = 64;

    fn bits(&self) -> u64 {
        u64::from(u64::BITS - self.leading_zeros())
    }

    fn narrow(number: &BigUint) -> Option<Self> {
        number.to_u64()
    }
}

impl Whole for u128 {
    // Fact: the width of the type.
    const BITS: u64 = 128;

    fn bits(&self) -> u64 {
        u64::from(u128::BITS - self.leading_zeros())
    }

    fn narrow(number: &BigUint) -> Option<Self> {
        number.to_u128()
    }
}

impl Whole for BigUint {
    const BITS: u64 = u64::MAX;

    fn bits(&self) -> u64 {
        BigUint::bits(self)
    }

    fn narrow(number: &BigUint) -> Option<Self> {
        Some(number.clone())
    }
}
