//! Prices on resources: a proof that no schedule is faster.

use oneport_platform::{LinkId, NodeId, Platform, Rational};

/// What a transfer or a merge occupies for its whole duration. Every resource serves one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// The send port of a node.
    Send(NodeId),
    /// The receive port of a node.
    Receive(NodeId),
    /// The processor of a node.
    Compute(NodeId),
}

impl Resource {
    /// What a transfer over this link occupies under the full-duplex one-port model.
    pub fn of_link(platform: &Platform, link: LinkId) -> [Resource; 2] {
        let link = platform.link(link);
        [Resource::Send(link.from), Resource::Receive(link.to)]
    }

    /// The node the resource belongs to.
    pub fn node(self) -> NodeId {
        match self {
            Resource::Send(node) | Resource::Receive(node) | Resource::Compute(node) => node,
        }
    }

    /// "send", "receive" or "compute".
    pub fn kind(self) -> &'static str {
        match self {
            Resource::Send(_) => "send",
            Resource::Receive(_) => "receive",
            Resource::Compute(_) => "compute",
        }
    }
}

/// Prices `pi_r >= 0` on resources (time-unit prices; absent means 0).
///
/// They prove `throughput <= sum_r pi_r cap_r / sum_k cheapest_k(pi)`, where `cheapest_k` is the price of the
/// cheapest pattern of commodity `k`: an instance takes at least that much priced time, and the resources have
/// no more of it per unit of time. Link `i -> j` costs `size c(i, j) (pi_send(i) + pi_receive(j))` and a merge at
/// node `i` costs `work compute_i pi_compute(i)`; a path or reduction tree costs the sum over its tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Certificate {
    /// Positive prices, sorted by resource, each resource at most once.
    pub prices: Vec<(Resource, Rational)>,
}
