//! Trying all schedules of a few senders, in the backwards view of Liu-Kuo-Wang 2009, section 5.3.

use std::collections::BTreeSet;

/// Limit: states visited. Measured: most of the 0.5 s for 26 senders.
const STATES: usize = 200_000;

/// States between two questions whether to go on. Trades questions for time after a limit. Not measured.
const ASKED: usize = 1024;

/// Limit: senders. Each takes one step of the recursion.
const SENDERS: u64 = 64;

/// Whether some schedule ends before `end`. `None` if that takes too long, or `go_on` ends it. `classes` are times,
/// ascending, and numbers of senders.
///
/// One slot is open at 0. A sender that takes a slot of date `a` opens two at `a + time`. By Observation 1 no sender
/// need be above a faster one, so the senders take slots fastest first, like senders at ascending dates.
pub(super) fn ends_before(
    classes: &[(u128, u64)],
    end: u128,
    go_on: &dyn Fn() -> bool,
) -> Option<bool> {
    let total = classes
        .iter()
        .fold(0_u64, |sum, (_, senders)| sum.saturating_add(*senders));
    if total > SENDERS {
        return None;
    }
    let times: Vec<u128> = classes
        .iter()
        .flat_map(|&(time, senders)| std::iter::repeat_n(time, senders as usize))
        .collect();
    ScheduleSearch {
        times: &times,
        end,
        go_on,
        visited: 0,
        failed: BTreeSet::new(),
    }
    .place(0, 0, vec![0])
}

struct ScheduleSearch<'a> {
    times: &'a [u128],
    end: u128,
    go_on: &'a dyn Fn() -> bool,
    /// States visited.
    visited: usize,
    /// States that lead nowhere: how many senders are placed, the earliest date for the next, the open slots.
    failed: BTreeSet<(usize, u128, Vec<u128>)>,
}

impl ScheduleSearch<'_> {
    /// Whether the senders from `placed` on find slots among these, ascending, and those they open.
    fn place(&mut self, placed: usize, earliest: u128, mut slots: Vec<u128>) -> Option<bool> {
        let Some(&time) = self.times.get(placed) else {
            return Some(true);
        };
        slots.retain(|slot| slot + time < self.end);
        if self.room(&slots, time) < (self.times.len() - placed) as u128 {
            return Some(false);
        }
        let state = (placed, earliest, slots);
        if self.failed.contains(&state) {
            return Some(false);
        }
        self.visited += 1;
        let ended = self.visited.is_multiple_of(ASKED) && !(self.go_on)();
        if ended || self.failed.len() >= STATES {
            return None;
        }
        let slots = &state.2;
        for (index, &slot) in slots.iter().enumerate() {
            if slot < earliest || (index > 0 && slots[index - 1] == slot) {
                continue;
            }
            let opened = slot + time;
            let mut next = slots.clone();
            next.remove(index);
            let position = next.partition_point(|&other| other < opened);
            next.splice(position..position, [opened, opened]);
            let alike = self.times.get(placed + 1) == Some(&time);
            if self.place(placed + 1, if alike { slot } else { 0 }, next)? {
                return Some(true);
            }
        }
        self.failed.insert(state);
        Some(false)
    }

    /// How many senders of this time, the fastest left, the slots and those below them have room for.
    fn room(&self, slots: &[u128], time: u128) -> u128 {
        let below = |&slot: &u128| {
            let levels = (self.end - slot - 1) / time;
            if levels >= 64 {
                1 << 64
            } else {
                (1_u128 << levels) - 1
            }
        };
        slots.iter().map(below).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_testkit::Dice;

    /// Whether the senders that are left find slots: every sender is tried in every slot.
    fn naive(left: &[u128], slots: &[u128], end: u128) -> bool {
        let place = |sender: usize, slot: usize| {
            let (mut left, mut slots) = (left.to_vec(), slots.to_vec());
            let opened = slots.swap_remove(slot) + left.swap_remove(sender);
            slots.extend([opened, opened]);
            opened < end && naive(&left, &slots, end)
        };
        left.is_empty()
            || (0..left.len()).any(|sender| (0..slots.len()).any(|slot| place(sender, slot)))
    }

    /// Up to five senders of up to three times, for every possible end.
    #[test]
    fn schedules_end_before_what_enumeration_says() {
        let mut dice = Dice::new(3);
        let mut roll = |below: u64| dice.below(below);
        for _ in 0..60 {
            let (one, two) = (1 + u128::from(roll(4)), 1 + u128::from(roll(4)));
            let three = one + two + u128::from(roll(3));
            let classes = [
                (one, roll(3)),
                (one + two, 1 + roll(2)),
                (three + 1, roll(2)),
            ];
            let times: Vec<u128> = classes
                .iter()
                .flat_map(|&(time, senders)| std::iter::repeat_n(time, senders as usize))
                .collect();
            for end in 1..=times.iter().sum::<u128>() + 1 {
                assert_eq!(
                    ends_before(&classes, end, &|| true),
                    Some(naive(&times, &[0], end)),
                    "{classes:?} {end}"
                );
            }
        }
        // As many senders as are tried at all, and one more.
        assert_eq!(ends_before(&[(1, SENDERS)], 8, &|| true), Some(true));
        assert_eq!(ends_before(&[(1, SENDERS)], 7, &|| true), Some(false));
        assert_eq!(ends_before(&[(1, SENDERS + 1)], 8, &|| true), None);
        // Room for more than 2^64 senders.
        assert_eq!(ends_before(&[(1, 3)], 1 << 40, &|| true), Some(true));
    }

    /// The limit holds although several senders may be given up between two looks at it.
    #[test]
    fn the_limit_on_states_is_kept() {
        let times = [
            10, 17, 18, 20, 22, 25, 25, 30, 30, 30, 34, 35, 43, 50, 58, 62, 83, 88, 88, 92, 109,
            109,
        ];
        let mut search = ScheduleSearch {
            go_on: &|| true,
            visited: 0,
            times: &times,
            end: 154,
            failed: BTreeSet::new(),
        };
        search.go_on = &|| false;
        assert_eq!(search.place(0, 0, vec![0]), None);
        assert_eq!(search.visited, ASKED);
        search.go_on = &|| true;
        assert_eq!(search.place(0, 0, vec![0]), None);
        assert!(
            (STATES..STATES + times.len()).contains(&search.failed.len()),
            "{}",
            search.failed.len()
        );
    }
}
