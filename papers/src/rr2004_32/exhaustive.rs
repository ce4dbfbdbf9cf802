//! `opt(G, K)` of section 6 by trying every schedule of a few broadcasts, on half-duplex or full-duplex nodes.
//!
//! Costs are whole, and a transfer is not interrupted: (i) and (ii) of section 2.1 forbid it. Starting every transfer
//! as early as the order of transfers at the ports allows makes all dates whole, so whole dates are enough.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use oneport::{NodeId, Platform, PortModel};

use crate::numbers::whole_number;

/// One message: its nodes, and its links under way with the time left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Copies {
    held: u32,
    flying: Vec<(usize, u64)>,
}

/// All messages, sorted: their names do not matter.
type State = Vec<Copies>;

struct BroadcastSearch<'a> {
    platform: &'a Platform,
    costs: Vec<u64>,
}

/// `opt(G, K)` for every `K` up to `horizon`, at most `messages`: the most broadcasts from the first node to all others
/// that are complete by `K`.
///
/// Exponential: for a handful of nodes and messages.
///
/// # Errors
/// A cost is not whole.
pub fn opt(platform: &Platform, messages: usize, horizon: u64) -> Result<Vec<usize>> {
    ensure!(platform.nodes().len() < 32, "too many nodes");
    let costs = platform
        .links()
        .iter()
        .map(|link| whole_number(&link.cost))
        .collect::<Result<_>>()?;
    let search = BroadcastSearch { platform, costs };
    let everybody = (1u32 << platform.nodes().len()) - 1;
    let complete = |state: &State| state.iter().filter(|one| one.held == everybody).count();
    let mut layer = BTreeSet::from([vec![
        Copies {
            held: 1,
            flying: Vec::new()
        };
        messages
    ]]);
    let mut best = vec![0];
    for _ in 0..horizon {
        let mut next = BTreeSet::new();
        for state in &layer {
            search.start(0, &mut state.clone(), &mut next);
        }
        layer = next;
        best.push(layer.iter().map(complete).max().unwrap_or(0));
    }
    Ok(best)
}

impl BroadcastSearch<'_> {
    /// Ports that a transfer occupies: the only port of a half-duplex node, or one of two.
    fn ports(&self, link: usize) -> [(NodeId, bool); 2] {
        let link = &self.platform.links()[link];
        let receives = |node| self.platform.model_of(node) != PortModel::HalfDuplex;
        [(link.from, false), (link.to, receives(link.to))]
    }

    /// Every choice of transfers that begin now, link by link. Then one unit of time passes.
    fn start(&self, link: usize, state: &mut State, next: &mut BTreeSet<State>) {
        let links = self.platform.links();
        let Some(arc) = links.get(link) else {
            next.insert(self.advance(state.clone()));
            return;
        };
        self.start(link + 1, state, next);
        let ends = self.ports(link);
        let busy =
            |&(other, _): &(usize, u64)| self.ports(other).iter().any(|end| ends.contains(end));
        if state.iter().flat_map(|one| &one.flying).any(busy) {
            return;
        }
        for index in 0..state.len() {
            let one = &state[index];
            let useful =
                one.held >> arc.from.index() & 1 == 1 && one.held >> arc.to.index() & 1 == 0;
            // Two messages in the same state are interchangeable.
            if useful && !state[..index].contains(one) {
                state[index].flying.push((link, self.costs[link]));
                self.start(link + 1, state, next);
                state[index].flying.pop();
            }
        }
    }

    fn advance(&self, mut state: State) -> State {
        for one in &mut state {
            for (_, left) in &mut one.flying {
                *left -= 1;
            }
            for &(link, _) in one.flying.iter().filter(|(_, left)| *left == 0) {
                one.held |= 1 << self.platform.links()[link].to.index();
            }
            one.flying.retain(|(_, left)| *left > 0);
            one.flying.sort_unstable();
        }
        state.sort_unstable();
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rr2004_32::platforms::half_duplex;

    #[test]
    fn small_optima_are_what_one_finds_by_hand() -> Result<()> {
        // Both links meet at r: one message every 3 units of time.
        let line = half_duplex("s r t", &[("s", "r", "1"), ("r", "t", "2")])?;
        assert_eq!(opt(&line, 4, 10)?, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]);
        let fork = half_duplex(
            "s a b",
            &[("s", "a", "1"), ("s", "b", "1"), ("a", "b", "1")],
        )?;
        assert_eq!(opt(&fork, 3, 6)?, [0, 0, 1, 1, 2, 2, 3]);
        // Two messages at a time in the middle of a longer line: s -> a and b -> c.
        let long = half_duplex(
            "s a b c",
            &[("s", "a", "1"), ("a", "b", "1"), ("b", "c", "1")],
        )?;
        assert_eq!(opt(&long, 3, 7)?, [0, 0, 0, 1, 1, 2, 2, 3]);
        Ok(())
    }
}
