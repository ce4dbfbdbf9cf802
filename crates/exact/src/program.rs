//! Sparse linear programs with rational data and non-negative variables.

use num_traits::Zero;

use crate::Rational;

/// Whether the objective is to be made small or large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Smallest objective.
    Minimize,
    /// Largest objective.
    Maximize,
}

/// How a row's activity compares with its right-hand side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `a x <= b`.
    AtMost,
    /// `a x = b`.
    Equal,
    /// `a x >= b`.
    AtLeast,
}

/// A row (constraint) of one program, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(pub usize);

/// A column (variable) of one program, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(pub usize);

/// Why a program cannot be built or solved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExactError {
    /// A coefficient names a row that does not exist.
    #[error("row {row} does not exist; the program has {rows} rows, numbered from 0")]
    UnknownRow {
        /// The row named.
        row: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// A coefficient names a column that does not exist.
    #[error("column {column} does not exist; the program has {columns} columns, numbered from 0")]
    UnknownColumn {
        /// The column named.
        column: usize,
        /// How many columns there are.
        columns: usize,
    },
    /// An entry is given twice.
    #[error("row {row}, column {column}: two coefficients given; add them up first")]
    DuplicateEntry {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// More rows, columns or entries than the solver can number.
    #[error("the program has {count} {what}; at most {limit} are supported")]
    TooLarge {
        /// "rows", "columns" or "entries".
        what: &'static str,
        /// How many there are.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The floating-point solver refused its input or failed.
    #[error("HiGHS failed in {call} (status {status})")]
    Solver {
        /// The call that failed.
        call: &'static str,
        /// Its return value.
        status: i64,
    },
}

/// `min` or `max` of `c x` subject to rows `a x <=, =, >= b` and `x >= 0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearProgram {
    pub(crate) sense: Sense,
    pub(crate) objective: Vec<Rational>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) rhs: Vec<Rational>,
    /// Per column its entries, by ascending row, none zero.
    pub(crate) columns: Vec<Vec<(u32, Rational)>>,
}

impl LinearProgram {
    /// An empty program.
    pub fn new(sense: Sense) -> Self {
        LinearProgram {
            sense,
            objective: Vec::new(),
            relations: Vec::new(),
            rhs: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// The direction of the objective.
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rhs.len()
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Adds a row without entries. Columns bring the entries.
    pub fn add_row(&mut self, relation: Relation, rhs: Rational) -> Row {
        self.relations.push(relation);
        self.rhs.push(rhs);
        Row(self.rhs.len() - 1)
    }

    /// Adds a row with entries in columns that exist already.
    ///
    /// # Errors
    /// Unknown columns, a column named twice.
    pub fn add_row_with(
        &mut self,
        relation: Relation,
        rhs: Rational,
        entries: impl IntoIterator<Item = (Column, Rational)>,
    ) -> Result<Row, ExactError> {
        let row = self.rhs.len();
        let mut entries: Vec<_> = entries
            .into_iter()
            .filter(|(_, value)| !value.is_zero())
            .collect();
        entries.sort_by_key(|(column, _)| *column);
        for (index, (column, _)) in entries.iter().enumerate() {
            if column.0 >= self.columns.len() {
                return Err(ExactError::UnknownColumn {
                    column: column.0,
                    columns: self.columns.len(),
                });
            }
            if index > 0 && entries[index - 1].0 == *column {
                return Err(ExactError::DuplicateEntry {
                    row,
                    column: column.0,
                });
            }
        }
        for (column, value) in entries {
            self.columns[column.0].push((row as u32, value));
        }
        Ok(self.add_row(relation, rhs))
    }

    /// Adds a variable `x >= 0` with its objective coefficient and its entries in existing rows.
    ///
    /// # Errors
    /// Unknown rows, a row named twice.
    pub fn add_column(
        &mut self,
        objective: Rational,
        entries: impl IntoIterator<Item = (Row, Rational)>,
    ) -> Result<Column, ExactError> {
        let column = self.columns.len();
        let mut sorted: Vec<(u32, Rational)> = Vec::new();
        for (row, value) in entries {
            if row.0 >= self.rhs.len() {
                return Err(ExactError::UnknownRow {
                    row: row.0,
                    rows: self.rhs.len(),
                });
            }
            if !value.is_zero() {
                sorted.push((row.0 as u32, value));
            }
        }
        sorted.sort_by_key(|(row, _)| *row);
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(ExactError::DuplicateEntry {
                row: pair[0].0 as usize,
                column,
            });
        }
        self.columns.push(sorted);
        self.objective.push(objective);
        Ok(Column(column))
    }

    /// Entries over all columns.
    pub fn entries(&self) -> usize {
        self.columns.iter().map(Vec::len).sum()
    }

    /// The entries of one column, by ascending row. The column must exist.
    pub fn column(&self, column: Column) -> impl Iterator<Item = (Row, &Rational)> {
        self.columns[column.0]
            .iter()
            .map(|(row, value)| (Row(*row as usize), value))
    }

    /// A row's relation and right-hand side. The row must exist.
    pub fn row(&self, row: Row) -> (Relation, &Rational) {
        (self.relations[row.0], &self.rhs[row.0])
    }

    /// A column's objective coefficient. The column must exist.
    pub fn objective(&self, column: Column) -> &Rational {
        &self.objective[column.0]
    }
}
