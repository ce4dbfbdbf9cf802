//! One cell of the table: the least `max(T(left), T(right))` over all splits, under each rule.
//!
//! Any split that is examined is a tree, so each rule is exact as soon as it examines a best one.

use super::cells::Cells;

/// All splits, mirrored ones once.
pub(super) fn naive(cells: &Cells, f: usize, s: usize) -> u64 {
    let splits = (0..=(f - 1) / 2).flat_map(|fl| (0..=s).map(move |sl| (fl, sl)));
    splits
        .map(|(fl, sl)| split(cells, f, s, fl, sl))
        .min()
        .unwrap_or(0)
}

/// Per column (number of fast senders on the left) the crossover of a rising and a falling function.
pub(super) fn monotone_slow(cells: &Cells, f: usize, s: usize) -> u64 {
    (0..=(f - 1) / 2)
        .map(|fl| crossover(cells, f, s, fl, 0, s).0)
        .min()
        .unwrap_or(0)
}

/// [`monotone_slow`] without the splits that Lemma 5 rules out.
///
/// Let `A = (a, a + 1)` and `B` its partner. While `T(A) < T(B)` no split below `A` in its column does better than `A`,
/// nor does the partner of one (third and second case of the paper). Once `T(A) >= T(B)`, for all later columns the
/// splits from `S(A)` on cost at least `T(A)`, and those up to `S(B)` at least `T(B')` of a partner that costs as much.
pub(super) fn monotone_both(cells: &Cells, f: usize, s: usize) -> u64 {
    let columns = (f - 1) / 2;
    let mut best = u64::MAX;
    let mut column = 0;
    loop {
        if column > columns {
            return best;
        }
        if column + 1 > s {
            // The line has left the table without a crossing.
            return (column..=columns)
                .map(|fl| crossover(cells, f, s, fl, 0, s).0)
                .fold(best, u64::min);
        }
        let (a, b) = pair(cells, f, s, column, column + 1);
        if a >= b {
            break;
        }
        best = best.min(crossover(cells, f, s, column, column + 1, s).0);
        column += 1;
    }
    // Splits low < s_l < high are left. The pair itself was not examined.
    best = best.min(split(cells, f, s, column, column + 1));
    let mut high = column;
    while column <= columns {
        let low = s - high;
        if high <= low {
            break;
        }
        let (value, equal) = crossover(cells, f, s, column, low, high);
        best = best.min(value);
        if let Some(equal) = equal {
            high = equal.saturating_sub(1);
        }
        column += 1;
    }
    best
}

/// The least `max` over `low..=high` in one column, and the split of equality, if the search met it.
fn crossover(
    cells: &Cells,
    f: usize,
    s: usize,
    fl: usize,
    low: usize,
    high: usize,
) -> (u64, Option<usize>) {
    let (mut low, mut high) = (low, high);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let (left, right) = pair(cells, f, s, fl, middle);
        if left == right {
            return (left, Some(middle));
        }
        if left < right {
            low = middle;
        } else {
            high = middle;
        }
    }
    (
        split(cells, f, s, fl, low).min(split(cells, f, s, fl, high)),
        None,
    )
}

fn pair(cells: &Cells, f: usize, s: usize, fl: usize, sl: usize) -> (u64, u64) {
    (cells.at(fl, sl), cells.at(f - 1 - fl, s - sl))
}

fn split(cells: &Cells, f: usize, s: usize, fl: usize, sl: usize) -> u64 {
    let (left, right) = pair(cells, f, s, fl, sl);
    left.max(right)
}
