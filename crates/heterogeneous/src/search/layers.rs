//! The search itself: all multisets of open slots, sender by sender.
//!
//! A layer holds the states in which the same senders are placed. Each state has one successor per open slot that the
//! next sender may take. Successors that a bound rules out are dropped, equal ones kept once. Senders do not fit if a
//! layer is empty. If the last layer is not, its ancestors are a placement. A layer cut to a width is a beam search,
//! which may find a placement and proves nothing unless nothing was cut.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::stages::{DEAD, Stage, cells};
use super::table::Keys;
use super::weights::{Bound, Gains, Steps, improve, shortened};
use crate::problem::Progress;

/// States per task of a thread. Trades idle threads for calls. Not measured.
const PIECE: usize = 128;
/// Fact: bytes per state besides its key.
const ORIGIN: usize = 8;
/// States up to which a layer's bounds are not learnt. Trades states for time of bounds. Not measured.
const FEW: usize = 32;
/// Bounds learnt per stage. Trades time of bounds for states. Not measured.
const MOST_LEARNT: usize = 8;
/// Bounds that every state is held against, the latest. Trades time per state for states. Not measured.
const MOST_BOUNDS: usize = 12;
/// Fact: values of all lists of weights of a pass, half of the referee's limit.
const MOST_VALUES: usize = 1 << 22;
/// States tried per bound learnt, plus one. Trades time of bounds for states. Not measured.
const PICKS: usize = 5;
/// Steps of the bound on the first state. Trades time of bounds for states. Not measured.
const ROOT_STEPS: usize = 400;
/// Steps of a bound learnt. Trades time of bounds for states. Not measured.
const STATE_STEPS: usize = 60;

/// One layer: states as runs of slot numbers, and how they came about.
pub(super) struct Layer {
    keys: Keys,
    /// Per state: its predecessor in the layer before, and the slot taken there.
    origins: Vec<(u32, u16)>,
}

/// How a pass ended.
pub(super) enum Pass {
    /// Per sender: the slot of its stage that it takes.
    Placed(Vec<u16>),
    /// No placement, proved.
    Impossible,
    /// Layers were cut and the rest holds no placement.
    Cut,
    /// Stopped by the budget or for want of memory.
    Stopped,
}

/// A successor before it enters the next layer.
struct Child {
    origin: u32,
    taken: u16,
    length: u16,
    score: i64,
}

/// Limits of one pass.
pub(super) struct Limits {
    /// States kept per layer.
    pub width: usize,
    /// Bytes of one layer, and of what all layers leave behind.
    pub memory: usize,
}

/// Bounds: one to begin with, more as states survive them.
pub(super) struct Pool {
    /// The latest, by which states are dropped.
    bounds: Vec<Bound>,
    /// The weights of all, each from its first stage on.
    pub lists: Vec<Vec<i64>>,
    /// Values of all lists.
    values: usize,
    /// States kept so far.
    pub states: u64,
    /// Weights that the next pass may start from.
    pub weights: Vec<i64>,
}

impl Pool {
    /// Bounds for the first state, from these weights on, and whether they exclude it.
    pub(super) fn new(stages: &[Stage], weights: &[i64], progress: &mut Progress) -> (Pool, bool) {
        let first: &[u16] = match stages.first() {
            Some(stage) if stage.rests.is_empty() => &[DEAD],
            _ => &[0],
        };
        let steps = Steps {
            most: ROOT_STEPS,
            go_on: &mut || progress.go_on(0),
        };
        let (mut bound, excluded) = improve(stages, 0, first, weights, steps);
        let weights = bound.weights.clone();
        if excluded {
            bound = shortened(stages, first, bound);
        }
        let mut pool = Pool {
            bounds: Vec::new(),
            lists: Vec::new(),
            values: 0,
            states: 0,
            weights,
        };
        pool.add(stages, bound);
        (pool, excluded)
    }

    /// One more bound. The oldest but the first gives way.
    fn add(&mut self, stages: &[Stage], bound: Bound) {
        self.values += cells(&stages[bound.from..]);
        self.lists.push(bound.weights[bound.from..].to_vec());
        if self.bounds.len() == MOST_BOUNDS {
            self.bounds.remove(1);
        }
        self.bounds.push(bound);
    }

    /// The least surplus of a state by any bound, below 0 as soon as one excludes it.
    fn score(&self, stage: usize, slots: &[u16], gains: &mut Gains) -> i64 {
        let mut least = i64::MAX;
        for bound in &self.bounds {
            least = least.min(bound.surplus(stage, slots, gains));
            if least < 0 {
                break;
            }
        }
        least
    }

    /// Learns bounds from a layer and drops the states that they exclude.
    fn learn(
        &mut self,
        stages: &[Stage],
        stage: usize,
        (mut layer, mut scores): (Layer, Vec<i64>),
        progress: &Progress,
    ) -> (Layer, Vec<i64>) {
        for _ in 0..MOST_LEARNT {
            if layer.origins.len() < FEW || self.values + cells(&stages[stage..]) > MOST_VALUES {
                break;
            }
            let Some(bound) = self.learnt(stages, stage, &layer, &scores, progress) else {
                break;
            };
            let mut gains = Gains::default();
            (layer, scores) = keep(&layer, |state| {
                let surplus = bound.surplus(stage, layer.keys.get(state), &mut gains);
                (surplus >= 0).then(|| scores[state].min(surplus))
            });
            self.add(stages, bound);
        }
        (layer, scores)
    }

    /// The bound that excludes most states of a layer, if one excludes any.
    fn learnt(
        &self,
        stages: &[Stage],
        stage: usize,
        layer: &Layer,
        scores: &[i64],
        progress: &Progress,
    ) -> Option<Bound> {
        let states = layer.origins.len();
        let mut order: Vec<usize> = (0..states).collect();
        order.sort_by_key(|&state| (scores[state], state));
        let picks: Vec<usize> = (1..PICKS)
            .map(|part| order[part * states / PICKS])
            .collect();
        let learnt: Vec<Option<(usize, Bound)>> = picks
            .par_iter()
            .map(|&pick| {
                let slots = layer.keys.get(pick);
                let mut gains = Gains::default();
                let start = self
                    .bounds
                    .iter()
                    .min_by_key(|bound| bound.surplus(stage, slots, &mut gains))?;
                let steps = Steps {
                    most: STATE_STEPS,
                    go_on: &mut || progress.goes_on(),
                };
                let (bound, excluded) = improve(stages, stage, slots, &start.weights, steps);
                let sample = (0..states).step_by(1 + states / 2000);
                let dropped = sample
                    .filter(|&state| bound.surplus(stage, layer.keys.get(state), &mut gains) < 0)
                    .count();
                excluded.then_some((dropped, bound))
            })
            .collect();
        let most = learnt
            .into_iter()
            .flatten()
            .max_by_key(|(dropped, _)| *dropped);
        most.map(|(_, bound)| bound)
    }
}

/// The states that have a new score, in their order.
fn keep(layer: &Layer, mut score: impl FnMut(usize) -> Option<i64>) -> (Layer, Vec<i64>) {
    let mut kept = Layer {
        keys: Keys::new(),
        origins: Vec::new(),
    };
    let mut scores = Vec::new();
    for state in 0..layer.origins.len() {
        if let Some(score) = score(state) {
            kept.keys.insert(layer.keys.get(state));
            kept.origins.push(layer.origins[state]);
            scores.push(score);
        }
    }
    (kept, scores)
}

/// Places all senders, or finds that they do not fit.
pub(super) fn pass(
    stages: &[Stage],
    pool: &mut Pool,
    limits: &Limits,
    progress: &mut Progress,
) -> Pass {
    if stages.is_empty() {
        return Pass::Placed(Vec::new());
    }
    let mut keys = Keys::new();
    keys.insert(&[0]);
    let mut layers = vec![Layer {
        keys,
        origins: vec![(0, DEAD)],
    }];
    let mut cut = false;
    for stage in 0..stages.len() {
        let Some(layer) = layers.last() else {
            return Pass::Impossible;
        };
        let origins: usize = layers
            .iter()
            .map(|layer| ORIGIN * layer.origins.len())
            .sum();
        let memory = limits.memory.saturating_sub(origins);
        let Some(found) = expand(stages, stage, layer, pool, memory, progress) else {
            return Pass::Stopped;
        };
        let found = if stage + 1 < stages.len() {
            pool.learn(stages, stage + 1, found, progress)
        } else {
            found
        };
        let (mut next, scores) = found;
        let states = next.origins.len();
        if states == 0 {
            return if cut { Pass::Cut } else { Pass::Impossible };
        }
        pool.states += states as u64;
        if !progress.go_on(states as u64) {
            return Pass::Stopped;
        }
        if states > limits.width {
            cut = true;
            next = keep_best(&next, &scores, limits.width);
        }
        if let Some(layer) = layers.last_mut() {
            layer.keys = Keys::new();
        }
        layers.push(next);
    }
    let mut taken = vec![DEAD; stages.len()];
    let mut state = 0usize;
    for stage in (0..stages.len()).rev() {
        let (origin, slot) = layers[stage + 1].origins[state];
        taken[stage] = slot;
        state = origin as usize;
    }
    Pass::Placed(taken)
}

/// The successors of a layer, each once, with their scores. `None` if they need too much memory or the work is to stop.
fn expand(
    stages: &[Stage],
    stage: usize,
    layer: &Layer,
    pool: &Pool,
    memory: usize,
    progress: &mut Progress,
) -> Option<(Layer, Vec<i64>)> {
    let states = layer.origins.len();
    let pieces: Vec<usize> = (0..states).step_by(PIECE).collect();
    let mut next = Layer {
        keys: Keys::new(),
        origins: Vec::new(),
    };
    let mut scores = Vec::new();
    // A few pieces at a time, so that successors seen before do not pile up.
    for group in pieces.chunks(64) {
        let found: Vec<(Vec<u16>, Vec<Child>)> = group
            .par_iter()
            .map(|&start| {
                let mut slots = Vec::new();
                let mut children = Vec::new();
                let mut gains = Gains::default();
                for state in start..states.min(start + PIECE) {
                    successors(
                        &stages[stage],
                        state,
                        layer.keys.get(state),
                        |slots| pool.score(stage + 1, slots, &mut gains),
                        &mut slots,
                        &mut children,
                    );
                }
                (slots, children)
            })
            .collect();
        for (slots, children) in found {
            let mut rest = slots.as_slice();
            for child in children {
                let (key, others) = rest.split_at(usize::from(child.length));
                rest = others;
                if next.keys.insert(key) {
                    next.origins.push((child.origin, child.taken));
                    scores.push(child.score);
                }
            }
        }
        if next.keys.memory() + 2 * ORIGIN * scores.len() > memory || !progress.go_on(0) {
            return None;
        }
    }
    Some((next, scores))
}

/// Appends the successors of one state whose score is not below 0.
fn successors(
    stage: &Stage,
    state: usize,
    slots: &[u16],
    mut score: impl FnMut(&[u16]) -> i64,
    keys: &mut Vec<u16>,
    children: &mut Vec<Child>,
) {
    let mut opened = None;
    for (index, &slot) in slots.iter().enumerate() {
        let take = stage.take[usize::from(slot)];
        // This slot again, or a larger one that opens the slots of a smaller one, which is a waste.
        if opened == Some(take) {
            continue;
        }
        opened = Some(take);
        let start = keys.len();
        let others = slots.iter().enumerate();
        let mut twice = if take == DEAD { 0 } else { 2 };
        for (_, &other) in others.filter(|(other, _)| *other != index) {
            let other = stage.stay[usize::from(other)];
            if other == DEAD {
                continue;
            }
            while twice > 0 && take <= other {
                keys.push(take);
                twice -= 1;
            }
            keys.push(other);
        }
        keys.extend(std::iter::repeat_n(take, twice));
        let score = score(&keys[start..]);
        if score < 0 {
            keys.truncate(start);
            continue;
        }
        children.push(Child {
            origin: state as u32,
            taken: slot,
            length: (keys.len() - start) as u16,
            score,
        });
    }
}

/// The states with the greatest surplus, in their order.
fn keep_best(layer: &Layer, scores: &[i64], width: usize) -> Layer {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by_key(|&state| (Reverse(scores[state]), state));
    let mut best = vec![false; scores.len()];
    for &state in order.iter().take(width) {
        best[state] = true;
    }
    keep(layer, |state| best[state].then_some(scores[state])).0
}
