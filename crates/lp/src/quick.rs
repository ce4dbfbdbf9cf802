//! Bounds that are found and checked in a moment, whatever the question: what cuts, partitions and single ports prove.
//!
//! This is the one list of them. Bounding without solving begins with it, chains of many participants are compared with
//! it, and an answer that a limit ended falls back on it: so no result of these has a weaker bound.

use num_traits::{One, Signed, Zero};
use oneport_plan::{Block, Certificate, Demand, Resource};
use oneport_platform::{LinkId, NodeId, PortModel, Rational};

use crate::bounds::{Bound, cut_bound, first_of_all_reduce};
use crate::{LpError, Question};

/// Bounds of cuts if only links are exclusive, of partitions or single participants for an all-reduce, and of one port.
/// If the question's watch ends a search, the bounds proved by then; partitions are searched until the bound is at most
/// `sought`.
///
/// # Errors
/// The errors of the searches, except for the limit.
pub fn bounds(question: &Question<'_>, sought: Option<&Rational>) -> Result<Vec<Bound>, LpError> {
    let reduced = known(first_of_all_reduce(question, sought))?;
    // Prices of one port prove less of an all-reduce than the messages that pass it.
    let port = match (&reduced, question.block()) {
        (None, Some(block)) => slowest_port(question, &block),
        _ => None,
    };
    Ok([known(cut_bound(question))?, reduced, port].into_iter().flatten().collect())
}

/// The bound that a search found; nothing where a limit came first.
fn known(found: Result<Option<Bound>, LpError>) -> Result<Option<Bound>, LpError> {
    match found {
        Err(LpError::Stopped(_)) => Ok(None),
        found => found,
    }
}

/// Cheap certificates for every question: prices of what leads into, or out of, one node that a value has to reach or
/// to leave, and [`bounds`]. Their bounds may be poor; some may prove nothing.
pub fn certificates(question: &Question<'_>) -> Vec<Certificate> {
    let platform = question.platform();
    let first = question.problem().demands().next();
    let ends = |demand: Demand<'_>| {
        let goals: Vec<NodeId> = demand.goals().into_iter().map(|(node, _)| node).collect();
        goals.into_iter().chain(demand.operands.iter().copied()).next()
    };
    let node = first.and_then(ends);
    let around = |links: &[LinkId], own: fn(NodeId) -> Resource, node: NodeId| {
        let known = Resource::of_platform(platform);
        let ports = [own(node), Resource::Port(node)].into_iter().filter(|port| known.binary_search(port).is_ok());
        let mut prices: Vec<(Resource, Rational)> = ports.map(|port| (port, Rational::one())).collect();
        if prices.is_empty() {
            // Every use of a link costs the same.
            let cost = |link: LinkId| &platform.link(link).cost;
            let limited = links.iter().copied().filter(|&link| !cost(link).is_zero());
            prices = limited.map(|link| (Resource::Link(link), cost(link).recip())).collect();
        }
        prices.sort();
        Certificate { prices, ..Certificate::default() }
    };
    let of_node = |node: NodeId| {
        let (into, out) = (platform.incoming(node), platform.outgoing(node));
        [around(into, Resource::Receive, node), around(out, Resource::Send, node)]
    };
    let quick = bounds(question, None).unwrap_or_default().into_iter().map(|bound| bound.certificate);
    node.into_iter().flat_map(of_node).chain(quick).filter(|certificate| !certificate.prices.is_empty()).collect()
}

/// The messages that have to pass one port: a value enters and leaves by the fastest link at best.
fn slowest_port(question: &Question<'_>, block: &Block<'_>) -> Option<Bound> {
    let platform = question.platform();
    let size = question.volumes().size.constant()?;
    if platform.node_ids().all(|node| platform.model_of(node) == PortModel::Links) {
        return None;
    }
    let mut passing = vec![[0u64; 2]; platform.nodes().len()];
    for demand in block.demands() {
        let goals: Vec<NodeId> = demand.goals().into_iter().map(|(node, _)| node).collect();
        let [owned, wanted] = [(demand.operands, &goals[..]), (&goals[..], demand.operands)]
            .map(|(here, others)| here.iter().filter(|&node| others.iter().any(|other| other != node)));
        wanted.for_each(|&node| passing[node.index()][0] += block.rate);
        owned.for_each(|&node| passing[node.index()][1] += block.rate);
    }
    let time = |links: &[LinkId], count: u64| {
        let fastest = links.iter().map(|&link| &platform.link(link).cost).min();
        fastest.map_or_else(Rational::zero, |cost| cost * size * Rational::from_integer(count.into()))
    };
    let of_node = |(node, [into, out]): (NodeId, [u64; 2])| {
        let (into, out) = (time(platform.incoming(node), into), time(platform.outgoing(node), out));
        match platform.model_of(node) {
            PortModel::FullDuplex | PortModel::Multiport => {
                vec![(Resource::Receive(node), into), (Resource::Send(node), out)]
            }
            PortModel::HalfDuplex => vec![(Resource::Port(node), into + out)],
            PortModel::Links => Vec::new(),
        }
    };
    let bound = |(port, time): (Resource, Rational)| {
        let capacity = Rational::from_integer(port.capacity(platform).into());
        let certificate = Certificate { prices: vec![(port, Rational::one())], ..Certificate::default() };
        time.is_positive().then(|| Bound { throughput: capacity / time, certificate })
    };
    let bounds = platform.node_ids().zip(passing).flat_map(of_node).filter_map(bound);
    bounds.min_by(|one, other| one.throughput.cmp(&other.throughput))
}
