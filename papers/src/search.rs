//! `opt(G, K)` of RR-4872, section 3.4 and (for reduces) 4.5, by trying every schedule.
//!
//! Times are whole, messages have size 1, no transfer is interrupted, and every node sends, receives and merges at the
//! same time. Starting every task as early as the order of tasks at the ports allows makes all dates whole, so whole
//! dates are enough. Messages cut into `q` equal parts reduce to the same search: `opt(G, q K) / q`, rounded down, of
//! them are whole by `K`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use num_traits::{One, ToPrimitive};
use oneport::plan::Commodity;
use oneport::{NodeId, Platform, Rational};

use crate::cases::Case;

/// Per node, its send (link, value, time left). If values are merged, then per node its merge (no link).
type Busy = Vec<Option<(u16, u8, u8)>>;
/// The number of each value that each node holds. Owned ones are not counted.
type Held = Vec<u8>;
/// States by the tasks under way.
type Layer = BTreeMap<Busy, Vec<Held>>;

/// Values that travel, and are merged.
pub struct Game<'a> {
    platform: &'a Platform,
    /// The time of a transfer on each link.
    costs: Vec<u8>,
    /// The time of a merge at each node. Empty if nothing is merged.
    merges: Vec<Option<u8>>,
    /// Whether each value is unlimited at each node.
    pub owned: Vec<Vec<bool>>,
    /// Whether sending each value over each link can help.
    pub useful: Vec<Vec<bool>>,
    /// A value and its two operands.
    recipes: Vec<(usize, [usize; 2])>,
    /// The values of an instance and the node at which each has to arrive.
    pub wanted: Vec<(usize, NodeId)>,
}

impl<'a> Game<'a> {
    /// `values` values on a platform, without owners, tasks or goals.
    ///
    /// # Errors
    /// A time is not a whole number below 256.
    pub fn new(platform: &'a Platform, values: usize) -> Result<Game<'a>> {
        Ok(Game {
            platform,
            costs: platform
                .links()
                .iter()
                .map(|link| whole(&link.cost))
                .collect::<Result<_>>()?,
            merges: Vec::new(),
            owned: vec![vec![false; platform.nodes().len()]; values],
            useful: vec![vec![false; platform.links().len()]; values],
            recipes: Vec::new(),
            wanted: Vec::new(),
        })
    }

    /// Processors merge by these recipes: a value, and its two operands.
    ///
    /// # Errors
    /// The errors of [`Game::new`].
    pub fn merging(mut self, recipes: Vec<(usize, [usize; 2])>) -> Result<Game<'a>> {
        let merge = |node: &oneport::platform::Node| node.compute.as_ref().map(whole).transpose();
        self.merges = self
            .platform
            .nodes()
            .iter()
            .map(merge)
            .collect::<Result<_>>()?;
        self.recipes = recipes;
        Ok(self)
    }

    /// The smaller of `opt(G, K)` and `most`, for every `K` from 0 to `horizon`. More than `most` of a value at a node
    /// help no schedule that reaches `most` instances, and count as `most`.
    ///
    /// Exponential: for a handful of nodes and two dozen units of time. With merges, for three or four nodes and ten
    /// units.
    pub fn most_by(&self, horizon: usize, most: u8) -> Vec<u64> {
        let nodes = self.platform.nodes().len();
        let slots = if self.recipes.is_empty() {
            nodes
        } else {
            2 * nodes
        };
        let mut layer = Layer::new();
        layer.insert(vec![None; slots], vec![vec![0; nodes * self.owned.len()]]);
        let mut best = vec![self.delivered(&layer)];
        for _ in 0..horizon {
            layer = self.step(&layer, most);
            best.push(self.delivered(&layer));
        }
        best
    }

    fn index(&self, node: usize, value: usize) -> usize {
        node * self.owned.len() + value
    }

    fn receiver(&self, link: u16) -> usize {
        self.platform.links()[usize::from(link)].to.index()
    }

    /// The most complete instances over all states.
    fn delivered(&self, layer: &Layer) -> u64 {
        let complete = |held: &Held| {
            let arrived = self
                .wanted
                .iter()
                .map(|(value, node)| held[self.index(node.index(), *value)]);
            arrived.min().unwrap_or(0)
        };
        layer
            .values()
            .flatten()
            .map(complete)
            .max()
            .unwrap_or(0)
            .into()
    }

    /// All states one unit of time later.
    fn step(&self, layer: &Layer, most: u8) -> Layer {
        let mut next = Layer::new();
        for (busy, all) in layer {
            for held in all {
                let nodes = self.platform.nodes().len();
                let mut receiving = vec![false; nodes];
                for (link, ..) in busy[..nodes].iter().flatten() {
                    receiving[self.receiver(*link)] = true;
                }
                let mut state = (busy.clone(), held.clone());
                self.start(0, &mut state, &mut receiving, &mut |busy, held| {
                    self.advance(busy, held, most, &mut next)
                });
            }
        }
        next
    }

    /// Takes one of a value that a node owns or holds. Returns the number removed from `held`: 0 if the node owns the
    /// value. `None` if the node has none.
    fn take(&self, node: usize, value: usize, held: &mut Held) -> Option<u8> {
        let taken = u8::from(!self.owned[value][node]);
        let index = self.index(node, value);
        held[index] = held[index].checked_sub(taken)?;
        Some(taken)
    }

    /// Every choice of transfers and merges that begin now.
    fn start(
        &self,
        slot: usize,
        state: &mut (Busy, Held),
        receiving: &mut [bool],
        chosen: &mut dyn FnMut(Busy, Held),
    ) {
        if slot == state.0.len() {
            chosen(state.0.clone(), state.1.clone());
            return;
        }
        self.start(slot + 1, state, receiving, chosen);
        if state.0[slot].is_some() {
            return;
        }
        match slot.checked_sub(receiving.len()) {
            None => self.send(slot, state, receiving, chosen),
            Some(node) => self.merge(slot, node, state, receiving, chosen),
        }
    }

    fn send(
        &self,
        node: usize,
        state: &mut (Busy, Held),
        receiving: &mut [bool],
        chosen: &mut dyn FnMut(Busy, Held),
    ) {
        for &link in self.platform.outgoing(NodeId::new(node)) {
            let to = self.platform.link(link).to.index();
            for value in 0..self.owned.len() {
                if receiving[to] || !self.useful[value][link.index()] {
                    continue;
                }
                let Some(taken) = self.take(node, value, &mut state.1) else {
                    continue;
                };
                receiving[to] = true;
                state.0[node] = Some((link.index() as u16, value as u8, self.costs[link.index()]));
                self.start(node + 1, state, receiving, chosen);
                state.0[node] = None;
                receiving[to] = false;
                state.1[self.index(node, value)] += taken;
            }
        }
    }

    fn merge(
        &self,
        slot: usize,
        node: usize,
        state: &mut (Busy, Held),
        receiving: &mut [bool],
        chosen: &mut dyn FnMut(Busy, Held),
    ) {
        let Some(time) = self.merges[node] else {
            return;
        };
        for &(value, [left, right]) in &self.recipes {
            let Some(first) = self.take(node, left, &mut state.1) else {
                continue;
            };
            if let Some(second) = self.take(node, right, &mut state.1) {
                state.0[slot] = Some((0, value as u8, time));
                self.start(slot + 1, state, receiving, chosen);
                state.0[slot] = None;
                state.1[self.index(node, right)] += second;
            }
            state.1[self.index(node, left)] += first;
        }
    }

    /// Lets one unit of time pass. Drops a state that holds at most as much of everything as another.
    fn advance(&self, mut busy: Busy, mut held: Held, most: u8, next: &mut Layer) {
        let nodes = self.platform.nodes().len();
        for (slot, task) in busy.iter_mut().enumerate() {
            let Some((link, value, left)) = task else {
                continue;
            };
            *left -= 1;
            if *left == 0 {
                let at = slot
                    .checked_sub(nodes)
                    .unwrap_or_else(|| self.receiver(*link));
                let index = self.index(at, usize::from(*value));
                held[index] = most.min(held[index] + 1);
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

/// A time as a small integer.
fn whole(time: &Rational) -> Result<u8> {
    ensure!(time.denom().is_one(), "{time} is not whole");
    time.numer()
        .to_u8()
        .with_context(|| format!("{time} is too large"))
}

/// `opt(G, K)` of scatters, gathers and gossips for every `K` from 0 to `horizon`: the most instances whose messages
/// have all arrived by `K`.
///
/// # Errors
/// The errors of [`opt_up_to`].
pub fn opt(case: &Case, horizon: usize) -> Result<Vec<u64>> {
    opt_up_to(case, horizon, u8::MAX)
}

/// The smaller of [`opt`] and `most`. See [`Game::most_by`].
///
/// # Errors
/// The collective has no messages that travel alone, or a time is not a whole number below 256.
pub fn opt_up_to(case: &Case, horizon: usize, most: u8) -> Result<Vec<u64>> {
    let (platform, messages) = (&case.platform, case.collective.commodities());
    ensure!(
        !messages.is_empty(),
        "{}: no messages that travel alone",
        case.name
    );
    let mut game = Game::new(platform, messages.len())?;
    for (message, &Commodity { source, target }) in messages.iter().enumerate() {
        game.owned[message][source.index()] = true;
        game.wanted.push((message, target));
        // A message that leaves its target, returns to its source or runs into a dead end gains nothing.
        let leads = leads(platform, target);
        let useful = |link: &oneport::platform::Link| {
            link.from != target && link.to != source && leads[link.to.index()]
        };
        game.useful[message] = platform.links().iter().map(useful).collect();
    }
    Ok(game.most_by(horizon, most))
}

/// The nodes from which a message can reach its target.
fn leads(platform: &Platform, target: NodeId) -> Vec<bool> {
    let mut seen = vec![false; platform.nodes().len()];
    seen[target.index()] = true;
    let mut queue = vec![target];
    while let Some(node) = queue.pop() {
        for &link in platform.incoming(node) {
            let from = platform.link(link).from;
            if !std::mem::replace(&mut seen[from.index()], true) {
                queue.push(from);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn small_optima_are_what_one_finds_by_hand() -> Result<()> {
        let line = cases::platform("s r t", &[("s", "r", "1"), ("r", "t", "2")])?;
        // First arrival at 3, then one every 2.
        assert_eq!(
            opt(&cases::scatter("line", line, "s", "t")?, 8)?,
            [0, 0, 0, 1, 1, 2, 2, 3, 3]
        );
        let fork = cases::platform("s a b", &[("s", "a", "1"), ("s", "b", "2")])?;
        assert_eq!(
            opt(&cases::scatter("fork", fork, "s", "a b")?, 7)?,
            [0, 0, 0, 1, 1, 1, 2, 2]
        );
        let line = cases::platform(
            "a b c",
            &[
                ("a", "b", "1"),
                ("b", "a", "1"),
                ("b", "c", "1"),
                ("c", "b", "1"),
            ],
        )?;
        // Each end sends 2, b sends 4: one every 4, the first after its last relay.
        assert_eq!(
            opt(&cases::all_to_all("line", line, "a b c")?, 4)?,
            [0, 0, 0, 0, 1]
        );
        Ok(())
    }
}
