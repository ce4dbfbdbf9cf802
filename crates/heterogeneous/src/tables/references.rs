//! Pairs of cells that one cell looks at, counted as the paper's Tables 2 to 4 do (found by trying readings until
//! all 225 cells of each agreed; the text says less, and differs twice):
//!
//! - Table 2: `f s / 2` (the text: `ceil(s (f - 1) / 2)`).
//! - Table 3: one binary search per column `0..=f/2`, so that for even `f` the middle pair of columns is searched from
//!   both sides. A search ends early when both sides are equal, else counts one more for its end.
//! - Table 4: columns `0..f/2`. While `T(A) < T(B)` a search from `A` up (the comparisons of `A` and `B` are not
//!   counted; there is no test for the point `C`); then the rectangle, which shrinks to the last equal pair.
//!
//! All on the complete exact table. Building it is not counted. The tables have even `f` only. For odd `f` the middle
//! column, its own mirror, is searched once.

use super::cells::Cells;
use super::{Rule, Table};

/// References that computing `T(f, s)` takes under a rule. 0 for `f = 0`, `s = 0` and beyond the table.
pub fn references(table: &Table, f: usize, s: usize, rule: Rule) -> u64 {
    if f == 0 || s == 0 || table.length(f, s).is_none() {
        return 0;
    }
    match rule {
        Rule::Naive => (f as u64 * s as u64) / 2,
        Rule::MonotoneSlow => (0..=f / 2)
            .filter(|&fl| fl < f)
            .map(|fl| Count::search(&table.cells, f, s, fl, 0, s).references)
            .sum(),
        Rule::MonotoneBoth => monotone_both(&table.cells, f, s),
    }
}

fn monotone_both(cells: &Cells, f: usize, s: usize) -> u64 {
    let columns = f / 2 + f % 2;
    let mut total = 0;
    let mut column = 0;
    while column < columns && column < s {
        if cells.at(column, column + 1) >= cells.at(f - 1 - column, s - column - 1) {
            return total + rectangle(cells, f, s, column, columns);
        }
        total += Count::search(cells, f, s, column, column + 1, s).references;
        column += 1;
    }
    total
        + (column..columns)
            .map(|fl| Count::search(cells, f, s, fl, 0, s).references)
            .sum::<u64>()
}

fn rectangle(cells: &Cells, f: usize, s: usize, first: usize, columns: usize) -> u64 {
    let mut high = first;
    let mut total = 0;
    for fl in first..columns {
        let low = s - high;
        if high <= low {
            break;
        }
        let count = Count::search(cells, f, s, fl, low, high);
        total += count.references;
        if let Some(equal) = count.equal {
            high = equal.saturating_sub(1);
        }
    }
    total
}

struct Count {
    references: u64,
    equal: Option<usize>,
}

impl Count {
    fn search(cells: &Cells, f: usize, s: usize, fl: usize, low: usize, high: usize) -> Count {
        let (mut low, mut high) = (low, high);
        let mut references = 0;
        while high - low > 1 {
            let middle = (low + high) / 2;
            references += 1;
            let (left, right) = (cells.at(fl, middle), cells.at(f - 1 - fl, s - middle));
            if left == right {
                return Count {
                    references,
                    equal: Some(middle),
                };
            }
            if left < right {
                low = middle;
            } else {
                high = middle;
            }
        }
        Count {
            references: references + 1,
            equal: None,
        }
    }
}
