//! The recurrence of RR-7898, Algorithm 2: at most `K` transfers at once, read backwards.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use num_bigint::BigUint;

use super::count::Equal;
use super::ticks::Number;

/// Limit: values for which the recurrence is repeated.
pub(super) const VALUES: u64 = 1 << 21;

/// Fact: largest costs whose dates stay in machine integers.
const MACHINE_BITS: u64 = 96;

/// The date `t_n` of the last transfer: the shortest length with `limit` transfers at once, by Theorem 7.
/// O(n log n) for `values <= VALUES`, `limit >= 1`.
pub(super) fn length(costs: &Equal, values: u64, limit: u64) -> BigUint {
    if (&costs.transfer + &costs.compute).bits() <= MACHINE_BITS {
        last_transfer::<u128>(
            &u128::of(&costs.transfer),
            &u128::of(&costs.compute),
            values,
            limit,
        )
        .big()
    } else {
        last_transfer(&costs.transfer, &costs.compute, values, limit)
    }
}

/// Every processor has a date at which its next transfer is prepared (the paper's `s_j + c`). The earliest one is used.
/// Transfer `i` starts no earlier than the end of transfer `i - limit` (`t_i = 0` for `i <= 1`).
fn last_transfer<N: Number>(transfer: &N, compute: &N, values: u64, limit: u64) -> N {
    let mut prepared = BinaryHeap::from([Reverse((compute.clone(), 1_u64))]);
    let mut running: VecDeque<N> = VecDeque::new();
    let mut last = N::zero();
    for processor in 2..=values {
        let Some(Reverse((date, sender))) = prepared.pop() else {
            break;
        };
        let free = if running.len() as u64 == limit {
            running.pop_front()
        } else {
            None
        };
        last = date
            .clone()
            .max(free.unwrap_or_else(N::zero))
            .plus(transfer);
        running.push_back(last.clone());
        prepared.push(Reverse((last.plus(compute), processor)));
        prepared.push(Reverse((date.plus(compute).max(last.clone()), sender)));
    }
    last
}
