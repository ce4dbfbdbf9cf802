//! Questions on many nodes: one demand, or one for each node, beside one search for shortest paths or for an
//! arborescence on the same platform. What is quadratic in the nodes somewhere shows here first.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use num_bigint::BigUint;
use oneport::graph::arborescence::arborescence;
use oneport::graph::shortest_paths;
use oneport::{Collective, Platform};
use oneport_benches::{broadcast, certified, commutative, gather, platform, scatter};
use oneport_numbers::Scaled;
use petgraph::visit::EdgeRef;

/// The links' costs as integers.
fn costs(platform: &Platform) -> Vec<BigUint> {
    let costs: Vec<_> = platform.links().iter().map(|link| link.cost.clone()).collect();
    Scaled::coarsest(&costs).values
}
