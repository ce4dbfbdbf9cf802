//! From flows to paths: every message gets weighted paths that add up to its demand.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use oneport_plan::Pattern;
use oneport_platform::{LinkId, NodeId, PerLink, Platform, Rational};

use crate::circulation::{Arc, cancel_cycles};
use crate::error::ExtractError;
use crate::scaled::Unit;
use crate::trees::not_negative;

/// Which end the messages of a group share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// One source, many targets.
    Source,
    /// One target, many sources.
    Target,
}

/// Messages that share an end and travel as one flow.
#[derive(Debug, Clone)]
pub struct Group {
    /// The shared end.
    pub root: NodeId,
    /// Whether it is the source or the target.
    pub side: Side,
    /// The other ends.
    pub leaves: Vec<Leaf>,
}

/// An end of one message of a group, or of several that are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// The node.
    pub node: NodeId,
    /// Its index among the demands.
    pub demand: usize,
    /// Messages per instance.
    pub rate: u64,
}

/// Paths with their amounts, and the flow that is on none of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paths {
    /// Weighted paths.
    pub paths: Vec<(Pattern, Rational)>,
    /// Circulations by link.
    pub left_over: BTreeMap<LinkId, Rational>,
}

/// Writes a flow of `throughput` messages from source to target as weighted paths and circulations:
/// `send = sum w(p) chi_p + left_over` exactly.
///
/// At most `m - i` paths, at least one if anything is sent, for `m` links that keep a positive amount after cancelling
/// and `i` nodes between source and target on them: each path empties a link, and all satisfy the `i` conservation
/// laws. `O(m)` paths of `O(n + m)` steps each.
///
/// # Errors
/// [`ExtractError`]: links that do not exist, negative amounts, a node that gains or loses messages, a target that does
/// not gain the throughput.
pub fn route(
    platform: &Platform,
    demand: usize,
    source: NodeId,
    target: NodeId,
    throughput: &Rational,
    sends: &BTreeMap<LinkId, Rational>,
) -> Result<Paths, ExtractError> {
    check_links(platform, throughput, sends)?;
    let unit = Unit::of(sends.values().chain([throughput]));
    let amount = unit.whole(throughput);
    let flow: BTreeMap<LinkId, BigInt> = sends
        .iter()
        .map(|(&link, rate)| (link, unit.whole(rate)))
        .collect();
    let mut balance = platform.per_node([BigInt::zero(), BigInt::zero()]);
    for (&link, rate) in &flow {
        let ends = platform.link(link);
        balance[ends.to][0] += rate;
        balance[ends.from][1] += rate;
    }
    for (node, [received, sent]) in platform.node_ids().zip(balance) {
        let name = || platform.name(node).to_string();
        let number = |whole: BigInt| Box::new(unit.amount(whole));
        if node == target && &received - &sent != amount {
            let (found, throughput) = (number(received - sent), Box::new(throughput.clone()));
            return Err(ExtractError::WrongGain {
                target: name(),
                found,
                throughput,
            });
        }
        if node != target && node != source && received != sent {
            return Err(ExtractError::Lost {
                node: name(),
                received: number(received),
                sent: number(sent),
            });
        }
    }
    let group = Group {
        root: source,
        side: Side::Source,
        leaves: vec![Leaf {
            node: target,
            demand,
            rate: 1,
        }],
    };
    let paths = paths(platform, &group, &flow, &amount);
    let paths = paths.ok_or(ExtractError::Contradiction(
        "a flow that balances serves its target",
    ))?;
    let mut left_over = flow;
    for (path, carried) in &paths {
        for link in path.links() {
            left_over.entry(link).and_modify(|left| *left -= carried);
        }
    }
    left_over.retain(|_, left| !left.is_zero());
    Ok(Paths {
        paths: paths
            .into_iter()
            .map(|(path, carried)| (path, unit.amount(carried)))
            .collect(),
        left_over: left_over
            .into_iter()
            .map(|(link, left)| (link, unit.amount(left)))
            .collect(),
    })
}

/// Refuses links that do not exist and amounts below 0.
pub(crate) fn check_links(
    platform: &Platform,
    throughput: &Rational,
    sends: &BTreeMap<LinkId, Rational>,
) -> Result<(), ExtractError> {
    let count = platform.links().len();
    not_negative(throughput, &|| "throughput".to_string())?;
    for (&link, rate) in sends {
        if link.index() >= count {
            return Err(ExtractError::UnknownId {
                what: "link",
                id: link.index(),
                count,
            });
        }
        not_negative(rate, &|| format!("send({})", platform.link_name(link)))?;
    }
    Ok(())
}

/// Splits one group's flow into paths.
///
/// `flow` holds the positive amounts by link, `demand` is the amount of one message, both in the same integer unit.
/// Circulations are cancelled first. Each path is cut at its largest incoming amounts, so that there are few. Every
/// path exhausts a link or a leaf, so there are at most links + leaves of them. `None` if the flow does not serve the
/// demand, which conservation excludes.
pub fn paths(
    platform: &Platform,
    group: &Group,
    flow: &BTreeMap<LinkId, BigInt>,
    demand: &BigInt,
) -> Option<Vec<(Pattern, BigInt)>> {
    let mut state = State::new(platform, group, flow)?;
    let mut found = Vec::new();
    for leaf in &group.leaves {
        let mut missing = demand * leaf.rate;
        while missing.is_positive() {
            let links = state.trace(leaf.node, group.root)?;
            let amount = links
                .iter()
                .map(|&link| &state.amount[link])
                .min()?
                .min(&missing)
                .clone();
            for link in &links {
                state.amount[*link] -= &amount;
            }
            missing -= &amount;
            let links = match group.side {
                Side::Source => links.into_iter().rev().collect(),
                Side::Target => links,
            };
            found.push((Pattern::path(leaf.demand, links), amount));
        }
    }
    Some(found)
}

/// The flow not yet given to a path, seen from the leaves towards the root.
struct State<'a> {
    platform: &'a Platform,
    side: Side,
    amount: PerLink<BigInt>,
}

impl<'a> State<'a> {
    /// The flow without its circulations. `None` if a link does not exist.
    fn new(platform: &'a Platform, group: &Group, flow: &BTreeMap<LinkId, BigInt>) -> Option<Self> {
        let arc = |(&link, left): (&LinkId, &BigInt)| {
            let ends = platform.links().get(link.index())?;
            Some(Arc {
                link,
                from: ends.from.index(),
                to: ends.to.index(),
                left: left.clone(),
            })
        };
        let mut arcs: Vec<Arc<LinkId>> = flow.iter().map(arc).collect::<Option<_>>()?;
        cancel_cycles(&mut arcs);
        let mut amount = platform.per_link(BigInt::zero());
        for arc in arcs {
            amount[arc.link] = arc.left;
        }
        Some(State {
            platform,
            side: group.side,
            amount,
        })
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
            let best = self.towards_root(node).iter().max_by(|&&a, &&b| {
                // The earlier link wins a tie, so that the result does not depend on how `max_by` breaks it.
                self.amount[a].cmp(&self.amount[b]).then(b.cmp(&a))
            });
            let link = *best.filter(|&&link| self.amount[link].is_positive())?;
            if links.len() > self.platform.nodes().len() {
                return None;
            }
            links.push(link);
            node = self.next(link);
        }
        Some(links)
    }
}
