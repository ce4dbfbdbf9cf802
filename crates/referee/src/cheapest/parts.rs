//! The partial results of a reduction, numbered: intervals, or for commutative operators sets.

use oneport_plan::Interval;

/// Partial results by number. The inputs of a merge have smaller numbers than its result.
#[derive(Debug)]
pub(super) struct Parts {
    operands: usize,
    /// Intervals by number, the shorter first. Empty for sets, whose number is the bit mask (0 is not a set).
    intervals: Vec<Interval>,
}

impl Parts {
    /// How many numbers there are.
    pub(super) fn count(operands: usize, sets: bool) -> u128 {
        let n = operands as u128;
        if sets {
            1 << operands.min(64)
        } else {
            n * (n + 1) / 2
        }
    }

    /// Numbers the parts, which have been counted before.
    pub(super) fn new(operands: usize, sets: bool) -> Parts {
        let of_length = |length: usize| {
            (0..=operands - length).map(move |first| Interval {
                first,
                last: first + length - 1,
            })
        };
        let lengths = if sets { 1..1 } else { 1..operands + 1 };
        Parts {
            operands,
            intervals: lengths.flat_map(of_length).collect(),
        }
    }

    /// One part for each number of operands: amounts of a commutative operator depend on nothing else.
    pub(super) fn counted(operands: usize) -> Parts {
        Parts {
            operands,
            intervals: (0..operands)
                .map(|last| Interval { first: 0, last })
                .collect(),
        }
    }

    fn are_sets(&self) -> bool {
        self.intervals.is_empty()
    }

    /// One more than the last number.
    pub(super) fn len(&self) -> usize {
        if self.are_sets() {
            1 << self.operands
        } else {
            self.intervals.len()
        }
    }

    /// All proper numbers, ascending.
    pub(super) fn all(&self) -> std::ops::Range<usize> {
        usize::from(self.are_sets())..self.len()
    }

    /// The number of all operands together.
    pub(super) fn full(&self) -> usize {
        self.len() - 1
    }

    /// The number of the operands `0..=last` together. The last is one of the operands.
    pub(super) fn prefix(&self, last: usize) -> usize {
        if self.are_sets() {
            (1 << (last + 1)) - 1
        } else {
            self.number(0, last + 1)
        }
    }

    /// How many operands a part combines.
    pub(super) fn operands(&self, part: usize) -> usize {
        if self.are_sets() {
            part.count_ones() as usize
        } else {
            self.intervals[part].operands()
        }
    }

    /// The operand, if the part is a single one.
    pub(super) fn single(&self, part: usize) -> Option<usize> {
        if self.are_sets() {
            part.is_power_of_two()
                .then(|| part.trailing_zeros() as usize)
        } else {
            (part < self.operands).then_some(part)
        }
    }

    /// The number of an interval of operands, if parts are intervals.
    pub(super) fn of_interval(&self, part: Interval) -> usize {
        self.number(part.first, part.operands())
    }

    /// The last operand of an interval. 0 of a set.
    pub(super) fn last(&self, part: usize) -> usize {
        self.intervals.get(part).map_or(0, |part| part.last)
    }

    /// The number of an interval.
    fn number(&self, first: usize, length: usize) -> usize {
        // Before it are the intervals of length 1 to length - 1: n, n - 1, ... of them.
        let shorter = length - 1;
        shorter * self.operands - shorter * shorter.saturating_sub(1) / 2 + first
    }

    /// All splits of a part into two.
    pub(super) fn splits(&self, part: usize, into: &mut Vec<(usize, usize)>) {
        into.clear();
        if self.are_sets() {
            // The lowest operand is on the left: every pair once.
            let rest = part & (part - 1);
            let mut right = rest;
            while right != 0 {
                into.push((part ^ right, right));
                right = (right - 1) & rest;
            }
        } else {
            let Interval { first, last } = self.intervals[part];
            let halves = |split: usize| {
                (
                    self.number(first, split + 1 - first),
                    self.number(split + 1, last - split),
                )
            };
            into.extend((first..last).map(halves));
        }
    }

    /// One interval for each class, in the order of [`Class::of`].
    pub(super) fn representatives(&self, class: Class) -> Box<dyn Iterator<Item = Interval> + '_> {
        match class {
            Class::Nothing => Box::new(std::iter::once(Interval {
                first: 0,
                last: self.operands - 1,
            })),
            Class::Operands => Box::new((0..self.operands).map(|last| Interval { first: 0, last })),
            Class::Part => Box::new(self.intervals.iter().copied()),
        }
    }
}

/// The property of a part that an amount depends on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Class {
    Nothing,
    Operands,
    Part,
}

impl Class {
    /// The index of a part in a list of amounts.
    pub(super) fn of(self, parts: &Parts, part: usize) -> usize {
        match self {
            Class::Nothing => 0,
            Class::Operands => parts.operands(part) - 1,
            Class::Part => part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_numbered_without_gaps_and_split_into_neighbours() {
        for operands in 1..9 {
            let parts = Parts::new(operands, false);
            assert_eq!(parts.len() as u128, Parts::count(operands, false));
            assert_eq!(parts.operands(parts.full()), operands);
            // Amounts are looked up by the class by which they are listed.
            for class in [Class::Nothing, Class::Operands, Class::Part] {
                let listed: Vec<Interval> = parts.representatives(class).collect();
                for part in parts.all() {
                    let (found, own) = (listed[class.of(&parts, part)], parts.intervals[part]);
                    match class {
                        Class::Nothing => assert_eq!(listed.len(), 1),
                        Class::Operands => assert_eq!(found.operands(), own.operands()),
                        Class::Part => assert_eq!(found, own),
                    }
                }
            }
            let mut splits = Vec::new();
            for part in parts.all() {
                let whole = parts.intervals[part];
                assert_eq!(parts.number(whole.first, whole.operands()), part);
                assert!(whole.first > 0 || parts.prefix(whole.last) == part);
                assert_eq!(parts.single(part).is_some(), whole.first == whole.last);
                parts.splits(part, &mut splits);
                assert_eq!(splits.len(), whole.operands() - 1);
                for &(left, right) in &splits {
                    let (left, right) = (parts.intervals[left], parts.intervals[right]);
                    assert_eq!(
                        (left.first, left.last + 1, right.last),
                        (whole.first, right.first, whole.last)
                    );
                }
            }
        }
    }

    #[test]
    fn sets_split_into_all_pairs_once() {
        let parts = Parts::new(5, true);
        assert_eq!(
            (parts.len() as u128, parts.operands(parts.full())),
            (Parts::count(5, true), 5)
        );
        assert_eq!(
            Parts::count(80, true),
            Parts::count(64, true),
            "too many is as good as more"
        );
        let mut splits = Vec::new();
        for part in parts.all() {
            parts.splits(part, &mut splits);
            assert_eq!(splits.len(), (1 << (parts.operands(part) - 1)) - 1);
            assert!(
                splits
                    .iter()
                    .all(|&(left, right)| left & right == 0 && left | right == part)
            );
            assert!(
                splits
                    .iter()
                    .all(|&(left, right)| left > 0 && right > 0 && left < part && right < part)
            );
            splits.sort_unstable();
            splits.dedup();
            assert_eq!(splits.len(), (1 << (parts.operands(part) - 1)) - 1);
        }
    }
}
