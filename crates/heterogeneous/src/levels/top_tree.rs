//! Most room for slow senders under a top tree of at most `f` fast ones: exact, by branch and bound.
//!
//! Maximise `W = sum w_j y_j`, where `y_j` fast senders are at the j-th *level level* `p_j` (see the parent module) and
//! `w_j = 2^m` there. Between `p_{j-1}` and `p_j` lie `e_j` levels of weight 0, each of which drops `m` by one, so `w_j
//! = w_{j-1} / 2^e_j`. For a ratio below 2 level levels are not adjacent: `e_j >= 1` for `j >= 1`. `y` senders at `p_j`
//! need `ceil(y/2^i)` at each level `i` above it: `cost(y) = sum_{i <= e} ceil(y / 2^i)` in all, and they open `2y`
//! slots below.
//!
//! Linear relaxation: `cost(y) >= y (2 - 2^-e)`, and `y <= 2^e slots`. So a stage earns at most `w 2^e / (2^(e+1) - 1)`
//! per sender, which is more than `w / 2`, and the next at most `w / (2^(e'+1) - 1) <= w / 3`: the relaxed optimum
//! fills stage after stage, and fills one in part. That is the bound. As a function of `y` at one stage, bound minus
//! choice rises by less than `2 w / 3` when `y` gives up one (at most 2 senders are free for later stages): once the
//! bound for some `y` is not above the best known, no smaller `y` is better. So only some `O(e)` values of `y` are
//! looked at per stage, and after the first stage that is not filled few senders are left.

use std::collections::BTreeMap;

/// One level level, with the levels of weight 0 above it.
#[derive(Clone, Copy)]
struct Stage {
    /// Levels of weight 0 between the previous level level (or the top) and this one.
    gap: u32,
    weight: u128,
}

/// The maximisation.
pub(super) struct Room {
    stages: Vec<Stage>,
    f: u64,
    /// Best value and choice by stage, slots and senders left.
    known: BTreeMap<(usize, u64, u64), (u128, u64)>,
}

impl Room {
    /// Level levels `(d, m_d)`, ascending, for at most `f` fast senders.
    pub(super) fn new(levels: Vec<(u32, u32)>, f: u64) -> Room {
        let mut next = 0;
        let stages = levels.into_iter().map(|(d, m)| {
            let gap = d - next;
            next = d + 1;
            Stage {
                gap,
                weight: 1u128 << m,
            }
        });
        Room {
            stages: stages.collect(),
            f,
            known: BTreeMap::new(),
        }
    }

    /// The largest `W` and senders per level that reach it (perhaps fewer than `f`).
    pub(super) fn best(mut self) -> (u128, Vec<u64>) {
        let value = self.value(0, 1, self.f);
        let mut levels = Vec::new();
        let (mut slots, mut left) = (1, self.f);
        for stage in 0..self.stages.len() {
            let Some(&(_, chosen)) = self.known.get(&key(stage, slots, left)) else {
                break;
            };
            if chosen == 0 {
                break;
            }
            let gap = self.stages[stage].gap;
            levels.extend((0..=gap).rev().map(|above| above_of(chosen, above)));
            left -= cost(chosen, gap).unwrap_or(left);
            slots = chosen.saturating_mul(2);
        }
        (value, levels)
    }

    fn value(&mut self, stage: usize, slots: u64, left: u64) -> u128 {
        let Some(&Stage { gap, weight }) = self.stages.get(stage) else {
            return 0;
        };
        if left == 0 || slots == 0 {
            return 0;
        }
        if let Some(&(value, _)) = self.known.get(&key(stage, slots, left)) {
            return value;
        }
        let most = most(slots, left, gap);
        let mut best = (0, 0);
        for chosen in (1..=most).rev() {
            let own = weight.saturating_mul(chosen.into());
            // Relaxed cost, rounded down: 2 y - ceil(y / 2^e).
            let spent = 2 * u128::from(chosen) - u128::from(above_of(chosen, gap));
            let free = u128::from(left).saturating_sub(spent);
            if own.saturating_add(self.bound(stage + 1, most.saturating_mul(2), free)) <= best.0 {
                break;
            }
            let Some(spent) = cost(chosen, gap) else {
                continue;
            };
            let value =
                own.saturating_add(self.value(stage + 1, chosen.saturating_mul(2), left - spent));
            if value > best.0 {
                best = (value, chosen);
            }
        }
        self.known.insert(key(stage, slots, left), best);
        best.0
    }

    /// No less than the relaxed optimum of the stages from this one on.
    fn bound(&self, stage: usize, slots: u64, mut left: u128) -> u128 {
        let mut slots = u128::from(slots);
        let mut total = 0u128;
        for &Stage { gap, weight } in self.stages.iter().skip(stage) {
            let full = if gap < 60 { slots << gap } else { u128::MAX };
            let price = if gap < 60 {
                slots.saturating_mul((2 << gap) - 1)
            } else {
                u128::MAX
            };
            if left < price {
                return total.saturating_add(share(weight.saturating_mul(left), gap));
            }
            total = total.saturating_add(weight.saturating_mul(full));
            left -= price;
            slots = full.saturating_mul(2);
        }
        total
    }
}

/// More slots than senders make no difference.
fn key(stage: usize, slots: u64, left: u64) -> (usize, u64, u64) {
    (stage, slots.min(left), left)
}

/// Senders `above` levels higher that `y` senders need.
fn above_of(y: u64, above: u32) -> u64 {
    if above < 64 {
        y.div_ceil(1 << above)
    } else {
        y.min(1)
    }
}

/// Senders that `y` at a stage need, themselves among them. `None` beyond 64 bits.
fn cost(y: u64, gap: u32) -> Option<u64> {
    (0..=gap).try_fold(0u64, |sum, above| sum.checked_add(above_of(y, above)))
}

/// The largest `y` that slots and senders allow.
fn most(slots: u64, left: u64, gap: u32) -> u64 {
    let room = if gap < 64 {
        (u128::from(slots) << gap).min(left.into()) as u64
    } else {
        left
    };
    let (mut low, mut high) = (0, room);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if cost(middle, gap).is_some_and(|cost| cost <= left) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// `weight * left * 2^e / (2^(e+1) - 1)`, rounded, never less than its floor.
fn share(product: u128, gap: u32) -> u128 {
    if gap < 60 && product.leading_zeros() > gap {
        return (product << gap) / ((2 << gap) - 1);
    }
    // half of it is product / 2 (1 + 1 / (2^(e+1) - 1))
    let more = if gap < 60 {
        product / ((2 << gap) - 1)
    } else {
        0
    };
    product / 2 + more / 2 + 2
}
