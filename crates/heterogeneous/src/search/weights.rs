//! Bounds from weights on senders ([`SenderWeights`](oneport_plan::SenderWeights)): the most weight that the open slots
//! carry, against the weight of the senders left.
//!
//! This is the Lagrangian relaxation of "each sender once", so weights of any kind are right. Good ones come from
//! subgradient steps: with weights of at most 1, "the most that is carried, plus what each weight lacks of 1" is at
//! least the number of senders that can be placed, and convex. Integers throughout.

use super::stages::{DEAD, Stage};

/// Fact: the fixed-point value of weight 1.
const ONE: i64 = 1 << 20;
/// Fact: the least weight.
const LEAST: i64 = -(ONE << 8);
/// Fact: the largest value, above the sum of all weights: a bound that met it excludes nothing.
const CEILING: i64 = 1 << 50;
/// Fact: the largest count.
const MANY: i64 = 1 << 20;
/// Fact: the fixed-point value of a whole step.
const WHOLE: i64 = 1 << 10;
/// Steps without a better value before they are made shorter. Trades time for convergence. Not measured.
const PATIENCE: usize = 20;

/// For a slot, the greatest weights of trees with two different topmost senders. 0 for no tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    first: i64,
    second: i64,
    /// The topmost sender of the first.
    topmost: u16,
}

/// No sender.
const NOBODY: u16 = u16::MAX;

impl Carried {
    const NOTHING: Carried = Carried {
        first: 0,
        second: 0,
        topmost: NOBODY,
    };

    /// With one more tree to choose from.
    fn with(self, weight: i64, topmost: u16) -> Carried {
        if weight > self.first {
            Carried {
                first: weight,
                second: self.first,
                topmost,
            }
        } else {
            Carried {
                second: self.second.max(weight),
                ..self
            }
        }
    }
}

/// Weights, and what slots carry by them.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// The first stage it is for.
    pub from: usize,
    /// Per sender. 0 before the first stage.
    pub weights: Vec<i64>,
    /// Per stage and slot.
    carried: Vec<Vec<Carried>>,
    /// Per stage: the weights of the senders from there on.
    needs: Vec<i64>,
}

/// Memory for [`Bound::surplus`]: the gain of each topmost sender.
#[derive(Default)]
pub(super) struct Gains(Vec<(u16, i64)>);

impl Bound {
    /// Bounds by the weights for the stages from `from` on.
    pub(super) fn new(stages: &[Stage], mut weights: Vec<i64>, from: usize) -> Bound {
        let senders = stages.len();
        for weight in weights.iter_mut().take(from) {
            *weight = 0;
        }
        let mut carried: Vec<Vec<Carried>> = vec![Vec::new(); senders + 1];
        let mut needs = vec![0; senders + 1];
        for stage in (from..senders).rev() {
            let (here, next) = (&stages[stage], &carried[stage + 1]);
            let weight = weights[stage];
            let best = here.take.iter().zip(&here.stay).map(|(&take, &stay)| {
                let below = at(next, take);
                let tree = (weight + below.first + below.second).min(CEILING);
                at(next, stay).with(tree, stage as u16)
            });
            carried[stage] = best.collect();
            needs[stage] = needs[stage + 1] + weight;
        }
        Bound {
            from,
            weights,
            carried,
            needs,
        }
    }

    /// The weight that the open slots carry beyond the need. Below 0 the senders from `stage` on do not fit.
    pub(super) fn surplus(&self, stage: usize, slots: &[u16], gains: &mut Gains) -> i64 {
        if stage < self.from {
            return CEILING;
        }
        let carried = &self.carried[stage];
        let mut sum = -self.needs[stage];
        gains.0.clear();
        // A sender is topmost in one slot. The other slots that would have it there carry their second.
        for &slot in slots {
            let own = at(carried, slot);
            sum = sum.saturating_add(own.second);
            let gain = own.first - own.second;
            if gain == 0 {
                continue;
            }
            match gains
                .0
                .iter_mut()
                .find(|(sender, _)| *sender == own.topmost)
            {
                Some((_, most)) => *most = gain.max(*most),
                None => gains.0.push((own.topmost, gain)),
            }
        }
        gains
            .0
            .iter()
            .fold(sum, |sum, (_, gain)| sum.saturating_add(*gain))
    }

    /// How often each sender is used by the trees of greatest weight.
    fn uses(&self, stages: &[Stage], stage: usize, slots: &[u16]) -> Vec<i64> {
        let mut wanted = self.wanted(stage, slots);
        let mut uses = vec![0i64; stages.len()];
        for (level, here) in stages.iter().enumerate().skip(stage) {
            let next = &self.carried[level + 1];
            let mut below = vec![[0i64; 2]; next.len()];
            let mut add = |slot: u16, index: usize, count: i64| {
                if slot != DEAD {
                    let sum = &mut below[usize::from(slot)][index];
                    *sum = (*sum + count).min(MANY);
                }
            };
            let slots = wanted.iter().enumerate();
            for (slot, &[first, second]) in slots.filter(|(_, counts)| **counts != [0; 2]) {
                let (take, stay) = (here.take[slot], here.stay[slot]);
                let (own, other) = (self.carried[level][slot], at(next, stay));
                // The sender of this level is on top of the first, the second or neither.
                let count = if own.first != other.first {
                    add(stay, 0, second);
                    first
                } else if own.second != other.second {
                    add(stay, 0, first);
                    second
                } else {
                    add(stay, 0, first);
                    add(stay, 1, second);
                    continue;
                };
                uses[level] = (uses[level] + count).min(MANY);
                add(take, 0, count);
                add(take, 1, count);
            }
            wanted = below;
        }
        uses
    }

    /// Per slot of a stage: how many of the open slots carry their first tree, and how many their second.
    fn wanted(&self, stage: usize, slots: &[u16]) -> Vec<[i64; 2]> {
        let carried = &self.carried[stage];
        // Per topmost sender the slot that gains most by it.
        let mut leaders: Vec<(u16, i64, usize)> = Vec::new();
        for (index, &slot) in slots.iter().enumerate() {
            let own = at(carried, slot);
            let gain = own.first - own.second;
            match leaders
                .iter_mut()
                .find(|(sender, ..)| *sender == own.topmost)
            {
                Some(leader) if gain <= leader.1 => {}
                Some(leader) => *leader = (own.topmost, gain, index),
                None => leaders.push((own.topmost, gain, index)),
            }
        }
        let mut wanted = vec![[0i64; 2]; carried.len()];
        for (index, &slot) in slots.iter().enumerate().filter(|(_, slot)| **slot != DEAD) {
            let leads = leaders.iter().any(|leader| leader.2 == index);
            wanted[usize::from(slot)][usize::from(!leads)] += 1;
        }
        wanted
    }
}

/// The entry of a slot, nothing for none.
fn at(carried: &[Carried], slot: u16) -> Carried {
    if slot == DEAD {
        Carried::NOTHING
    } else {
        carried[usize::from(slot)]
    }
}

/// Steps of a search for weights.
pub(super) struct Steps<'a> {
    /// The most.
    pub most: usize,
    /// Called before each. False ends the search.
    pub go_on: &'a mut dyn FnMut() -> bool,
}

/// Improves weights for one state. Returns the best found, and whether they exclude the state.
pub(super) fn improve(
    stages: &[Stage],
    stage: usize,
    slots: &[u16],
    weights: &[i64],
    steps: Steps,
) -> (Bound, bool) {
    let mut weights: Vec<i64> = weights.iter().map(|&weight| weight.min(ONE)).collect();
    let (mut best, mut least) = (weights.clone(), i64::MAX);
    let (mut length, mut failed) = (WHOLE, 0);
    for _ in 0..steps.most {
        if !(steps.go_on)() {
            break;
        }
        let bound = Bound::new(stages, weights.clone(), stage);
        let surplus = bound.surplus(stage, slots, &mut Gains::default());
        if surplus < 0 {
            return (bound, true);
        }
        // The surplus, over the senders' number, of the most carried weight plus the shortfalls of the weights below 1.
        if surplus < least {
            (best, least, failed) = (weights.clone(), surplus, 0);
        } else {
            failed += 1;
        }
        let uses = bound.uses(stages, stage, slots);
        if failed > PATIENCE {
            (length, failed) = (length * 7 / 10, 0);
            weights.clone_from(&best);
        }
        let gaps = uses.iter().zip(&weights).skip(stage);
        let gaps: Vec<i64> = gaps
            .map(|(&uses, &weight)| {
                if weight >= ONE {
                    (uses - 1).max(0)
                } else {
                    uses - 1
                }
            })
            .collect();
        let square: i128 = gaps
            .iter()
            .map(|&gap| i128::from(gap) * i128::from(gap))
            .sum();
        if square == 0 || length < 1 {
            break;
        }
        // As if half a sender could be left over.
        let wish = i128::from(surplus.saturating_add(ONE / 2)) * i128::from(length);
        for (weight, &gap) in weights.iter_mut().skip(stage).zip(&gaps) {
            let change = wish * i128::from(gap) / (square * i128::from(WHOLE));
            *weight = i64::try_from(i128::from(*weight) - change).unwrap_or(LEAST);
            *weight = (*weight).clamp(LEAST, ONE);
        }
    }
    (Bound::new(stages, best, stage), false)
}

/// A bound that excludes the first state, by weights of as few bits as will do.
pub(super) fn shortened(stages: &[Stage], first: &[u16], bound: Bound) -> Bound {
    for shift in (0..=ONE.ilog2()).rev().step_by(3) {
        let weights = bound.weights.iter().map(|weight| weight >> shift).collect();
        let short = Bound::new(stages, weights, 0);
        if short.surplus(0, first, &mut Gains::default()) < 0 {
            return short;
        }
    }
    bound
}

/// Weights to begin with: the same for all.
pub(super) fn even(senders: usize) -> Vec<i64> {
    vec![ONE; senders]
}
