//! The naive twin of Liu-Kuo-Wang 2009, in whole units of time: algorithm EP step by step, all sequences, all trees.

/// What algorithm EP (figure 2) does with a sequence of transmission times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// When each sender starts, in the order of the sequence.
    pub starts: Vec<u64>,
    /// When the last one ends.
    pub length: u64,
}

/// Figure 2, line by line: one more processor than senders, two free ones start a transmission, its receiver stays.
pub fn earliest(sequence: &[u64]) -> Run {
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
    let length = starts.iter().zip(sequence).map(|(start, takes)| start + takes).max().unwrap_or(0);
    Run { starts, length }
}

/// A(s, t), A'(s, t) and C(s, t): senders that are active at `t`, those of them that started before, those that are
/// done.
pub fn counts(sequence: &[u64], run: &Run, t: u64) -> [usize; 3] {
    let windows = || run.starts.iter().zip(sequence).map(|(&start, takes)| (start, start + takes));
    [
        windows().filter(|&(start, end)| start <= t && t < end).count(),
        windows().filter(|&(start, end)| start < t && t < end).count(),
        windows().filter(|&(_, end)| end <= t).count(),
    ]
}

/// Every different order of the times.
pub fn orders(times: &[u64]) -> Vec<Vec<u64>> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let mut all = vec![sorted.clone()];
    // The next permutation in lexicographic order.
    while let Some(pivot) = (1..sorted.len()).rev().find(|&i| sorted[i - 1] < sorted[i]) {
        let swap = (pivot..sorted.len()).rev().find(|&i| sorted[i] > sorted[pivot - 1]).unwrap_or(pivot);
        sorted.swap(pivot - 1, swap);
        sorted[pivot..].reverse();
        all.push(sorted.clone());
    }
    all
}

/// The shortest over all sequences.
pub fn best(times: &[u64]) -> u64 {
    orders(times).iter().map(|order| earliest(order).length).min().unwrap_or(0)
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

/// T(f, s) of the recursion (2), (3) for all `f <= most_fast`, `s <= most_slow`.
pub fn table(fast: u64, slow: u64, most_fast: usize, most_slow: usize) -> Vec<Vec<u64>> {
    let mut table = vec![vec![0; most_slow + 1]; most_fast + 1];
    for (s, cell) in table[0].iter_mut().enumerate() {
        *cell = u64::from(usize::BITS - s.leading_zeros()) * slow;
    }
    for f in 1..=most_fast {
        for s in 0..=most_slow {
            let splits = (0..f).flat_map(|left| (0..=s).map(move |share| (left, share)));
            let value = |(left, share): (usize, usize)| table[left][share].max(table[f - 1 - left][s - share]);
            table[f][s] = fast + splits.map(value).min().unwrap_or(0);
        }
    }
    table
}

/// Numbers from 1 to `most`, always the same for the same seed.
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

    /// So many numbers.
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
        // Three senders and a destination: two start at once, the third when the fast one has ended and its receiver
        // waits for the other's.
        assert_eq!(earliest(&[2, 1, 1]), Run { starts: vec![0, 0, 2], length: 3 });
        assert_eq!(earliest(&[]), Run { starts: vec![], length: 0 });
    }
}
