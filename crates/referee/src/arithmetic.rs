//! Rationals as integers over one common denominator: adding integers needs no greatest common divisor.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_plan::Resource;
use oneport_platform::{LinkId, Platform, Rational, ratio, whole};

use crate::Violation;
use crate::violation::too_large;

/// Limit: bits that scaling may create, half a gigabyte. Numbers without common structure must not exhaust the memory.
const MAX_BITS: u64 = 1 << 32;

/// Whether the value is a positive number. A fraction whose denominator is not positive (only raw construction makes
/// one) is invalid.
pub(crate) fn is_positive(value: &Rational) -> bool {
    is_sound(value) && value.numer().is_positive()
}

/// Whether the value is at least 0. See [`is_positive`].
pub(crate) fn is_non_negative(value: &Rational) -> bool {
    is_sound(value) && !value.numer().is_negative()
}

/// Whether the denominator is positive.
pub(crate) fn is_sound(value: &Rational) -> bool {
    value.denom().is_positive()
}

/// Numerator and denominator of a value that is at least 0.
pub(crate) fn parts(value: &Rational) -> (&BigUint, &BigUint) {
    (value.numer().magnitude(), value.denom().magnitude())
}

/// `numerator / denominator` in lowest terms. 0 over 0 never arises.
pub(crate) fn fraction(numerator: BigUint, denominator: &BigUint) -> Rational {
    ratio(numerator, denominator.clone())
}

/// How long a unit of message over a link keeps one of its resources busy: the link's cost. For a shared capacity
/// weight over rate. Both ids are of the platform.
pub(crate) fn time_on(platform: &Platform, resource: Resource, link: LinkId) -> Cow<'_, Rational> {
    let shared = match resource {
        Resource::Shared(id) => platform.shared().get(id.index()),
        _ => None,
    };
    shared.map_or_else(
        || Cow::Borrowed(&platform.link(link).cost),
        |shared| {
            let weight = shared.weights.get(&link).copied().unwrap_or(0);
            Cow::Owned(whole(weight) / &shared.rate)
        },
    )
}

/// A common denominator of non-negative rationals.
#[derive(Debug, Clone)]
pub(crate) struct Scale {
    denominator: BigUint,
    /// `denominator / d` for every denominator `d` seen: many values share theirs.
    factors: BTreeMap<BigUint, BigUint>,
}

impl Scale {
    /// The least common denominator of the values, to be used for `entries` numbers.
    ///
    /// # Errors
    /// [`Rule::TooLarge`](crate::Rule::TooLarge) when that many numbers over that denominator would not fit in memory.
    pub(crate) fn new<'a>(
        what: &'static str,
        values: impl Iterator<Item = &'a Rational>,
        entries: usize,
    ) -> Result<Scale, Violation> {
        let limit = MAX_BITS / u64::try_from(entries).unwrap_or(u64::MAX).max(1);
        let denominators: BTreeSet<&BigUint> =
            values.map(|value| value.denom().magnitude()).collect();
        let denominator = least_common_multiple(denominators.iter().rev().copied(), limit)
            .map_err(|bits| too_large(what, bits, limit))?;
        let factors = denominators
            .into_iter()
            .map(|d| (d.clone(), &denominator / d))
            .collect();
        Ok(Scale {
            denominator,
            factors,
        })
    }

    /// The common denominator.
    pub(crate) fn denominator(&self) -> &BigUint {
        &self.denominator
    }

    /// The value times the common denominator. The value is one of those given to [`Scale::new`].
    pub(crate) fn scaled(&self, value: &Rational) -> BigUint {
        let (numerator, denominator) = parts(value);
        match self.factors.get(denominator) {
            Some(factor) => numerator * factor,
            None => numerator * &self.denominator / denominator,
        }
    }

    /// A scaled number as the rational that it represents.
    pub(crate) fn rational(&self, scaled: BigUint) -> Rational {
        fraction(scaled, &self.denominator)
    }
}

/// The least common multiple. `Err`: the number of bits reached, if that is above the limit.
///
/// Give large numbers first: the small ones then tend to divide, and a division is cheaper than a gcd.
pub(crate) fn least_common_multiple<'a>(
    numbers: impl Iterator<Item = &'a BigUint>,
    max_bits: u64,
) -> Result<BigUint, u64> {
    let mut multiple = BigUint::one();
    for number in numbers {
        // One Euclidean step first: the gcd of two numbers of very different length is slow.
        let rest = &multiple % number;
        if !rest.is_zero() {
            multiple *= number / rest.gcd(number);
        }
        if multiple.bits() > max_bits {
            return Err(multiple.bits());
        }
    }
    Ok(multiple)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    #[test]
    fn scaling_is_multiplication_by_the_least_common_denominator() {
        let values = [
            ratio(1, 4),
            ratio(5, 6),
            ratio(0, 1),
            ratio(7, 9),
            ratio(3, 1),
        ];
        let scale = Scale::new("values", values.iter(), values.len()).unwrap();
        assert_eq!(scale.denominator(), &BigUint::from(36u8));
        for value in &values {
            assert_eq!(whole(scale.scaled(value)), value * ratio(36, 1));
            assert_eq!(&scale.rational(scale.scaled(value)), value);
        }
        assert_eq!(scale.scaled(&ratio(1, 18)), BigUint::from(2u8));
    }

    #[test]
    fn denominators_without_common_structure_are_refused_not_computed() {
        let values: Vec<Rational> = (0..64)
            .map(|i| Rational::new(1.into(), (BigInt::one() << (3000 * i)) + 1))
            .collect();
        let refused = Scale::new("values", values.iter(), 1 << 20).unwrap_err();
        assert_eq!(refused.rule(), crate::Rule::TooLarge);
        let told = refused.to_string();
        assert!(
            told.starts_with("the common denominator of values has at least "),
            "{told}"
        );
        assert!(told.contains("; at most 4096 fit in memory"), "{told}");
    }

    #[test]
    fn as_many_bits_as_the_limit_says_are_accepted() {
        // 4 x 9 x 5 x 2^20 = 45 x 2^22 has 28 bits.
        let numbers = [12u32, 18, 5, 1 << 20, 36, 4, 1 << 22].map(BigUint::from);
        let multiple = BigUint::from(45u32 << 22);
        assert_eq!(least_common_multiple(numbers.iter(), 28), Ok(multiple));
        assert_eq!(least_common_multiple(numbers.iter(), 27), Err(28));
    }

    #[test]
    fn raw_fractions_over_zero_or_less_are_no_numbers() {
        for (numerator, denominator) in [(1, 0), (0, 0), (-1, -2), (1, -2)] {
            let raw = Rational::new_raw(numerator.into(), denominator.into());
            assert!(!is_positive(&raw) && !is_non_negative(&raw) && !is_sound(&raw));
        }
        assert!(
            is_positive(&ratio(1, 2)) && !is_positive(&ratio(0, 1)) && !is_positive(&ratio(-1, 2))
        );
        assert!(is_non_negative(&ratio(0, 1)) && !is_non_negative(&ratio(-1, 2)));
    }
}
