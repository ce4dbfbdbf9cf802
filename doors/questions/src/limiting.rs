//! The resources that limit a throughput, in words.

use oneport::explain::{self, Class, Limits, Members};
use oneport::plan::{OddSet, Resource};
use oneport::platform::names;
use oneport::{Answer, Platform, Rational, count};
use serde::Serialize;

use crate::words::{decimal, few};

/// A class of resources that limits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limiting {
    /// Its name.
    pub resource: String,
    /// Number of its members.
    pub members: usize,
    /// Its share of the total price, in ten digits.
    pub share: String,
    /// The busy share of its busiest member's time, in ten digits.
    pub busy: String,
    /// The odd set that it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odd_set: Option<OddSetWords>,
}

/// An odd set in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OddSetWords {
    /// Its nodes.
    pub nodes: Vec<String>,
    /// Further links.
    pub links: Vec<String>,
    /// Transfers at a time.
    pub at_a_time: u64,
    /// Its price.
    pub price: Option<String>,
    /// All of that as a sentence.
    pub sentence: String,
}

/// The classes that limit an answer.
pub fn limiting(answer: &Answer) -> Vec<Limiting> {
    let limits = explain::limits(answer);
    of_classes(answer.problem().platform(), &limits.limiting)
}

/// Classes that limit, in words.
pub fn of_classes(platform: &Platform, classes: &[Class]) -> Vec<Limiting> {
    let class = |class: &Class| Limiting {
        resource: class.name(platform),
        members: class.count(),
        share: decimal(&class.share),
        busy: decimal(&class.busy),
        odd_set: match &class.members {
            Members::OddSet(set, price) => Some(OddSetWords::of(platform, set, Some(price))),
            _ => None,
        },
    };
    classes.iter().map(class).collect()
}

/// The constraint of an odd set: `the nodes a, b, c: of 3 nodes at most 1 pair talks at a time`. If the set has links,
/// or a port that is not a half-duplex node's, all of them are named and transfers are counted.
pub fn odd_set_sentence(platform: &Platform, set: &OddSet) -> String {
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

impl OddSetWords {
    /// Nodes, further links, capacity and price of an odd set.
    pub fn of(platform: &Platform, set: &OddSet, price: Option<&Rational>) -> OddSetWords {
        let nodes = set.ports.iter().filter_map(|port| port.node());
        let links = set.links.iter().map(|&link| platform.link_name(link));
        OddSetWords {
            nodes: nodes.map(|node| platform.name(node).to_string()).collect(),
            links: links.map(|name| name.to_string()).collect(),
            at_a_time: set.capacity(platform),
            price: price.map(Rational::to_string),
            sentence: odd_set_sentence(platform, set),
        }
    }
}

/// Limit on the classes named in a line.
const NAMED: usize = 3;
/// Most members of a class that are all named. Shown: `link 'a -> b', 'a -> c'`.
const EVERY: usize = 4;

/// The name of a class in a line: `send port of 'a', 'b'`, or `8 x link 'ib*' -> 'gpu*'`.
pub fn class_name(platform: &Platform, class: &Class) -> String {
    match &class.members {
        Members::Resources(resources) => named(platform, resources, EVERY),
        _ => class.name(platform),
    }
}

/// The names of the classes with the largest shares, at most three.
pub fn limiting_names(platform: &Platform, limits: &Limits) -> String {
    let names = limits.limiting.iter();
    few(
        names.map(|class| class_name(platform, class)),
        NAMED,
        ", ...",
    )
}

/// Names a class of resources: all names for at most `every` resources, else the number and the common part of the
/// names.
fn named(platform: &Platform, resources: &[Resource], every: usize) -> String {
    let common = explain::name(platform, resources);
    if resources.len() > every {
        return format!("{} x {common}", resources.len());
    }
    let kind = common.find('\'').unwrap_or_default();
    let names = resources.iter().enumerate().map(|(index, resource)| {
        let name = resource.describe(platform);
        let short = name.get(kind..).filter(|_| index > 0);
        short.map_or(name.clone(), str::to_string)
    });
    names.collect::<Vec<_>>().join(", ")
}

/// The first class of these resources by name, and the number of further classes: `8 x send port of 'gpu*'`.
pub fn summary(platform: &Platform, resources: &[Resource]) -> String {
    let classes = explain::alike(platform, resources);
    let more = if classes.len() > 1 {
        format!("; and {} more", classes.len() - 1)
    } else {
        String::new()
    };
    classes
        .first()
        .map_or_else(String::new, |first| named(platform, first, 1) + &more)
}
