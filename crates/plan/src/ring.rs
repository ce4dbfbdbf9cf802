//! Rings: cycles that visit every processor of a box once.

use std::collections::BTreeMap;

use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};

use crate::{Certificate, Resource};

/// A cycle through all of some processors: from each to the next over a link, or over links through nodes that are not
/// among them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ring {
    /// For every processor, in the order of the ring, the links to the next one.
    pub hops: Vec<Vec<LinkId>>,
}

impl Ring {
    /// The processors, in the order in which data visit them. The links exist.
    pub fn order(&self, platform: &Platform) -> Vec<NodeId> {
        self.hops
            .iter()
            .filter_map(|hop| hop.first())
            .map(|&link| platform.link(link).from)
            .collect()
    }

    /// How long a unit of data on every hop occupies each port and link. Positive times. The links exist.
    pub fn loads(&self, platform: &Platform) -> BTreeMap<Resource, Rational> {
        let mut loads: BTreeMap<Resource, Rational> = BTreeMap::new();
        for &link in self.hops.iter().flatten() {
            for used in Resource::uses(platform, link) {
                *loads.entry(used.resource).or_default() += used.of(&platform.link(link).cost);
            }
        }
        loads
    }
}

/// Rings in use at the same time, with the data that each carries per unit of time on every hop.
///
/// Each of `n` processors sends its message of size 1 around: a ring that carries `w` takes `n - 1` hops for that. So
/// rings that carry `w` together sustain `w / (n - 1)` all-gathers per unit of time, and as many reduce-scatters.
/// nccl-tests calls `w` their bus bandwidth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RingPacking {
    /// The rings, each with its positive throughput.
    pub rings: Vec<(Ring, Rational)>,
    /// Unused rings with reduced cost 0. Not all are listed.
    pub others: Vec<Ring>,
    /// The total weight of the rings in use.
    pub total: Rational,
    /// Prices that prove `upper_bound`: their worth over the price of the cheapest ring.
    pub certificate: Certificate,
    /// No rings carry more.
    pub upper_bound: Rational,
}

/// Rings that all carry the same. One that is listed `k` times over counts `k` times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EqualRings {
    /// The rings, each with how often it is used.
    pub rings: Vec<(Ring, u32)>,
    /// The share of each ring.
    pub share: Rational,
    /// No equal rings, as many as were allowed, carry more together.
    pub upper_bound: Rational,
}

impl EqualRings {
    /// How many rings, with repetition.
    pub fn count(&self) -> u32 {
        self.rings.iter().map(|(_, times)| times).sum()
    }

    /// The total share of all rings.
    pub fn total(&self) -> Rational {
        &self.share * whole(self.count())
    }
}
