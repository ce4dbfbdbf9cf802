//! Equal costs and values that are there at different dates: bounds that the referee proves by itself.
//!
//! **Counting.** In a schedule of length `T`, read backwards, a processor is there at `s = T - start` when it starts to
//! send, the root at 0, and no more processors are there before `x` than in the infinite tree of the module `count`,
//! for every order of operands. A processor does not send before its own value is there, at `r`: so `s <= T - r`. If
//! `T` is below a bound `B`, all values that are there at `r` or later are there before `B - r` backwards: they are no
//! more than can be combined in less than `B - r`.
//!
//! **Growth.** Suppose that transfers take no longer than merges, `d <= c`. A processor there at `s` backwards with `k`
//! children delivers them at `s + c + d + j c`, `j < k`, and can have merged all of them no later than `p = s + k c`. A
//! tree runs within `T` if its processors can be given to the values so that `p <= T - r`. Grow it from the root,
//! always by the delivery that is prepared first. If the processor would still suit the most urgent value (least `T -
//! r`) after it, nothing is lost. Otherwise that value must get a processor now, and all processors that suit it stop
//! at once: the one of the latest `p` loses least, for the sorted list of the others is at most, entry by entry, what
//! any other choice leaves. So if this growth fails, no schedule has length `T`. If transfers take longer, they are
//! shortened to `c`, by which no schedule becomes longer. Dates of earliest schedules are whole in the unit of all
//! dates and costs, so that a bound `B` is proved if the growth fails for the last whole length below it.
//!
//! **Trial.** Few values are combined in all ways: any transfer first, then any other, each as early as the sender's
//! value, both ports and the order allow, and merged as it arrives. Every schedule is one of these or no shorter,
//! with its transfers taken in the order of their starts.
//!
//! **The last value.** If there are several values, each takes part in a merge after its date, and no result is
//! complete before the last date.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use oneport_plan::Dates;
use oneport_platform::Rational;

use super::Recheck;
use super::count::Equal;
use super::ticks::{Clock, Column, Number};
use crate::Violation;
use crate::violation::shown;

/// Limit: values for which a tree is grown.
const GROWN: usize = 4096;
/// Limit: transfers that are tried.
const TRANSFERS: usize = 500_000;

/// Whether the referee proves this bound, which is at most the length of a schedule that has been checked.
///
/// A count for every date, one growth for up to [`GROWN`] values, up to [`TRANSFERS`] transfers of a trial.
///
/// # Errors
/// Numbers whose common denominator does not fit in memory.
pub(super) fn check(
    transfer: &Rational,
    compute: &Rational,
    ready: &Dates,
    stated: &Rational,
) -> Result<Recheck, Violation> {
    if *stated <= Rational::default() {
        return Ok(Recheck::Proved);
    }
    let clock = Clock::new(&[transfer, compute, stated], &[ready])?;
    let equal = Equal {
        transfer: clock.number(transfer),
        compute: clock.number(compute),
    };
    let column: Column<'_, BigUint> = clock.column(ready);
    let mut dates: Vec<BigUint> = (0..ready.len()).map(|value| column.at(value)).collect();
    dates.sort_unstable_by(|one, other| other.cmp(one));
    let bound: BigUint = clock.number(stated);
    let last = dates.first().cloned().unwrap_or_default();
    let merged = match dates.len() {
        0 | 1 => last,
        _ => last + &equal.compute,
    };
    // The last of several values with equal dates counts all of them.
    let counted = |index: usize| dates.get(index + 1) != dates.get(index);
    let too_many = |index: usize| {
        let left = (dates[index] < bound).then(|| &bound - &dates[index]);
        left.is_some_and(|left| equal.values_below(&left) < index as u128 + 1)
    };
    if bound <= merged || (0..dates.len()).any(|index| counted(index) && too_many(index)) {
        return Ok(Recheck::Proved);
    }
    if dates.len() > GROWN {
        return Ok(Recheck::Unrepeated {
            why: format!("trees of dated values are grown up to {GROWN} values"),
        });
    }
    let length = bound - 1_u8;
    if !grows(&equal, &dates, &length) {
        return Ok(Recheck::Proved);
    }
    // The tree that was grown is a schedule if no transfer was shortened.
    let sooner = if equal.transfer <= equal.compute {
        Some(true)
    } else {
        clock
            .is_small()
            .then(|| tried(&equal, &dates, &length))
            .flatten()
    };
    match sooner {
        Some(false) => Ok(Recheck::Proved),
        // Into another processor, perhaps, and the bound may be that of this one.
        Some(true) => Ok(Recheck::Unrepeated {
            why: format!(
                "all values can be combined before {}, into some processor",
                shown(stated)
            ),
        }),
        None => Ok(Recheck::Unrepeated {
            why: format!(
                "counting and growth prove less, and more than {TRANSFERS} transfers would have to be tried"
            ),
        }),
    }
}

/// Whether all are combined within this length, by trial, in machine integers.
fn tried(costs: &Equal, dates: &[BigUint], length: &BigUint) -> Option<bool> {
    let mut values: Vec<Processor> = dates.iter().map(|date| (u128::of(date), 0)).collect();
    values.sort_unstable();
    let costs = (u128::of(&costs.transfer), u128::of(&costs.compute));
    let mut trial = Trial {
        costs,
        length: u128::of(length),
        seen: BTreeSet::new(),
        left: TRANSFERS,
    };
    trial.combines(&values)
}

/// When a processor's value is complete, and when its port is free.
type Processor = (u128, u128);

/// A trial of all ways.
struct Trial {
    /// Time of a transfer, and of a merge.
    costs: (u128, u128),
    length: u128,
    /// Processors that were tried before.
    seen: BTreeSet<Vec<Processor>>,
    /// Transfers that may still be tried.
    left: usize,
}

impl Trial {
    /// Whether these processors, in ascending order, combine their values within the length. `None` after
    /// [`TRANSFERS`].
    fn combines(&mut self, values: &[Processor]) -> Option<bool> {
        if let &[(complete, _)] = values {
            return Some(complete <= self.length);
        }
        if !self.seen.insert(values.to_vec()) {
            return Some(false);
        }
        for from in 0..values.len() {
            for to in (0..values.len()).filter(|&to| to != from) {
                self.left = self.left.checked_sub(1)?;
                let ((complete, port), (other, other_port)) = (values[from], values[to]);
                let arrived = complete.max(port).max(other_port) + self.costs.0;
                let merged = arrived.max(other) + self.costs.1;
                if merged > self.length {
                    continue;
                }
                let mut next = values.to_vec();
                next[to] = (merged, arrived);
                next.remove(from);
                next.sort_unstable();
                if self.combines(&next)? {
                    return Some(true);
                }
            }
        }
        Some(false)
    }
}

/// A processor of the growing tree.
struct Grown {
    /// The `p` of the module's text, at which its next delivery would be prepared.
    prepared: BigUint,
    /// The latest `p` that its value allows, once it has one.
    until: Option<BigUint>,
    delivers: bool,
}

/// Whether the growth finds a processor for each value, latest date first, within this length. O(n^2).
fn grows(costs: &Equal, dates: &[BigUint], length: &BigUint) -> bool {
    let (merge, transfer) = (
        &costs.compute,
        costs.transfer.clone().min(costs.compute.clone()),
    );
    if dates.first().is_some_and(|last| last > length) {
        return false;
    }
    let mut urgent = dates.iter().map(|date| length - date).peekable();
    let processor = |prepared: BigUint| Grown {
        prepared,
        until: None,
        delivers: true,
    };
    let mut tree = vec![processor(BigUint::ZERO)];
    while tree.len() < dates.len() {
        let able = (0..tree.len()).filter(|&at| tree[at].delivers);
        let Some(next) = able.min_by(|&one, &two| tree[one].prepared.cmp(&tree[two].prepared))
        else {
            return false;
        };
        let date = tree[next].prepared.clone();
        let prepared = &date + merge;
        while tree[next].until.is_none() {
            match urgent.peek() {
                Some(until) if prepared <= *until => break,
                Some(until) => {
                    let open =
                        |at: &usize| tree[*at].until.is_none() && tree[*at].prepared <= *until;
                    let latest = (0..tree.len())
                        .filter(open)
                        .max_by(|&one, &two| tree[one].prepared.cmp(&tree[two].prepared));
                    let Some(latest) = latest else {
                        return false;
                    };
                    tree[latest].until = urgent.next();
                }
                None => return false,
            }
        }
        if tree[next]
            .until
            .as_ref()
            .is_some_and(|until| prepared > *until)
        {
            tree[next].delivers = false;
            continue;
        }
        let there = prepared.clone() + &transfer;
        tree[next].prepared = prepared;
        tree.push(processor(there));
    }
    let mut open: Vec<&BigUint> = tree
        .iter()
        .filter(|processor| processor.until.is_none())
        .map(|processor| &processor.prepared)
        .collect();
    open.sort_unstable();
    open.into_iter()
        .zip(urgent)
        .all(|(prepared, until)| *prepared <= until)
}
