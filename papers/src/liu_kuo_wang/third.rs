//! The third algorithm of section 5.3.4: the pairs of buddies that its three cases leave out, and the algorithm run as
//! written, on its own table.

use anyhow::{Result, ensure};

use super::brute;
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("figures-13-to-16", |_| regions()),
    ("third-run", |_| runs()),
];

/// The case of a column `a`, in which A = (a, a + 1) is the point on the line s = f + 1 and B is its buddy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// `S(A) <= S(B) + 1`: fewer slow ones than at A are left out.
    First,
    /// `S(A) > S(B) + 1` and `T(A) <= T(B)`: the same.
    Second,
    /// The column of the first A with `T(A) > T(B)`, and all columns after it. Entries above A, and entries whose
    /// buddies are above A, are left out.
    Third {
        /// The column of that A.
        column: usize,
    },
    /// A has more slow ones than exist: nothing is left out.
    Beyond,
}

/// Point C at the value for which its first case applies.
pub fn mended(s: usize) -> usize {
    s.div_ceil(2)
}

/// Point C as printed, `ceil((s + 1) / 2)`.
pub fn printed(s: usize) -> usize {
    (s + 1).div_ceil(2)
}

/// The cases of the columns `0..ceil(f / 2)`: the first up to point C, then by comparison.
pub fn cases(table: &[Vec<u64>], f: usize, s: usize, point_c: usize) -> Vec<Case> {
    let mut stopped = None;
    let case = |a: usize| {
        if let Some(column) = stopped {
            return Case::Third { column };
        }
        if a >= s {
            Case::Beyond
        } else if a < point_c {
            Case::First
        } else if table[a][a + 1] <= table[f - 1 - a][s - a - 1] {
            Case::Second
        } else {
            stopped = Some(a);
            Case::Third { column: a }
        }
    };
    (0..f.div_ceil(2)).map(case).collect()
}

/// The first and last number of slow ones on the left that remain in a column. The first may be above the last.
pub fn kept(case: Case, a: usize, s: usize) -> (usize, usize) {
    match case {
        Case::First | Case::Second => (a + 1, s),
        Case::Third { column } => (s.saturating_sub(column), column.min(s)),
        Case::Beyond => (0, s),
    }
}

/// A pair in a region that the algorithm skips is never better than the one on the line s = f + 1 of its column, or of
/// the column at which the third case begins.
fn regions() -> Result<Finding> {
    let mut tried = [0; 3];
    for (fast, slow) in [(10, 11), (2, 3), (10, 19)] {
        let table = brute::table(fast, slow, 22, 22);
        for (f, s) in (1..=22usize).flat_map(|f| (1..=22usize).map(move |s| (f, s))) {
            for (a, case) in cases(&table, f, s, mended(s)).into_iter().enumerate() {
                // A = (of, of + 1), and its buddy.
                let (of, kind) = match case {
                    Case::First => (a, 0),
                    Case::Second => (a, 1),
                    Case::Third { column } => (column, 2),
                    Case::Beyond => continue,
                };
                let best = table[of][of + 1].max(table[f - 1 - of][s - of - 1]);
                let (first, last) = kept(case, a, s);
                for share in (0..=s).filter(|share| !(first..=last).contains(share)) {
                    let pair = table[a][share].max(table[f - 1 - a][s - share]);
                    ensure!(
                        pair >= best,
                        "f = {f}, s = {s}, {case:?}: ({a}, {share}) is better than A = ({of}, {})",
                        of + 1
                    );
                    tried[kind] += 1;
                }
            }
        }
    }
    ensure!(
        tried.iter().all(|&tried| tried > 0),
        "{tried:?} pairs were skipped"
    );
    let [first, second, third] = tried;
    Ok(Finding::claim(
        true,
        format!(
            "{first}, {second} and {third} pairs skipped by the three cases; point C at floor((s + 1) / 2)"
        ),
    )
    .note("algorithm 3 as a whole is in tables 2 to 4"))
}

/// T(f, s) up to `most` of both by the algorithm alone, and the number of pairs it examined.
fn run(fast: u64, slow: u64, most: usize, point_c: fn(usize) -> usize) -> (Vec<Vec<u64>>, u64) {
    // (3), and nothing else.
    let mut table = brute::table(fast, slow, 0, most);
    let mut pairs = 0;
    for f in 1..=most {
        let mut column = Vec::with_capacity(most + 1);
        for s in 0..=most {
            let mut best = u64::MAX;
            for (a, case) in cases(&table, f, s, point_c(s)).into_iter().enumerate() {
                let (first, last) = kept(case, a, s);
                if first > last {
                    continue;
                }
                let mut lengths = |share: usize| {
                    pairs += 1;
                    (table[a][share], table[f - 1 - a][s - share])
                };
                // The crossover: the left grows with its share, the right shrinks.
                let (mut low, mut high) = (first, last);
                while low < high {
                    let middle = (low + high) / 2;
                    let (left, right) = lengths(middle);
                    if left < right {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                for share in low.max(first + 1) - 1..=low {
                    let (left, right) = lengths(share);
                    best = best.min(left.max(right));
                }
            }
            column.push(fast + best);
        }
        table.push(column);
    }
    (table, pairs)
}

/// The algorithm as printed, and with the corrected point C. Both find every T(f, s).
fn runs() -> Result<Finding> {
    const MOST: usize = 40;
    let (mut tried, mut pairs) = (0, 0);
    for (fast, slow) in [(10, 11), (4, 5), (2, 3), (3, 5), (10, 19), (1, 2), (2, 5)] {
        let table = brute::table(fast, slow, MOST, MOST);
        for point_c in [printed, mended] {
            let (found, looked) = run(fast, slow, MOST, point_c);
            ensure!(found == table, "{fast}:{slow}: another table");
            (tried, pairs) = (tried + MOST * (MOST + 1), pairs + looked);
        }
    }
    Ok(Finding::claim(
        true,
        format!(
            "{tried} cells from its own table, seven ratios, point C as printed and at floor((s + 1) / 2); {pairs} pairs"
        ),
    ))
}
