//! Bounds from weights on senders: what the slots could carry at best, against what must be carried.
//!
//! Give every sender a weight `w` (any sign). Let `P_i(r)` be the most that a tree of senders `i, i + 1, ...` under a
//! slot with `r` before the deadline can weigh, if each sender may be used in any number of places, but on every path
//! from the top once at most and in order: `P_i(r) = max(P_{i+1}(r), w_i + 2 P_{i+1}(r - t_i))`. The senders `i, ...`
//! fit under open slots `r_1, r_2, ...` only if `sum_j P_i(r_j) >= w_i + w_{i+1} + ...`. This is the Lagrangian
//! relaxation of "each sender once", so any weights are right and good ones come from subgradient steps. Integers
//! throughout.

use super::stages::{DEAD, Stage};

/// Fact: the fixed-point value of weight 1.
pub(super) const ONE: i64 = 1 << 20;
/// Fact: largest weight, by size.
const MOST: i64 = ONE << 8;
/// Fact: the largest potential, above the sum of all weights: a bound that met it prunes nothing.
const CEILING: i64 = 1 << 50;
/// Fact: the largest count.
const MANY: i64 = 1 << 20;

/// Weights and the potentials that follow from them.
#[derive(Debug, Clone)]
pub(super) struct Potential {
    /// Per sender.
    pub weights: Vec<i64>,
    /// Per stage and slot.
    pub values: Vec<Vec<i64>>,
    /// Per stage: the weights of the senders from there on.
    pub needs: Vec<i64>,
}

/// The entry of a slot, 0 for none.
fn at(values: &[i64], slot: u16) -> i64 {
    if slot == DEAD {
        0
    } else {
        values[usize::from(slot)]
    }
}

impl Potential {
    /// The potentials of the stages from `from` on.
    pub(super) fn new(stages: &[Stage], weights: Vec<i64>, from: usize) -> Potential {
        let senders = stages.len();
        let mut values: Vec<Vec<i64>> = vec![Vec::new(); senders + 1];
        let mut needs = vec![0; senders + 1];
        for stage in (from..senders).rev() {
            let (here, next) = (&stages[stage], &values[stage + 1]);
            let best = here.take.iter().zip(&here.stay).map(|(&take, &stay)| {
                (weights[stage] + 2 * at(next, take))
                    .max(at(next, stay))
                    .clamp(0, CEILING)
            });
            values[stage] = best.collect();
            needs[stage] = needs[stage + 1] + weights[stage];
        }
        Potential {
            weights,
            values,
            needs,
        }
    }

    /// The weight that the slots could hold beyond the need. If it is negative, the senders from `stage` on do not fit.
    pub(super) fn surplus(&self, stage: usize, slots: &[u16]) -> i64 {
        let carried: i64 = slots
            .iter()
            .map(|&slot| at(&self.values[stage], slot))
            .fold(0, i64::saturating_add);
        carried.saturating_sub(self.needs[stage])
    }

    /// The potential of one slot.
    pub(super) fn value(&self, stage: usize, slot: u16) -> i64 {
        at(&self.values[stage], slot)
    }

    /// How often each sender is used by trees of greatest weight.
    fn uses(&self, stages: &[Stage], stage: usize, slots: &[u16]) -> Vec<i64> {
        let mut open = vec![0i64; stages.get(stage).map_or(0, |stage| stage.rests.len())];
        for &slot in slots {
            open[usize::from(slot)] += 1;
        }
        let mut uses = vec![0i64; stages.len()];
        for level in stage..stages.len() {
            let (here, next) = (&stages[level], &self.values[level + 1]);
            let mut below = vec![0i64; stages.get(level + 1).map_or(0, |stage| stage.rests.len())];
            let mut add = |slot: u16, count: i64| {
                if slot != DEAD {
                    let place = &mut below[usize::from(slot)];
                    *place = (*place + count).min(MANY);
                }
            };
            for (slot, &count) in open.iter().enumerate().filter(|(_, count)| **count > 0) {
                let (take, stay) = (here.take[slot], here.stay[slot]);
                if self.weights[level] + 2 * at(next, take) > at(next, stay) {
                    uses[level] = (uses[level] + count).min(MANY);
                    add(take, 2 * count);
                } else {
                    add(stay, count);
                }
            }
            open = below;
        }
        uses
    }
}

/// Improves weights for one state by subgradient steps; the best found, and whether they rule the state out.
pub(super) fn improve(
    stages: &[Stage],
    stage: usize,
    slots: &[u16],
    start: &Potential,
    steps: usize,
) -> (Potential, bool) {
    let mut best = start.clone();
    let mut least = i64::MAX;
    let mut weights = start.weights.clone();
    for step in 0..steps {
        let potential = Potential::new(stages, weights.clone(), stage);
        let surplus = potential.surplus(stage, slots);
        if surplus < 0 {
            return (potential, true);
        }
        let uses = potential.uses(stages, stage, slots);
        // Steps as if the least surplus were a little below 0, shorter with time.
        let gaps: Vec<i64> = uses.iter().map(|&uses| (uses - 1).min(4)).collect();
        let square: i64 = gaps[stage..].iter().map(|gap| gap * gap).sum();
        if surplus < least {
            (best, least) = (potential, surplus);
        }
        if square == 0 {
            break;
        }
        let wish = surplus.min(MOST) + ONE / 8;
        let shrink = 16 + step as i64 / 2;
        for (weight, gap) in weights.iter_mut().zip(&gaps).skip(stage) {
            *weight = (*weight - wish * gap * 16 / (square * shrink)).clamp(-MOST, MOST);
        }
    }
    (best, false)
}
