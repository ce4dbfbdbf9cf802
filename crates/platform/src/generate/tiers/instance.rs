//! From a three-tier network to a platform.

use num_traits::{One, Signed, ToPrimitive};

use super::super::build::{check_size, refuse};
use super::super::draw::{Draw, Purpose};
use super::{NAME, Tier, TiersTopology};
use crate::{Node, NodeId, Platform, PlatformError, Rational, ratio};

/// The speeds and bandwidths to draw from, uniformly. An entry given twice is drawn twice as often.
///
/// All entries are positive. A compute cost is 1 / speed, a link cost 1 / bandwidth, so with the default tables
/// one unit of work is a million floating-point operations, one unit of message a megabyte, and time is in seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TiersTables {
    /// Work per unit of time of a host.
    pub speeds: Vec<Rational>,
    /// Bandwidths of WAN-WAN and WAN-MAN links.
    pub wan: Vec<Rational>,
    /// Bandwidths of MAN-MAN and MAN-LAN links.
    pub man: Vec<Rational>,
    /// Bandwidths of LAN-LAN links.
    pub lan: Vec<Rational>,
}

impl Default for TiersTables {
    /// The twelve speeds in Mflop/s that Legrand measured, one of them on two machines, and round bandwidths of our
    /// own, in MB/s, within the ranges he measured (34.3 to 255.2, 8.0 to 41.3, 0.117 to 7.53) and near their medians
    /// (118.7, 11.8, 2.23).
    fn default() -> Self {
        let thousandths = |values: &[u64]| {
            values
                .iter()
                .map(|&value| ratio(value, 1000))
                .collect::<Vec<_>>()
        };
        TiersTables {
            speeds: thousandths(&[
                22_151, 34_333, 42_917, 48_492, 68_667, 76_296, 85_833, 98_095, 114_444, 114_444,
                137_333, 171_667,
            ]),
            wan: thousandths(&[35_000, 80_000, 120_000, 190_000, 250_000]),
            man: thousandths(&[8_000, 10_000, 12_000, 20_000, 40_000]),
            lan: thousandths(&[125, 1_000, 2_250, 4_000, 7_500]),
        }
    }
}

/// How a network becomes a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TiersInstance {
    /// Decides hosts, speeds and bandwidths, in separate streams.
    pub seed: u64,
    /// Probability that a LAN node is a host, from 0 to 1. Its denominator must be below 2^64.
    pub host_probability: Rational,
    /// Tables of values to draw from.
    pub tables: TiersTables,
}

impl Default for TiersInstance {
    /// Seed 1, hosts with probability 7/10, the default tables.
    fn default() -> Self {
        let host_probability = ratio(7, 10);
        TiersInstance {
            seed: 1,
            host_probability,
            tables: TiersTables::default(),
        }
    }
}

/// Draws hosts, speeds and bandwidths. A LAN node is a processor with the given probability, every other node a router.
/// Each edge is a duplex link. Nodes keep their ids and are named by
/// [`TiersParameters::node_name`](super::TiersParameters::node_name). Link `2 e` is edge `e`, and link `2 e + 1` its
/// reverse.
///
/// The topology may come from a file, and may have no processor.
///
/// # Errors
/// A probability outside 0 to 1 or with a denominator of 2^64 or more. A table that is empty or holds an entry that is
/// not positive. A topology whose number of nodes differs from its parameters, or whose edges form no simple graph.
///
/// # Complexity
/// O((n + m) log(n + m)) for n nodes and m edges.
pub fn instantiate(
    topology: &TiersTopology,
    instance: &TiersInstance,
) -> Result<Platform, PlatformError> {
    check_topology(topology)?;
    check_tables(&instance.tables)?;
    let (hosts, of) = odds(&instance.host_probability)?;
    let TiersInstance { seed, tables, .. } = instance;
    let [mut host, mut compute, mut link] =
        [Purpose::Host, Purpose::Compute, Purpose::Link].map(|purpose| Draw::new(*seed, purpose));
    let mut builder = Platform::builder();
    for (id, node) in topology.nodes.iter().enumerate() {
        let name = topology.parameters.node_name(id).unwrap_or_default();
        let speed = (node.tier == Tier::Lan && host.below(of) < hosts)
            .then(|| compute.pick(&tables.speeds))
            .flatten();
        builder.node(match speed {
            Some(speed) => Node::processor(name, speed.recip()),
            None => Node::router(name),
        })?;
    }
    for edge in &topology.edges {
        let table = match edge.class {
            Tier::Wan => &tables.wan,
            Tier::Man => &tables.man,
            Tier::Lan => &tables.lan,
        };
        if let Some(bandwidth) = link.pick(table) {
            builder.duplex(
                NodeId::new(edge.from),
                NodeId::new(edge.to),
                bandwidth.recip(),
            )?;
        }
    }
    builder.build()
}

/// The nodes are those that the parameters announce.
fn check_topology(topology: &TiersTopology) -> Result<(), PlatformError> {
    let TiersTopology {
        parameters,
        nodes,
        edges,
    } = topology;
    check_size(Some(nodes.len()), Some(edges.len()))?;
    if parameters.wans != 1 || parameters.node_count() != Some(nodes.len()) {
        let expected = "parameters with wans = 1 and exactly this many nodes";
        return Err(refuse(
            NAME,
            "topology",
            format!("of {} nodes with {parameters:?}", nodes.len()),
            expected,
        ));
    }
    Ok(())
}

/// No table is empty and all entries are positive.
fn check_tables(tables: &TiersTables) -> Result<(), PlatformError> {
    let TiersTables {
        speeds,
        wan,
        man,
        lan,
    } = tables;
    for (name, table) in [
        ("tables.speeds", speeds),
        ("tables.wan", wan),
        ("tables.man", man),
        ("tables.lan", lan),
    ] {
        if table.is_empty() {
            return Err(refuse(NAME, name, "empty", "at least one entry is needed"));
        }
        if let Some(entry) = table.iter().find(|entry| !entry.is_positive()) {
            return Err(refuse(
                NAME,
                name,
                entry,
                "speeds and bandwidths must be positive",
            ));
        }
    }
    Ok(())
}

/// The probability as `a` of `b` equally likely draws.
fn odds(probability: &Rational) -> Result<(u64, u64), PlatformError> {
    let inside = !probability.is_negative() && *probability <= Rational::one();
    let odds = probability
        .numer()
        .to_u64()
        .zip(probability.denom().to_u64());
    odds.filter(|_| inside).ok_or_else(|| {
        let expected = "a probability is from 0 to 1, with a denominator below 2^64";
        refuse(NAME, "host_probability", probability, expected)
    })
}
