//! Natural numbers of a fixed length, stored without allocation: a search that copies and compares long prices would
//! spend most of its time on allocations.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, SubAssign};

use num_bigint::BigUint;
use num_traits::Zero;

/// A number below `2^(64 WORDS)`, lowest word first. Sums beyond that are wrong: the caller leaves room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixed<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Fixed<WORDS> {
    /// Fact: bits of the longest number.
    pub const BITS: u64 = 64 * WORDS as u64;

    /// This number, if it fits.
    pub fn of(number: &BigUint) -> Option<Self> {
        if number.bits() > Self::BITS {
            return None;
        }
        let mut words = [0; WORDS];
        for (word, digit) in words.iter_mut().zip(number.iter_u64_digits()) {
            *word = digit;
        }
        Some(Fixed(words))
    }
}

impl<const WORDS: usize> From<Fixed<WORDS>> for BigUint {
    fn from(number: Fixed<WORDS>) -> Self {
        let halves = |word: u64| [word as u32, (word >> 32) as u32];
        BigUint::new(number.0.into_iter().flat_map(halves).collect())
    }
}

impl<const WORDS: usize> Ord for Fixed<WORDS> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl<const WORDS: usize> PartialOrd for Fixed<WORDS> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const WORDS: usize> AddAssign<&Self> for Fixed<WORDS> {
    fn add_assign(&mut self, other: &Self) {
        let mut carry = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            let (sum, over) = word.overflowing_add(more);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, over || again);
        }
        debug_assert!(!carry, "a sum needs more than {} bits", Self::BITS);
    }
}

impl<const WORDS: usize> SubAssign<&Self> for Fixed<WORDS> {
    fn sub_assign(&mut self, other: &Self) {
        let mut borrow = false;
        for (word, &less) in self.0.iter_mut().zip(&other.0) {
            let (rest, under) = word.overflowing_sub(less);
            let (rest, again) = rest.overflowing_sub(u64::from(borrow));
            (*word, borrow) = (rest, under || again);
        }
        debug_assert!(!borrow, "a difference is negative");
    }
}

impl<const WORDS: usize> Add for Fixed<WORDS> {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += &other;
        self
    }
}

impl<const WORDS: usize> Zero for Fixed<WORDS> {
    fn zero() -> Self {
        Fixed([0; WORDS])
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = BigUint> {
        // Carries pass through words of zeros and of ones.
        let word = prop_oneof![Just(0u32), Just(u32::MAX), any::<u32>()];
        proptest::collection::vec(word, 0..6).prop_map(BigUint::new)
    }

    proptest! {
        #[test]
        fn fixed_numbers_are_those_of_any_length(one in number(), other in number()) {
            let fixed = |number: &BigUint| Fixed::<4>::of(number).unwrap();
            let (a, b) = (fixed(&one), fixed(&other));
            prop_assert_eq!(BigUint::from(a), one.clone());
            prop_assert_eq!(a.cmp(&b), one.cmp(&other));
            prop_assert_eq!(a.is_zero(), one.is_zero());
            prop_assert_eq!(BigUint::from(a + b), &one + &other);
            let mut back = a + b;
            back -= &b;
            prop_assert_eq!(back, a);
            prop_assert_eq!(Fixed::<2>::of(&one).is_some(), one.bits() <= 128);
        }
    }
}
