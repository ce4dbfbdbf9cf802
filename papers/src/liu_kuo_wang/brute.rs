//! The naive twin of Liu-Kuo-Wang 2009, in integer units of time: algorithm EP step by step, all sequences, all trees.

use std::collections::BTreeMap;

/// Run of algorithm EP (figure 2) on a sequence of transmission times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarliestRun {
    /// Start of each sender, in the order of the sequence.
    pub starts: Vec<u64>,
    /// End of the last one.
    pub length: u64,
}

/// Figure 2, line by line: one more processor than senders, two free ones start a transmission, its receiver stays.
pub fn earliest(sequence: &[u64]) -> EarliestRun {
    let mut free = sequence.len() + 1;
    let mut active: Vec<u64> = Vec::new();
    let (mut time, mut starts) = (0, Vec::new());
    for &takes in sequence {
        while free < 2 {
            time = active.iter().copied().min().unwrap_or(time);
            let before = active.len();
            active.retain(|&end| end > time);
            free += before - active.len();
        }
        starts.push(time);
        active.push(time + takes);
        free -= 2;
    }
    let length = starts
        .iter()
        .zip(sequence)
        .map(|(start, takes)| start + takes)
        .max()
        .unwrap_or(0);
    EarliestRun { starts, length }
}

/// A(s, t), A'(s, t) and C(s, t): senders active at `t`, active senders that started before, finished senders.
pub fn counts(sequence: &[u64], run: &EarliestRun, t: u64) -> [usize; 3] {
    let windows = || {
        run.starts
            .iter()
            .zip(sequence)
            .map(|(&start, takes)| (start, start + takes))
    };
    [
        windows()
            .filter(|&(start, end)| start <= t && t < end)
            .count(),
        windows()
            .filter(|&(start, end)| start < t && t < end)
            .count(),
        windows().filter(|&(_, end)| end <= t).count(),
    ]
}

/// Inequality (1) at every start.
pub fn is_valid(times: &[u64], run: &EarliestRun) -> bool {
    let n = times.len() + 1;
    run.starts.iter().all(|&start| {
        let [active, _, complete] = counts(times, run, start);
        2 * active + complete <= n
    })
}

/// Predecessors of lemma 1, as (predecessor, sender): every start takes the two processors that have been free for the
/// longest time, which are the receivers of the predecessors.
pub fn waits(sequence: &[u64], run: &EarliestRun) -> Vec<(usize, usize)> {
    let mut ends: Vec<(u64, usize)> = (0..sequence.len())
        .map(|sender| (run.starts[sender] + sequence[sender], sender))
        .collect();
    ends.sort_unstable();
    let free = std::iter::repeat_n(None, sequence.len() + 1)
        .chain(ends.into_iter().map(|(_, sender)| Some(sender)));
    free.zip((0..sequence.len()).flat_map(|sender| [sender; 2]))
        .filter_map(|(predecessor, sender)| Some((predecessor?, sender)))
        .collect()
}

/// Every different order of the times.
pub fn orders(times: &[u64]) -> Vec<Vec<u64>> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let mut all = vec![sorted.clone()];
    // The next permutation in lexicographic order.
    while let Some(pivot) = (1..sorted.len()).rev().find(|&i| sorted[i - 1] < sorted[i]) {
        let swap = (pivot..sorted.len())
            .rev()
            .find(|&i| sorted[i] > sorted[pivot - 1])
            .unwrap_or(pivot);
        sorted.swap(pivot - 1, swap);
        sorted[pivot..].reverse();
        all.push(sorted.clone());
    }
    all
}

/// The shortest over all sequences.
pub fn best(times: &[u64]) -> u64 {
    orders(times)
        .iter()
        .map(|order| earliest(order).length)
        .min()
        .unwrap_or(0)
}

/// Slowest node first.
pub fn slowest_first(times: &[u64]) -> u64 {
    let mut sequence = times.to_vec();
    sequence.sort_unstable_by(|a, b| b.cmp(a));
    earliest(&sequence).length
}

/// The minimum critical path of a binary tree with these weights: every root and every split of the rest, or (with
/// `fastest_on_top`) only roots of minimum weight.
pub fn critical_path(times: &[u64], fastest_on_top: bool) -> u64 {
    let full = (1usize << times.len()) - 1;
    let mut best = vec![0; full + 1];
    for set in 1..=full {
        let members = || (0..times.len()).filter(move |i| set >> i & 1 == 1);
        let least = members().map(|i| times[i]).min().unwrap_or(0);
        best[set] = u64::MAX;
        for root in members().filter(|&i| !fastest_on_top || times[i] == least) {
            let rest = set & !(1 << root);
            let mut left = rest;
            loop {
                best[set] = best[set].min(times[root] + best[left].max(best[rest & !left]));
                if left == 0 {
                    break;
                }
                left = (left - 1) & rest;
            }
        }
    }
    best[full]
}

/// A binary tree: the children of every node, node 0 being the root.
pub type Binary = Vec<[Option<usize>; 2]>;

/// All binary trees of `n` nodes. A missing left child and a missing right child count as equal.
pub fn shapes(n: usize) -> Vec<Binary> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for left in 0..=(n - 1) / 2 {
        let right = n - 1 - left;
        for (small, large) in shapes(left).into_iter().flat_map(|small| {
            shapes(right)
                .into_iter()
                .map(move |large| (small.clone(), large))
        }) {
            let moved = |tree: Binary, by: usize| {
                tree.into_iter()
                    .map(move |children| children.map(|child| Some(child? + by)))
            };
            let root = [(left > 0).then_some(1), (right > 0).then_some(1 + left)];
            all.push(
                std::iter::once(root)
                    .chain(moved(small, 1))
                    .chain(moved(large, 1 + left))
                    .collect(),
            );
        }
    }
    all
}

/// The greatest sum of weights on a path down from a node.
pub fn heaviest_path(tree: &Binary, weights: &[u64], node: usize) -> u64 {
    let children = tree[node].iter().flatten();
    let below = children
        .map(|&child| heaviest_path(tree, weights, child))
        .max();
    weights[node] + below.unwrap_or(0)
}

/// The tree without a node that has one child, which becomes a child of the node's parent, and the root.
pub fn without(tree: &Binary, node: usize) -> (Binary, usize) {
    let child = tree[node].iter().flatten().next().copied();
    let mut rest = tree.clone();
    for slot in rest
        .iter_mut()
        .flatten()
        .filter(|slot| **slot == Some(node))
    {
        *slot = child;
    }
    (rest, if node == 0 { child.unwrap_or(0) } else { 0 })
}

/// T(f, s) of the recursion (2), (3) for all `f <= most_fast`, `s <= most_slow`.
pub fn table(fast: u64, slow: u64, most_fast: usize, most_slow: usize) -> Vec<Vec<u64>> {
    let mut table = vec![vec![0; most_slow + 1]; most_fast + 1];
    for (s, cell) in table[0].iter_mut().enumerate() {
        *cell = u64::from(usize::BITS - s.leading_zeros()) * slow;
    }
    for f in 1..=most_fast {
        for s in 0..=most_slow {
            let splits = (0..f).flat_map(|left| (0..=s).map(move |share| (left, share)));
            let value = |(left, share): (usize, usize)| {
                table[left][share].max(table[f - 1 - left][s - share])
            };
            table[f][s] = fast + splits.map(value).min().unwrap_or(0);
        }
    }
    table
}

/// The minimum critical path of theorem 6 for classes of these times, fastest first, by recursion over all cells: the
/// length, and the number of compared pairs of cells. Per cell and split of all but the slowest class one binary search
/// for the crossover.
pub fn classes(times: &[u64], counts: &[usize]) -> (u64, u64) {
    let mut table: BTreeMap<Vec<usize>, u64> = BTreeMap::new();
    let (slowest, mut pairs) = (times.len() - 1, 0);
    for cell in boxed(counts) {
        let Some(root) = cell.iter().position(|&count| count > 0) else {
            table.insert(cell, 0);
            continue;
        };
        let mut rest = cell.clone();
        rest[root] -= 1;
        let slow = rest[slowest];
        let mut best = u64::MAX;
        for mut left in boxed(&rest[..slowest]) {
            left.push(0);
            let mut lengths = |share: usize| {
                pairs += 1;
                left[slowest] = share;
                let right: Vec<usize> = rest
                    .iter()
                    .zip(&left)
                    .map(|(all, left)| all - left)
                    .collect();
                (table[&left], table[&right])
            };
            let (mut low, mut high) = (0, slow);
            while low < high {
                let middle = (low + high) / 2;
                let (left, right) = lengths(middle);
                if left < right {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            for share in low.saturating_sub(1)..=low {
                let (left, right) = lengths(share);
                best = best.min(left.max(right));
            }
        }
        table.insert(cell, times[root] + best);
    }
    (table[counts], pairs)
}

/// All vectors of counts up to these, each after the vectors that it dominates.
fn boxed(counts: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &count in counts {
        all = all
            .into_iter()
            .flat_map(|cell| (0..=count).map(move |more| [cell.as_slice(), &[more]].concat()))
            .collect();
    }
    all
}

/// The shortest broadcast by trying every list of transfers: any processor that has the message is the next to send, to
/// any that lacks it. A transfer takes its sender's time, and starts when its sender is free.
pub fn broadcast(times: &[u64], source: usize) -> u64 {
    let mut free: Vec<Option<u64>> = vec![None; times.len()];
    free[source] = Some(0);
    let mut best = u64::MAX;
    send(times, &mut free, 0, &mut best);
    best
}

fn send(times: &[u64], free: &mut [Option<u64>], length: u64, best: &mut u64) {
    if length >= *best {
        return;
    }
    if free.iter().all(Option::is_some) {
        *best = length;
        return;
    }
    for sender in 0..times.len() {
        let Some(start) = free[sender] else { continue };
        let end = start + times[sender];
        for receiver in 0..times.len() {
            if free[receiver].is_some() {
                continue;
            }
            (free[sender], free[receiver]) = (Some(end), Some(end));
            send(times, free, length.max(end), best);
            (free[sender], free[receiver]) = (Some(start), None);
        }
    }
}

/// Numbers from 1 to `most`, determined by the seed.
pub struct Dice(u64);

impl Dice {
    /// A new sequence.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// The next number.
    pub fn roll(&mut self, most: u64) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % most + 1
    }

    /// `count` numbers.
    pub fn rolls(&mut self, count: usize, most: u64) -> Vec<u64> {
        (0..count).map(|_| self.roll(most)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_counted_and_schedules_done_by_hand() {
        assert_eq!(orders(&[1, 1, 2]).len(), 3);
        assert_eq!(orders(&[1, 2, 3, 4]).len(), 24);
        // Three senders and a destination. Two start at once. The third starts after the fast one has ended and its
        // receiver waits for the other's.
        assert_eq!(
            earliest(&[2, 1, 1]),
            EarliestRun {
                starts: vec![0, 0, 2],
                length: 3
            }
        );
        assert_eq!(
            earliest(&[]),
            EarliestRun {
                starts: vec![],
                length: 0
            }
        );
        // The fast source serves both, or the slow processor serves one: 2, not 1 + 5.
        assert_eq!(
            (
                broadcast(&[1, 5, 5], 0),
                broadcast(&[5, 1, 1], 0),
                broadcast(&[5, 1, 1, 1], 0)
            ),
            (2, 6, 7)
        );
    }
}
