//! Peeling: the triangular parts of a square matrix are solved by substitution, exactly, and only the rest is
//! factorised.
//!
//! A row with one entry left determines its column's unknown before anything else is known. A column with one entry
//! left determines its unknown from that row, after all the others. Without these rows and columns the *nucleus* is
//! left, in which every row and column has at least two entries. For the transposed system rows and columns change
//! roles.
//!
//! With long numbers this pays: p-adic lifting carries the length of the longest unknown through every entry of the
//! matrix, and the lengths of stars and chains add up in a single unknown.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::Rational;
use crate::form::Coefficient;
use crate::fraction::{common_denominator, lowest};
use crate::lifting::{Square, System};

/// A pivot that was peeled off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    row: usize,
    column: usize,
    /// Whether the row had no other entry left. Otherwise the column had none.
    by_row: bool,
}

/// The order of substitutions, and the nucleus that remains.
#[derive(Debug, Clone)]
pub(crate) struct Peeled<C> {
    /// Per row: its `(column, value)` entries.
    rows: Vec<Vec<(u32, C)>>,
    steps: Vec<Step>,
    /// Rows and columns of the nucleus, ascending.
    pub nucleus_rows: Vec<usize>,
    pub nucleus_columns: Vec<usize>,
}

impl<C: Coefficient> Peeled<C> {
    /// Peels a square matrix of `size` rows. Time: linear in its entries.
    pub(crate) fn new(matrix: &Square<C>, size: usize) -> Self {
        let mut rows: Vec<Vec<(u32, C)>> = vec![Vec::new(); size];
        for (column, entries) in matrix.columns.iter().enumerate() {
            for (row, value) in entries {
                rows[*row as usize].push((column as u32, value.clone()));
            }
        }
        let column = |column: usize| matrix.columns.get(column).map_or(&[][..], Vec::as_slice);
        let mut row_done = vec![false; size];
        let mut column_done = vec![false; size];
        let mut row_count: Vec<usize> = rows.iter().map(Vec::len).collect();
        let mut column_count: Vec<usize> =
            (0..size).map(|position| column(position).len()).collect();
        let mut singles: Vec<(bool, usize)> = Vec::new();
        singles.extend(
            (0..size)
                .filter(|&position| column_count[position] == 1)
                .map(|position| (false, position)),
        );
        singles.extend(
            (0..size)
                .filter(|&position| row_count[position] == 1)
                .map(|position| (true, position)),
        );
        let mut steps = Vec::new();
        while let Some((by_row, position)) = singles.pop() {
            let live = match by_row {
                true if row_done[position] || row_count[position] != 1 => None,
                true => rows[position]
                    .iter()
                    .find(|entry| !column_done[entry.0 as usize])
                    .map(|entry| (position, entry.0 as usize)),
                false if column_done[position] || column_count[position] != 1 => None,
                false => column(position)
                    .iter()
                    .find(|entry| !row_done[entry.0 as usize])
                    .map(|entry| (entry.0 as usize, position)),
            };
            let Some((own_row, own_column)) = live else {
                continue;
            };
            steps.push(Step {
                row: own_row,
                column: own_column,
                by_row,
            });
            (row_done[own_row], column_done[own_column]) = (true, true);
            for &(other, _) in column(own_column) {
                let other = other as usize;
                row_count[other] -= 1;
                if !row_done[other] && row_count[other] == 1 {
                    singles.push((true, other));
                }
            }
            for &(other, _) in &rows[own_row] {
                let other = other as usize;
                column_count[other] -= 1;
                if !column_done[other] && column_count[other] == 1 {
                    singles.push((false, other));
                }
            }
        }
        let left = |done: &[bool]| (0..size).filter(|&position| !done[position]).collect();
        Peeled {
            rows,
            steps,
            nucleus_rows: left(&row_done),
            nucleus_columns: left(&column_done),
        }
    }

    /// The nucleus by its own columns, rows numbered within it.
    pub(crate) fn nucleus(&self, matrix: &Square<C>) -> Square<C> {
        let mut position = vec![None; self.rows.len()];
        for (own, &row) in self.nucleus_rows.iter().enumerate() {
            position[row] = Some(own as u32);
        }
        let inside = |&column: &usize| {
            let entries = matrix
                .columns
                .get(column)
                .map_or(&[][..], Vec::as_slice)
                .iter();
            entries
                .filter_map(|(row, value)| Some((position[*row as usize]?, value.clone())))
                .collect()
        };
        Square {
            columns: self.nucleus_columns.iter().map(inside).collect(),
        }
    }

    /// Solves the system. `nucleus` solves the system of the nucleus for a given right-hand side. If it returns `None`,
    /// the result is `None`.
    pub(crate) fn solve(
        &self,
        matrix: &Square<C>,
        system: System,
        rhs: &[C],
        nucleus: impl FnOnce(&[Rational]) -> Option<Vec<Rational>>,
    ) -> Option<Vec<Rational>> {
        let direct = system == System::Direct;
        let lines = if direct { &self.rows } else { &matrix.columns };
        let mut unknowns: Vec<Option<Rational>> = vec![None; self.rows.len()];
        let substitute = |step: &Step, unknowns: &mut Vec<Option<Rational>>| {
            let (line, unknown) = if direct {
                (step.row, step.column)
            } else {
                (step.column, step.row)
            };
            let (numerator, denominator) = rest(&lines[line], &rhs[line], unknowns);
            let pivot = lines[line]
                .iter()
                .find(|entry| entry.0 as usize == unknown)?;
            unknowns[unknown] = Some(lowest(numerator, denominator * pivot.1.to_big()));
            Some(())
        };
        for step in self.steps.iter().filter(|step| step.by_row == direct) {
            substitute(step, &mut unknowns)?;
        }
        let (inner_lines, inner) = if direct {
            (&self.nucleus_rows, &self.nucleus_columns)
        } else {
            (&self.nucleus_columns, &self.nucleus_rows)
        };
        if !inner.is_empty() {
            let side = |&line: &usize| {
                let (numerator, denominator) = rest(&lines[line], &rhs[line], &unknowns);
                lowest(numerator, denominator)
            };
            let sides: Vec<Rational> = inner_lines.iter().map(side).collect();
            let solved = nucleus(&sides)?;
            for (&unknown, value) in inner.iter().zip(solved) {
                unknowns[unknown] = Some(value);
            }
        }
        for step in self.steps.iter().rev().filter(|step| step.by_row != direct) {
            substitute(step, &mut unknowns)?;
        }
        unknowns.into_iter().collect()
    }
}

/// A line's right-hand side minus its known terms, over a denominator.
fn rest<C: Coefficient>(
    line: &[(u32, C)],
    rhs: &C,
    unknowns: &[Option<Rational>],
) -> (BigInt, BigInt) {
    let known = |(position, value)| -> Option<(&C, &Rational)> {
        let position: u32 = position;
        unknowns[position as usize]
            .as_ref()
            .filter(|known| !known.is_zero())
            .map(|known| (value, known))
    };
    let terms: Vec<(&C, &Rational)> = line
        .iter()
        .filter_map(|(position, value)| known((*position, value)))
        .collect();
    let denominator = common_denominator(terms.iter().map(|(_, known)| known.denom()));
    let mut sum = BigInt::zero();
    for (value, known) in terms {
        match *known.denom() == denominator {
            true => value.add_product(known.numer(), &mut sum),
            false if known.denom().is_one() => {
                value.add_product(&(known.numer() * &denominator), &mut sum)
            }
            false => value.add_product(&(known.numer() * (&denominator / known.denom())), &mut sum),
        }
    }
    let mut side = BigInt::zero();
    rhs.add_product(&denominator, &mut side);
    (side - sum, denominator)
}

#[cfg(test)]
mod tests {
    use oneport_numbers::whole;
    use proptest::prelude::*;

    use super::*;

    /// Gauss and Jordan, in rationals. `None` for a singular matrix.
    fn eliminate(mut rows: Vec<Vec<Rational>>) -> Option<Vec<Rational>> {
        for column in 0..rows.len() {
            let pivot = (column..rows.len()).find(|&row| !rows[row][column].is_zero())?;
            rows.swap(column, pivot);
            let scale = rows[column][column].recip();
            for value in &mut rows[column] {
                *value *= &scale;
            }
            let own = rows[column].clone();
            for row in (0..rows.len()).filter(|&row| row != column) {
                let factor = rows[row][column].clone();
                for (value, other) in rows[row].iter_mut().zip(&own) {
                    *value -= &factor * other;
                }
            }
        }
        rows.into_iter().map(|mut row| row.pop()).collect()
    }

    proptest! {
        #[test]
        fn peeled_systems_are_solved(
            size in 1usize..9,
            raw in proptest::collection::vec((0usize..9, 0usize..9, 1i64..99), 0..18),
            rhs in proptest::collection::vec(-9i64..9, 9),
        ) {
            let long = |value: i64| BigInt::from(value).pow(9) + 1;
            let mut dense = vec![vec![BigInt::zero(); size]; size];
            for position in 0..size {
                dense[position][(position * 2 + 1) % size] = long(position as i64 + 2);
            }
            for &(row, column, value) in &raw {
                dense[row % size][column % size] = long(value);
            }
            let entries = |column: usize| {
                let rows = (0..size).filter(|&row| !dense[row][column].is_zero());
                rows.map(|row| (row as u32, dense[row][column].clone())).collect()
            };
            let matrix = Square { columns: (0..size).map(entries).collect() };
            let rhs: Vec<BigInt> = rhs[..size].iter().map(|&value| long(value)).collect();
            let peeled = Peeled::new(&matrix, size);
            prop_assert_eq!(peeled.steps.len() + peeled.nucleus_rows.len(), size);
            prop_assert_eq!(peeled.nucleus_columns.len(), peeled.nucleus_rows.len());
            let nucleus = peeled.nucleus(&matrix);
            for system in [System::Direct, System::Transposed] {
                let inner = |sides: &[Rational]| {
                    let mut rows = vec![vec![Rational::zero(); sides.len() + 1]; sides.len()];
                    for (column, entries) in nucleus.columns.iter().enumerate() {
                        for (row, value) in entries {
                            let (row, column) = match system {
                                System::Direct => (*row as usize, column),
                                System::Transposed => (column, *row as usize),
                            };
                            rows[row][column] = whole(value.clone());
                        }
                    }
                    for (row, side) in rows.iter_mut().zip(sides) {
                        row[sides.len()] = side.clone();
                    }
                    eliminate(rows)
                };
                let Some(solved) = peeled.solve(&matrix, system, &rhs, inner) else { return Ok(()) };
                for line in 0..size {
                    let entry = |position: usize| match system {
                        System::Direct => &dense[line][position],
                        System::Transposed => &dense[position][line],
                    };
                    let sum: Rational = (0..size).map(|position| &solved[position] * entry(position)).sum();
                    prop_assert_eq!(sum, whole(rhs[line].clone()));
                }
            }
        }
    }
}
