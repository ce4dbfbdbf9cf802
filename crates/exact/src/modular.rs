//! Arithmetic modulo a prime below 2^61.

/// Fact: the Mersenne prime 2^61 - 1: reduction is two additions.
pub(crate) const FIRST_PRIME: u64 = (1 << 61) - 1;
/// Fact: further primes, for a basis that is singular modulo the first by accident.
pub(crate) const PRIMES: [u64; 3] = [FIRST_PRIME, (1 << 61) - 31, (1 << 60) - 93];

/// Further primes, below `2^60`, from a start that depends on the data: otherwise data could be supplied that all fixed
/// primes divide.
pub(crate) fn primes_from(data: u64) -> impl Iterator<Item = u64> {
    let first = (1u64 << 60) - 1 - 2 * (data >> 40);
    (0..)
        .map(move |step| first - 2 * step)
        .filter(|&odd| is_prime(odd))
}

/// The strong probable-prime test to the bases that are decisive below 2^64.
fn is_prime(odd: u64) -> bool {
    let field = Field::new(odd);
    let (mut power_of, mut twos) = (odd - 1, 0);
    while power_of % 2 == 0 {
        power_of /= 2;
        twos += 1;
    }
    [2u64, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
        .iter()
        .all(|&base| {
            let mut power = 1;
            for bit in (0..64).rev() {
                power = field.mul(power, power);
                if power_of >> bit & 1 == 1 {
                    power = field.mul(power, base);
                }
            }
            let mut passes = power == 1 || power == odd - 1;
            for _ in 1..twos {
                power = field.mul(power, power);
                passes |= power == odd - 1;
            }
            passes
        })
}

/// The field of integers modulo a prime.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    prime: u64,
}

impl Field {
    pub(crate) fn new(prime: u64) -> Self {
        Field { prime }
    }

    pub(crate) fn prime(self) -> u64 {
        self.prime
    }

    /// `value mod p` for any `u128`.
    pub(crate) fn reduce(self, value: u128) -> u64 {
        if self.prime == FIRST_PRIME {
            let mask = FIRST_PRIME as u128;
            let folded = (value & mask) + ((value >> 61) & mask) + (value >> 122);
            let low = (folded & mask) as u64 + (folded >> 61) as u64;
            if low >= FIRST_PRIME {
                low - FIRST_PRIME
            } else {
                low
            }
        } else {
            (value % self.prime as u128) as u64
        }
    }

    /// `value mod p` for any `i128`.
    pub(crate) fn reduce_signed(self, value: i128) -> u64 {
        let reduced = self.reduce(value.unsigned_abs());
        if value < 0 {
            self.neg(reduced)
        } else {
            reduced
        }
    }

    pub(crate) fn mul(self, a: u64, b: u64) -> u64 {
        self.reduce(a as u128 * b as u128)
    }

    pub(crate) fn sub(self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.prime - b }
    }

    pub(crate) fn neg(self, a: u64) -> u64 {
        if a == 0 { 0 } else { self.prime - a }
    }

    /// The inverse of a non-zero element (Fermat).
    pub(crate) fn inverse(self, a: u64) -> u64 {
        let (mut base, mut exponent, mut result) = (a, self.prime - 2, 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moduli_are_prime_and_inverses_invert() {
        for prime in PRIMES {
            let field = Field::new(prime);
            assert!(is_prime(prime), "{prime} is composite");
            for base in [2u64, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37] {
                assert_eq!(field.mul(base, field.inverse(base)), 1);
            }
        }
    }

    #[test]
    fn further_primes_are_those_of_trial_division() {
        let odd: Vec<u64> = (41..2000).step_by(2).filter(|&odd| is_prime(odd)).collect();
        let naive = (41..2000).step_by(2).filter(|odd| {
            (3..*odd)
                .take_while(|d| d * d <= *odd)
                .all(|d| odd % d != 0)
        });
        assert_eq!(odd, naive.collect::<Vec<u64>>());
        let found: Vec<u64> = primes_from(u64::MAX).take(3).collect();
        assert!(
            found.is_sorted_by(|a, b| a > b)
                && found
                    .iter()
                    .all(|&prime| prime > 1 << 59 && is_prime(prime))
        );
    }

    #[test]
    fn reduction_agrees_with_the_remainder() {
        for prime in PRIMES {
            let field = Field::new(prime);
            for value in [
                0,
                1,
                prime as u128 - 1,
                prime as u128,
                prime as u128 + 1,
                u64::MAX as u128,
                u128::MAX,
                1 << 122,
            ] {
                assert_eq!(field.reduce(value) as u128, value % prime as u128);
            }
            assert_eq!(field.reduce_signed(-1), prime - 1);
            assert_eq!(
                field.reduce_signed(i128::MIN),
                field.neg(field.reduce(1 << 127))
            );
        }
    }
}
