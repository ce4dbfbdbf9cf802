//! The program in integers: every row scaled by its own factor, the objective by one, always minimised.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_numbers::{common_multiple, gcd, whole};

use crate::Rational;
use crate::fraction::common_denominator;
use crate::modular::Field;
use crate::program::{LinearProgram, Relation, Sense};
use crate::vector::RationalVector;

/// An integer matrix entry: a machine word if the whole program fits, a big integer otherwise.
pub(crate) trait Coefficient: Clone {
    /// A p-adic residual: holds sums of entries times digits below 2^61.
    type Residual: Clone;
    /// Whether numbers may be long, so that the length of numbers costs more than their count.
    const IS_LONG: bool;

    fn to_big(&self) -> BigInt;
    /// The value in this type, if it fits.
    fn from_big(value: BigInt) -> Option<Self>;
    fn residue(&self, field: Field) -> u64;
    fn residual(&self) -> Self::Residual;
    /// `residual -= self * digit`.
    fn subtract_product(&self, digit: u64, residual: &mut Self::Residual);
    fn residual_residue(residual: &Self::Residual, field: Field) -> u64;
    /// Exact division of a residual by the prime.
    fn divide(residual: &mut Self::Residual, prime: u64);
    /// `sum += self * value`.
    fn add_product(&self, value: &BigInt, sum: &mut BigInt);
}

impl Coefficient for i64 {
    type Residual = i128;
    const IS_LONG: bool = false;

    fn to_big(&self) -> BigInt {
        BigInt::from(*self)
    }

    fn from_big(value: BigInt) -> Option<Self> {
        value.to_i64()
    }

    fn residue(&self, field: Field) -> u64 {
        field.reduce_signed(i128::from(*self))
    }

    fn residual(&self) -> i128 {
        i128::from(*self)
    }

    fn subtract_product(&self, digit: u64, residual: &mut i128) {
        *residual -= i128::from(*self) * digit as i128;
    }

    fn residual_residue(residual: &i128, field: Field) -> u64 {
        field.reduce_signed(*residual)
    }

    fn divide(residual: &mut i128, prime: u64) {
        *residual /= prime as i128;
    }

    fn add_product(&self, value: &BigInt, sum: &mut BigInt) {
        match *self {
            0 => {}
            1 => *sum += value,
            -1 => *sum -= value,
            factor => *sum += value * factor,
        }
    }
}

impl Coefficient for BigInt {
    type Residual = BigInt;
    const IS_LONG: bool = true;

    fn to_big(&self) -> BigInt {
        self.clone()
    }

    fn from_big(value: BigInt) -> Option<Self> {
        Some(value)
    }

    fn residue(&self, field: Field) -> u64 {
        self.mod_floor(&BigInt::from(field.prime()))
            .to_u64()
            .unwrap_or(0)
    }

    fn residual(&self) -> BigInt {
        self.clone()
    }

    fn subtract_product(&self, digit: u64, residual: &mut BigInt) {
        *residual -= self * digit;
    }

    fn residual_residue(residual: &BigInt, field: Field) -> u64 {
        residual.residue(field)
    }

    fn divide(residual: &mut BigInt, prime: u64) {
        *residual /= prime;
    }

    fn add_product(&self, value: &BigInt, sum: &mut BigInt) {
        *sum += self * value;
    }
}

/// `min cost x`, `rows x <=, =, >= rhs`, `x >= 0` in integers.
#[derive(Debug, Clone)]
pub(crate) struct IntegerForm<C> {
    pub relations: Vec<Relation>,
    /// Column starts into `rows` and `values`, one more than columns.
    pub starts: Vec<usize>,
    pub rows: Vec<u32>,
    pub values: Vec<C>,
    pub rhs: Vec<C>,
    pub cost: Vec<C>,
    /// Row `i` of this form is row `i` of the program times this positive factor.
    pub row_factors: Vec<Rational>,
    /// A variable of the program is the variable here times this positive factor. `None`: all factors are 1.
    pub column_factors: Option<Vec<BigInt>>,
    /// The cost here is the program's (negated when maximised) times this positive factor.
    pub cost_factor: Rational,
}

/// The integer form in the narrowest type that cannot overflow.
pub(crate) enum AnyForm {
    Small(IntegerForm<i64>),
    Big(IntegerForm<BigInt>),
}

impl<C: Coefficient> IntegerForm<C> {
    pub(crate) fn columns(&self) -> usize {
        self.cost.len()
    }

    pub(crate) fn entries(&self, column: usize) -> impl Iterator<Item = (usize, &C)> {
        let range = self.starts[column]..self.starts[column + 1];
        self.rows[range.clone()]
            .iter()
            .map(|&row| row as usize)
            .zip(&self.values[range])
    }

    /// The factor of a column's variable. `None` for 1.
    pub(crate) fn column_factor(&self, column: usize) -> Option<&BigInt> {
        self.column_factors
            .as_ref()
            .and_then(|factors| factors.get(column))
    }

    /// A solution by column in the program's units.
    pub(crate) fn unscaled(&self, mut x: RationalVector) -> RationalVector {
        for (numerator, factor) in x
            .numerators
            .iter_mut()
            .zip(self.column_factors.iter().flatten())
        {
            if !numerator.is_zero() && !factor.is_one() {
                *numerator *= factor;
            }
        }
        x
    }
}

/// Brings the program to integers. If a row meets many long denominators, variables are scaled as well: otherwise the
/// denominators' common multiple would be as long as all of them together, and appear in every entry.
pub(crate) fn scaled_form(program: &LinearProgram) -> AnyForm {
    let by_row = match integer_form(program) {
        AnyForm::Big(form) => form,
        small => return small,
    };
    let length = |form: &IntegerForm<BigInt>| form.values.iter().map(bits).sum::<u64>();
    let by_column = column_form(program);
    AnyForm::Big(if 2 * length(&by_column) < length(&by_row) {
        by_column
    } else {
        by_row
    })
}

/// The integer form with every variable scaled by the common denominator of its column.
fn column_form(program: &LinearProgram) -> IntegerForm<BigInt> {
    let mut scaled = program.clone();
    let of_column = |entries: &Vec<(u32, Rational)>| {
        common_denominator(entries.iter().map(|(_, value)| value.denom()))
    };
    let factors: Vec<BigInt> = scaled.columns.iter().map(of_column).collect();
    for (entries, factor) in scaled.columns.iter_mut().zip(&factors) {
        for (_, value) in entries {
            *value = whole(value.numer() * (factor / value.denom()));
        }
    }
    for (cost, factor) in scaled
        .objective
        .iter_mut()
        .zip(&factors)
        .filter(|(cost, _)| !cost.is_zero())
    {
        *cost *= factor;
    }
    IntegerForm {
        column_factors: Some(factors),
        ..big_form(&scaled)
    }
}

/// Brings the program to integers, its variables as they are.
pub(crate) fn integer_form(program: &LinearProgram) -> AnyForm {
    let big = big_form(program);
    match narrow(&big) {
        Some(small) => AnyForm::Small(small),
        None => AnyForm::Big(big),
    }
}

fn big_form(program: &LinearProgram) -> IntegerForm<BigInt> {
    let row_factors = row_factors(program);
    let entries = program.entries();
    let mut starts = Vec::with_capacity(program.columns() + 1);
    let mut rows = Vec::with_capacity(entries);
    let mut values = Vec::with_capacity(entries);
    starts.push(0);
    for column in &program.columns {
        for (row, value) in column {
            rows.push(*row);
            values.push(scale(value, &row_factors[*row as usize]));
        }
        starts.push(rows.len());
    }
    let cost_factor = common_factor(program.objective.iter());
    let negate = program.sense == Sense::Maximize;
    let cost = program.objective.iter().map(|value| {
        let cost = scale(value, &cost_factor);
        if negate { -cost } else { cost }
    });
    IntegerForm {
        relations: program.relations.clone(),
        starts,
        rows,
        values,
        rhs: program
            .rhs
            .iter()
            .zip(&row_factors)
            .map(|(value, factor)| scale(value, factor))
            .collect(),
        cost: cost.collect(),
        row_factors,
        column_factors: None,
        cost_factor,
    }
}

/// `value * factor`, which is an integer by construction of the factor.
fn scale(value: &Rational, factor: &Rational) -> BigInt {
    if value.denom().is_one() && factor.numer().is_one() {
        if factor.denom().is_one() {
            value.numer().clone()
        } else {
            value.numer() / factor.denom()
        }
    } else {
        value.numer() * (factor.numer() / value.denom()) / factor.denom()
    }
}

/// lcm of the denominators over gcd of the numerators: the smallest factor that makes all values integers.
fn common_factor<'a>(values: impl Iterator<Item = &'a Rational>) -> Rational {
    let (mut denominators, mut numerators) = (BigUint::one(), BigUint::zero());
    for value in values.filter(|value| !value.is_zero()) {
        fold_factor(value, &mut denominators, &mut numerators);
    }
    factor_of(denominators, numerators)
}

/// The quotient of the two, or 1 without values. (An lcm of denominators and a gcd of numerators have no common
/// divisor: it would divide both parts of some value.)
fn factor_of(denominators: BigUint, numerators: BigUint) -> Rational {
    if numerators.is_zero() {
        Rational::one()
    } else {
        Rational::new_raw(denominators.into(), numerators.into())
    }
}

fn fold_factor(value: &Rational, denominators: &mut BigUint, numerators: &mut BigUint) {
    let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
    if !denominator.is_one() && denominator != denominators {
        *denominators = common_multiple([&*denominators, denominator]);
    }
    if !numerators.is_one() {
        *numerators = gcd(numerators, numerator);
    }
}

fn row_factors(program: &LinearProgram) -> Vec<Rational> {
    let mut denominators = vec![BigUint::one(); program.rows()];
    let mut numerators = vec![BigUint::zero(); program.rows()];
    let entries = program
        .columns
        .iter()
        .flatten()
        .map(|(row, value)| (*row as usize, value));
    let sides = program
        .rhs
        .iter()
        .enumerate()
        .filter(|(_, value)| !value.is_zero());
    for (row, value) in entries.chain(sides) {
        fold_factor(value, &mut denominators[row], &mut numerators[row]);
    }
    denominators
        .into_iter()
        .zip(numerators)
        .map(|(d, n)| factor_of(d, n))
        .collect()
}

/// This form in machine words, if no residual can overflow: row and column sums below 2^62.
fn narrow(form: &IntegerForm<BigInt>) -> Option<IntegerForm<i64>> {
    // Fact: sums of two such numbers fit 63 bits and a sign.
    const LIMIT: u64 = 1 << 62;
    let word = |value: &BigInt| value.to_i64().filter(|value| value.unsigned_abs() < LIMIT);
    let words = |values: &[BigInt]| values.iter().map(word).collect::<Option<Vec<i64>>>();
    let values = words(&form.values)?;
    let mut row_sums = vec![0u64; form.rhs.len()];
    for column in 0..form.cost.len() {
        let mut column_sum = 0u64;
        for at in form.starts[column]..form.starts[column + 1] {
            let size = values[at].unsigned_abs();
            let row = &mut row_sums[form.rows[at] as usize];
            *row = row.checked_add(size).filter(|&sum| sum < LIMIT)?;
            column_sum = column_sum.checked_add(size).filter(|&sum| sum < LIMIT)?;
        }
    }
    Some(IntegerForm {
        relations: form.relations.clone(),
        starts: form.starts.clone(),
        rows: form.rows.clone(),
        values,
        rhs: words(&form.rhs)?,
        cost: words(&form.cost)?,
        row_factors: form.row_factors.clone(),
        column_factors: None,
        cost_factor: form.cost_factor.clone(),
    })
}

/// Bits of a number, its sign apart.
pub(crate) fn bits(value: &BigInt) -> u64 {
    value.magnitude().bits()
}

/// The sign as -1, 0, 1.
pub(crate) fn sign(value: &BigInt) -> i32 {
    if value.is_zero() {
        0
    } else if value.is_negative() {
        -1
    } else {
        1
    }
}
