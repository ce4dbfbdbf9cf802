//! Shortest lengths by enumeration, in ticks.

use std::collections::BTreeMap;

use oneport_plan::Concurrency;

/// All trees on `n` processors with root 0 in which parents come before children: every shape appears.
pub fn trees(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![0]];
    for index in 1..n {
        all = all
            .iter()
            .flat_map(|tree| (0..index).map(|parent| [tree.as_slice(), &[parent]].concat()))
            .collect();
    }
    all
}

/// The date at which the value of `p` is complete without limits: children in sequence, as they are complete.
fn complete(tree: &[usize], p: usize, transfer: u64, compute: u64) -> u64 {
    let mut children: Vec<u64> = (1..tree.len())
        .filter(|&c| tree[c] == p)
        .map(|c| complete(tree, c, transfer, compute))
        .collect();
    children.sort_unstable();
    let (mut port, mut done) = (0, 0);
    for child in children {
        port = port.max(child) + transfer;
        done = done.max(port) + compute;
    }
    done
}

/// The shortest length with equal costs, over all trees. With limited transfers also over all orders of transfers, each
/// as early as it fits.
pub fn equal(n: usize, transfer: u64, compute: u64, limit: Concurrency) -> u64 {
    let lengths = trees(n).into_iter().filter_map(|tree| match limit {
        Concurrency::Unlimited => Some(complete(&tree, 0, transfer, compute)),
        Concurrency::Reducers(limit) => {
            let inner = (0..n).filter(|&p| (1..n).any(|c| tree[c] == p)).count();
            (inner as u64 <= limit).then(|| complete(&tree, 0, transfer, compute))
        }
        Concurrency::Transfers(limit) => {
            let serial = Serial {
                tree: &tree,
                transfer,
                compute,
                limit: limit as usize,
            };
            Some(serial.shortest(&mut Vec::new()))
        }
    });
    lengths.min().unwrap()
}

struct Serial<'a> {
    tree: &'a [usize],
    transfer: u64,
    compute: u64,
    limit: usize,
}

impl Serial<'_> {
    /// The shortest length when these transfers (sender, start) are fixed.
    fn shortest(&self, placed: &mut Vec<(usize, u64)>) -> u64 {
        let n = self.tree.len();
        if placed.len() + 1 == n {
            return self.done(0, placed);
        }
        let is_placed = |p: usize| placed.iter().any(|&(q, _)| q == p);
        let next: Vec<usize> = (1..n)
            .filter(|&p| !is_placed(p) && (1..n).all(|c| self.tree[c] != p || is_placed(c)))
            .collect();
        let mut best = u64::MAX;
        for p in next {
            let start = self.earliest(p, placed);
            placed.push((p, start));
            best = best.min(self.shortest(placed));
            placed.pop();
        }
        best
    }

    /// The date at which all merges at `p` have ended.
    fn done(&self, p: usize, placed: &[(usize, u64)]) -> u64 {
        let mut starts: Vec<u64> = placed
            .iter()
            .filter(|&&(q, _)| q != 0 && self.tree[q] == p)
            .map(|&(_, start)| start)
            .collect();
        starts.sort_unstable();
        starts.into_iter().fold(0, |done: u64, start| {
            done.max(start + self.transfer) + self.compute
        })
    }

    fn earliest(&self, p: usize, placed: &[(usize, u64)]) -> u64 {
        if self.transfer == 0 {
            return self.done(p, placed);
        }
        let mut start = self.done(p, placed);
        loop {
            let overlap =
                |other: u64| other < start + self.transfer && start < other + self.transfer;
            let same = |q: usize| self.tree[q] == self.tree[p] || q == self.tree[p];
            let port = placed.iter().any(|&(q, other)| same(q) && overlap(other));
            let crowd = (start..start + self.transfer).any(|now| {
                placed
                    .iter()
                    .filter(|&&(_, other)| other <= now && now < other + self.transfer)
                    .count()
                    >= self.limit
            });
            if !port && !crowd {
                return start;
            }
            start += 1;
        }
    }
}

/// The length of the earliest-possible schedule of this sequence of times (Liu-Kuo-Wang 2009, figure 2).
pub fn earliest_possible(sequence: &[u64]) -> u64 {
    let (mut free, mut now) = (sequence.len() + 1, 0);
    let mut ending: Vec<u64> = Vec::new();
    for &time in sequence {
        while free < 2 {
            now = *ending.iter().min().unwrap();
            free += ending.iter().filter(|&&end| end == now).count();
            ending.retain(|&end| end != now);
        }
        free -= 2;
        ending.push(now + time);
    }
    ending.into_iter().max().unwrap_or(now)
}

/// The shortest length over all distinct sequences of these senders, given as (time, count).
pub fn classes(senders: &[(u64, u64)]) -> u64 {
    fn go(left: &mut [(u64, u64)], sequence: &mut Vec<u64>) -> u64 {
        if left.iter().all(|class| class.1 == 0) {
            return earliest_possible(sequence);
        }
        let mut best = u64::MAX;
        for class in 0..left.len() {
            if left[class].1 > 0 {
                left[class].1 -= 1;
                sequence.push(left[class].0);
                best = best.min(go(left, sequence));
                sequence.pop();
                left[class].1 += 1;
            }
        }
        best
    }
    go(&mut senders.to_vec(), &mut Vec::new())
}

/// The shortest length for two classes: the recursion of Liu-Kuo-Wang 2009, (2) and (3).
pub struct Table {
    fast: u64,
    slow: u64,
    known: BTreeMap<(u64, u64), u64>,
}

impl Table {
    pub fn new(fast: u64, slow: u64) -> Table {
        Table {
            fast,
            slow,
            known: BTreeMap::new(),
        }
    }

    pub fn length(&mut self, f: u64, s: u64) -> u64 {
        if f == 0 {
            return u64::from(64 - s.leading_zeros()) * self.slow;
        }
        if let Some(&length) = self.known.get(&(f, s)) {
            return length;
        }
        let mut best = u64::MAX;
        for left in 0..=(f - 1) / 2 {
            for part in 0..=s {
                best = best.min(
                    self.length(left, part)
                        .max(self.length(f - 1 - left, s - part)),
                );
            }
        }
        self.known.insert((f, s), best + self.fast);
        best + self.fast
    }
}
