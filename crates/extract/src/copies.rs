//! Copies of messages, by link, into weighted arborescences.
//!
//! The source of every message hangs below a separate root: an arc of the message's rate leads to it. So the messages
//! of an all-gather whose copies are only known together are packed as one: the set of all nodes is tight, every
//! arborescence enters it once, and the arborescences that enter at a source weigh as much as its rate (Edmonds'
//! disjoint branchings with several roots).

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_platform::{LinkId, NodeId, Platform, Rational};
use oneport_watch::Watch;

use crate::branchings::{Arc, pack};
use crate::error::ExtractError;
use crate::helpers::{Network, Way};
use crate::paths::check_links;
use crate::scaled::Unit;

/// A message: its source, and its rate per unit of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its owner.
    pub source: NodeId,
    /// Copies per unit of time that every target receives.
    pub rate: Rational,
}

/// An arborescence of one of the messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The index of the message.
    pub message: usize,
    /// How often per unit of time.
    pub weight: Rational,
    /// Links, each with the index of the hop that brought the copy to its tail. `None` at the source.
    pub hops: Vec<Hop>,
}

/// A copy sent over a link, and the index of the hop that brought the original: `None` at the source.
pub type Hop = (LinkId, Option<u32>);

/// Packs arborescences of the messages to all targets into copies by link.
///
/// At most `m + k - rho + 1` arborescences for `m` links with a positive amount (after helpers are split off, see the
/// crate's page) and `k` messages, where `rho` is the rank of the cuts that are tight at the start.
///
/// # Errors
/// [`ExtractError`]: links that do not exist, negative amounts. A target that too few copies can reach, a helper that
/// copies without receiving all. A limit of the watch.
pub fn spread(
    platform: &Platform,
    messages: &[Message],
    targets: &BTreeSet<NodeId>,
    copies: &BTreeMap<LinkId, Rational>,
    watch: &Watch,
) -> Result<Vec<Spread>, ExtractError> {
    let total: Rational = messages.iter().map(|message| &message.rate).sum();
    check_links(platform, &total, copies)?;
    let unit = Unit::of(
        copies
            .values()
            .chain(messages.iter().map(|message| &message.rate)),
    );
    let whole = |number: &Rational| unit.whole(number).into_parts().1;
    let root = platform.nodes().len();
    let mut network = Network {
        nodes: root + 1,
        root,
        ways: Vec::new(),
        worth: whole(&total),
        spanned: vec![false; root + 1],
        watch,
    };
    for message in messages {
        let to = message.source.index();
        network.ways.push(Way {
            from: root,
            to,
            room: whole(&message.rate),
            links: Vec::new(),
        });
        network.spanned[to] = true;
    }
    for (&link, rate) in copies.iter().filter(|(_, rate)| !rate.is_zero()) {
        let ends = platform.link(link);
        // A single message is not sent back to its source.
        if !matches!(messages, [message] if message.source == ends.to) {
            let (from, to) = (ends.from.index(), ends.to.index());
            network.ways.push(Way {
                from,
                to,
                room: whole(rate),
                links: vec![link],
            });
        }
    }
    let name = |node: usize| platform.name(NodeId::new(node)).to_string();
    let amount = |number: BigUint| Box::new(unit.amount(number.into()));
    for target in targets {
        network.spanned[target.index()] = true;
        if let Some(found) = network.short(target.index())? {
            let target = name(target.index());
            return Err(ExtractError::Cut {
                target,
                found: amount(found),
                throughput: Box::new(total),
            });
        }
    }
    if network.worth.is_zero() {
        return Ok(Vec::new());
    }
    let replicates = |node: usize| platform.node(NodeId::new(node)).replicates;
    if let Some(refused) = network.settle(replicates)? {
        let (sent, received) = (amount(refused.sent), amount(refused.received));
        let throughput = Box::new(total);
        return Err(ExtractError::HelperCopies {
            node: name(refused.helper),
            sent,
            received,
            throughput,
        });
    }
    network.spanned[root] = true;
    let arcs: Vec<Arc> = network
        .ways
        .iter()
        .map(|way| (way.from, way.to, way.room.clone()))
        .collect();
    let packed = pack(&network.spanned, root, &arcs, &network.worth, watch)?;
    packed
        .into_iter()
        .map(|branching| {
            // The arcs of the messages were entered first, in their order.
            let first = branching
                .arcs
                .first()
                .copied()
                .filter(|&arc| arc < messages.len());
            let message = first.ok_or(ExtractError::Contradiction(
                "an arborescence without a source",
            ))?;
            let ways = branching.arcs[1..].iter().map(|&arc| &network.ways[arc]);
            let hops = expand(platform, messages[message].source, ways, targets);
            let hops = direct(platform, hops, |node| targets.contains(&node));
            Ok(Spread {
                message,
                weight: branching.weight * unit.amount(1.into()),
                hops,
            })
        })
        .collect()
}

/// The links of an arborescence, without links that lead to no target.
fn expand<'n>(
    platform: &Platform,
    source: NodeId,
    ways: impl Iterator<Item = &'n Way>,
    targets: &BTreeSet<NodeId>,
) -> Vec<Hop> {
    // Per node that holds a copy and can replicate it: the hop that brought the copy.
    let mut holders: BTreeMap<NodeId, Option<usize>> = BTreeMap::from([(source, None)]);
    let mut hops: Vec<(LinkId, Option<usize>)> = Vec::new();
    for way in ways {
        let tail = |link: &LinkId| platform.link(*link).from;
        // The path begins at its last node that holds a copy already.
        let start = way
            .links
            .iter()
            .rposition(|link| holders.contains_key(&tail(link)))
            .unwrap_or(0);
        let mut before = way
            .links
            .get(start)
            .and_then(|link| holders.get(&tail(link)).copied().flatten());
        for &link in &way.links[start..] {
            hops.push((link, before));
            before = Some(hops.len() - 1);
            let head = platform.link(link).to;
            if platform.node(head).replicates {
                holders.entry(head).or_insert(before);
            }
        }
    }
    let mut needed = vec![false; hops.len()];
    for target in targets {
        if let Some(&Some(hop)) = holders.get(target) {
            needed[hop] = true;
        }
    }
    for index in (0..hops.len()).rev() {
        if let (true, Some(before)) = (needed[index], hops[index].1) {
            needed[before] = true;
        }
    }
    let mut indices: Vec<Option<u32>> = Vec::with_capacity(hops.len());
    let mut kept: Vec<Hop> = Vec::new();
    for ((link, before), needed) in hops.into_iter().zip(needed) {
        indices.push(if needed {
            u32::try_from(kept.len()).ok()
        } else {
            None
        });
        if needed {
            kept.push((link, before.and_then(|before| indices[before])));
        }
    }
    kept
}

/// The hops without detours: a copy that comes back to a node goes on from its first arrival there, if no node after
/// that wanted it or copied it. Only links of cost 0 make such a detour as cheap as none.
///
/// Each hop comes after the hop that brought its copy. `O(h d)` for `h` hops and paths of `d`.
pub fn direct(
    platform: &Platform,
    mut hops: Vec<Hop>,
    wanted: impl Fn(NodeId) -> bool,
) -> Vec<Hop> {
    let before = |hop: Hop| hop.1.map(|before| before as usize);
    let mut uses = vec![0_usize; hops.len()];
    for &hop in &hops {
        if let Some(before) = before(hop) {
            uses[before] += 1;
        }
    }
    // Per hop: the earlier hop to the same node that replaces it.
    let mut instead: Vec<Option<u32>> = vec![None; hops.len()];
    let mut detours = vec![false; hops.len()];
    for index in 0..hops.len() {
        let end = |hop: usize| platform.link(hops[hop].0).to;
        let after = before(hops[index]).and_then(|before| instead[before].or(hops[index].1));
        let (mut detour, mut at) = (vec![index], after.map(|before| before as usize));
        while let Some(earlier) = at {
            if end(earlier) == end(index) {
                instead[index] = u32::try_from(earlier).ok();
                uses[earlier] = uses[earlier] + uses[index] - 1;
                for &hop in &detour {
                    detours[hop] = true;
                }
                break;
            }
            if uses[earlier] > 1 || wanted(end(earlier)) {
                break;
            }
            detour.push(earlier);
            at = before(hops[earlier]);
        }
        hops[index].1 = after;
    }
    let mut indices: Vec<Option<u32>> = Vec::with_capacity(hops.len());
    let mut kept: Vec<Hop> = Vec::with_capacity(hops.len());
    for (hop, detour) in hops.into_iter().zip(detours) {
        indices.push(u32::try_from(kept.len()).ok().filter(|_| !detour));
        if !detour {
            kept.push((hop.0, before(hop).and_then(|before| indices[before])));
        }
    }
    kept
}
