//! `opt(G, K)` of RR-4872, section 3.4, by trying every schedule.
//!
//! Scatters, gathers and gossips. Costs are whole, messages have size 1 and are sent without a break. Starting every
//! transfer as early as the order of transfers at the ports allows makes all dates whole, so whole dates are enough.
//! Messages that are cut into `q` equal parts are no other question: `opt(G, q K) / q`, rounded down, of them are whole
//! by `K`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use num_traits::{One, ToPrimitive};
use oneport::plan::Commodity;
use oneport::{NodeId, Platform};

use crate::cases::Case;

/// What a node is sending: (link, message, time left).
type Sending = Option<(u16, u8, u8)>;

/// By node, what it is sending; by node and message, how many messages it holds.
type InFlight = Vec<Sending>;
type Held = Vec<u8>;

struct Search<'a> {
    platform: &'a Platform,
    /// By message, where it starts and where it has to arrive.
    messages: Vec<Commodity>,
    costs: Vec<u8>,
    /// By message and node: whether the message can still reach its target from there.
    leads: Vec<Vec<bool>>,
    /// More of a message at one node are not counted.
    most: u8,
}

/// `opt(G, K)` for every `K` from 0 to `horizon`: the most instances whose messages have all arrived by `K`.
///
/// As [`opt_up_to`] without a limit.
pub fn opt(case: &Case, horizon: usize) -> Result<Vec<u64>> {
    opt_up_to(case, horizon, u8::MAX)
}

/// The smaller of `opt(G, K)` and `most`, for every `K` from 0 to `horizon`. More than `most` of a message at a node
/// help nobody who wants `most` instances, and are not told apart.
///
/// Exponential: for a handful of nodes and two dozen units of time.
///
/// # Errors
/// The collective has no messages that travel alone, or a cost is not a whole number below 256.
pub fn opt_up_to(case: &Case, horizon: usize, most: u8) -> Result<Vec<u64>> {
    let messages = case.collective.commodities();
    ensure!(!messages.is_empty(), "{}: no messages that travel alone", case.name);
    let cost = |cost: &oneport::Rational| {
        ensure!(cost.denom().is_one(), "cost {cost} is not whole");
        cost.numer().to_u8().with_context(|| format!("cost {cost} is too large"))
    };
    let costs = case.platform.links().iter().map(|link| cost(&link.cost)).collect::<Result<_>>()?;
    let leads = messages.iter().map(|message| leads(&case.platform, message.target)).collect();
    let search = Search { platform: &case.platform, messages, costs, leads, most };
    let nodes = case.platform.nodes().len();
    let mut layer: BTreeMap<InFlight, Vec<Held>> = BTreeMap::new();
    layer.insert(vec![None; nodes], vec![vec![0; nodes * search.messages.len()]]);
    let mut best = vec![search.delivered(&layer)];
    for _ in 0..horizon {
        layer = search.step(&layer);
        best.push(search.delivered(&layer));
    }
    Ok(best)
}

/// From which nodes a message can reach its target.
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

impl Search<'_> {
    fn place(&self, node: NodeId, message: usize) -> usize {
        node.index() * self.messages.len() + message
    }

    /// The most complete instances over all states.
    fn delivered(&self, layer: &BTreeMap<InFlight, Vec<Held>>) -> u64 {
        let of = |held: &Held| {
            let ends = self.messages.iter().enumerate();
            let arrived = ends.map(|(message, ends)| held[self.place(ends.target, message)]);
            arrived.min().unwrap_or(0)
        };
        layer.values().flatten().map(of).max().unwrap_or(0).into()
    }

    /// All states one unit of time later; a state that holds no more of anything than another is left out.
    fn step(&self, layer: &BTreeMap<InFlight, Vec<Held>>) -> BTreeMap<InFlight, Vec<Held>> {
        let mut next: BTreeMap<InFlight, Vec<Held>> = BTreeMap::new();
        for (sending, all) in layer {
            for held in all {
                let mut receiving = vec![false; sending.len()];
                for (link, ..) in sending.iter().flatten() {
                    receiving[self.ends(*link).1.index()] = true;
                }
                self.start(0, &mut sending.clone(), &mut held.clone(), &mut receiving, &mut next);
            }
        }
        next
    }

    fn ends(&self, link: u16) -> (NodeId, NodeId) {
        let link = &self.platform.links()[usize::from(link)];
        (link.from, link.to)
    }

    /// Every choice of transfers that begin now, node by node.
    fn start(
        &self,
        node: usize,
        sending: &mut InFlight,
        held: &mut Held,
        receiving: &mut [bool],
        next: &mut BTreeMap<InFlight, Vec<Held>>,
    ) {
        if node == sending.len() {
            self.advance(sending.clone(), held.clone(), next);
            return;
        }
        self.start(node + 1, sending, held, receiving, next);
        if sending[node].is_some() {
            return;
        }
        let id = NodeId::new(node);
        for &link in self.platform.outgoing(id) {
            let to = self.platform.link(link).to;
            for (message, &Commodity { source, target }) in self.messages.iter().enumerate() {
                // A message that leaves its target, returns to its source or runs into a dead end helps nobody.
                let useful = id != target && to != source && self.leads[message][to.index()];
                let here = self.place(id, message);
                let owned = id == source || held[here] > 0;
                if receiving[to.index()] || !useful || !owned {
                    continue;
                }
                let taken = u8::from(id != source);
                held[here] -= taken;
                receiving[to.index()] = true;
                sending[node] = Some((link.index() as u16, message as u8, self.costs[link.index()]));
                self.start(node + 1, sending, held, receiving, next);
                sending[node] = None;
                receiving[to.index()] = false;
                held[here] += taken;
            }
        }
    }

    /// Lets one unit of time pass.
    fn advance(&self, mut sending: InFlight, mut held: Held, next: &mut BTreeMap<InFlight, Vec<Held>>) {
        for slot in &mut sending {
            let Some((link, message, left)) = slot else { continue };
            *left -= 1;
            if *left == 0 {
                let place = self.place(self.ends(*link).1, usize::from(*message));
                held[place] = self.most.min(held[place] + 1);
                *slot = None;
            }
        }
        let others = next.entry(sending).or_default();
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
        let line = cases::platform("s r t", &[("s", "r", "1"), ("r", "t", "2")])?;
        // First arrival at 3, then one every 2.
        assert_eq!(opt(&cases::scatter("line", line, "s", "t")?, 8)?, [0, 0, 0, 1, 1, 2, 2, 3, 3]);
        let fork = cases::platform("s a b", &[("s", "a", "1"), ("s", "b", "2")])?;
        assert_eq!(opt(&cases::scatter("fork", fork, "s", "a b")?, 7)?, [0, 0, 0, 1, 1, 1, 2, 2]);
        let line = cases::platform("a b c", &[("a", "b", "1"), ("b", "a", "1"), ("b", "c", "1"), ("c", "b", "1")])?;
        // Each end sends 2, b sends 4: one every 4, the first after its last relay.
        assert_eq!(opt(&cases::all_to_all("line", line, "a b c")?, 4)?, [0, 0, 0, 0, 1]);
        Ok(())
    }
}
