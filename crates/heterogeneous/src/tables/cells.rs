//! The cells of a table, filled row by row.

/// `T(f, s)` in units, for `s` up to `most_slow`.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    /// Row by row: `values[f * (most_slow + 1) + s]`.
    values: Vec<u64>,
    most_slow: usize,
}

impl Cells {
    /// No cells yet. Room for those up to `(most_fast, most_slow)`.
    pub(super) fn with_capacity(most_fast: usize, most_slow: usize) -> Self {
        Cells {
            values: Vec::with_capacity((most_fast + 1) * (most_slow + 1)),
            most_slow,
        }
    }

    /// Adds the next cell of the row, or the first of the next row.
    pub(super) fn push(&mut self, value: u64) {
        self.values.push(value);
    }

    /// `T(f, s)`, which must be inside the table.
    pub(super) fn at(&self, f: usize, s: usize) -> u64 {
        self.values[f * (self.most_slow + 1) + s]
    }

    /// `T(f, s)`. `None` beyond the table.
    pub(super) fn get(&self, f: usize, s: usize) -> Option<u64> {
        if s <= self.most_slow {
            self.values
                .get(f.checked_mul(self.most_slow + 1)?.checked_add(s)?)
                .copied()
        } else {
            None
        }
    }
}
