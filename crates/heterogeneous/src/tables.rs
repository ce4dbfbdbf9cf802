//! The paper's dynamic program for two classes (Liu-Kuo-Wang 2009, sections 5.3.2 to 5.3.4), in its three forms, and
//! the references that its Tables 2 to 4 count.
//!
//! `T(f, s) = t_f + min max(T(f_l, s_l), T(f_r, s_r))` over `f_l + f_r = f - 1`, `s_l + s_r = s` (2), and
//! `ceil(log2(s+1)) t_s` for `f = 0` (3). The optimum for `f` fast and `s` slow senders. It rests on Observation 1
//! alone and holds for any ratio of at least 1.

mod cells;
mod references;
mod rows;

pub use references::references;

use num_bigint::BigInt;
use num_traits::Signed;
use oneport_platform::{Rational, whole};

use crate::cluster::common_unit;
use crate::slowest_first::tree_levels;
use crate::{Cluster, Error};
use cells::Cells;
use oneport_plan::Class;

/// How much of the paper's structure is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// All splits: O(f^2 s^2) for a table.
    Naive,
    /// `T` does not fall with `s` (Lemma 4): per split of the fast senders a binary search. O(f^2 s log s).
    MonotoneSlow,
    /// Also `T` does not fall with `f` from `s - 1` on (Lemma 5): rectangles of splits are left out, in the same order.
    MonotoneBoth,
}

/// Limit: cells of a table, 128 MB.
pub const MOST_CELLS: u64 = 1 << 24;

/// `T(f, s)` for all counts up to given ones.
#[derive(Debug, Clone)]
pub struct Table {
    unit: Rational,
    /// `T` in units.
    cells: Cells,
}

impl Table {
    /// All `T(f, s)` for up to `f` fast and `s` slow senders, exact under each rule. The time is that of the [`Rule`].
    ///
    /// # Errors
    /// Times that are not positive. `fast` above `slow`. More than [`MOST_CELLS`] cells. Times without a common unit
    /// that keeps the lengths below 2^64.
    pub fn build(
        fast: &Rational,
        slow: &Rational,
        f: usize,
        s: usize,
        rule: Rule,
    ) -> Result<Table, Error> {
        Cluster::new(&[fast, slow].map(|time| Class {
            time: time.clone(),
            senders: 1,
        }))?;
        if (fast - slow).is_positive() {
            return Err(refused(format!(
                "{fast} is more than {slow}; swap the classes"
            )));
        }
        let cells = (f as u128 + 1) * (s as u128 + 1);
        if cells > u128::from(MOST_CELLS) {
            return Err(refused(format!(
                "its table has {cells} cells, at most {MOST_CELLS}; use levels"
            )));
        }
        let (unit, ticks) = common_unit(&[fast, slow]);
        let (t_fast, t_slow) = words(&ticks)?;
        let mut cells = Cells::with_capacity(f, s);
        for s in 0..=s {
            cells.push(u64::from(tree_levels(s as u64)) * t_slow);
        }
        for f in 1..=f {
            for s in 0..=s {
                let below = match rule {
                    Rule::Naive => rows::naive(&cells, f, s),
                    Rule::MonotoneSlow => rows::monotone_slow(&cells, f, s),
                    Rule::MonotoneBoth => rows::monotone_both(&cells, f, s),
                };
                cells.push(t_fast + below);
            }
        }
        Ok(Table { unit, cells })
    }

    /// `T(f, s)`. `None` beyond the table.
    pub fn length(&self, f: usize, s: usize) -> Option<Rational> {
        Some(&self.unit * whole(BigInt::from(self.cells.get(f, s)?)))
    }
}

/// Both times in 64 bits, small enough for a path of 66 slow and 132 fast ones (no shortest reduction is longer).
fn words(ticks: &[BigInt]) -> Result<(u64, u64), Error> {
    let most = u64::MAX >> 9;
    let bits = ticks.iter().map(BigInt::bits).max().unwrap_or(0);
    match ticks {
        [fast, slow] if *slow <= BigInt::from(most) => Ok((
            crate::slowest_first::word(fast),
            crate::slowest_first::word(slow),
        )),
        _ => Err(Error::Unit { bits: bits + 9 }),
    }
}

fn refused(why: String) -> Error {
    Error::Method { method: "dp", why }
}
