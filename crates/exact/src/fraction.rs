//! Fractions of long numbers, reduced by Lehmer's algorithm: that of the rational type takes a step for every bit.

use std::borrow::Borrow;

use num_bigint::{BigInt, Sign};
use num_traits::{One, Zero};
use oneport_numbers::{common_multiple, gcd};

use crate::Rational;

/// The fraction in lowest terms. The denominator is not zero.
pub(crate) fn lowest(numerator: BigInt, denominator: BigInt) -> Rational {
    if numerator.is_zero() {
        return Rational::zero();
    }
    let divisor = gcd(numerator.magnitude(), denominator.magnitude());
    let negative = (numerator.sign() == Sign::Minus) != (denominator.sign() == Sign::Minus);
    let (mut above, mut below) = (numerator.into_parts().1, denominator.into_parts().1);
    if !divisor.is_one() {
        above /= &divisor;
        below /= &divisor;
    }
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    Rational::new_raw(BigInt::from_biguint(sign, above), BigInt::from(below))
}

/// The least common multiple of positive denominators, or 1 without any.
pub(crate) fn common_denominator<N: Borrow<BigInt>>(
    denominators: impl IntoIterator<Item = N>,
) -> BigInt {
    let list: Vec<N> = denominators.into_iter().collect();
    common_multiple(
        list.iter()
            .map(|denominator| denominator.borrow().magnitude()),
    )
    .into()
}

#[cfg(test)]
mod tests {
    use oneport_numbers::ratio;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lowest_terms_are_those_of_the_rational_type(a in any::<i64>(), b in any::<i64>(), power in 0u32..9) {
            prop_assume!(b != 0);
            let (above, below) = (BigInt::from(a).pow(power) * b, BigInt::from(b).pow(power) * a.max(1));
            prop_assert_eq!(lowest(above.clone(), below.clone()), ratio(above, below));
        }

        #[test]
        fn common_denominators_are_the_least(list in proptest::collection::vec(1i64..1000, 0..6)) {
            let naive = list.iter().fold(1, |all, one| num_integer::lcm(all, *one));
            prop_assert_eq!(common_denominator(list.iter().map(|one| BigInt::from(*one))), BigInt::from(naive));
        }
    }
}
