//! Algorithms 1 and 3 of RR-7898 by two queues.
//!
//! Read backwards, processor 0 is there at 0. Each further processor is delivered by one that is there, the earliest:
//! one there at `s` delivers a processor that is there at `s + detour`, and can deliver again at `s + step`. The
//! dates of fresh processors (that never delivered) ascend with their index, those of used ones in the order of
//! their last delivery. And that order is the list of receivers itself. So both queues are stretches of what is written
//! anyway, and all that share a date form a batch.

use std::collections::VecDeque;

use crate::Tie;
use crate::time::{Pair, Time};

/// Which costs shape the tree: `step = max(d, c)`, `detour = d + c`.
#[derive(Debug)]
pub(crate) struct Shape<N> {
    pub(crate) step: N,
    pub(crate) detour: N,
}

impl<N: Time> Shape<N> {
    /// Algorithms 1 and 3. EqualCosts of 0 allow any tree and get that of transfers that take time.
    pub(crate) fn greedy(pair: &Pair<N>) -> Shape<N> {
        Shape {
            step: pair.step(),
            detour: pair.detour(),
        }
    }
}

impl Shape<u128> {
    /// As if the smaller cost were 0.
    pub(crate) const BINOMIAL: Shape<u128> = Shape { step: 1, detour: 1 };
    /// As if both costs were equal.
    pub(crate) const FIBONACCI: Shape<u128> = Shape { step: 1, detour: 2 };
}

/// Receivers of processors `0..values` in the order of their deliveries. Processor 0 has itself. Only the first
/// `reducers` processors receive. `batch` receives each date of deliveries and their number. Time and memory O(n).
/// `step` is positive.
pub(crate) fn receivers<N: Time>(
    values: u32,
    reducers: u32,
    shape: &Shape<N>,
    tie: Tie,
    mut batch: impl FnMut(&N, u32),
) -> Vec<u32> {
    let mut receivers = Vec::with_capacity(values as usize);
    receivers.push(0);
    let mut fresh = VecDeque::from([(N::zero(), 1_u32)]);
    let mut used: VecDeque<(N, u32)> = VecDeque::new();
    let (mut next_fresh, mut next_used) = (0_u32, 1_usize);
    while let Some(date) = earliest(&fresh, &used) {
        let next = receivers.len() as u32;
        if next >= values {
            break;
        }
        let (young, old) = (take(&mut fresh, &date), take(&mut used, &date));
        deliver(
            &mut receivers,
            (next_fresh, young),
            (next_used, old),
            values,
            tie,
        );
        next_fresh += young;
        next_used += old as usize;
        let count = receivers.len() as u32 - next;
        batch(&date, count);
        let able = count.min(reducers.saturating_sub(next));
        if able > 0 {
            fresh.push_back((date.plus(&shape.detour), able));
        }
        used.push_back((date.plus(&shape.step), count));
    }
    receivers
}

fn earliest<N: Time>(fresh: &VecDeque<(N, u32)>, used: &VecDeque<(N, u32)>) -> Option<N> {
    fresh
        .front()
        .into_iter()
        .chain(used.front())
        .map(|(date, _)| date)
        .min()
        .cloned()
}

/// How many wait at the head of the queue for this very date. They leave.
fn take<N: Time>(queue: &mut VecDeque<(N, u32)>, date: &N) -> u32 {
    queue
        .pop_front_if(|(head, _)| head == date)
        .map_or(0, |(_, count)| count)
}

/// Appends one batch: a stretch of fresh processors and a stretch of used ones, in the order of the rule, up to the
/// number of deliveries left.
///
/// Both stretches ascend under `Oldest` and descend under `Newest` (fresh ones read backwards), because all batches
/// before did. Among the used, processors that delivered together first came after (or before) the fresh of their batch
/// every time: fewest (or most) children first.
fn deliver(receivers: &mut Vec<u32>, young: (u32, u32), old: (usize, u32), values: u32, tie: Tie) {
    let room = values - receivers.len() as u32;
    let fresh = young.0..young.0 + young.1;
    let stretch = |count: u32| old.0..old.0 + count as usize;
    match tie {
        Tie::FewestChildren => {
            receivers.extend(fresh.take(room as usize));
            receivers.extend_from_within(stretch(old.1.min(room.saturating_sub(young.1))));
        }
        Tie::MostChildren => {
            receivers.extend_from_within(stretch(old.1.min(room)));
            receivers.extend(fresh.take(room.saturating_sub(old.1) as usize));
        }
        Tie::Oldest => merge(receivers, fresh, stretch(old.1), room, |young, old| {
            young < old
        }),
        Tie::Newest => merge(
            receivers,
            fresh.rev(),
            stretch(old.1),
            room,
            |young, old| young > old,
        ),
    }
}

fn merge(
    receivers: &mut Vec<u32>,
    mut fresh: impl Iterator<Item = u32>,
    mut old: std::ops::Range<usize>,
    room: u32,
    before: impl Fn(u32, u32) -> bool,
) {
    let mut young = fresh.next();
    for _ in 0..room {
        let used = (!old.is_empty()).then(|| receivers[old.start]);
        let chosen = match (young, used) {
            (Some(young), Some(used)) if before(young, used) => young,
            (_, Some(used)) => {
                old.start += 1;
                receivers.push(used);
                continue;
            }
            (Some(young), None) => young,
            (None, None) => break,
        };
        receivers.push(chosen);
        young = fresh.next();
    }
}
