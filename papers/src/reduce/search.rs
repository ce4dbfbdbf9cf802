//! `opt(G, K)` of RR-4872 for series of reduces (section 4.5, proposition 3), by trying every schedule.
//!
//! Costs and merges are whole, nothing is interrupted, and every node sends, receives and merges at the same time.
//! Operands carry no time-stamp: a result is made of one operand of each owner, of which there are as many as wanted,
//! so stamps can be given to any schedule afterwards.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use num_traits::{One, ToPrimitive};
use oneport::plan::Interval;
use oneport::{NodeId, Platform, Rational};

use super::tasks::{self, halves, owns};
use crate::cases::Case;

/// By node, what it sends (link, value, time left), then what it merges (no link, result, time left).
type Busy = Vec<Option<(u16, u8, u8)>>;
/// By node and value, how many it holds; what it owns is not counted.
type Held = Vec<u8>;
/// States by what is under way.
type Layer = BTreeMap<Busy, Vec<Held>>;

struct Search<'a> {
    platform: &'a Platform,
    participants: &'a [NodeId],
    target: NodeId,
    /// By link, the time of a transfer.
    costs: Vec<u8>,
    /// By node, the time of a merge.
    merges: Vec<Option<u8>>,
    values: Vec<Interval>,
    /// More of a value at one node are not counted.
    most: u8,
}

/// The smaller of `opt(G, K)` and `most`, for every `K` from 0 to `horizon`; `opt(G, K)` is the most results at the
/// target by `K`. More than `most` of a value at a node help nobody who wants `most` results, and are not told apart.
///
/// Exponential: for three or four nodes and ten units of time.
///
/// # Errors
/// The case is no reduce, or a time is not a whole number below 256.
pub fn opt_up_to(case: &Case, horizon: usize, most: u8) -> Result<Vec<u64>> {
    let (target, participants) = tasks::ends(case)?;
    let word = |time: &Rational| {
        ensure!(time.denom().is_one(), "{time} is not whole");
        time.numer().to_u8().with_context(|| format!("{time} is too large"))
    };
    let platform = &case.platform;
    let last = participants.len().saturating_sub(1);
    let search = Search {
        platform,
        participants,
        target,
        costs: platform.links().iter().map(|link| word(&link.cost)).collect::<Result<_>>()?,
        merges: platform
            .nodes()
            .iter()
            .map(|node| node.compute.as_ref().map(word).transpose())
            .collect::<Result<_>>()?,
        values: (0..=last).flat_map(|first| (first..=last).map(move |last| Interval { first, last })).collect(),
        most,
    };
    let nodes = platform.nodes().len();
    let mut layer = Layer::new();
    layer.insert(vec![None; 2 * nodes], vec![vec![0; nodes * search.values.len()]]);
    let mut best = vec![0];
    for _ in 0..horizon {
        layer = search.step(&layer);
        let result = search.place(target, Interval { first: 0, last });
        best.push(layer.values().flatten().map(|held| held[result]).max().unwrap_or(0).into());
    }
    Ok(best)
}

impl Search<'_> {
    fn value(&self, value: Interval) -> usize {
        self.values.iter().position(|&other| other == value).unwrap_or(0)
    }

    fn place(&self, node: NodeId, value: Interval) -> usize {
        node.index() * self.values.len() + self.value(value)
    }

    fn step(&self, layer: &Layer) -> Layer {
        let mut next = Layer::new();
        for (busy, all) in layer {
            for held in all {
                let mut receiving = vec![false; busy.len() / 2];
                for (link, ..) in busy[..busy.len() / 2].iter().flatten() {
                    receiving[self.platform.links()[usize::from(*link)].to.index()] = true;
                }
                self.start(0, &mut busy.clone(), &mut held.clone(), &mut receiving, &mut next);
            }
        }
        next
    }

    /// Takes one of a value that a node owns or holds; what was taken off, if there was one.
    fn take(&self, node: NodeId, value: Interval, held: &mut Held) -> Option<u8> {
        let place = self.place(node, value);
        let taken = u8::from(!owns(self.participants, (value, node)));
        held[place] = held[place].checked_sub(taken)?;
        Some(taken)
    }

    /// Every choice of transfers and merges that begin now.
    fn start(&self, slot: usize, busy: &mut Busy, held: &mut Held, receiving: &mut [bool], next: &mut Layer) {
        if slot == busy.len() {
            self.advance(busy.clone(), held.clone(), next);
            return;
        }
        self.start(slot + 1, busy, held, receiving, next);
        if busy[slot].is_some() {
            return;
        }
        let nodes = receiving.len();
        let node = NodeId::new(slot % nodes);
        if slot < nodes {
            for &link in self.platform.outgoing(node) {
                let to = self.platform.link(link).to;
                for &value in &self.values {
                    // A result that leaves the target, or a value that returns to its owner, helps nobody.
                    let result = value.last - value.first + 1 == self.participants.len();
                    let leaves = result && node == self.target;
                    let useful = !(leaves || owns(self.participants, (value, to)));
                    if receiving[to.index()] || !useful {
                        continue;
                    }
                    let Some(taken) = self.take(node, value, held) else { continue };
                    receiving[to.index()] = true;
                    busy[slot] = Some((link.index() as u16, self.value(value) as u8, self.costs[link.index()]));
                    self.start(slot + 1, busy, held, receiving, next);
                    busy[slot] = None;
                    receiving[to.index()] = false;
                    held[self.place(node, value)] += taken;
                }
            }
            return;
        }
        let Some(time) = self.merges[node.index()] else { return };
        for &value in &self.values {
            for split in value.first..value.last {
                let [left, right] = halves(value, split);
                let Some(first) = self.take(node, left, held) else { continue };
                if let Some(second) = self.take(node, right, held) {
                    busy[slot] = Some((0, self.value(value) as u8, time));
                    self.start(slot + 1, busy, held, receiving, next);
                    busy[slot] = None;
                    held[self.place(node, right)] += second;
                }
                held[self.place(node, left)] += first;
            }
        }
    }

    /// Lets one unit of time pass; a state that holds no more of anything than another is left out.
    fn advance(&self, mut busy: Busy, mut held: Held, next: &mut Layer) {
        let nodes = busy.len() / 2;
        for (slot, task) in busy.iter_mut().enumerate() {
            let Some((link, value, left)) = task else { continue };
            *left -= 1;
            if *left == 0 {
                let at = if slot < nodes { self.platform.links()[usize::from(*link)].to.index() } else { slot - nodes };
                let place = at * self.values.len() + usize::from(*value);
                held[place] = self.most.min(held[place] + 1);
                *task = None;
            }
        }
        let others = next.entry(busy).or_default();
        let covers = |a: &Held, b: &Held| a.iter().zip(b).all(|(a, b)| a >= b);
        if !others.iter().any(|other| covers(other, &held)) {
            others.retain(|other| !covers(&held, other));
            others.push(held);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn small_optima_are_what_one_finds_by_hand() -> Result<()> {
        let pair = cases::platform("0 1", &[("1", "0", "2")])?;
        // The first operand is there at 2, merged at 3; then one every 2.
        assert_eq!(opt_up_to(&cases::reduce("pair", pair, "0", "0 1")?, 7, 9)?, [0, 0, 0, 1, 1, 2, 2, 3]);
        let line = cases::platform("0 1 2", &[("0", "1", "1"), ("1", "2", "1")])?;
        // v1 goes while v0 comes, and is merged while v0 goes on; from 4 on one result per unit of time.
        assert_eq!(opt_up_to(&cases::reduce("line", line, "2", "0 1 2")?, 6, 9)?, [0, 0, 0, 1, 1, 2, 3]);
        Ok(())
    }
}
