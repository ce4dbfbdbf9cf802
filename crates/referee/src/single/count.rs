//! Equal costs: how many values can be combined in strictly less than a given time?
//!
//! Read a schedule backwards from its end. The root is there at date 0. A processor that is there at date `s` can be
//! given its first child at `s + d + c` and a further one every `max(d, c)` (RR-7898, Proposition 2). So every
//! schedule shorter than `t` is a part of one infinite tree, whose processors have dates `a max + b (d + c)`: the
//! part with dates below `t`. Unlimited, that is all of them (proof of Lemma 5: without its last child, a tree is
//! shorter by `max`, and that child's tree by `d + c`). With `K` reducers, it is the children of `K` of them. A later
//! processor has no more children in time than an earlier one, and its parent is earlier still, so the `K` earliest
//! are the best choice (Theorem 9).

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

/// Times in a common unit.
#[derive(Debug)]
pub(super) struct Equal {
    pub(super) transfer: BigUint,
    pub(super) compute: BigUint,
}

/// Fact: after this many steps of `d + c` there are more than 2^64 processors: their number doubles with every step.
const STEPS: u32 = 65;

impl Equal {
    fn step(&self) -> BigUint {
        (&self.transfer).max(&self.compute).clone()
    }

    fn detour(&self) -> BigUint {
        &self.transfer + &self.compute
    }

    /// The most values combined in less than `time`, which is positive. Saturating beyond 2^64. O(log^2).
    pub(super) fn values_below(&self, time: &BigUint) -> u128 {
        let (step, detour) = (self.step(), self.detour());
        if detour.is_zero() || *time > &detour * STEPS {
            return u128::MAX;
        }
        // row[b] counts for time - a step - b detour, from the largest a with a positive rest down to 0.
        let rest = |a: u64| (time - &step * a) - 1_u8;
        let last = ((time - 1_u8) / &step).to_u64().unwrap_or(u64::MAX);
        let mut row: Vec<u128> = Vec::new();
        for a in (0..=last).rev() {
            let within = (rest(a) / &detour).to_usize().unwrap_or(usize::MAX);
            row.resize(within + 1, 1);
            row[within] = 1;
            for b in (0..within).rev() {
                row[b] = row[b].saturating_add(row[b + 1]);
            }
        }
        row.first().copied().unwrap_or(1)
    }

    /// The exact count with at most `reducers` processors that receive. O(log^2 log log).
    pub(super) fn values_below_by(&self, time: &BigUint, reducers: u64) -> Option<BigUint> {
        let (step, detour) = (self.step(), self.detour());
        if detour.is_zero() {
            return None;
        }
        let mut left = u128::from(reducers);
        let mut values = BigUint::from(1_u8);
        for (date, processors) in self.earliest(reducers) {
            let first = date + &detour;
            if left == 0 || first >= *time {
                break;
            }
            let children = (time - first - 1_u8) / &step + 1_u8;
            let taken = processors.min(left);
            left -= taken;
            values += children * taken;
        }
        Some(values)
    }

    /// Dates of the infinite tree and how many processors have them, the earliest first, with at least `wanted` in all.
    fn earliest(&self, wanted: u64) -> Vec<(BigUint, u128)> {
        let (step, detour) = (self.step(), self.detour());
        let steps = u64::BITS - wanted.leading_zeros() + 1;
        let horizon = &detour * steps;
        let last = (&horizon / &step).to_usize().unwrap_or(usize::MAX);
        let mut dates = vec![(BigUint::zero(), 1)];
        // ways[a]: the number of processors of depth b that wait a times.
        let mut ways = vec![0_u128; last + 1];
        ways[0] = 1;
        for b in 1..=steps {
            for a in 0..=last {
                if a > 0 {
                    ways[a] = ways[a].saturating_add(ways[a - 1]);
                }
                let date = &step * a + &detour * b;
                if date > horizon {
                    break;
                }
                dates.push((date, ways[a]));
            }
        }
        dates.sort_unstable();
        dates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dates of the infinite tree below `horizon`, ascending, each as often as there are processors: from the first
    /// child at `s + d + c` on, a further one every `max(d, c)`.
    fn dates(transfer: u64, compute: u64, horizon: u64) -> Vec<u64> {
        let mut dates = vec![0];
        let mut next = 0;
        while let Some(&date) = dates.get(next) {
            let children =
                (date + transfer + compute..horizon).step_by(transfer.max(compute) as usize);
            dates.extend(children);
            next += 1;
        }
        dates.sort_unstable();
        dates
    }

    /// The children of these processors before `time`, and the root.
    fn children(of: &[u64], transfer: u64, compute: u64, time: u64) -> usize {
        let children = |&date: &u64| {
            (date + transfer + compute..time)
                .step_by(transfer.max(compute) as usize)
                .count()
        };
        1 + of.iter().map(children).sum::<usize>()
    }

    #[test]
    fn counts_are_those_of_the_tree_drawn_out() {
        for (transfer, compute) in [
            (1, 0),
            (0, 1),
            (1, 1),
            (2, 1),
            (1, 2),
            (3, 2),
            (2, 5),
            (7, 2),
            (4, 4),
        ] {
            let equal = Equal {
                transfer: transfer.into(),
                compute: compute.into(),
            };
            for time in 1..=8 * (transfer + compute) {
                let all = dates(transfer, compute, time);
                let below = BigUint::from(time);
                assert_eq!(
                    equal.values_below(&below),
                    all.len() as u128,
                    "{transfer} {compute} {time}"
                );
                for reducers in (1..40).chain([100, 1000, u64::MAX]) {
                    let first = &all[..all
                        .len()
                        .min(usize::try_from(reducers).unwrap_or(usize::MAX))];
                    let expected = children(first, transfer, compute, time);
                    let found = equal.values_below_by(&below, reducers);
                    assert_eq!(
                        found,
                        Some(expected.into()),
                        "{transfer} {compute} {time} {reducers}"
                    );
                }
            }
        }
    }
}
