//! The square system behind a basis, solved exactly in both directions.
//!
//! A basis marks as many columns and rows as there are rows as *basic*. A row that is not basic holds with
//! equality, a column that is not basic is zero. So only the *kernel* matters: the rows that are not basic against
//! the columns that are.

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_watch::Watch;

use crate::Rational;
use crate::factor::{Factors, Singular, factorise};
use crate::form::{Coefficient, IntegerForm};
use crate::fraction::{common_denominator, lowest};
use crate::lifting::{self, Fraction, Square, System};
use crate::modular::{FIRST_PRIME, Field, PRIMES, primes_from};
use crate::peel::Peeled;
use crate::vector::RationalVector;

/// Primes tried besides the fixed ones before a kernel counts as singular. Trades time on singular bases for bases
/// refused by accident. Not measured.
const FURTHER: usize = 2;

/// Which columns and rows are basic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Basis {
    pub columns: Vec<bool>,
    pub rows: Vec<bool>,
}

impl Basis {
    /// Every row basic: all variables are zero.
    pub(crate) fn slack(columns: usize, rows: usize) -> Self {
        Basis {
            columns: vec![false; columns],
            rows: vec![true; rows],
        }
    }

    /// A basis has as many members as there are rows.
    pub(crate) fn is_complete(&self) -> bool {
        self.columns
            .iter()
            .chain(&self.rows)
            .filter(|&&basic| basic)
            .count()
            == self.rows.len()
    }
}

/// The factorised kernel of one basis.
pub(crate) struct Kernel<'a, C> {
    form: &'a IntegerForm<C>,
    /// Basic columns, ascending.
    pub columns: Vec<usize>,
    /// Rows that are not basic, ascending.
    pub rows: Vec<usize>,
    /// Position of each row in `rows`, or `usize::MAX`.
    position: Vec<usize>,
    matrix: Square<C>,
    /// For long numbers: the part that substitution solves, and the rest as a separate matrix.
    peeled: Option<(Peeled<C>, Square<C>)>,
    /// Factors of the rest, or of the whole matrix if nothing was peeled.
    factors: Factors,
    watch: &'a Watch,
}

impl<'a, C: Coefficient> Kernel<'a, C> {
    /// Factorises the kernel of a basis.
    ///
    /// # Errors
    /// The rows and columns (of the program) without a pivot if the basis is singular or incomplete. The lists are
    /// empty if the watch has ended.
    pub(crate) fn new(
        form: &'a IntegerForm<C>,
        basis: &Basis,
        watch: &'a Watch,
    ) -> Result<Self, Singular> {
        watch.ask().map_err(|_| Singular {
            rows: Vec::new(),
            columns: Vec::new(),
        })?;
        let columns: Vec<usize> = (0..basis.columns.len())
            .filter(|&column| basis.columns[column])
            .collect();
        let rows: Vec<usize> = (0..basis.rows.len())
            .filter(|&row| !basis.rows[row])
            .collect();
        let mut position = vec![usize::MAX; basis.rows.len()];
        for (index, &row) in rows.iter().enumerate() {
            position[row] = index;
        }
        let kernel_column = |&column: &usize| {
            let entries = form
                .entries(column)
                .filter(|(row, _)| position[*row] != usize::MAX);
            entries
                .map(|(row, value)| (position[row] as u32, value.clone()))
                .collect()
        };
        let matrix = Square {
            columns: columns.iter().map(kernel_column).collect(),
        };
        let size = columns.len().max(rows.len());
        let peeled = C::IS_LONG.then(|| {
            let peeled = Peeled::new(&matrix, size);
            let nucleus = peeled.nucleus(&matrix);
            (peeled, nucleus)
        });
        let (inner, inner_size) = peeled
            .as_ref()
            .map_or((&matrix, size), |(peeled, nucleus)| {
                (nucleus, peeled.nucleus_rows.len())
            });
        let mut failure = Singular {
            rows: Vec::new(),
            columns: Vec::new(),
        };
        let data = || {
            let residues = inner
                .columns
                .iter()
                .flatten()
                .map(|(_, value)| value.residue(Field::new(FIRST_PRIME)));
            residues.fold(1u64, |all, residue| {
                all.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ residue
            })
        };
        let further = std::iter::once_with(data).flat_map(|data| primes_from(data).take(FURTHER));
        for prime in PRIMES.into_iter().chain(further) {
            let field = Field::new(prime);
            let entries = inner
                .columns
                .iter()
                .enumerate()
                .flat_map(|(column, entries)| {
                    entries
                        .iter()
                        .map(move |(row, value)| (*row as usize, column, value.residue(field)))
                });
            match factorise(field, inner_size, entries) {
                Ok(factors) => {
                    return Ok(Kernel {
                        form,
                        columns,
                        rows,
                        position,
                        matrix,
                        peeled,
                        factors,
                        watch,
                    });
                }
                Err(singular) => failure = singular,
            }
        }
        if let Some((peeled, _)) = &peeled {
            for row in failure.rows.iter_mut() {
                *row = peeled.nucleus_rows[*row];
            }
            for column in failure.columns.iter_mut() {
                *column = peeled.nucleus_columns[*column];
            }
        }
        // An incomplete basis pads the kernel to a square. The padding is not a row or column of the program.
        let known = |positions: Vec<usize>, list: &[usize]| {
            positions
                .iter()
                .filter_map(|&at| list.get(at).copied())
                .collect()
        };
        Err(Singular {
            rows: known(failure.rows, &rows),
            columns: known(failure.columns, &columns),
        })
    }

    /// Solves `K x = rhs` (`rhs` by program row, entries of basic rows ignored). `x` is by kernel column. `None` only
    /// if the watch ended the work.
    pub(crate) fn solve(&self, rhs: &[C]) -> Option<RationalVector> {
        let rhs: Vec<C> = self.rows.iter().map(|&row| rhs[row].clone()).collect();
        let (numerators, denominator) = self.solve_system(System::Direct, &rhs)?;
        Some(RationalVector::new(numerators, denominator))
    }

    fn solve_system(&self, system: System, rhs: &[C]) -> Option<Fraction> {
        let Some((peeled, nucleus)) = &self.peeled else {
            return lifting::solve(&self.matrix, &self.factors, system, rhs, self.watch);
        };
        let lift = |sides: &[Rational]| -> Option<Vec<Rational>> {
            let unit = common_denominator(sides.iter().map(Rational::denom));
            let whole = sides
                .iter()
                .map(|side| C::from_big(side.numer() * (&unit / side.denom())));
            let whole: Vec<C> = whole.collect::<Option<_>>()?;
            let (numerators, denominator) =
                lifting::solve(nucleus, &self.factors, system, &whole, self.watch)?;
            let denominator = denominator * unit;
            Some(
                numerators
                    .into_iter()
                    .map(|numerator| lowest(numerator, denominator.clone()))
                    .collect(),
            )
        };
        let solved = peeled.solve(&self.matrix, system, rhs, lift)?;
        let denominator = common_denominator(solved.iter().map(Rational::denom));
        let numerator = |value: Rational| {
            let (numerator, own) = value.into_raw();
            if own == denominator {
                numerator
            } else {
                numerator * (&denominator / own)
            }
        };
        Some((solved.into_iter().map(numerator).collect(), denominator))
    }

    /// Solves `K^T y = cost` over the basic columns. `y` is by program row, zero for basic rows.
    pub(crate) fn multipliers(&self, cost: &[C]) -> Option<RationalVector> {
        let cost: Vec<C> = self
            .columns
            .iter()
            .map(|&column| cost[column].clone())
            .collect();
        let (numerators, denominator) = self.solve_system(System::Transposed, &cost)?;
        let mut by_row = vec![BigInt::zero(); self.position.len()];
        for (&row, numerator) in self.rows.iter().zip(numerators) {
            by_row[row] = numerator;
        }
        Some(RationalVector::new(by_row, denominator))
    }

    /// Spreads a vector over kernel columns to all columns of the program.
    pub(crate) fn spread(&self, x: RationalVector) -> RationalVector {
        let mut by_column = vec![BigInt::zero(); self.form.columns()];
        for (&column, numerator) in self.columns.iter().zip(x.numerators) {
            by_column[column] = numerator;
        }
        RationalVector::new(by_column, x.denominator)
    }
}
