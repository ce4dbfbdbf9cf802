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

use oneport::{Collective, NodeId, Platform, PortModel, Volumes};
pub use oneport_testkit::number;

/// Processors named by single words, links as (from, to, cost).
#[track_caller]
fn platform(model: PortModel, nodes: &str, links: &[(&str, &str, &str)]) -> Platform {
    oneport_testkit::platform(nodes, links).with_model(model)
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
