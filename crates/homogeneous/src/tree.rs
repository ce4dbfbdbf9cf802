//! From receivers in the order of deliveries to a schedule: dates, and names that keep the operands in order.

use crate::time::{Pair, Time};

/// The start of each processor's transfer, and the start of the merge of its value. Lists in the order of deliveries.
/// Entries of the root are 0.
pub(crate) struct TreeDates<N> {
    pub(crate) starts: Vec<N>,
    pub(crate) merges: Vec<N>,
    pub(crate) length: N,
}

/// The earliest dates (RR-7898, Proposition 3): every processor sends as soon as its value is complete and the receiver
/// is free. O(n) time, two dates per processor.
///
/// `receivers[i] < i`, and the children of a processor arrive in reverse order of delivery. That is the order of their
/// readiness: read backwards with the costs that shaped the tree, a later child has less time left, and its subtree is
/// a part of its older brother's. (Both are cut from one infinite tree, under every tie rule: two children of one
/// processor never have the same date.) Larger subtrees are ready later.
pub(crate) fn earliest<N: Time>(receivers: &[u32], pair: &Pair<N>) -> TreeDates<N> {
    // Until a processor sends: when its port is free, and when its value is complete. Then its dates.
    let mut starts = vec![N::zero(); receivers.len()];
    let mut merges = starts.clone();
    for child in (1..receivers.len()).rev() {
        let parent = receivers[child] as usize;
        let start = N::max(merges[child].clone(), starts[parent].clone());
        let arrival = start.plus(&pair.transfer);
        let merge = N::max(merges[parent].clone(), arrival.clone());
        merges[parent] = merge.plus(&pair.compute);
        starts[parent] = arrival;
        starts[child] = start;
        merges[child] = merge;
    }
    finish(starts, merges)
}

/// Transfers end `ends[i]` before the end, as Algorithm 2 decides (line 14 corrected). Merges follow as early as they
/// can.
pub(crate) fn reversed<N: Time>(
    receivers: &[u32],
    mut ends: Vec<N>,
    pair: &Pair<N>,
) -> TreeDates<N> {
    let last = ends.last().cloned().unwrap_or_else(N::zero);
    let mut merges = vec![N::zero(); receivers.len()];
    for child in (1..receivers.len()).rev() {
        let parent = receivers[child] as usize;
        let start = last.minus(&ends[child]);
        let merge = N::max(merges[parent].clone(), start.plus(&pair.transfer));
        merges[parent] = merge.plus(&pair.compute);
        merges[child] = merge;
        ends[child] = start;
    }
    let length = if last.saturated() {
        last
    } else {
        merges[0].clone()
    };
    let mut run = finish(ends, merges);
    run.length = length;
    run
}

/// The earliest dates with values that are ready at `ready[i]`. Children arrive when they are ready. O(n log n).
pub(crate) fn earliest_released<N: Time>(
    receivers: &[u32],
    ready: Vec<N>,
    pair: &Pair<N>,
) -> TreeDates<N> {
    let mut children = Children::new(receivers);
    let mut starts = vec![N::zero(); receivers.len()];
    let mut merges = starts.clone();
    // The date at which each value is complete. Children have higher indices.
    let mut complete = ready;
    for parent in (0..receivers.len()).rev() {
        let arriving = children.of(parent);
        arriving.sort_unstable_by(|&a, &b| {
            complete[a as usize]
                .cmp(&complete[b as usize])
                .then(a.cmp(&b))
        });
        let mut free = N::zero();
        for &child in arriving.iter() {
            let start = N::max(free, complete[child as usize].clone());
            free = start.plus(&pair.transfer);
            let merge = N::max(complete[parent].clone(), free.clone());
            complete[parent] = merge.plus(&pair.compute);
            starts[child as usize] = start;
            merges[child as usize] = merge;
        }
    }
    merges[0] = complete[0].clone();
    finish(starts, merges)
}

/// Children of every processor, in one list.
struct Children {
    list: Vec<u32>,
    firsts: Vec<u32>,
}

impl Children {
    fn new(receivers: &[u32]) -> Children {
        let mut firsts = vec![0_u32; receivers.len() + 2];
        for &parent in receivers.iter().skip(1) {
            firsts[parent as usize + 2] += 1;
        }
        for index in 1..firsts.len() {
            firsts[index] += firsts[index - 1];
        }
        // `firsts[p + 1]` walks from the beginning to the end of the children of `p`.
        let mut list = vec![0; receivers.len() - 1];
        for (child, &parent) in receivers.iter().enumerate().skip(1) {
            list[firsts[parent as usize + 1] as usize] = child as u32;
            firsts[parent as usize + 1] += 1;
        }
        Children { list, firsts }
    }

    fn of(&mut self, parent: usize) -> &mut [u32] {
        &mut self.list[self.firsts[parent] as usize..self.firsts[parent + 1] as usize]
    }
}

fn finish<N: Time>(mut starts: Vec<N>, mut merges: Vec<N>) -> TreeDates<N> {
    starts[0] = N::zero();
    let length = std::mem::replace(&mut merges[0], N::zero());
    TreeDates {
        starts,
        merges,
        length,
    }
}

/// Names in preorder: a processor, then the blocks of its children in order of arrival (latest delivery first), so
/// that all it has merged is an interval and what arrives next is its right neighbour.
pub(crate) fn names(receivers: &[u32]) -> Vec<u32> {
    // Sizes of subtrees. Once a processor is named, the first name not yet taken from the right of its block.
    let mut ends = vec![1_u32; receivers.len()];
    for child in (1..receivers.len()).rev() {
        ends[receivers[child] as usize] += ends[child];
    }
    let mut names = vec![0; receivers.len()];
    for child in 1..receivers.len() {
        let parent = receivers[child] as usize;
        let end = ends[parent];
        let name = end - ends[child];
        ends[parent] = name;
        ends[child] = end;
        names[child] = name;
    }
    names
}

/// `list` with every entry at its processor's name.
pub(crate) fn renamed<T: Clone>(list: Vec<T>, names: &[u32], filler: T) -> Vec<T> {
    let mut renamed = vec![filler; list.len()];
    for (entry, &name) in list.into_iter().zip(names) {
        renamed[name as usize] = entry;
    }
    renamed
}
