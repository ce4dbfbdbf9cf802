//! The square system behind a basis, solved exactly in both directions.
//!
//! A basis marks as many columns and rows as there are rows as *basic*. A row that is not basic holds with
//! equality, a column that is not basic is zero. So only the *kernel* matters: the rows that are not basic against
//! the columns that are.

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_watch::Watch;

use crate::factor::{Factors, Singular, factorise};
use crate::form::{Coefficient, IntegerForm};
use crate::lifting::{self, Square, System};
use crate::modular::{FIRST_PRIME, Field, PRIMES, primes_from};
use crate::vector::RationalVector;

/// Primes tried besides the fixed ones before a kernel counts as singular.
const FURTHER: usize = 2;

/// Which columns and rows are basic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    pub columns: Vec<bool>,
    pub rows: Vec<bool>,
}

impl Basis {
    /// Every row basic: all variables are zero.
    pub fn slack(columns: usize, rows: usize) -> Self {
        Basis { columns: vec![false; columns], rows: vec![true; rows] }
    }

    /// A basis has as many members as there are rows.
    pub fn is_complete(&self) -> bool {
        self.columns.iter().chain(&self.rows).filter(|&&basic| basic).count() == self.rows.len()
    }
}

/// The factorised kernel of one basis.
pub struct Kernel<'a, C> {
    form: &'a IntegerForm<C>,
    /// Basic columns, ascending.
    pub columns: Vec<usize>,
    /// Rows that are not basic, ascending.
    pub rows: Vec<usize>,
    /// Place of each row in `rows`, or `usize::MAX`.
    place: Vec<usize>,
    matrix: Square<C>,
    factors: Factors,
    watch: &'a Watch,
}

impl<'a, C: Coefficient> Kernel<'a, C> {
    /// Factorises the kernel of a basis.
    ///
    /// # Errors
    /// The rows and columns (of the program) without a pivot when the basis is singular or incomplete; none where the
    /// watch has ended.
    pub fn new(form: &'a IntegerForm<C>, basis: &Basis, watch: &'a Watch) -> Result<Self, Singular> {
        watch.ask().map_err(|_| Singular { rows: Vec::new(), columns: Vec::new() })?;
        let columns: Vec<usize> = (0..basis.columns.len()).filter(|&column| basis.columns[column]).collect();
        let rows: Vec<usize> = (0..basis.rows.len()).filter(|&row| !basis.rows[row]).collect();
        let mut place = vec![usize::MAX; basis.rows.len()];
        for (index, &row) in rows.iter().enumerate() {
            place[row] = index;
        }
        let kernel_column = |&column: &usize| {
            let entries = form.entries(column).filter(|(row, _)| place[*row] != usize::MAX);
            entries.map(|(row, value)| (place[row] as u32, value.clone())).collect()
        };
        let matrix = Square { columns: columns.iter().map(kernel_column).collect() };
        let size = columns.len().max(rows.len());
        let mut failure = Singular { rows: Vec::new(), columns: Vec::new() };
        let data = || {
            let residues = matrix.columns.iter().flatten().map(|(_, value)| value.residue(Field::new(FIRST_PRIME)));
            residues.fold(1u64, |all, residue| all.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ residue)
        };
        let further = std::iter::once_with(data).flat_map(|data| primes_from(data).take(FURTHER));
        for prime in PRIMES.into_iter().chain(further) {
            let field = Field::new(prime);
            let entries = matrix.columns.iter().enumerate().flat_map(|(column, entries)| {
                entries.iter().map(move |(row, value)| (*row as usize, column, value.residue(field)))
            });
            match factorise(field, size, entries) {
                Ok(factors) => return Ok(Kernel { form, columns, rows, place, matrix, factors, watch }),
                Err(singular) => failure = singular,
            }
        }
        // An incomplete basis pads the kernel to a square; the padding is no row or column of the program.
        let known =
            |places: Vec<usize>, list: &[usize]| places.iter().filter_map(|&at| list.get(at).copied()).collect();
        Err(Singular { rows: known(failure.rows, &rows), columns: known(failure.columns, &columns) })
    }

    /// Solves `K x = rhs` (`rhs` by program row, entries of basic rows ignored); `x` by kernel column. `None` only
    /// where the watch ended the work.
    pub fn solve(&self, rhs: &[C]) -> Option<RationalVector> {
        let rhs: Vec<C> = self.rows.iter().map(|&row| rhs[row].clone()).collect();
        let (numerators, denominator) = lifting::solve(&self.matrix, &self.factors, System::Direct, &rhs, self.watch)?;
        Some(RationalVector::new(numerators, denominator))
    }

    /// Solves `K^T y = cost` over the basic columns; `y` by program row, zero for basic rows.
    pub fn multipliers(&self, cost: &[C]) -> Option<RationalVector> {
        let cost: Vec<C> = self.columns.iter().map(|&column| cost[column].clone()).collect();
        let (numerators, denominator) =
            lifting::solve(&self.matrix, &self.factors, System::Transposed, &cost, self.watch)?;
        let mut by_row = vec![BigInt::zero(); self.place.len()];
        for (&row, numerator) in self.rows.iter().zip(numerators) {
            by_row[row] = numerator;
        }
        Some(RationalVector::new(by_row, denominator))
    }

    /// Spreads a vector over kernel columns to all columns of the program.
    pub fn spread(&self, x: RationalVector) -> RationalVector {
        let mut by_column = vec![BigInt::zero(); self.form.columns()];
        for (&column, numerator) in self.columns.iter().zip(x.numerators) {
            by_column[column] = numerator;
        }
        RationalVector::new(by_column, x.denominator)
    }
}
