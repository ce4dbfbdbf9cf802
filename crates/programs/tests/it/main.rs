//! The papers' programs against other readers: HiGHS' own, and a naive one that adds up rows exactly.

#![allow(unreachable_pub, reason = "a test program has no outside")]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::float_arithmetic
)]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod limits;
mod numbers;
mod optimum;
mod printed;
mod reader;
mod refusals;

use oneport::platform::Node;
use oneport::{Collective, NodeId, Platform, PortModel, Rational, Volumes, parse_rational};

/// A number from text.
fn number(text: &str) -> Rational {
    parse_rational(text).unwrap()
}

/// Nodes named by single words, links as (from, to, cost).
fn platform(model: PortModel, nodes: &str, links: &[(&str, &str, &str)]) -> Platform {
    let mut builder = Platform::builder();
    builder.model(model);
    for name in nodes.split_whitespace() {
        builder.node(Node::processor(name, number("1"))).unwrap();
    }
    for (from, to, cost) in links {
        let (from, to) = (builder.find(from).unwrap(), builder.find(to).unwrap());
        builder.link(from, to, number(cost)).unwrap();
    }
    builder.build().unwrap()
}

fn nodes(platform: &Platform, names: &str) -> Vec<NodeId> {
    names
        .split_whitespace()
        .map(|name| platform.find(name).unwrap())
        .collect()
}

/// Messages of this size, merges of one unit of work.
fn volumes(size: &str) -> Volumes {
    Volumes::of_size(number(size))
}

fn scatter(platform: &Platform, source: &str, targets: &str) -> Collective {
    Collective::scatter(nodes(platform, source)[0], nodes(platform, targets))
}
