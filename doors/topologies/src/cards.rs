//! Selects the network cards that count. Virtual ones and those of storage count only if the user names them.

use std::collections::BTreeSet;

use oneport_files::error::{Mistake, clip};
use oneport_platform::{Pattern, parts};

use crate::draft::{Draft, Port, Role};
use crate::imported::Topic;
use crate::mistakes::said;

/// The word for every card.
const ALL: &str = "all";
/// Fact: how the names of interfaces begin that Linux and its container networks make up in software.
const VIRTUAL: [&str; 20] = [
    "veth", "docker", "br-", "virbr", "lxcbr", "lxdbr", "cni", "flannel", "cali", "cilium", "lxc",
    "kube-", "weave", "vnet", "tap", "tun", "vxlan", "dummy", "ovs-", "podman",
];

/// Whether a card of this name exists only in software, without a cable. A card that the user names counts in any case.
pub(super) fn is_virtual(name: &str, nics: &[String]) -> Result<bool, Mistake> {
    let plain_bridge = name
        .strip_prefix("br")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let begins = VIRTUAL.iter().any(|head| name.starts_with(head));
    Ok((begins || plain_bridge || name == "lo") && !(asks_all(nics) || named(nics, &[name])?))
}

/// The ports that count, with notes on the others.
///
/// # Errors
/// A name of the user's that no card has.
pub(super) fn counting(draft: &mut Draft<'_>) -> Result<Vec<Port>, Mistake> {
    let nics = &draft.options.nics;
    let ports = draft.ports.clone();
    if asks_all(nics) {
        return Ok(ports);
    }
    if nics.is_empty() {
        let aside = of_storage(draft);
        if !aside.is_empty() {
            let cards: Vec<String> = aside.iter().map(|&node| name_of(draft, node)).collect();
            let text = format!(
                "{}: taken for storage, for every GPU shares a PCI switch with another network card and these share \
                 one with no GPU: joins no machines, and is part of its own; --nics {ALL} lets every card join them",
                cards.join(", ")
            );
            draft.note(Topic::Assumed, text);
        }
        return Ok(ports
            .into_iter()
            .filter(|port| !aside.contains(&port.node))
            .collect());
    }
    let mut counted = Vec::new();
    let mut used = BTreeSet::new();
    for port in &ports {
        let member = draft.members.get(port.node);
        let names = [
            member.map(|member| member.name.as_str()),
            member.and_then(|member| member.alias.as_deref()),
            port.name.as_deref(),
        ];
        let names: Vec<&str> = names.into_iter().flatten().collect();
        let mut counts = false;
        for pattern in nics.iter().flat_map(|list| parts(list)) {
            if matches(pattern, &names)? {
                used.insert(pattern.trim());
                counts = true;
            }
        }
        if counts {
            counted.push(port.clone());
        }
    }
    let unused = nics.iter().flat_map(|list| parts(list)).map(str::trim);
    if let Some(unused) = unused.into_iter().find(|name| !used.contains(name)) {
        let mut cards: Vec<String> = ports.iter().map(|port| name_of(draft, port.node)).collect();
        cards.dedup();
        let known = if cards.is_empty() {
            "the file has none".to_string()
        } else {
            format!("the cards are {}", cards.join(", "))
        };
        return Err(said(format!(
            "there is no network card '{}' for --nics; {known}",
            clip(unused)
        )));
    }
    Ok(counted)
}

/// Notes the ports that lead to nothing, unless machines are joined.
///
/// # Errors
/// The errors of [`counting`].
pub(super) fn note(draft: &mut Draft<'_>) -> Result<(), Mistake> {
    if draft.wires.iter().any(|wire| wire.kind == "net") {
        return Ok(());
    }
    let ports = counting(draft)?;
    draft.note_ports(&ports);
    Ok(())
}

fn asks_all(nics: &[String]) -> bool {
    nics.iter().any(|list| list.trim() == ALL)
}

/// Whether the user names one of these.
fn named(nics: &[String], names: &[&str]) -> Result<bool, Mistake> {
    for pattern in nics.iter().flat_map(|list| parts(list)) {
        if matches(pattern, names)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn matches(pattern: &str, names: &[&str]) -> Result<bool, Mistake> {
    let pattern = Pattern::parse(pattern.trim()).map_err(|error| said(error.to_string()))?;
    Ok(names.iter().any(|name| pattern.matches(name)))
}

/// `nic3 (mlx5_3)`.
fn name_of(draft: &Draft<'_>, node: usize) -> String {
    let Some(member) = draft.members.get(node) else {
        return String::new();
    };
    match &member.alias {
        Some(alias) => format!("{} ({alias})", member.name),
        None => member.name.clone(),
    }
}

/// Cards that share a PCI switch with no GPU, if every GPU shares one with a card.
fn of_storage(draft: &Draft<'_>) -> BTreeSet<usize> {
    let switches = |node: usize| {
        draft
            .members
            .get(node)
            .is_some_and(|member| member.kind == "PCI switch")
    };
    let mut group: Vec<usize> = (0..draft.members.len()).collect();
    for wire in draft.wires.iter().filter(|wire| wire.kind == "pci") {
        let below = |node: usize| {
            draft
                .members
                .get(node)
                .is_some_and(|member| member.kind != "CPU")
        };
        if (switches(wire.from) && below(wire.to)) || (switches(wire.to) && below(wire.from)) {
            let [one, other] = [wire.from, wire.to].map(|node| root(&mut group, node));
            if let Some(parent) = group.get_mut(one) {
                *parent = other;
            }
        }
    }
    let processors: Vec<usize> = draft
        .members
        .iter()
        .enumerate()
        .filter(|(_, member)| member.role == Role::Processor)
        .map(|(index, _)| index)
        .collect();
    let of_gpus: BTreeSet<usize> = processors
        .iter()
        .map(|&node| root(&mut group, node))
        .collect();
    let cards: BTreeSet<usize> = draft.ports.iter().map(|port| port.node).collect();
    let of_cards: BTreeSet<usize> = cards.iter().map(|&node| root(&mut group, node)).collect();
    if of_gpus.is_empty() || !of_gpus.is_subset(&of_cards) {
        return BTreeSet::new();
    }
    cards
        .into_iter()
        .filter(|&card| !of_gpus.contains(&root(&mut group, card)))
        .collect()
}

/// The first of a group. Paths are halved meanwhile.
fn root(group: &mut [usize], mut node: usize) -> usize {
    while let Some(&parent) = group.get(node) {
        if parent == node {
            break;
        }
        let above = group.get(parent).copied().unwrap_or(parent);
        if let Some(parent) = group.get_mut(node) {
            *parent = above;
        }
        node = above;
    }
    node
}
