//! p-adic lifting (Dixon) and rational reconstruction: exact solutions of sparse integer systems.
//!
//! With `A = LU` modulo `p`, the solution of `A x = b` is found digit by digit: `x_t = A^-1 r_t mod p`,
//! `r_{t+1} = (r_t - A x_t) / p`. After enough digits the rationals follow from the p-adic numbers: a common
//! denominator is built up entry by entry, and the result is accepted only when `A N = d b` holds in integers.
//!
//! Reference: J. Dixon, Exact solution of linear equations using p-adic expansions, Numer. Math. 40 (1982).
//! The split between numerator and denominator follows Monagan's maximal quotient rational reconstruction (2004).

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use oneport_watch::Watch;

use crate::factor::Factors;
use crate::form::{Coefficient, bits};

/// A square sparse matrix by columns.
#[derive(Debug, Clone)]
pub(crate) struct Square<C> {
    /// Per column its `(row, value)` entries.
    pub columns: Vec<Vec<(u32, C)>>,
}

/// Which system is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    /// `A x = b`, `b` by row and `x` by column.
    Direct,
    /// `A^T y = b`, `b` by column and `y` by row.
    Transposed,
}

/// Numerators and their positive common denominator.
pub(crate) type Fraction = (Vec<BigInt>, BigInt);

/// Bits to spare before a reconstruction is accepted for the exact check. Trades lifting steps for reconstructions that
/// fail the check. Not measured.
const MARGIN: u64 = 48;

impl<C: Coefficient> Square<C> {
    /// `residual -= A x` or `residual -= A^T x`, for one digit vector.
    fn subtract(&self, system: System, digits: &[u64], residual: &mut [C::Residual]) {
        for (column, entries) in self.columns.iter().enumerate() {
            match system {
                System::Direct => {
                    let digit = digits[column];
                    if digit != 0 {
                        for (row, value) in entries {
                            value.subtract_product(digit, &mut residual[*row as usize]);
                        }
                    }
                }
                System::Transposed => {
                    let target = &mut residual[column];
                    for (row, value) in entries {
                        let digit = digits[*row as usize];
                        if digit != 0 {
                            value.subtract_product(digit, target);
                        }
                    }
                }
            }
        }
    }

    /// Whether `A N = d b` (or `A^T N = d b`) in integers.
    fn holds(&self, system: System, (numerators, denominator): &Fraction, rhs: &[C]) -> bool {
        match system {
            System::Direct => {
                let mut sums = vec![BigInt::zero(); rhs.len()];
                for (entries, numerator) in self.columns.iter().zip(numerators) {
                    if !numerator.is_zero() {
                        for (row, value) in entries {
                            value.add_product(numerator, &mut sums[*row as usize]);
                        }
                    }
                }
                sums.iter()
                    .zip(rhs)
                    .all(|(sum, rhs)| equals_multiple(sum, rhs, denominator))
            }
            System::Transposed => self.columns.iter().zip(rhs).all(|(entries, rhs)| {
                let mut sum = BigInt::zero();
                for (row, value) in entries {
                    value.add_product(&numerators[*row as usize], &mut sum);
                }
                equals_multiple(&sum, rhs, denominator)
            }),
        }
    }

    /// Digits after which the true solution must have been found (Hadamard's bound on both determinants).
    fn digit_limit(&self, rhs: &[C], prime: u64) -> usize {
        let norm = |values: &mut dyn Iterator<Item = u64>| -> u64 {
            let (mut count, mut largest) = (0u64, 0);
            for value in values {
                count += 1;
                largest = largest.max(value);
            }
            largest + 64 - count.leading_zeros() as u64
        };
        let mut total = norm(&mut rhs.iter().map(|value| bits(&value.to_big())));
        for column in &self.columns {
            total += norm(&mut column.iter().map(|(_, value)| bits(&value.to_big())));
        }
        let digit_bits = 63 - prime.leading_zeros() as u64;
        ((2 * total + 2 * MARGIN) / digit_bits + 2) as usize
    }
}

fn equals_multiple<C: Coefficient>(sum: &BigInt, rhs: &C, denominator: &BigInt) -> bool {
    let mut difference = -sum;
    rhs.add_product(denominator, &mut difference);
    difference.is_zero()
}

/// Solves the system exactly. `None` if the watch ends the work, or the digits run out, which a non-singular matrix
/// excludes.
///
/// Time: digits x (entries of `A`, `L` and `U`), plus the reconstruction.
pub(crate) fn solve<C: Coefficient>(
    matrix: &Square<C>,
    factors: &Factors,
    system: System,
    rhs: &[C],
    watch: &Watch,
) -> Option<Fraction> {
    let field = factors.field();
    let limit = matrix.digit_limit(rhs, field.prime());
    let mut residual: Vec<C::Residual> = rhs.iter().map(Coefficient::residual).collect();
    let mut digits: Vec<Vec<u64>> = Vec::new();
    let mut next_check = 3;
    loop {
        watch.ask().ok()?;
        let mut reduced: Vec<u64> = residual
            .iter()
            .map(|value| C::residual_residue(value, field))
            .collect();
        let digit = match system {
            System::Direct => factors.solve(&mut reduced),
            System::Transposed => factors.solve_transposed(&mut reduced),
        };
        matrix.subtract(system, &digit, &mut residual);
        for value in &mut residual {
            C::divide(value, field.prime());
        }
        digits.push(digit);
        if digits.len() >= next_check || digits.len() >= limit {
            if let Some(fraction) = reconstruct(&digits, field.prime(), rhs.len(), watch)
                && matrix.holds(system, &fraction, rhs)
            {
                return Some(fraction);
            }
            if digits.len() >= limit {
                return None;
            }
            next_check = digits.len() + (digits.len() / 2).max(1);
        }
    }
}

/// All entries over a common denominator, or `None` if the digits do not determine them yet.
fn reconstruct(digits: &[Vec<u64>], prime: u64, size: usize, watch: &Watch) -> Option<Fraction> {
    let modulus = digits.iter().fold(BigUint::one(), |power, _| power * prime);
    let modulus = BigInt::from(modulus);
    let half = &modulus >> 1u32;
    let mut denominator = BigInt::one();
    let mut numerators: Vec<BigInt> = Vec::with_capacity(size);
    for entry in 0..size {
        watch.ask().ok()?;
        let value = p_adic(digits, prime, entry);
        if value.is_zero() {
            numerators.push(value);
            continue;
        }
        let mut scaled = value;
        if !denominator.is_one() {
            scaled = scaled * &denominator % &modulus;
        }
        if scaled > half {
            scaled -= &modulus;
        }
        if bits(&scaled) + MARGIN < modulus.bits() {
            numerators.push(scaled);
            continue;
        }
        let (numerator, factor) = maximal_quotient(&modulus, &scaled)?;
        for earlier in &mut numerators {
            *earlier *= &factor;
        }
        denominator *= factor;
        numerators.push(numerator);
    }
    Some((numerators, denominator))
}

/// The integer with the digits of one entry in base `prime`, lowest first.
fn p_adic(digits: &[Vec<u64>], prime: u64, entry: usize) -> BigInt {
    let used = digits
        .iter()
        .rposition(|digit| digit[entry] != 0)
        .map_or(0, |last| last + 1);
    let mut value = BigUint::zero();
    for digit in digits[..used].iter().rev() {
        value *= prime;
        value += digit[entry];
    }
    BigInt::from_biguint(Sign::Plus, value)
}

/// The fraction `n / d = value` modulo `modulus` with the largest gap, if the gap leaves no doubt.
fn maximal_quotient(modulus: &BigInt, value: &BigInt) -> Option<(BigInt, BigInt)> {
    let (mut r0, mut r1) = (modulus.clone(), value.clone());
    if r1.sign() == Sign::Minus {
        r1 += modulus;
    }
    let (mut t0, mut t1) = (BigInt::zero(), BigInt::one());
    let mut best: Option<(u64, BigInt, BigInt)> = None;
    while !r1.is_zero() {
        let quotient = &r0 / &r1;
        let gap = bits(&quotient);
        if gap + 1 >= MARGIN && best.as_ref().is_none_or(|found| gap > found.0) {
            best = Some((gap, r1.clone(), t1.clone()));
        }
        let r2 = &r0 - &quotient * &r1;
        let t2 = &t0 - &quotient * &t1;
        (r0, r1) = (r1, r2);
        (t0, t1) = (t1, t2);
    }
    best.map(|(_, n, d)| {
        if d.sign() == Sign::Minus {
            (-n, -d)
        } else {
            (n, d)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factor::factorise;
    use crate::modular::{FIRST_PRIME, Field};
    use proptest::prelude::*;

    fn check<C: Coefficient>(dense: &[Vec<C>], rhs: &[C]) -> Result<(), TestCaseError> {
        let field = Field::new(FIRST_PRIME);
        let size = rhs.len();
        let columns: Vec<Vec<(u32, C)>> = (0..size)
            .map(|c| (0..size).map(|r| (r as u32, dense[r][c].clone())).collect())
            .collect();
        let entries = (0..size).flat_map(|r| (0..size).map(move |c| (r, c)));
        let Ok(factors) = factorise(
            field,
            size,
            entries.map(|(r, c)| (r, c, dense[r][c].residue(field))),
        ) else {
            return Ok(());
        };
        let matrix = Square { columns };
        for system in [System::Direct, System::Transposed] {
            let fraction = solve(&matrix, &factors, system, rhs, &Watch::unlimited())
                .expect("the bound is Hadamard's");
            for line in 0..size {
                let entry = |k: usize| {
                    if system == System::Direct {
                        &dense[line][k]
                    } else {
                        &dense[k][line]
                    }
                };
                let sum: BigInt = (0..size).map(|k| entry(k).to_big() * &fraction.0[k]).sum();
                prop_assert_eq!(sum, rhs[line].to_big() * &fraction.1);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn lifted_solutions_solve_in_integers(
            size in 1usize..9,
            raw in proptest::collection::vec(-1_000_000i64..1_000_000, 81),
        ) {
            let dense: Vec<Vec<i64>> = (0..size).map(|r| raw[r * size..(r + 1) * size].to_vec()).collect();
            let rhs: Vec<i64> = raw[72..72 + size].to_vec();
            check(&dense, &rhs)?;
            let huge = |value: &i64| BigInt::from(*value).pow(7) + 1;
            let dense: Vec<Vec<BigInt>> = dense.iter().map(|row| row.iter().map(huge).collect()).collect();
            let rhs: Vec<BigInt> = rhs.iter().map(huge).collect();
            check(&dense, &rhs)?;
        }
    }
}
