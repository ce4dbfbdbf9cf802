//! Ranks of matrices, by elimination.

use num_traits::Zero;
use oneport_platform::Rational;

/// The rank of rows of equal length.
pub fn rank(mut rows: Vec<Vec<Rational>>) -> usize {
    let mut found = 0;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let Some(pivot) = (found..rows.len()).find(|&row| !rows[row][column].is_zero()) else {
            continue;
        };
        rows.swap(found, pivot);
        let lead = rows[found].clone();
        for row in rows.iter_mut().skip(found + 1) {
            let factor = &row[column] / &lead[column];
            if !factor.is_zero() {
                for (entry, lead) in row.iter_mut().zip(&lead) {
                    *entry -= lead * &factor;
                }
            }
        }
        found += 1;
    }
    found
}
