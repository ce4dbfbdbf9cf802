//! The search itself: all multisets of open slots, sender by sender.
//!
//! A layer holds the states in which the same senders are placed. Each state has one successor per open slot that the
//! next sender may take; successors that a bound rules out are dropped, equal ones kept once. Senders do not fit if a
//! layer is empty; if the last layer is not, its ancestors are a placement. A layer cut to a width is a beam search,
//! which may find a placement and proves nothing unless nothing was cut.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::stages::{DEAD, Stage};
use super::table::Keys;
use super::weights::{ONE, Potential, improve};

/// States per task of a thread. Trades idle threads for calls. Not measured.
const PIECE: usize = 512;
/// Fact: bytes per state besides its key.
const ORIGIN: usize = 8;
/// States up to which a layer's bounds are not learnt. Trades states for time of bounds. Not measured.
const FEW: usize = 64;
/// Bounds per stage. Trades time per state for states. Not measured.
const MOST_BOUNDS: usize = 8;
/// States tried per bound learnt, less one. Trades time of bounds for states. Not measured.
const PICKS: usize = 16;
/// Steps of the bound on the first state. Trades time of bounds for states. Not measured.
const ROOT_STEPS: usize = 300;
/// Steps of a bound learnt. Trades time of bounds for states. Measured: 26 arbitrary times take 0.05 to 0.2 s and a few
/// thousand states.
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
pub(super) struct Limits<'a> {
    /// States kept per layer.
    pub width: usize,
    /// Bytes of one layer, and of what all layers leave behind.
    pub memory: usize,
    /// Called with the number of states of every layer; false stops.
    pub go_on: &'a mut dyn FnMut(u64) -> bool,
}

/// Bounds by stage: some to begin with, more as states survive them.
pub(super) struct Pool {
    all: Vec<Vec<Potential>>,
}

impl Pool {
    /// Bounds for the first state; `None` when one of them rules it out.
    pub(super) fn new(stages: &[Stage]) -> Option<Pool> {
        let ones = Potential::new(stages, vec![ONE; stages.len()], 0);
        if stages.first().is_none_or(|stage| stage.rests.is_empty()) {
            return stages.is_empty().then(|| Pool { all: Vec::new() });
        }
        let (root, ruled_out) = improve(stages, 0, &[0], &ones, ROOT_STEPS);
        (!ruled_out).then(|| Pool {
            all: vec![vec![ones, root]; stages.len() + 1],
        })
    }

    /// Learns bounds from a layer and drops the states that they rule out.
    fn learn(
        &mut self,
        stages: &[Stage],
        stage: usize,
        (mut layer, mut scores): (Layer, Vec<i64>),
    ) -> (Layer, Vec<i64>) {
        while layer.origins.len() >= FEW && self.all[stage].len() < MOST_BOUNDS {
            let states = layer.origins.len();
            let mut order: Vec<usize> = (0..states).collect();
            order.sort_by_key(|&state| (scores[state], state));
            let picks: Vec<usize> = (1..PICKS)
                .map(|part| order[part * states / PICKS])
                .collect();
            let bounds = &self.all[stage];
            let learnt: Vec<Option<(usize, Potential)>> = picks
                .par_iter()
                .map(|&pick| {
                    let slots = layer.keys.get(pick);
                    let start = bounds
                        .iter()
                        .min_by_key(|bound| bound.surplus(stage, slots))?;
                    let (bound, ruled_out) = improve(stages, stage, slots, start, STATE_STEPS);
                    let sample = (0..states).step_by(1 + states / 2000);
                    let ruled = sample
                        .filter(|&state| bound.surplus(stage, layer.keys.get(state)) < 0)
                        .count();
                    ruled_out.then_some((ruled, bound))
                })
                .collect();
            let Some((_, bound)) = learnt.into_iter().flatten().max_by_key(|(ruled, _)| *ruled)
            else {
                break;
            };
            (layer, scores) = keep(&layer, |state| {
                let surplus = bound.surplus(stage, layer.keys.get(state));
                (surplus >= 0).then(|| scores[state].min(surplus))
            });
            self.all[stage].push(bound);
        }
        (layer, scores)
    }
}

/// The states that have a new score, in their order.
fn keep(layer: &Layer, score: impl Fn(usize) -> Option<i64>) -> (Layer, Vec<i64>) {
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

/// Places all senders, or finds that they do not fit. `potentials` are by stage.
pub(super) fn pass(stages: &[Stage], pool: &mut Pool, limits: Limits) -> Pass {
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
        let Some(found) = expand(
            stages,
            stage,
            layer,
            &pool.all[stage + 1],
            (memory, limits.go_on),
        ) else {
            return Pass::Stopped;
        };
        let found = if stage + 1 < stages.len() {
            pool.learn(stages, stage + 1, found)
        } else {
            found
        };
        let (mut next, scores) = found;
        let states = next.origins.len();
        if states == 0 {
            return if cut { Pass::Cut } else { Pass::Impossible };
        }
        if !(limits.go_on)(states as u64) {
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

/// The successors of a layer, each once, with their scores; `None` when they need too much memory or the work is to
/// stop.
fn expand(
    stages: &[Stage],
    stage: usize,
    layer: &Layer,
    potentials: &[Potential],
    (memory, go_on): (usize, &mut dyn FnMut(u64) -> bool),
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
                for state in start..states.min(start + PIECE) {
                    successors(
                        &stages[stage],
                        stage + 1,
                        state,
                        layer.keys.get(state),
                        potentials,
                        (&mut slots, &mut children),
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
        if next.keys.memory() + 2 * ORIGIN * scores.len() > memory || !go_on(0) {
            return None;
        }
    }
    Some((next, scores))
}

/// Appends the successors of one state that no bound rules out.
fn successors(
    stage: &Stage,
    next: usize,
    state: usize,
    slots: &[u16],
    potentials: &[Potential],
    (keys, children): (&mut Vec<u16>, &mut Vec<Child>),
) {
    // All stay but one: what each bound says without the one.
    let stayed: Vec<i64> = potentials
        .iter()
        .map(|bound| {
            let all = slots
                .iter()
                .map(|&slot| bound.value(next, stage.stay[usize::from(slot)]));
            all.fold(0, i64::saturating_add)
                .saturating_sub(bound.needs[next])
        })
        .collect();
    let mut before = None;
    let mut opened = None;
    for (place, &slot) in slots.iter().enumerate() {
        let (take, stay) = (stage.take[usize::from(slot)], stage.stay[usize::from(slot)]);
        // The same slot again; or a larger one that opens what a smaller one opens, which is a waste.
        if before == Some(slot) || opened == Some(take) {
            continue;
        }
        (before, opened) = (Some(slot), Some(take));
        let surplus = potentials.iter().zip(&stayed).map(|(bound, &stayed)| {
            stayed
                .saturating_sub(bound.value(next, stay))
                .saturating_add(2 * bound.value(next, take))
        });
        let score = surplus.min().unwrap_or(0);
        if score < 0 {
            continue;
        }
        let start = keys.len();
        let moved = slots
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place);
        let mut twice = if take == DEAD { 0 } else { 2 };
        for (_, &other) in moved {
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
    order
        .iter()
        .take(width)
        .for_each(|&state| best[state] = true);
    keep(layer, |state| best[state].then_some(scores[state])).0
}
