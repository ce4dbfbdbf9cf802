//! Tooltips of a graph's elements.

use std::collections::BTreeMap;

use oneport_plan::{Collective, Message};
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational};

use super::amounts::{Amount, Amounts};
use super::flows::{Flows, Role};
use crate::quantities;
use crate::words::{self, Messages};

/// The tooltip of a node. With amounts, it lists every merge with its inputs.
pub(super) fn node_tooltip(
    platform: &Platform,
    collective: &Collective,
    id: NodeId,
    role: Role,
    flows: &Flows,
    messages: &Messages,
    amounts: Option<&Amounts>,
) -> String {
    let mut text = format!("{}: {}", words::name(platform, id), role.name(collective));
    if let Some(node) = words::node(platform, id) {
        if let Some(compute) = &node.compute {
            text += &format!(", compute {}", words::show(compute));
        }
        if let Some(time) = &node.reduces {
            let free = time == &Rational::default();
            text += &if free {
                ", combines in no time".to_string()
            } else {
                format!(", combines in {}", words::show(time))
            };
        }
        if let Some(model) = node.model {
            text += &format!(", {model}");
        }
        if let Some(ports) = node
            .ports
            .filter(|_| platform.model_of(id) == PortModel::Multiport)
        {
            text += &format!(", {}", words::plural(ports, "port"));
        }
        if !node.replicates && role != Role::Switch {
            text += ", does not replicate";
        }
    }
    let verbs = [
        ("sends", &flows.send),
        ("receives", &flows.receive),
        ("computes", &flows.compute),
    ];
    for (verb, busy) in verbs.map(|(verb, busy)| (verb, busy.get(&id))) {
        if let Some(busy) = busy {
            text += &format!(", {verb} {} of the time", words::show(busy));
        }
    }
    let all = amounts.and_then(|amounts| amounts.nodes.get(&id));
    text + &all.map_or_else(
        || rate_list(platform, flows.merges.get(&id), messages),
        |all| whole_list(all),
    )
}

/// The tooltip of a link. With amounts, it lists every message that is sent over it.
pub(super) fn link_tooltip(
    platform: &Platform,
    link: LinkId,
    flows: &Flows,
    messages: &Messages,
    amounts: Option<&Amounts>,
) -> String {
    let mut text = words::link_name(platform, link);
    if let Some(link) = words::link(platform, link) {
        text += &match platform.units() {
            Some(_) => format!(": {}", quantities::bandwidth(platform, &link.cost)),
            None => format!(": cost {}", words::show(&link.cost)),
        };
    }
    if let Some(busy) = flows.busy.get(&link) {
        text += &format!(", busy {} of the time", words::show(busy));
    }
    let all = amounts.and_then(|amounts| amounts.links.get(&link));
    text + &all.map_or_else(
        || rate_list(platform, flows.rates.get(&link), messages),
        |all| whole_list(all),
    )
}

/// "; per unit of time [1,2] ×1/3, ...", all of them.
fn whole_list(amounts: &[Amount]) -> String {
    let all: Vec<String> = amounts
        .iter()
        .map(|(what, rate)| format!("{what} ×{}", words::show(rate)))
        .collect();
    format!("; per unit of time {}", all.join(", "))
}

/// "; per unit of time v[1,2] ×1/3, ...", the first few.
fn rate_list(
    platform: &Platform,
    rates: Option<&BTreeMap<Message, Rational>>,
    messages: &Messages,
) -> String {
    const LISTED: usize = 8;
    let Some(rates) = rates else {
        return String::new();
    };
    let list: Vec<String> = rates
        .iter()
        .take(LISTED)
        .map(|(&message, rate)| match platform.units() {
            Some(units) => format!("{} {}", messages.label(message), units.show_frequency(rate)),
            None => format!("{} ×{}", messages.label(message), words::show(rate)),
        })
        .collect();
    let more = if rates.len() > LISTED {
        format!(", {} more", rates.len() - LISTED)
    } else {
        String::new()
    };
    let head = if platform.units().is_some() {
        ""
    } else {
        "per unit of time "
    };
    format!("; {head}{}{more}", list.join(", "))
}
