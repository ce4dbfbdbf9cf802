//! Sparse LU factorisation modulo a prime, pivots chosen by Markowitz cost.
//!
//! Modulo a prime there is no rounding, so any non-zero entry is as good a pivot as any other and only fill-in
//! matters. Bases of platform programs are nearly triangular: singleton columns and rows are peeled off first
//! (they cause no fill at all), the small rest ("nucleus") is eliminated in Markowitz order.

use std::collections::BTreeSet;

use crate::modular::Field;

/// `P A Q = L U` of a square matrix modulo a prime.
#[derive(Debug, Clone)]
pub(crate) struct Factors {
    field: Field,
    /// Pivot row, pivot column and inverse of the pivot, in order of elimination.
    pivots: Vec<(u32, u32, u64)>,
    /// Per step the multiples of the pivot row subtracted from other rows: `(row, multiple)`.
    lower: Entries,
    /// Per step the pivot row's other entries: `(column, value)`.
    upper: Entries,
}

/// Why a matrix has no factorisation: rows and columns that found no pivot, equally many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Singular {
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
}

/// Lists of `(index, value)`, one per step, in one allocation.
#[derive(Debug, Clone, Default)]
struct Entries {
    starts: Vec<usize>,
    entries: Vec<(u32, u64)>,
}

impl Entries {
    fn close(&mut self) {
        self.starts.push(self.entries.len());
    }

    fn list(&self, step: usize) -> &[(u32, u64)] {
        let start = if step == 0 { 0 } else { self.starts[step - 1] };
        &self.entries[start..self.starts[step]]
    }
}

/// Elimination state: the rows not yet pivoted, and for every column the rows that may hold it.
struct Active {
    rows: Vec<Vec<(u32, u64)>>,
    columns: Vec<Vec<u32>>,
    row_done: Vec<bool>,
    column_done: Vec<bool>,
    row_count: Vec<u32>,
    column_count: Vec<u32>,
}

/// Factorises the `size` x `size` matrix with the given `(row, column, value)` entries, each position at most once.
///
/// # Errors
/// [`Singular`] lists the rows and columns left without a pivot if the matrix is singular modulo the prime.
pub(crate) fn factorise(
    field: Field,
    size: usize,
    entries: impl Iterator<Item = (usize, usize, u64)>,
) -> Result<Factors, Singular> {
    let mut active = Active::new(size, entries);
    let mut factors = Factors {
        field,
        pivots: Vec::with_capacity(size),
        lower: Entries::default(),
        upper: Entries::default(),
    };
    peel(&mut active, &mut factors);
    eliminate_nucleus(&mut active, &mut factors);
    if factors.pivots.len() == size {
        return Ok(factors);
    }
    let left = |done: &[bool]| (0..size).filter(|&index| !done[index]).collect();
    Err(Singular {
        rows: left(&active.row_done),
        columns: left(&active.column_done),
    })
}

impl Active {
    fn new(size: usize, entries: impl Iterator<Item = (usize, usize, u64)>) -> Self {
        let mut rows = vec![Vec::new(); size];
        let mut columns = vec![Vec::new(); size];
        for (row, column, value) in entries {
            if value != 0 {
                rows[row].push((column as u32, value));
                columns[column].push(row as u32);
            }
        }
        let row_count = rows.iter().map(|row| row.len() as u32).collect();
        let column_count = columns.iter().map(|column| column.len() as u32).collect();
        Active {
            rows,
            columns,
            row_done: vec![false; size],
            column_done: vec![false; size],
            row_count,
            column_count,
        }
    }

    /// Live rows that hold this column, with the value there.
    fn column_entries(&self, column: usize) -> Vec<(usize, u64)> {
        let mut found = Vec::with_capacity(self.column_count[column] as usize);
        for &row in &self.columns[column] {
            let row = row as usize;
            if !self.row_done[row]
                && let Some(entry) = self.rows[row]
                    .iter()
                    .find(|entry| entry.0 as usize == column)
            {
                found.push((row, entry.1));
            }
        }
        found
    }
}

/// Pivots on columns and rows with a single live entry while there are any. These pivots create no entry.
fn peel(active: &mut Active, factors: &mut Factors) {
    let size = active.rows.len();
    let mut singles: Vec<(bool, usize)> = Vec::new();
    singles.extend(
        (0..size)
            .filter(|&column| active.column_count[column] == 1)
            .map(|column| (true, column)),
    );
    singles.extend(
        (0..size)
            .filter(|&row| active.row_count[row] == 1)
            .map(|row| (false, row)),
    );
    while let Some((is_column, index)) = singles.pop() {
        let (row, column) = if is_column {
            if active.column_done[index] || active.column_count[index] != 1 {
                continue;
            }
            let Some(&row) = active.columns[index]
                .iter()
                .find(|&&row| !active.row_done[row as usize])
            else {
                continue;
            };
            (row as usize, index)
        } else {
            if active.row_done[index] || active.row_count[index] != 1 {
                continue;
            }
            let live = active.rows[index]
                .iter()
                .find(|entry| !active.column_done[entry.0 as usize]);
            let Some(&(column, _)) = live else { continue };
            (index, column as usize)
        };
        let below = active.column_entries(column);
        let upper: Vec<(u32, u64)> = active.rows[row]
            .iter()
            .copied()
            .filter(|entry| entry.0 as usize != column && !active.column_done[entry.0 as usize])
            .collect();
        record(active, factors, row, column, &below, &upper);
        for &(other, _) in &below {
            active.row_count[other] -= 1;
            if !active.row_done[other] && active.row_count[other] == 1 {
                singles.push((false, other));
            }
        }
        for &(other, _) in &upper {
            active.column_count[other as usize] -= 1;
            if active.column_count[other as usize] == 1 {
                singles.push((true, other as usize));
            }
        }
    }
}

/// Records one elimination step. The caller has the live column and the rest of the pivot row.
fn record(
    active: &mut Active,
    factors: &mut Factors,
    row: usize,
    column: usize,
    column_entries: &[(usize, u64)],
    upper: &[(u32, u64)],
) {
    let field = factors.field;
    let pivot = column_entries
        .iter()
        .find(|entry| entry.0 == row)
        .map_or(0, |entry| entry.1);
    let inverse = field.inverse(pivot);
    for &(other, value) in column_entries {
        if other != row {
            factors
                .lower
                .entries
                .push((other as u32, field.mul(value, inverse)));
        }
    }
    factors.lower.close();
    factors.upper.entries.extend_from_slice(upper);
    factors.upper.close();
    factors.pivots.push((row as u32, column as u32, inverse));
    active.row_done[row] = true;
    active.column_done[column] = true;
}

/// Markowitz elimination of the rows and columns that peeling left.
fn eliminate_nucleus(active: &mut Active, factors: &mut Factors) {
    let size = active.rows.len();
    let field = factors.field;
    let mut by_row = BTreeSet::new();
    let mut by_column = BTreeSet::new();
    for index in 0..size {
        if !active.row_done[index] {
            let done = &active.column_done;
            active.rows[index].retain(|entry| !done[entry.0 as usize]);
            active.row_count[index] = active.rows[index].len() as u32;
            if active.row_count[index] > 0 {
                by_row.insert((active.row_count[index], index));
            }
        }
        if !active.column_done[index] {
            let done = &active.row_done;
            active.columns[index].retain(|&row| !done[row as usize]);
            active.column_count[index] = active.columns[index].len() as u32;
            if active.column_count[index] > 0 {
                by_column.insert((active.column_count[index], index));
            }
        }
    }
    let mut position: Vec<u32> = vec![u32::MAX; size];
    while let Some((row, column)) = choose(active, &by_row, &by_column) {
        let below = active.column_entries(column);
        let pivot_row = std::mem::take(&mut active.rows[row]);
        let upper: Vec<(u32, u64)> = pivot_row
            .into_iter()
            .filter(|entry| entry.0 as usize != column)
            .collect();
        by_row.remove(&(active.row_count[row], row));
        by_column.remove(&(active.column_count[column], column));
        for &(other, _) in &upper {
            let other = other as usize;
            by_column.remove(&(active.column_count[other], other));
            active.column_count[other] -= 1;
        }
        record(active, factors, row, column, &below, &upper);
        let start = factors.lower.entries.len() + 1 - below.len();
        let multiples: Vec<(u32, u64)> = factors.lower.entries[start..].to_vec();
        for (other, multiple) in multiples {
            let other = other as usize;
            by_row.remove(&(active.row_count[other], other));
            subtract(
                field,
                active,
                other,
                column,
                multiple,
                &upper,
                &mut position,
            );
            if active.row_count[other] > 0 {
                by_row.insert((active.row_count[other], other));
            }
        }
        for &(other, _) in &upper {
            let other = other as usize;
            if active.column_count[other] > 0 {
                by_column.insert((active.column_count[other], other));
            }
        }
    }
}

/// `row -= multiple * pivot row`, dropping the pivot column and zeros.
fn subtract(
    field: Field,
    active: &mut Active,
    row: usize,
    column: usize,
    multiple: u64,
    upper: &[(u32, u64)],
    position: &mut [u32],
) {
    let mut entries = std::mem::take(&mut active.rows[row]);
    entries.retain(|entry| entry.0 as usize != column);
    for (index, entry) in entries.iter().enumerate() {
        position[entry.0 as usize] = index as u32;
    }
    for &(other, value) in upper {
        let change = field.mul(multiple, value);
        let at = position[other as usize];
        if at == u32::MAX {
            entries.push((other, field.neg(change)));
            active.columns[other as usize].push(row as u32);
            active.column_count[other as usize] += 1;
        } else {
            entries[at as usize].1 = field.sub(entries[at as usize].1, change);
        }
    }
    for entry in &entries {
        position[entry.0 as usize] = u32::MAX;
    }
    entries.retain(|&(other, value)| {
        if value == 0 {
            let other = other as usize;
            active.column_count[other] -= 1;
            active.columns[other].retain(|&kept| kept as usize != row);
        }
        value != 0
    });
    active.row_count[row] = entries.len() as u32;
    active.rows[row] = entries;
}

/// The cheapest pivot among the few shortest rows and columns: least `(row count - 1) (column count - 1)`.
fn choose(
    active: &Active,
    by_row: &BTreeSet<(u32, usize)>,
    by_column: &BTreeSet<(u32, usize)>,
) -> Option<(usize, usize)> {
    // Trades fewer entries in the factors for time per pivot: rows and columns looked at. Not measured.
    const LINES: usize = 3;
    let mut best: Option<(u64, usize, usize)> = None;
    let mut offer = |row: usize, column: usize| {
        let cost =
            u64::from(active.row_count[row] - 1) * u64::from(active.column_count[column] - 1);
        if best.is_none_or(|found| cost < found.0) {
            best = Some((cost, row, column));
        }
    };
    for &(_, column) in by_column.iter().take(LINES) {
        for &row in &active.columns[column] {
            if !active.row_done[row as usize] {
                offer(row as usize, column);
            }
        }
    }
    for &(_, row) in by_row.iter().take(LINES) {
        for &(column, _) in &active.rows[row] {
            offer(row, column as usize);
        }
    }
    best.map(|(_, row, column)| (row, column))
}

impl Factors {
    /// The field of the factorisation.
    pub(crate) fn field(&self) -> Field {
        self.field
    }

    /// Solves `A x = rhs`. `rhs` is by row and consumed, the result is by column.
    pub(crate) fn solve(&self, rhs: &mut [u64]) -> Vec<u64> {
        let field = self.field;
        for (step, &(row, _, _)) in self.pivots.iter().enumerate() {
            let value = rhs[row as usize];
            if value != 0 {
                for &(other, multiple) in self.lower.list(step) {
                    rhs[other as usize] =
                        field.sub(rhs[other as usize], field.mul(multiple, value));
                }
            }
        }
        let mut x = vec![0; rhs.len()];
        for (step, &(row, column, inverse)) in self.pivots.iter().enumerate().rev() {
            let mut value = rhs[row as usize];
            for &(other, entry) in self.upper.list(step) {
                let known = x[other as usize];
                if known != 0 {
                    value = field.sub(value, field.mul(entry, known));
                }
            }
            x[column as usize] = field.mul(value, inverse);
        }
        x
    }

    /// Solves `A^T y = rhs`. `rhs` is by column and consumed, the result is by row.
    pub(crate) fn solve_transposed(&self, rhs: &mut [u64]) -> Vec<u64> {
        let field = self.field;
        let mut y = vec![0; rhs.len()];
        for (step, &(row, column, inverse)) in self.pivots.iter().enumerate() {
            let value = field.mul(rhs[column as usize], inverse);
            y[row as usize] = value;
            if value != 0 {
                for &(other, entry) in self.upper.list(step) {
                    rhs[other as usize] = field.sub(rhs[other as usize], field.mul(entry, value));
                }
            }
        }
        for (step, &(row, _, _)) in self.pivots.iter().enumerate().rev() {
            let mut value = y[row as usize];
            for &(other, multiple) in self.lower.list(step) {
                let known = y[other as usize];
                if known != 0 {
                    value = field.sub(value, field.mul(multiple, known));
                }
            }
            y[row as usize] = value;
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modular::FIRST_PRIME;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solutions_solve_and_singular_matrices_are_told(
            size in 1usize..14,
            density in 1usize..6,
            raw in proptest::collection::vec((0usize..14, 0usize..14, -3i64..4), 0..84),
            rhs in proptest::collection::vec(-9i64..9, 14),
        ) {
            let field = Field::new(FIRST_PRIME);
            let mut dense = vec![vec![0i64; size]; size];
            for &(row, column, value) in raw.iter().take(size * density) {
                dense[row % size][column % size] = value;
            }
            let entries = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
            let entries: Vec<_> = entries.map(|(r, c)| (r, c, field.reduce_signed(dense[r][c].into()))).collect();
            let rank = rank(field, &entries, size);
            match factorise(field, size, entries.iter().copied()) {
                Err(singular) => {
                    prop_assert_eq!(singular.rows.len(), size - rank);
                    prop_assert_eq!(singular.columns.len(), size - rank);
                }
                Ok(factors) => {
                    prop_assert_eq!(rank, size);
                    let b: Vec<u64> = (0..size).map(|i| field.reduce_signed(rhs[i].into())).collect();
                    let x = factors.solve(&mut b.clone());
                    let y = factors.solve_transposed(&mut b.clone());
                    let (mut ax, mut ya) = (vec![0; size], vec![0; size]);
                    for &(r, c, v) in &entries {
                        ax[r] = field.reduce(ax[r] as u128 + v as u128 * x[c] as u128);
                        ya[c] = field.reduce(ya[c] as u128 + v as u128 * y[r] as u128);
                    }
                    prop_assert_eq!(&ax, &b);
                    prop_assert_eq!(&ya, &b);
                }
            }
        }
    }

    /// Naive twin: dense Gaussian elimination.
    fn rank(field: Field, entries: &[(usize, usize, u64)], size: usize) -> usize {
        let mut dense = vec![vec![0u64; size]; size];
        for &(row, column, value) in entries {
            dense[row][column] = value;
        }
        let mut rank = 0;
        for column in 0..size {
            let Some(pivot) = (rank..size).find(|&row| dense[row][column] != 0) else {
                continue;
            };
            dense.swap(rank, pivot);
            let inverse = field.inverse(dense[rank][column]);
            for row in rank + 1..size {
                let multiple = field.mul(dense[row][column], inverse);
                let pivot_row = dense[rank].clone();
                for (value, pivot) in dense[row].iter_mut().zip(&pivot_row).skip(column) {
                    *value = field.sub(*value, field.mul(multiple, *pivot));
                }
            }
            rank += 1;
        }
        rank
    }
}
