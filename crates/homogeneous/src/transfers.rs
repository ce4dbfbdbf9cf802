//! Algorithm 2 of RR-7898: at most `K` transfers at once.
//!
//! Read backwards, a delivery at the processor's date `s` is prepared for `c` and transferred for `d` as soon as the
//! transfer `K` positions before has ended. Dates of fresh and of used processors ascend here too (both costs are
//! added to dates that ascend), so two queues do. Ties are taken from the used first.

use std::collections::VecDeque;

use crate::time::{Pair, Time};

/// The decisions of Algorithm 2, read backwards. Lists in the order of deliveries. Processor 0 has entries of 0.
pub(crate) struct Deliveries<N> {
    /// The deliverer of processor `i`. Forwards, its receiver.
    pub(crate) receivers: Vec<u32>,
    /// When the transfer to `i` ends, the paper's `t_i` before line 14.
    pub(crate) ends: Vec<N>,
    /// The start of its preparation, the paper's `s_M`. Empty unless requested.
    pub(crate) preparations: Vec<N>,
}

/// Runs the algorithm: O(n) time and memory.
pub(crate) fn deliveries<N: Time>(
    values: u32,
    limit: u64,
    pair: &Pair<N>,
    preparations: bool,
) -> Deliveries<N> {
    let count = values as usize;
    let limit = usize::try_from(limit).unwrap_or(count).min(count);
    let mut receivers = Vec::with_capacity(count);
    let mut ends = Vec::with_capacity(count);
    let mut prepared = Vec::with_capacity(if preparations { count } else { 0 });
    receivers.push(0);
    ends.push(N::zero());
    if preparations {
        prepared.push(N::zero());
    }
    // The used are receivers[next_used..], with these dates.
    let mut used: VecDeque<N> = VecDeque::new();
    let (mut next_fresh, mut next_used) = (0, 1);
    for processor in 1..count {
        let from_used = match (used.front(), ends.get(next_fresh)) {
            (Some(used), Some(fresh)) => used <= fresh,
            (used, _) => used.is_some(),
        };
        let (chosen, date) = if from_used {
            next_used += 1;
            (
                receivers[next_used - 1],
                used.pop_front().unwrap_or_else(N::zero),
            )
        } else {
            next_fresh += 1;
            (next_fresh as u32 - 1, ends[next_fresh - 1].clone())
        };
        let ready = date.plus(&pair.compute);
        // Entry 0 is 0: the first `limit` transfers do not wait.
        let start = ready
            .clone()
            .max(ends[processor.saturating_sub(limit)].clone());
        let end = start.plus(&pair.transfer);
        used.push_back(ready.max(end.minus(&pair.compute)));
        receivers.push(chosen);
        ends.push(end);
        if preparations {
            prepared.push(date);
        }
    }
    Deliveries {
        receivers,
        ends,
        preparations: prepared,
    }
}
