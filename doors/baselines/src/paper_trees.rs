//! Reduction trees out of papers: the shortest single reductions, here in sequence without a break.

use num_traits::Zero;
use oneport_heterogeneous::{Destination, Processors, slowest_first};
use oneport_homogeneous as homogeneous;
use oneport_plan::{Form, NodeId, Problem, Rational, Reduction};
use oneport_platform::whole;

use crate::catalogue::{Maker, ranks};
use crate::{Algorithm, Routes, Tree};

/// Two published trees. That of RR-7898 (Algorithm 1), as if every transfer took as long as the average route to the
/// target and every merge as long as the average merge. That of Liu, Kuo and Wang (2009, slowest node first), as if a
/// transfer took as long as the sender's fastest outgoing link. Only for reductions of constant sizes.
/// `O(ranks log ranks)`.
pub fn published(problem: &Problem, routes: &Routes) -> Vec<Algorithm> {
    let volumes = problem.volumes();
    let (Some(size), Some(work)) = (volumes.size.constant(), volumes.work.constant()) else {
        return Vec::new();
    };
    if !problem.collective().is(Form::REDUCE) {
        return Vec::new();
    }
    let (platform, ranks) = (problem.platform(), ranks(problem));
    let maker = Maker::new(problem);
    let route = |from: &NodeId| -> Option<Rational> {
        let path = routes.path(*from, ranks[0])?;
        Some(path.into_iter().map(|link| &platform.link(link).cost).sum())
    };
    let computes = || {
        ranks
            .iter()
            .filter_map(|&node| platform.node(node).compute.clone())
    };
    let equal = || -> Option<Algorithm> {
        let transfers: Vec<Rational> = ranks.iter().skip(1).map(route).collect::<Option<_>>()?;
        let (transfer, compute) = (
            average(transfers) * size,
            average(computes().collect()) * work,
        );
        let costs = homogeneous::EqualCosts::new(transfer, compute).ok()?;
        let values = ranks.len() as u64;
        let shortest = homogeneous::Reduce::of(values, &costs).schedule().ok()?;
        let about = "the shortest single reduction if all transfers and all merges were equal";
        maker.tree("RR-7898", about, &[tree(&shortest)?])
    };
    let unequal = || -> Option<Algorithm> {
        let fastest = |node: &NodeId| {
            platform
                .outgoing(*node)
                .iter()
                .map(|&link| &platform.link(link).cost)
                .min()
        };
        // The target's own time plays no role.
        let root = platform
            .incoming(ranks[0])
            .iter()
            .map(|&link| &platform.link(link).cost)
            .min();
        let times = ranks
            .iter()
            .enumerate()
            .map(|(rank, node)| if rank == 0 { root } else { fastest(node) });
        let times = times
            .map(|cost| Some(cost? * size))
            .collect::<Option<Vec<Rational>>>()?;
        let processors = Processors::new(times, Destination::Listed(0)).ok()?;
        let about = "slowest node first: at most twice the shortest single reduction if times depended on the sender alone";
        maker.tree(
            "Liu-Kuo-Wang",
            about,
            &[tree(&slowest_first::schedule(&processors).ok()?)?],
        )
    };
    equal().into_iter().chain(unequal()).collect()
}

fn average(values: Vec<Rational>) -> Rational {
    let count = values.len().max(1) as u64;
    values
        .into_iter()
        .fold(Rational::zero(), |sum, value| sum + value)
        / whole(count)
}

/// The tree of a reduction, renumbered so that its root is rank 0. The last sender is the first child, since a
/// broadcast reverses the reduction.
fn tree(reduction: &Reduction) -> Option<Tree> {
    let count = reduction.receivers.len();
    let root = reduction.root as usize;
    let rank = |processor: usize| (processor + count - root) % count;
    let mut edges: Vec<(Rational, usize, usize)> = Vec::with_capacity(count);
    for (processor, &receiver) in reduction
        .receivers
        .iter()
        .enumerate()
        .filter(|(processor, _)| *processor != root)
    {
        edges.push((
            reduction.starts.get(processor)?,
            rank(receiver as usize),
            rank(processor),
        ));
    }
    edges.sort_by(|one, other| other.cmp(one));
    let edges: Vec<(usize, usize)> = edges
        .into_iter()
        .map(|(_, parent, child)| (parent, child))
        .collect();
    Tree::of_edges(count, &edges).ok()
}
