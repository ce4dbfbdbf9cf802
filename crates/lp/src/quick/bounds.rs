//! Bounds that are found and checked in a moment: by cuts, partitions and single ports.
//!
//! This is the only list of them. Bounding without solving begins with it, chains of many participants are compared
//! with it, and an answer with a gap falls back on it. So these answers agree.

use crate::known::Bound;
use num_traits::{One, Signed, Zero};
use oneport_plan::{Block, Certificate, Demand, Resource};
use oneport_platform::{LinkId, NodeId, PortModel, Rational, whole};

use crate::bounds::{cut_bound, first_of_all_reduce, row_bound};
use crate::question::is_all_reduce;
use crate::{LpError, Question, only_way};

/// A search for a bound. It takes a moment, or checks the question's watch. It may end at the bound sought, if one is
/// given. `None` for other kinds of questions.
pub type Quick = fn(&Question, Option<&Rational>) -> Result<Option<Bound>, LpError>;

/// Bounds by cuts if only links are exclusive, by partitions or single participants for all-reduces, by one port, on
/// trees by the busiest link or port, and by one row or like rows if capacities are shared.
pub const QUICK: [Quick; 5] = [
    only_way::bound,
    |question, _| cut_bound(question),
    first_of_all_reduce,
    slowest_port,
    row_bound,
];

/// The bounds of [`QUICK`] that are found before the question's watch ends.
///
/// # Errors
/// Errors of the searches, except the limit.
pub(crate) fn bounds(
    question: &Question,
    sought: Option<&Rational>,
) -> Result<Vec<Bound>, LpError> {
    let known = |search: &Quick| match search(question, sought) {
        Err(LpError::Stopped(_)) => Ok(None),
        found => found,
    };
    QUICK
        .iter()
        .filter_map(|search| known(search).transpose())
        .collect()
}

/// Certificates without a search, if no other is known: prices of the ports or links into, or out of, one node that a
/// value must reach or leave. Their bounds may be poor. Some prove nothing.
pub fn of_one_node(question: &Question) -> Vec<Certificate> {
    let platform = question.platform();
    let first = question.problem().demands().next();
    let first_end = |demand: Demand<'_>| {
        let goals: Vec<NodeId> = demand.goals().into_iter().map(|(node, _)| node).collect();
        goals
            .into_iter()
            .chain(demand.operands.iter().copied())
            .next()
    };
    let node = first.and_then(first_end);
    let certificate = |links: &[LinkId], own: fn(NodeId) -> Resource, node: NodeId| {
        let known = Resource::of_platform(platform);
        let ports = [own(node), Resource::Port(node)]
            .into_iter()
            .filter(|port| known.binary_search(port).is_ok());
        let mut prices: Vec<(Resource, Rational)> =
            ports.map(|port| (port, Rational::one())).collect();
        if prices.is_empty() {
            // Every use of a link costs the same.
            let cost = |link: LinkId| &platform.link(link).cost;
            let limited = links.iter().copied().filter(|&link| !cost(link).is_zero());
            prices = limited
                .map(|link| (Resource::Link(link), cost(link).recip()))
                .collect();
        }
        prices.sort();
        Certificate::of_prices(prices)
    };
    let of_node = |node: NodeId| {
        let (into, out) = (platform.incoming(node), platform.outgoing(node));
        [
            certificate(into, Resource::Receive, node),
            certificate(out, Resource::Send, node),
        ]
    };
    node.into_iter()
        .flat_map(of_node)
        .filter(|certificate| !certificate.rows.is_empty())
        .collect()
}

/// The messages that must pass one port: a value enters and leaves by the fastest link at best. All-reduces have better
/// bounds.
fn slowest_port(question: &Question, _: Option<&Rational>) -> Result<Option<Bound>, LpError> {
    match question.block().filter(|block| !is_all_reduce(block)) {
        Some(block) => port_of(question, &block),
        None => Ok(None),
    }
}

fn port_of(question: &Question, block: &Block<'_>) -> Result<Option<Bound>, LpError> {
    let platform = question.platform();
    let ports = !platform.only_links();
    let Some(size) = question.volumes().size.constant().filter(|_| ports) else {
        return Ok(None);
    };
    let mut passing = platform.per_node([0u64; 2]);
    for demand in block.demands() {
        question.watch().ask()?;
        let goals: Vec<NodeId> = demand.goals().into_iter().map(|(node, _)| node).collect();
        let [owned, wanted] =
            [(demand.operands, &goals[..]), (&goals[..], demand.operands)].map(|(here, others)| {
                here.iter()
                    .filter(|&node| others.iter().any(|other| other != node))
            });
        for &node in wanted {
            passing[node][0] += block.rate;
        }
        for &node in owned {
            passing[node][1] += block.rate;
        }
    }
    let time = |links: &[LinkId], count: u64| {
        let fastest = links.iter().map(|&link| &platform.link(link).cost).min();
        fastest.map_or_else(Rational::zero, |cost| cost * size * whole(count))
    };
    let of_node = |(node, [into, out]): (NodeId, [u64; 2])| {
        let (into, out) = (
            time(platform.incoming(node), into),
            time(platform.outgoing(node), out),
        );
        match platform.model_of(node) {
            PortModel::FullDuplex | PortModel::Multiport => {
                vec![(Resource::Receive(node), into), (Resource::Send(node), out)]
            }
            PortModel::HalfDuplex => vec![(Resource::Port(node), into + out)],
            PortModel::Links => Vec::new(),
        }
    };
    let bound = |(port, time): (Resource, Rational)| {
        let capacity = whole(port.capacity(platform));
        let certificate = Certificate::of_prices(vec![(port, Rational::one())]);
        time.is_positive().then(|| Bound {
            throughput: capacity / time,
            certificate,
        })
    };
    let bounds = platform
        .node_ids()
        .zip(passing)
        .flat_map(of_node)
        .filter_map(bound);
    Ok(bounds.min_by(|one, other| one.throughput.cmp(&other.throughput)))
}
