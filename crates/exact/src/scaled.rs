//! The program in floating point, scaled by powers of two so that its numbers are near one.
//!
//! Row `i` is multiplied by `2^r_i`, column `j` by `2^c_j`, all right-hand sides by `2^-s` and the costs by `2^-t`.
//! Powers of two add no rounding, and a basis does not depend on scaling.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // a program in floats, for HiGHS

use num_bigint::BigInt;
use num_traits::{FromPrimitive, One, ToPrimitive, Zero};

use crate::Rational;
use crate::float::FloatProgram;
use crate::form::{bits, sign};
use crate::program::{LinearProgram, Relation, Sense};

/// Largest spread of exponents without scaling. Trades time for accuracy of the proposed basis. Not measured.
const EASY_SPREAD: i64 = 10;
/// Passes of scaling. Each shrinks the spread severalfold. Trades time for accuracy of the proposed basis. Not
/// measured.
const PASSES: usize = 4;
/// Passes while entries are out of range. Trades time for programs that HiGHS accepts. Not measured.
const MOST_PASSES: usize = 40;
/// Exponents of scaled entries that HiGHS takes as they are.
const IN_RANGE: std::ops::RangeInclusive<i64> = -44..=44;

/// The exponents of one scaling.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scaling {
    pub rows: Vec<i64>,
    pub columns: Vec<i64>,
    pub rhs: i64,
    pub cost: i64,
}

/// `numerator / denominator` as a mantissa with `0.5 <= |m| < 2` and a power of two.
pub(crate) fn decompose(numerator: &BigInt, denominator: &BigInt) -> (f64, i64) {
    if numerator.is_zero() {
        return (0.0, 0);
    }
    let head = |value: &BigInt| {
        let shift = bits(value).saturating_sub(62);
        let top = (value.magnitude() >> shift).to_u64().unwrap_or(u64::MAX);
        (top as f64, shift as i64)
    };
    let (n, n_shift) = head(numerator);
    let (d, d_shift) = head(denominator);
    let quotient = n / d;
    let exponent = quotient.log2().floor() as i64;
    let mantissa = quotient / 2f64.powi(exponent as i32);
    (
        mantissa * f64::from(sign(numerator)),
        exponent + n_shift - d_shift,
    )
}

/// Fact: largest number that HiGHS takes everywhere. The exact repair handles larger ones.
const LARGEST: f64 = 1e14;

/// `mantissa * 2^exponent`, kept within the range that HiGHS accepts. Smaller values become zero.
pub(crate) fn compose(mantissa: f64, exponent: i64) -> f64 {
    (mantissa * 2f64.powi(exponent.clamp(-1000, 1000) as i32)).clamp(-LARGEST, LARGEST)
}

/// `value * 2^exponent`. The value is finite.
pub(crate) fn dyadic(value: f64, exponent: i64) -> Rational {
    let Some(exact) = Rational::from_float(value).filter(|exact| !exact.is_zero()) else {
        return Rational::zero();
    };
    match exponent {
        0 => exact,
        1.. => exact * (BigInt::one() << exponent.unsigned_abs()),
        _ => exact / (BigInt::one() << exponent.unsigned_abs()),
    }
}

/// The nearest integers. `None` if a value is not finite.
pub(crate) fn rounded(values: &[f64]) -> Option<Vec<BigInt>> {
    values
        .iter()
        .map(|value| BigInt::from_f64(value.round()))
        .collect()
}

fn split(value: &Rational) -> (f64, i64) {
    decompose(value.numer(), value.denom())
}

impl Scaling {
    /// Geometric scaling, if the spread of magnitudes requires it.
    pub(crate) fn new(program: &LinearProgram) -> Self {
        let mut scaling = Scaling {
            rows: vec![0; program.rows()],
            columns: vec![0; program.columns()],
            ..Default::default()
        };
        let exponents: Vec<Vec<(usize, i64)>> = program
            .columns
            .iter()
            .map(|column| {
                column
                    .iter()
                    .map(|(row, value)| (*row as usize, split(value).1))
                    .collect()
            })
            .collect();
        let all_exponents = || exponents.iter().flatten().map(|entry| entry.1);
        if let (Some(least), Some(most)) = (all_exponents().min(), all_exponents().max())
            && most - least > EASY_SPREAD
        {
            // Long numbers next to ones: entries out of range would be cut off, which would change the program.
            for pass in 0..MOST_PASSES {
                if pass >= PASSES && scaling.is_in_range(&exponents) {
                    break;
                }
                scaling.balance(&exponents);
            }
        }
        scaling.rhs = scaling.largest_rhs(program);
        scaling.cost = scaling.largest_cost(program);
        scaling
    }

    fn is_in_range(&self, exponents: &[Vec<(usize, i64)>]) -> bool {
        let mut columns = exponents.iter().zip(&self.columns);
        columns.all(|(entries, own)| {
            entries
                .iter()
                .all(|&(row, exponent)| IN_RANGE.contains(&(exponent + self.rows[row] + own)))
        })
    }

    /// One pass: rows, then columns, to a mean exponent of zero.
    fn balance(&mut self, exponents: &[Vec<(usize, i64)>]) {
        let mut sums = vec![(0i64, 0i64); self.rows.len()];
        for (column, entries) in exponents.iter().enumerate() {
            for &(row, exponent) in entries {
                sums[row].0 += exponent + self.columns[column];
                sums[row].1 += 1;
            }
        }
        for (row, (sum, count)) in sums.into_iter().enumerate() {
            if count > 0 {
                self.rows[row] = -sum.div_euclid(count);
            }
        }
        for (column, entries) in exponents.iter().enumerate() {
            if !entries.is_empty() {
                let sum: i64 = entries
                    .iter()
                    .map(|&(row, exponent)| exponent + self.rows[row])
                    .sum();
                self.columns[column] = -sum.div_euclid(entries.len() as i64);
            }
        }
    }

    /// The exponent of a column that came later, by the rule of the others.
    pub(crate) fn add_column(&mut self, program: &LinearProgram, column: usize) {
        let entries = &program.columns[column];
        let exponents = || {
            entries
                .iter()
                .map(|(row, value)| split(value).1 + self.rows[*row as usize])
        };
        let (least, most) = (
            exponents().min().unwrap_or(0),
            exponents().max().unwrap_or(0),
        );
        let easy = most <= EASY_SPREAD && least >= -EASY_SPREAD;
        let sum: i64 = exponents().sum();
        self.columns.push(if easy {
            0
        } else {
            -sum.div_euclid(entries.len() as i64)
        });
    }

    /// The exponent of a later row over existing columns, by the same rule.
    pub(crate) fn add_row(&mut self, entries: &[(usize, &Rational)]) -> i64 {
        let exponents = || {
            entries
                .iter()
                .map(|(column, value)| split(value).1 + self.columns[*column])
        };
        let (least, most) = (
            exponents().min().unwrap_or(0),
            exponents().max().unwrap_or(0),
        );
        let easy = most <= EASY_SPREAD && least >= -EASY_SPREAD;
        let sum: i64 = exponents().sum();
        let own = if easy {
            0
        } else {
            -sum.div_euclid(entries.len() as i64)
        };
        self.rows.push(own);
        own
    }

    fn largest_rhs(&self, program: &LinearProgram) -> i64 {
        let sides = program
            .rhs
            .iter()
            .enumerate()
            .filter(|(_, value)| !value.is_zero());
        sides
            .map(|(row, value)| split(value).1 + self.rows[row])
            .max()
            .unwrap_or(0)
    }

    fn largest_cost(&self, program: &LinearProgram) -> i64 {
        let costs = program
            .objective
            .iter()
            .enumerate()
            .filter(|(_, value)| !value.is_zero());
        costs
            .map(|(column, value)| split(value).1 + self.columns[column])
            .max()
            .unwrap_or(0)
    }

    /// The scaled program.
    pub(crate) fn apply(&self, program: &LinearProgram) -> FloatProgram {
        let mut float = FloatProgram {
            cost: (0..program.columns())
                .map(|column| self.cost_of(program, column))
                .collect(),
            column_lower: vec![0.0; program.columns()],
            row_lower: Vec::with_capacity(program.rows()),
            row_upper: Vec::with_capacity(program.rows()),
            starts: Vec::with_capacity(program.columns() + 1),
            rows: Vec::new(),
            values: Vec::new(),
        };
        for row in 0..program.rows() {
            let (lower, upper) = self.row_bounds(program, row);
            float.row_lower.push(lower);
            float.row_upper.push(upper);
        }
        for column in 0..program.columns() {
            float.starts.push(float.rows.len() as i32);
            for (row, value) in self.entries_of(program, column) {
                float.rows.push(row);
                float.values.push(value);
            }
        }
        float.starts.push(float.rows.len() as i32);
        float
    }

    /// A column's scaled cost, minimised.
    pub(crate) fn cost_of(&self, program: &LinearProgram, column: usize) -> f64 {
        let (mantissa, exponent) = split(&program.objective[column]);
        let cost = compose(mantissa, exponent + self.columns[column] - self.cost);
        if program.sense == Sense::Maximize {
            -cost
        } else {
            cost
        }
    }

    /// A row's scaled bounds.
    pub(crate) fn row_bounds(&self, program: &LinearProgram, row: usize) -> (f64, f64) {
        let (mantissa, exponent) = split(&program.rhs[row]);
        bounds(
            program.relations[row],
            compose(mantissa, exponent + self.rows[row] - self.rhs),
        )
    }

    /// A column's scaled entries.
    pub(crate) fn entries_of(&self, program: &LinearProgram, column: usize) -> Vec<(i32, f64)> {
        let scale = |(row, value): &(u32, Rational)| {
            let (mantissa, exponent) = split(value);
            (
                *row as i32,
                compose(
                    mantissa,
                    exponent + self.rows[*row as usize] + self.columns[column],
                ),
            )
        };
        program.columns[column].iter().map(scale).collect()
    }
}

/// The interval a relation allows around its right-hand side.
pub(crate) fn bounds(relation: Relation, rhs: f64) -> (f64, f64) {
    match relation {
        Relation::AtMost => (f64::NEG_INFINITY, rhs),
        Relation::Equal => (rhs, rhs),
        Relation::AtLeast => (rhs, f64::INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_numbers::whole;

    /// A star's scatter: `c f_i` on two ports each next to `-T`, `f_i = 1`, and ports that send nothing. `c` has 200
    /// digits.
    #[test]
    fn long_numbers_beside_ones_are_scaled_into_range() {
        let mut program = LinearProgram::new(Sense::Minimize);
        let one = || whole(1);
        let long = whole(BigInt::from(10).pow(200));
        let hub = program.add_row(Relation::AtMost, Rational::zero());
        let leaves: Vec<_> = (0..300)
            .map(|_| {
                (
                    program.add_row(Relation::AtMost, Rational::zero()),
                    program.add_row(Relation::Equal, one()),
                )
            })
            .collect();
        let idle: Vec<_> = leaves
            .iter()
            .map(|_| program.add_row(Relation::AtMost, Rational::zero()))
            .collect();
        let ports = leaves
            .iter()
            .map(|(port, _)| *port)
            .chain(idle)
            .chain([hub])
            .map(|port| (port, -one()));
        program.add_column(one(), ports).unwrap();
        for &(port, balance) in &leaves {
            program
                .add_column(
                    Rational::zero(),
                    [(hub, long.clone()), (port, long.clone()), (balance, one())],
                )
                .unwrap();
        }
        let float = Scaling::new(&program).apply(&program);
        for value in float.values {
            assert!((1e-14..LARGEST).contains(&value.abs()), "{value}");
        }
    }

    #[test]
    fn numbers_survive_the_split() {
        for (n, d) in [
            (1i64, 3i64),
            (-7, 2),
            (1 << 45, 3),
            (10_000_000, 1),
            (1, 1 << 62),
        ] {
            let (mantissa, exponent) = decompose(&n.into(), &d.into());
            let value = compose(mantissa, exponent);
            assert!(
                (value / (n as f64 / d as f64) - 1.0).abs() < 1e-15,
                "{n}/{d}: {value}"
            );
            assert!((0.5..=2.0).contains(&mantissa.abs()), "{mantissa}");
        }
        let huge = BigInt::from(10).pow(1000);
        let (mantissa, exponent) = decompose(&(&huge * 3), &huge);
        assert!((compose(mantissa, exponent) - 3.0).abs() < 1e-14);
        assert_eq!(decompose(&BigInt::from(0), &huge).0, 0.0);
    }
}
