//! From names and edges to a platform.

use super::draw::{Draw, Purpose};
use super::{Costs, Options};
use crate::{Node, NodeId, Platform, PlatformError};

/// Limit: nodes, and directed links, of a generated platform. Larger ones are refused before they are built.
const LIMIT: usize = 1 << 24;

/// `BadParameter`, with the value as it was given.
pub(super) fn refuse(
    generator: &'static str,
    parameter: &'static str,
    value: impl ToString,
    expected: &'static str,
) -> PlatformError {
    PlatformError::BadParameter {
        generator,
        parameter,
        value: value.to_string(),
        expected,
    }
}

/// Refuses more nodes, or more duplex links, than ids can number. `None` means an overflow.
pub(super) fn check_size(
    nodes: Option<usize>,
    duplex_links: Option<usize>,
) -> Result<(), PlatformError> {
    if nodes.is_none_or(|nodes| nodes > LIMIT) {
        return Err(PlatformError::TooMany {
            what: "nodes",
            limit: LIMIT,
        });
    }
    if duplex_links.is_none_or(|links| links > LIMIT / 2) {
        return Err(PlatformError::TooMany {
            what: "links",
            limit: LIMIT,
        });
    }
    Ok(())
}

/// Refuses impossible costs. Generators call this first, before they draw anything.
pub(super) fn check_costs(generator: &'static str, options: &Options) -> Result<(), PlatformError> {
    options.link_cost.check(generator, "link_cost")?;
    options.compute.check(generator, "compute")
}

/// `P0` to `P(n-1)`.
pub(super) fn numbered(n: usize) -> impl Iterator<Item = String> {
    (0..n).map(|index| format!("P{index}"))
}

/// A platform of processors with these names and duplex links between these indices, costs drawn in order.
pub(super) fn processors(
    names: impl Iterator<Item = String>,
    edges: impl Iterator<Item = (usize, usize)>,
    options: &Options,
) -> Result<Platform, PlatformError> {
    let Options {
        seed,
        link_cost,
        compute,
    } = options;
    let draw_all = |costs: &Costs, purpose| {
        let (mut draw, costs) = (Draw::new(*seed, purpose), costs.clone());
        std::iter::repeat_with(move || costs.draw(&mut draw))
    };
    let mut builder = Platform::builder();
    for (name, cost) in names.zip(draw_all(compute, Purpose::Compute)) {
        builder.node(Node::processor(name, cost))?;
    }
    for ((from, to), cost) in edges.zip(draw_all(link_cost, Purpose::Link)) {
        builder.duplex(NodeId::new(from), NodeId::new(to), cost)?;
    }
    builder.build()
}
