//! The second formulation of an all-gather where only links are exclusive: the slowest cut.
//!
//! Every participant inside a set `S` of nodes that lacks some participant sends its message out of `S` at least once
//! per instance, so
//!
//! ```text
//! TP <= capacity leaving S / (participants inside S)
//! ```
//!
//! and the least of these bounds is attained by trees where all nodes replicate (Edmonds' branching theorem), or where
//! switches receive and send at the same rate (their links can be split off in pairs without making a cut smaller:
//! Bang-Jensen, Frank and Jackson 1995). Otherwise it remains a bound.
//!
//! Newton's method (Dinkelbach 1967) finds the set: for a given `TP`, a super source offers `TP` to every participant;
//! if less than all of it can flow to some participant, the minimum cut is a set that proves less than `TP`. `TP` falls
//! to what it proves, and never below the optimum, so participants passed need no second look: as many maximum flows as
//! participants and improvements.

use crate::known::Bound;
use num_bigint::{BigInt, BigUint};
use num_traits::Signed;
use oneport_graph::cut_below;
use oneport_numbers::Scaled;
use oneport_plan::inequality::{Cut, Inequality, Need};
use oneport_plan::{Certificate, Demand, Kind, Resource};
use oneport_platform::{LinkId, NodeId, PerNode, Rational, ratio};

use crate::Question;

/// The participants of an all-gather: the owners of one message each, which is wanted by all owners. `None` for others.
/// `O(n log n)` for `n` participants whose messages share one list of targets.
pub(crate) fn all_gather_participants(question: &Question) -> Option<Vec<NodeId>> {
    let block = question.block().filter(|block| block.kind == Kind::Copy)?;
    let owners: Vec<NodeId> = block
        .demands()
        .flat_map(|demand| demand.operands.to_vec())
        .collect();
    let mut sorted = owners.clone();
    sorted.sort_unstable();
    let wants_all = |demand: Demand<'_>| {
        // The owner of a message has it, whether or not it is also a target.
        let mut wanting = [demand.targets(), demand.operands].concat();
        wanting.sort_unstable();
        wanting.dedup();
        wanting == sorted
    };
    // If all owners are in a list, demands that share the list need no second check.
    let first = block.demand(0)?;
    let list = first.targets();
    let mut listed = list.to_vec();
    listed.sort_unstable();
    let shared = |demand: &Demand<'_>| listed == sorted && std::ptr::eq(demand.targets(), list);
    let distinct = sorted.is_sorted_by(|a, b| a < b);
    (owners.len() > 1
        && distinct
        && block
            .demands()
            .all(|demand| shared(&demand) || wants_all(demand)))
    .then_some(owners)
}

/// The slowest cut of an all-gather. `sinks` are the participants to try, if not all of them: on a symmetric platform,
/// the ones that represent all. `None` for other collectives, if ports or odd sets limit, too, and if some link has
/// cost 0, so that it has no capacity.
pub(crate) fn slowest_cut(question: &Question, sinks: Option<&[NodeId]>) -> Option<Bound> {
    let participants = &all_gather_participants(question)?[..];
    let platform = question.platform();
    let limited = !platform.only_links();
    if limited || platform.free_link().is_some() {
        return None;
    }
    let network = Network::new(question, participants);
    let mut best: Option<(Rational, PerNode<bool>)> = None;
    let mut improve = |side: PerNode<bool>| {
        let throughput = network.proved(&side);
        best = Some((throughput.clone(), side));
        throughput
    };
    let first = participants.first()?;
    let mut throughput = improve(platform.node_ids().map(|node| node == *first).collect());
    for &sink in sinks.unwrap_or(participants) {
        if question.watch().ask().is_err() {
            // The bound proved so far holds, though it is not the best.
            break;
        }
        while let Some(side) = network.violated(&throughput, sink) {
            throughput = improve(side);
        }
    }
    let (throughput, side) = best?;
    let leaving = |link: &LinkId| side[platform.link(*link).from] && !side[platform.link(*link).to];
    let price = |link: LinkId| (Resource::Link(link), question.time(link).recip());
    let cut = Cut {
        nodes: platform.node_ids().filter(|node| side[*node]).collect(),
    };
    let need = Need::once(None, Inequality::Cut(cut));
    let certificate = Certificate::new(platform.link_ids().filter(leaving).map(price), [], [need]);
    Some(Bound {
        throughput,
        certificate,
    })
}

/// The platform's capacities, as integers over a common denominator.
struct Network<'a> {
    question: &'a Question,
    participants: &'a [NodeId],
    capacities: Vec<BigUint>,
    denominator: BigInt,
}

impl<'a> Network<'a> {
    fn new(question: &'a Question, participants: &'a [NodeId]) -> Self {
        let exact: Vec<Rational> = question
            .platform()
            .link_ids()
            .map(|link| question.time(link).recip())
            .collect();
        let Scaled { values, unit } = Scaled::of(&exact);
        Network {
            question,
            participants,
            capacities: values,
            denominator: unit.denom().clone(),
        }
    }

    /// The bound of a set of nodes that has a participant inside.
    fn proved(&self, side: &PerNode<bool>) -> Rational {
        let platform = self.question.platform();
        let ends = platform.links().iter().zip(&self.capacities);
        let leaving = ends.filter(|(link, _)| side[link.from] && !side[link.to]);
        let capacity: BigUint = leaving.map(|(_, capacity)| capacity).sum();
        let inside = self.participants.iter().filter(|&&node| side[node]).count();
        ratio(capacity, &self.denominator * BigInt::from(inside.max(1)))
    }

    /// A set without the sink that proves less than this throughput.
    fn violated(&self, throughput: &Rational, sink: NodeId) -> Option<PerNode<bool>> {
        let platform = self.question.platform();
        let source = platform.nodes().len();
        // Everything times the throughput's denominator.
        let (offer, unit) = ((throughput.numer() * &self.denominator), throughput.denom());
        let offer = if offer.is_positive() {
            offer.magnitude().clone()
        } else {
            return None;
        };
        let of_link = |(link, capacity): (&oneport_platform::Link, &BigUint)| {
            (
                link.from.index(),
                link.to.index(),
                capacity * unit.magnitude(),
            )
        };
        let mut arcs: Vec<(usize, usize, BigUint)> = platform
            .links()
            .iter()
            .zip(&self.capacities)
            .map(of_link)
            .collect();
        arcs.extend(
            self.participants
                .iter()
                .map(|node| (source, node.index(), offer.clone())),
        );
        let all = &offer * BigUint::from(self.participants.len());
        let mut side = cut_below(source + 1, &arcs, source, sink.index(), &all)?;
        side.truncate(source);
        Some(side.into())
    }
}
