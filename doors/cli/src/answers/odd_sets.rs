//! Odd sets in words: how many transfers half-duplex nodes run at a time.

use oneport::plan::{OddSet, Resource};
use oneport::platform::names;
use oneport::{Platform, Rational};
use serde_json::{Value, json};

use crate::words::output::count;

/// The constraint of an odd set: `the nodes a, b, c: of 3 nodes at most 1 pair talks at a time`. If the set has links,
/// or a port that is not a half-duplex node's, all of them are named and transfers are counted.
pub fn sentence(platform: &Platform, set: &OddSet) -> String {
    let capacity = set.capacity(platform);
    let is_half = |port: &Resource| matches!(port, Resource::Port(_));
    if set.links.is_empty() && set.ports.iter().all(is_half) {
        let nodes = names::list(platform, set.ports.iter().filter_map(|port| port.node()));
        let talk = if capacity == 1 { "talks" } else { "talk" };
        return format!(
            "the nodes {nodes}: of {} at most {} {talk} at a time",
            count(set.ports.len(), "node"),
            count(capacity, "pair")
        );
    }
    let further = set.links.iter().map(|&link| Resource::Link(link));
    let all: Vec<String> = set
        .ports
        .iter()
        .copied()
        .chain(further)
        .map(|each| each.describe(platform))
        .collect();
    let over = if set.links.is_empty() {
        ""
    } else {
        " or over these links"
    };
    let run = if capacity == 1 { "runs" } else { "run" };
    format!(
        "{}: of the transfers between these ports{over} at most {capacity} {run} at a time",
        all.join(", ")
    )
}

/// The nodes, further links, capacity and price of an odd set, for `--json`.
pub fn json(platform: &Platform, set: &OddSet, price: Option<&Rational>) -> Value {
    let nodes = set
        .ports
        .iter()
        .filter_map(|port| port.node())
        .map(|node| platform.name(node));
    json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "links": set.links.iter().map(|&link| platform.link_name(link)).collect::<Vec<_>>(),
        "at_a_time": set.capacity(platform),
        "price": price.map(Rational::to_string),
        "sentence": sentence(platform, set),
    })
}
