//! Two classes: can `f` fast and `s` slow senders end before a bound?
//!
//! Read backwards (Liu-Kuo-Wang 2009, section 5.3): one slot is open at 0. A sender that takes a slot of date `a` opens
//! two at `a + time`. By Observation 1 the fast senders form the top of the tree. `x_d` of them are on level `d` (date
//! `d t_f`), where `x_0 <= 1`, `x_(d+1) <= 2 x_d`. They leave `f + 1` slots open. An open slot of level `d` has room
//! for `2^m_d - 1` slow senders, where `m_d` slow transfers after each other fit strictly before the bound. So the
//! question is whether the sum of `2^m_d` over the open slots can reach `s + f + 1`.
//!
//! A fast sender on level `d` turns one slot of `2^m_d` into two of `2^m_(d+1)`. As `t_f < t_s`, `m` drops by at most 1
//! per level: the sender *gains* `2^m_d` if `m` stays, and nothing if it *drops*. Spare senders do no harm (a gain is
//! never negative), so at most `f` need be placed, provided that all levels together have room for `f`.
//!
//! - Levels that gain, in sequence: while they have room, no sender should be below them, since moving the lowest one
//!   up gains at least as much. So they are filled, or the rest ends there. (If there are 65 or more, all ends there:
//!   `f < 2^64`.)
//! - A level that drops: numbers of senders to place are tried, best first, while a relaxation allows them. Relaxed to
//!   fractions, the rest is a concave problem: whole blocks of levels, in the order of gain per sender.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// Fact: gaining levels in sequence that have room for all senders.
const ENDLESS: u32 = 65;

/// Limit: relaxations solved.
const STEPS: u32 = 200_000;

/// Times in a common unit, counts of senders.
#[derive(Debug)]
pub(super) struct TwoClasses {
    pub(super) fast: BigUint,
    pub(super) slow: BigUint,
    pub(super) fast_senders: u64,
    pub(super) slow_senders: u64,
}

impl TwoClasses {
    /// Whether some schedule ends before `end`, which is positive. `None` if that takes too long.
    pub(super) fn end_before(&self, end: &BigUint) -> Option<bool> {
        if self.slow >= *end {
            return Some(false);
        }
        let rest = end - 1_u8;
        let fits = |date: &BigUint| ((&rest - date) / &self.slow).to_u32().unwrap_or(u32::MAX);
        if fits(&BigUint::zero()) >= ENDLESS {
            // Even if all were slow.
            return Some(true);
        }
        let levels = (&rest / &self.fast).to_u64().unwrap_or(u64::MAX);
        let mut gains = Vec::new();
        let (mut date, mut fit, mut row) = (BigUint::zero(), fits(&BigUint::zero()), 0);
        let first = fit;
        while (gains.len() as u64) < levels && row <= ENDLESS {
            date += &self.fast;
            let next = fits(&date);
            gains.push((next == fit).then_some(fit));
            row = if next == fit { row + 1 } else { 0 };
            fit = next;
        }
        let need = u128::from(self.fast_senders) + u128::from(self.slow_senders) + 1;
        let need = need.saturating_sub(1 << first);
        LevelSearch {
            blocks: blocks(&gains),
            gains,
            failed: BTreeSet::new(),
            steps: 0,
        }
        .reach(0, 1, u128::from(self.fast_senders), need)
    }
}

/// Levels that are best filled together, from some level on.
struct Block {
    levels: usize,
    /// Gain of one slot when all its levels are filled.
    gain: BigUint,
}

impl Block {
    /// How many senders one slot takes then.
    fn senders(&self) -> BigUint {
        (BigUint::one() << self.levels) - 1_u8
    }
}

/// The block that begins at every level: the one with the largest gain per sender.
fn blocks(gains: &[Option<u32>]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // From the last level up: blocks[i] begins at level gains.len() - 1 - i.
    for (behind, gain) in gains.iter().rev().enumerate() {
        let mut block = Block {
            levels: 1,
            gain: gain.map_or_else(BigUint::zero, |fit| BigUint::one() << fit),
        };
        while block.levels <= behind {
            let next = &blocks[behind - block.levels];
            if &block.gain * next.senders() > &next.gain * block.senders() {
                break;
            }
            block.gain += &next.gain << block.levels;
            block.levels += next.levels;
        }
        blocks.push(block);
    }
    blocks.reverse();
    blocks
}

struct LevelSearch {
    /// Per level: the logarithm of a sender's gain. `None` if it gains nothing.
    gains: Vec<Option<u32>>,
    blocks: Vec<Block>,
    failed: BTreeSet<(usize, u128, u128, u128)>,
    steps: u32,
}

impl LevelSearch {
    /// Whether `senders` below `slots` open slots of a level can gain `need`.
    fn reach(
        &mut self,
        mut level: usize,
        mut slots: u128,
        mut senders: u128,
        mut need: u128,
    ) -> Option<bool> {
        while let Some(&Some(fit)) = self.gains.get(level) {
            let taken = slots.min(senders);
            need = need.saturating_sub(taken.saturating_mul(1 << fit));
            senders -= taken;
            slots = 2 * taken;
            level += 1;
        }
        if need == 0 {
            return Some(true);
        }
        let state = (level, slots, senders, need);
        if self.failed.contains(&state) || self.relaxed(level, slots, senders) < need {
            return Some(false);
        }
        let most = slots.min(senders);
        let best = self.best(level, slots, senders).clamp(1, most);
        // The relaxation is concave in the number placed: away from the best one it only falls.
        let found = self.try_each((1..=best).rev(), level, senders, need)?
            || self.try_each(best + 1..=most, level, senders, need)?;
        if !found {
            self.failed.insert(state);
        }
        Some(found)
    }

    /// Whether one of these numbers of senders on a level that drops leads on, up to the first that the relaxation
    /// forbids.
    fn try_each(
        &mut self,
        numbers: impl Iterator<Item = u128>,
        level: usize,
        senders: u128,
        need: u128,
    ) -> Option<bool> {
        for placed in numbers {
            self.steps += 1;
            if self.steps > STEPS {
                return None;
            }
            if self.relaxed(level + 1, 2 * placed, senders - placed) < need {
                break;
            }
            if self.reach(level + 1, 2 * placed, senders - placed, need)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// How many senders the relaxation places on this level, rounded down.
    fn best(&self, level: usize, slots: u128, senders: u128) -> u128 {
        match self.blocks[level].senders().to_u128() {
            Some(each) => (senders / each).min(slots),
            None => 0,
        }
    }

    /// The most that `senders` below `slots` open slots of a level gain when senders may be divided, rounded down.
    /// Saturating.
    fn relaxed(&self, mut level: usize, mut slots: u128, mut senders: u128) -> u128 {
        let mut gained = 0_u128;
        while let Some(block) = self.blocks.get(level) {
            let each = block.senders();
            let all = each
                .to_u128()
                .and_then(|each| each.checked_mul(slots))
                .filter(|&all| all <= senders);
            let Some(all) = all else {
                let part = &block.gain * senders / each;
                return gained.saturating_add(part.to_u128().unwrap_or(u128::MAX));
            };
            let gain = block
                .gain
                .to_u128()
                .map_or(u128::MAX, |gain| gain.saturating_mul(slots));
            gained = gained.saturating_add(gain);
            senders -= all;
            slots += all;
            level += block.levels;
        }
        gained
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_testkit::Dice;

    /// Most room of the open slots, by trying every number of senders on every level: `fits(level)` slow transfers fit
    /// in sequence below it.
    fn naive(level: usize, slots: u64, senders: u64, fits: &[u32]) -> Option<u64> {
        let Some((&fit, deeper)) = fits[level..].split_first() else {
            return (senders == 0 && slots == 0).then_some(0);
        };
        let placed = 0..=senders.min(slots);
        let room = |placed| {
            Some(((slots - placed) << fit) + naive(level + 1, 2 * placed, senders - placed, fits)?)
        };
        if deeper.is_empty() {
            (senders == 0).then_some(slots << fit)
        } else {
            placed.filter_map(room).max()
        }
    }

    /// A block is the longest row of levels, filled, that gains most per sender, of all rows from its level on.
    #[test]
    fn blocks_gain_most_per_sender() {
        let mut dice = Dice::new(1);
        let mut roll = |below: u64| dice.below(below);
        let (mut long, mut short) = (0, 0);
        for _ in 0..2000 {
            let gains: Vec<Option<u32>> = (0..1 + roll(9))
                .map(|_| Some(roll(8) as u32).filter(|fit| *fit > 2))
                .collect();
            for (level, block) in blocks(&gains).iter().enumerate() {
                // Per number of levels: the gain of one slot, and its senders.
                let gained = |levels: usize| -> u64 {
                    let of_level = |(i, gain): (usize, &Option<u32>)| {
                        gain.map_or(0, |fit| 1u64 << (fit as usize + i))
                    };
                    gains[level..level + levels]
                        .iter()
                        .enumerate()
                        .map(of_level)
                        .sum()
                };
                let senders = |levels: usize| (1u64 << levels) - 1;
                let row = (1..=gains.len() - level).reduce(|best, levels| {
                    let (better, worse) = (
                        gained(levels) * senders(best),
                        gained(best) * senders(levels),
                    );
                    if better >= worse { levels } else { best }
                });
                assert_eq!(Some(block.levels), row, "{gains:?} {level}");
                assert_eq!(
                    (&block.gain, block.senders()),
                    (&gained(block.levels).into(), senders(block.levels).into())
                );
                *(if block.levels > 1 {
                    &mut long
                } else {
                    &mut short
                }) += 1;
            }
        }
        assert!(long > 500 && short > 500, "{long} {short}");
    }

    /// Up to 14 fast senders, any number of slow ones around the largest that fits, every end.
    #[test]
    fn two_classes_end_before_what_enumeration_says() {
        let mut answers = [0, 0];
        for (fast, slow) in [
            (2u32, 3u32),
            (2, 5),
            (2, 7),
            (3, 4),
            (3, 5),
            (3, 7),
            (3, 8),
            (4, 5),
            (4, 9),
            (5, 7),
            (5, 8),
        ] {
            for end in 1..=5 * slow {
                for senders in 1..=14 {
                    let fits: Vec<u32> = (0..)
                        .map(|level| level * fast)
                        .take_while(|&date| date < end)
                        .map(|date| (end - 1 - date) / slow)
                        .collect();
                    // Each of the room's units but one is a slow sender. No room at all if the fast do not fit.
                    let most = naive(0, 1, senders, &fits)
                        .map_or(0, |room| room.saturating_sub(senders + 1));
                    let ends = |slow_senders| {
                        let (fast, slow) = (BigUint::from(fast), BigUint::from(slow));
                        TwoClasses {
                            fast,
                            slow,
                            fast_senders: senders,
                            slow_senders,
                        }
                        .end_before(&BigUint::from(end))
                    };
                    for slow_senders in most.saturating_sub(1).max(1)..=most + 1 {
                        let expected = slow_senders <= most;
                        answers[usize::from(expected)] += 1;
                        assert_eq!(
                            ends(slow_senders),
                            Some(expected),
                            "{fast} {slow} {end}: {senders} {slow_senders}"
                        );
                    }
                }
            }
        }
        assert!(answers.iter().all(|&count| count > 500), "{answers:?}");
    }
}
