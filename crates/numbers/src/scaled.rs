//! From rationals to integers: common denominators, common units.

use std::borrow::Borrow;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use crate::{Rational, Whole, gcd, ratio};

/// The least common multiple. 1 of none. No number is 0. One long division per number that divides it already, else a
/// greatest common divisor.
pub fn common_multiple<N: Borrow<BigUint>>(numbers: impl IntoIterator<Item = N>) -> BigUint {
    let mut multiple = BigUint::one();
    for number in numbers {
        let number = number.borrow();
        if !number.is_one() && *number != multiple && !(&multiple % number).is_zero() {
            multiple *= number / gcd(&multiple, number);
        }
    }
    multiple
}

/// The greatest common divisor. 1 if all are 0, and of none.
pub fn common_divisor<N: Borrow<BigUint>>(numbers: impl IntoIterator<Item = N>) -> BigUint {
    let mut divisor = BigUint::zero();
    for number in numbers {
        divisor = gcd(&divisor, number.borrow());
        if divisor.is_one() {
            break;
        }
    }
    if divisor.is_zero() {
        BigUint::one()
    } else {
        divisor
    }
}

/// The least common multiple of the denominators. 1 of none.
///
/// ```
/// use oneport_numbers::{common_denominator, parse_rational};
/// let times = ["1/4", "5/6", "2"].map(parse_rational).into_iter().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(common_denominator(&times), 12.into());
/// # Ok::<(), oneport_numbers::NumberError>(())
/// ```
pub fn common_denominator<N: Borrow<Rational>>(numbers: impl IntoIterator<Item = N>) -> BigInt {
    let mut multiple = BigUint::one();
    for number in numbers {
        // Most numbers bring nothing new: no copy of their denominators is made.
        let denominator = number.borrow().denom().magnitude();
        if !denominator.is_one() && *denominator != multiple && !(&multiple % denominator).is_zero()
        {
            multiple *= denominator / gcd(&multiple, denominator);
        }
    }
    multiple.into()
}

/// The numerator over a multiple of the number's denominator.
pub fn numerator_over(number: &Rational, denominator: &BigInt) -> BigInt {
    if number.denom() == denominator {
        number.numer().clone()
    } else {
        number.numer() * (denominator / number.denom())
    }
}

/// Numbers as whole multiples of one unit.
///
/// ```
/// use oneport_numbers::{Scaled, parse_rational};
/// let times = ["2/3", "4/5"].map(parse_rational).into_iter().collect::<Result<Vec<_>, _>>()?;
/// let scaled = Scaled::of(&times);
/// assert_eq!((scaled.narrow::<u64>(32), scaled.unit.to_string()), (Some(vec![10, 12]), "1/15".to_string()));
/// let coarsest = Scaled::coarsest(&times);
/// assert_eq!((coarsest.narrow::<u64>(32), coarsest.unit.to_string()), (Some(vec![5, 6]), "2/15".to_string()));
/// # Ok::<(), oneport_numbers::NumberError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaled {
    /// How many units each number is.
    pub values: Vec<BigUint>,
    /// The value of one unit.
    pub unit: Rational,
}

impl Scaled {
    /// Over the least common denominator: the unit is one over it. A negative number counts 0.
    pub fn of<'r>(numbers: impl IntoIterator<Item = &'r Rational, IntoIter: Clone>) -> Self {
        let numbers = numbers.into_iter();
        let denominator = common_denominator(numbers.clone());
        let whole = |number: &Rational| {
            if number.is_negative() {
                BigUint::zero()
            } else {
                numerator_over(number, &denominator).into_parts().1
            }
        };
        let values = numbers.map(whole).collect();
        Scaled {
            values,
            unit: Rational::new_raw(BigInt::one(), denominator),
        }
    }

    /// Scales to the largest unit of which all numbers are whole multiples. 1 if all are 0. A negative number counts 0.
    pub fn coarsest<'r>(numbers: impl IntoIterator<Item = &'r Rational, IntoIter: Clone>) -> Self {
        let mut scaled = Scaled::of(numbers);
        if scaled.values.iter().all(Zero::is_zero) {
            return Scaled {
                unit: Rational::one(),
                ..scaled
            };
        }
        let divisor = common_divisor(&scaled.values);
        if !divisor.is_one() {
            for value in scaled.values.iter_mut() {
                *value /= &divisor;
            }
        }
        scaled.unit = ratio(divisor, scaled.unit.denom().clone());
        scaled
    }

    /// The values as integers of this type. `None` if one has more than `bits` bits.
    pub fn narrow<W: Whole>(&self, bits: u64) -> Option<Vec<W>> {
        let narrow = |value: &BigUint| W::narrow(value).filter(|_| value.bits() <= bits);
        self.values.iter().map(narrow).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Units times values are the numbers, the denominator is least and the coarsest unit is largest, by their
        /// definitions.
        #[test]
        fn by_definition(parts in prop::collection::vec((0..200u32, 1..60u32), 0..6)) {
            let rational = |&(a, b): &(u32, u32)| ratio(a, b);
            let numbers: Vec<Rational> = parts.iter().map(rational).collect();
            let denominator = common_denominator(&numbers);
            let clears = |d: &BigInt| numbers.iter().all(|number| (number * d).is_integer());
            prop_assert!(clears(&denominator));
            let mut smaller = BigInt::one();
            while smaller < denominator && smaller < BigInt::from(1000) {
                prop_assert!(!clears(&smaller));
                smaller += 1;
            }
            for scaled in [Scaled::of(&numbers), Scaled::coarsest(&numbers)] {
                for (value, number) in scaled.values.iter().zip(&numbers) {
                    prop_assert_eq!(&(crate::whole(value.clone()) * &scaled.unit), number);
                }
            }
            let coarsest = Scaled::coarsest(&numbers);
            prop_assert!(common_divisor(&coarsest.values).is_one());
        }
    }
}
