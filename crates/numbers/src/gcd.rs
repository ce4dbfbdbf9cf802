//! Lehmer's greatest common divisor (Knuth, The Art of Computer Programming 4.5.2, algorithm L).
//!
//! The library's binary algorithm shifts the whole number once per bit. Step lengths of thousands of bits make it
//! the most expensive part of a decomposition. Here one pass over the number removes about thirty bits.

use std::mem::swap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};

/// Fact: leading bits that steer a pass. Sums of two such numbers fit an `i64`.
const LEADING_BITS: u64 = 61;

/// The greatest common divisor. `gcd(0, b) = b`.
pub fn gcd(a: &BigUint, b: &BigUint) -> BigUint {
    let (mut a, mut b) = (a.clone(), b.clone());
    if a < b {
        swap(&mut a, &mut b);
    }
    while b.bits() > LEADING_BITS {
        let [[p, q], [r, s]] = quotients(&a, &b);
        if q == 0 {
            a %= &b;
            swap(&mut a, &mut b);
        } else {
            (a, b) = (combine(&a, p, &b, q), combine(&a, r, &b, s));
        }
    }
    if b.is_zero() {
        return a;
    }
    let rest = (&a % &b).to_u64().unwrap_or_default();
    BigUint::from(b.to_u64().unwrap_or_default().gcd(&rest))
}

/// The product of the Euclidean quotient matrices on which the leading bits of `a >= b` leave no doubt.
fn quotients(a: &BigUint, b: &BigUint) -> [[i64; 2]; 2] {
    let shift = a.bits().saturating_sub(LEADING_BITS);
    let leading = |n: &BigUint| (n >> shift).to_i64().unwrap_or_default();
    let (mut x, mut y) = (leading(a), leading(b));
    let mut matrix = [[1, 0], [0, 1]];
    loop {
        let [[p, q], [r, s]] = matrix;
        if y + r == 0 || y + s == 0 {
            return matrix;
        }
        let quotient = (x + p) / (y + r);
        if quotient != (x + q) / (y + s) {
            return matrix;
        }
        matrix = [[r, s], [p - quotient * r, q - quotient * s]];
        (x, y) = (y, x - quotient * y);
    }
}

/// `a * p + b * q`, which is not negative. `p` and `q` do not have the same sign.
fn combine(a: &BigUint, p: i64, b: &BigUint, q: i64) -> BigUint {
    let (a, b) = (a * p.unsigned_abs(), b * q.unsigned_abs());
    if q <= 0 { a - b } else { b - a }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = BigUint> {
        prop::collection::vec(any::<u32>(), 0..40).prop_map(BigUint::new)
    }

    proptest! {
        #[test]
        fn agrees_with_the_binary_algorithm(a in number(), b in number(), c in number()) {
            prop_assert_eq!(gcd(&a, &b), Integer::gcd(&a, &b));
            let (a, b) = (a * &c, b * &c);
            prop_assert_eq!(gcd(&a, &b), Integer::gcd(&a, &b));
        }
    }

    #[test]
    fn fibonacci_neighbours_are_coprime_and_multiples_divide() {
        let (mut a, mut b) = (BigUint::from(1u8), BigUint::from(1u8));
        for _ in 0..3000 {
            assert_eq!(gcd(&a, &b), BigUint::from(1u8));
            assert_eq!(gcd(&(&a * &b), &b), b);
            (a, b) = (b.clone(), a + b);
        }
    }
}
