//! From flows to paths: every message gets weighted paths that add up to its demand.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use oneport_plan::Pattern;
use oneport_platform::{LinkId, NodeId, Platform};

use crate::flow::{Group, Side};
use crate::{LpError, Question};

/// Amounts by link for one group, and the demand of each leaf, in one integer unit.
pub type GroupFlow = BTreeMap<LinkId, BigInt>;

/// Splits the flows of all groups into paths, sorted by commodity.
pub fn split(
    question: &Question<'_>,
    groups: &[Group],
    flows: &[GroupFlow],
    demand: &BigInt,
) -> Result<Vec<(Pattern, BigInt)>, LpError> {
    let mut all = Vec::new();
    for (group, flow) in groups.iter().zip(flows) {
        let paths = paths(question.platform(), group, flow, demand);
        all.extend(paths.ok_or(LpError::Contradiction("a flow does not serve its targets"))?);
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(merge_equal(all))
}

/// Adds up amounts of equal patterns; the list is sorted.
fn merge_equal(sorted: Vec<(Pattern, BigInt)>) -> Vec<(Pattern, BigInt)> {
    let mut merged: Vec<(Pattern, BigInt)> = Vec::with_capacity(sorted.len());
    for (pattern, amount) in sorted {
        match merged.last_mut() {
            Some((last, total)) if *last == pattern => *total += amount,
            _ => merged.push((pattern, amount)),
        }
    }
    merged
}

/// Splits one group's flow into paths.
///
/// `flow` holds the positive amounts by link, `demand` is what every leaf receives; both in the same integer unit.
/// Circulations are cancelled first. Each path is cut at its largest incoming amounts, so that there are few; every
/// path exhausts a link or a leaf, so there are at most links + leaves of them. `None` if the flow does not serve
/// the demand, which conservation excludes.
pub fn paths(
    platform: &Platform,
    group: &Group,
    flow: &BTreeMap<LinkId, BigInt>,
    demand: &BigInt,
) -> Option<Vec<(Pattern, BigInt)>> {
    let mut state = State::new(platform, group, flow);
    state.cancel_cycles();
    let mut found = Vec::new();
    for &(leaf, commodity) in &group.leaves {
        let mut missing = demand.clone();
        while missing.is_positive() {
            let links = state.trace(leaf, group.root)?;
            let amount = links.iter().map(|&link| &state.amount[link.index()]).min()?.min(&missing).clone();
            for link in &links {
                state.amount[link.index()] -= &amount;
            }
            missing -= &amount;
            let links = match group.side {
                Side::Source => links.into_iter().rev().collect(),
                Side::Target => links,
            };
            found.push((Pattern::path(commodity, links), amount));
        }
    }
    Some(found)
}

/// The flow not yet given to a path, seen from the leaves towards the root.
struct State<'a> {
    platform: &'a Platform,
    side: Side,
    amount: Vec<BigInt>,
    nodes: Vec<NodeId>,
}

impl<'a> State<'a> {
    fn new(platform: &'a Platform, group: &Group, flow: &BTreeMap<LinkId, BigInt>) -> Self {
        let mut amount = vec![BigInt::zero(); platform.links().len()];
        let mut nodes = Vec::new();
        for (link, value) in flow {
            amount[link.index()] = value.clone();
            nodes.push(platform.link(*link).from);
            nodes.push(platform.link(*link).to);
        }
        nodes.sort();
        nodes.dedup();
        State { platform, side: group.side, amount, nodes }
    }

    /// Links that lead one step closer to the root.
    fn towards_root(&self, node: NodeId) -> &'a [LinkId] {
        match self.side {
            Side::Source => self.platform.incoming(node),
            Side::Target => self.platform.outgoing(node),
        }
    }

    fn next(&self, link: LinkId) -> NodeId {
        let link = self.platform.link(link);
        match self.side {
            Side::Source => link.from,
            Side::Target => link.to,
        }
    }

    /// Follows the largest amounts from a leaf to the root.
    fn trace(&self, leaf: NodeId, root: NodeId) -> Option<Vec<LinkId>> {
        let mut links = Vec::new();
        let mut node = leaf;
        while node != root {
            let best = self.towards_root(node).iter().max_by(|a, b| {
                // The earlier link wins a tie, so that the result does not depend on how `max_by` breaks it.
                self.amount[a.index()].cmp(&self.amount[b.index()]).then(b.cmp(a))
            });
            let link = *best.filter(|link| self.amount[link.index()].is_positive())?;
            if links.len() > self.platform.nodes().len() {
                return None;
            }
            links.push(link);
            node = self.next(link);
        }
        Some(links)
    }

    /// Takes away circulations: depth-first search for a cycle of positive links, until there is none.
    fn cancel_cycles(&mut self) {
        let mut finished = vec![false; self.platform.nodes().len()];
        let mut on_path = vec![usize::MAX; self.platform.nodes().len()];
        for start in self.nodes.clone() {
            if finished[start.index()] {
                continue;
            }
            // The path's nodes; for each the next link to try, and the link taken to the node after it.
            let mut path: Vec<(NodeId, usize)> = vec![(start, 0)];
            let mut taken: Vec<LinkId> = Vec::new();
            on_path[start.index()] = 0;
            while let Some(&(node, at)) = path.last() {
                let depth = path.len() - 1;
                let Some(&link) = self.towards_root(node).get(at) else {
                    finished[node.index()] = true;
                    on_path[node.index()] = usize::MAX;
                    path.pop();
                    taken.pop();
                    continue;
                };
                path[depth].1 += 1;
                let next = self.next(link);
                if !self.amount[link.index()].is_positive() || finished[next.index()] {
                    continue;
                }
                let seen = on_path[next.index()];
                if seen == usize::MAX {
                    on_path[next.index()] = path.len();
                    path.push((next, 0));
                    taken.push(link);
                } else {
                    let cycle: Vec<LinkId> = taken[seen..].iter().copied().chain([link]).collect();
                    self.cancel(&cycle);
                    // Some link of the cycle is empty now; go on from where the cycle began.
                    for (left, _) in path.drain(seen + 1..) {
                        on_path[left.index()] = usize::MAX;
                    }
                    taken.truncate(seen);
                    path[seen].1 = 0;
                }
            }
        }
    }

    fn cancel(&mut self, cycle: &[LinkId]) {
        let Some(least) = cycle.iter().map(|link| self.amount[link.index()].clone()).min() else { return };
        for link in cycle {
            self.amount[link.index()] -= &least;
        }
    }
}
