//! Boxes: `box0.gpu3` is of `box0`, as `generate`, `--replicate` and dumps of several machines name their nodes.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use oneport::plan::{EqualRings, Ring};
use oneport::platform::LinkId;
use oneport::{NodeId, Platform};
use oneport_topologies::Imported;

use crate::answers::mixed;

/// The box of a node, by its name.
pub fn of(platform: &Platform, node: NodeId) -> Option<&str> {
    let name = platform.name(node).split_once('.')?.0;
    let digits = name.strip_prefix("box")?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// The number that a name ends in.
pub fn number(name: &str) -> Option<u64> {
    let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
    name[digits..].parse().ok()
}

/// The boxes of some processors, in the order of their first appearance. `None` if a name has no box.
pub fn all<'p>(platform: &'p Platform, gpus: &[NodeId]) -> Option<Vec<&'p str>> {
    let mut boxes: Vec<&str> = Vec::new();
    for &gpu in gpus {
        let its = of(platform, gpu)?;
        if !boxes.contains(&its) {
            boxes.push(its);
        }
    }
    Some(boxes)
}

/// The nodes outside the box of the processors that rings go through. Empty if there are several boxes.
pub fn outside<'p>(
    platform: &'p Platform,
    gpus: &[NodeId],
    rings: &EqualRings,
) -> BTreeSet<&'p str> {
    let Some([its]) = all(platform, gpus)
        .as_deref()
        .and_then(|boxes| <[&str; 1]>::try_from(boxes).ok())
    else {
        return BTreeSet::new();
    };
    let links = rings
        .rings
        .iter()
        .flat_map(|(ring, _)| ring.hops.iter().flatten());
    let nodes = links.flat_map(|&link| [platform.link(link).from, platform.link(link).to]);
    nodes
        .filter(|&node| of(platform, node) != Some(its))
        .map(|node| platform.name(node))
        .collect()
}

/// The first ring that uses PCI and faster links between GPUs of one box, and its PCI links.
pub fn mixed<'r>(imported: &Imported, rings: &'r EqualRings) -> Option<(&'r Ring, Vec<LinkId>)> {
    let platform = &imported.platform;
    let kind = |link: LinkId| {
        imported
            .link_kinds
            .get(link.index())
            .copied()
            .unwrap_or_default()
    };
    let mixed = rings
        .rings
        .iter()
        .map(|(ring, _)| (ring, mixed::pci_links(platform, &ring.hops, &kind)));
    mixed.into_iter().find(|(_, links)| !links.is_empty())
}

/// A ring's path through one box: the processors, and the network cards before the first and after the last.
pub struct Part {
    /// The processors, in their order.
    pub gpus: Vec<NodeId>,
    /// The card in and the card out, by their numbers.
    pub nets: [u64; 2],
}

/// A ring cut at the borders of boxes, in the order of the boxes. If the platform has no cards, each GPU has a card
/// whose number is its `device`.
///
/// # Errors
/// The ring enters a box twice, or visits the boxes in another order: NCCL joins the chain of every box to the next
/// box's chain.
pub fn parts<'p>(
    imported: &'p Imported,
    device: impl Fn(NodeId) -> u64,
    boxes: &[&'p str],
    ring: &Ring,
) -> Result<Vec<Part>> {
    let platform = &imported.platform;
    let order = ring.order(platform);
    let size = order.len();
    let its = |position: usize| of(platform, order[position % size]).unwrap_or("");
    let first = boxes.first().copied().unwrap_or("");
    let start = (0..size)
        .find(|&position| its(position) == first && its(position + size - 1) != first)
        .unwrap_or(0);
    let mut parts: Vec<Part> = Vec::new();
    let mut visited: Vec<&str> = Vec::new();
    for position in start..start + size {
        let (one, before) = (its(position), its(position + size - 1));
        if one != before || position == start {
            visited.push(one);
            let net = card(imported, ring, position + size - 1, order[position % size])
                .unwrap_or_else(|| device(order[position % size]));
            parts.push(Part {
                gpus: Vec::new(),
                nets: [net, 0],
            });
        }
        if let Some(part) = parts.last_mut() {
            part.gpus.push(order[position % size]);
            part.nets[1] = card(imported, ring, position, order[position % size])
                .unwrap_or_else(|| device(order[position % size]));
        }
    }
    if visited != boxes {
        bail!(
            "--output: a ring visits {}, and NCCL joins the GPUs of every box in one chain, in the order {}; name the \
             GPUs of one box with --participants",
            visited.join(", "),
            boxes.join(", ")
        );
    }
    Ok(parts)
}

/// The card that a hop between boxes goes through on the side of a GPU.
fn card(imported: &Imported, ring: &Ring, hop: usize, gpu: NodeId) -> Option<u64> {
    let platform = &imported.platform;
    let hop = ring.hops.get(hop % ring.hops.len());
    let nodes = hop
        .into_iter()
        .flatten()
        .map(|&link| platform.link(link).from);
    let mut cards = nodes.filter(|node| {
        imported.node_kinds.get(node.index()) == Some(&"network card")
            && of(platform, *node) == of(platform, gpu)
    });
    cards.next().and_then(|card| number(platform.name(card)))
}
