//! How links are drawn: bandwidth as width, load as colour, what limits in red.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed, Zero};
use oneport_plan::{Certificate, Resource};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use super::edges::Stroke;
use super::flows::Flows;
use crate::quantities;
use crate::svg::colour::Colour;
use crate::svg::legend::Entry;
use crate::words;

/// Colour of resources that the certificate prices.
pub(super) const CHARGED: &str = "#d62718";
/// Links out of use.
const UNUSED: &str = "#c4c4c4";
/// Links when there is no steady state.
const PLAIN: &str = "#666666";

/// Links and nodes that the certificate prices.
#[derive(Default)]
pub(super) struct Charged {
    links: BTreeSet<LinkId>,
    nodes: BTreeMap<NodeId, BTreeSet<&'static str>>,
}

impl Charged {
    pub(super) fn of(platform: &Platform, certificate: Option<&Certificate>) -> Charged {
        let mut charged = Charged::default();
        let Some(certificate) = certificate else {
            return charged;
        };
        for (resource, price) in certificate.prices() {
            if price.is_positive() {
                charged.add(platform, resource);
            }
        }
        for (set, price) in certificate.odd_sets() {
            if price.is_positive() {
                for &port in set.ports.iter() {
                    charged.add(platform, port);
                }
            }
        }
        charged
    }

    fn add(&mut self, platform: &Platform, resource: Resource) {
        let (node, what) = match resource {
            Resource::Link(link) => {
                self.links.insert(link);
                return;
            }
            Resource::Shared(id) => {
                let shared = platform.shared().get(id.index());
                let links = shared.into_iter().flat_map(|shared| shared.weights.keys());
                self.links.extend(links);
                return;
            }
            Resource::Send(node) => (node, "send port"),
            Resource::Receive(node) => (node, "receive port"),
            Resource::Port(node) => (node, "port"),
            Resource::Compute(node) => (node, "processor"),
        };
        self.nodes.entry(node).or_default().insert(what);
    }

    /// The priced resources of a node, in words.
    pub(super) fn of_node(&self, node: NodeId) -> Option<String> {
        let words: Vec<&str> = self.nodes.get(&node)?.iter().copied().collect();
        match words[..] {
            ["receive port", "send port"] => Some("ports".to_string()),
            _ => Some(words.join(", ")),
        }
    }

    pub(super) fn any(&self) -> bool {
        !self.links.is_empty() || !self.nodes.is_empty()
    }
}

/// The cost of every link, if all are equal.
pub(super) fn uniform_cost(platform: &Platform) -> Option<&Rational> {
    let first = &platform.links().iter().next()?.cost;
    platform
        .links()
        .iter()
        .all(|link| link.cost == *first)
        .then_some(first)
}

/// The least and the greatest cost.
fn costs(platform: &Platform) -> Option<(&Rational, &Rational)> {
    let costs = || platform.links().iter().map(|link| &link.cost);
    costs().min().zip(costs().max())
}

/// Width by bandwidth, as a part of the greatest. The least and greatest costs are looked for once.
fn widths(platform: &Platform) -> impl Fn(&Rational) -> f64 {
    let scale = if platform.nodes().len() <= 60 {
        1.0
    } else {
        0.6
    };
    let least = costs(platform)
        .filter(|(least, greatest)| least != greatest)
        .map(|(least, _)| least);
    move |cost| match least {
        // Over a link of cost 0 everything passes. Compared with it, all others are thin.
        Some(_) if cost.is_zero() => scale * 4.5,
        Some(least) => scale * (0.9 + 3.6 * words::share(least, cost).sqrt()),
        None => scale * 1.8,
    }
}

/// From pale to dark blue.
fn load_colour(share: f64) -> String {
    let (pale, middle, dark) = (
        Colour(0x9c, 0xcb, 0xf0),
        Colour(0x2b, 0x7b, 0xba),
        Colour(0x08, 0x2a, 0x5e),
    );
    let share = share.clamp(0.0, 1.0);
    if share < 0.5 {
        pale.mix(middle, 2.0 * share)
    } else {
        middle.mix(dark, 2.0 * share - 1.0)
    }
    .hex()
}

/// The stroke of every link.
pub(super) fn strokes(
    platform: &Platform,
    flows: &Flows,
    charged: &Charged,
    solved: bool,
) -> Vec<Stroke> {
    let width = widths(platform);
    let stroke = |id: LinkId| {
        let width = words::link(platform, id).map_or(1.0, |link| width(&link.cost));
        let load = flows.busy.get(&id).map(words::pixels);
        let (colour, layer) = match load {
            _ if charged.links.contains(&id) => (CHARGED.to_string(), 3),
            Some(load) => (load_colour(load), 2),
            None if solved => (UNUSED.to_string(), 1),
            None => (PLAIN.to_string(), 1),
        };
        Stroke {
            width,
            colour,
            layer,
        }
    };
    platform.link_ids().map(stroke).collect()
}

/// Legend of the widths and colours.
pub(super) fn legend(platform: &Platform, flows: &Flows, solved: bool) -> Vec<Entry> {
    let mut entries = Vec::new();
    let width = widths(platform);
    let plain = if solved { UNUSED } else { PLAIN };
    let mut which = Vec::new();
    match costs(platform) {
        Some((least, greatest)) if least != greatest => {
            which.extend([("slowest", greatest), ("fastest", least)]);
        }
        Some((cost, _)) => which.push(("every", cost)),
        None => {}
    }
    for (which, cost) in which {
        let label = format!("{which} link: {}", quantities::bandwidth(platform, cost));
        entries.push(Entry::line(plain, width(cost), "", label));
    }
    if solved && flows.busy.len() < platform.links().len() {
        entries.push(Entry::line(UNUSED, 1.8, "", "link not in use"));
    }
    if !flows.busy.is_empty() {
        for (load, busy) in [(0.1, "busy 10 %"), (0.5, "busy 50 %"), (1.0, "busy 100 %")] {
            entries.push(Entry::line(load_colour(load), 2.5, "", busy));
        }
    }
    entries
}
