//! Reduction trees out of papers: the shortest single reductions, here one after another without a break.

use num_traits::Zero;
use oneport_heterogeneous::{Destination, Processors, slowest_first};
use oneport_homogeneous::{self as homogeneous, Strategy, Tie};
use oneport_plan::{Limit, NodeId, Problem, Rational, Reduction};

use crate::catalogue::{Maker, places};
use crate::{Algorithm, Routes, Tree};

/// The tree of RR-7898 (Algorithm 1) as if every transfer took as long as the average route to the target, and every
/// merge as long as the average one; and that of Liu, Kuo and Wang (2009; slowest node first) as if a transfer took as
/// long as the fastest link out of its sender. Only for reductions of constant sizes. `O(places log places)`.
pub fn published(problem: Problem<'_>, routes: &Routes) -> Vec<Algorithm> {
    let volumes = problem.volumes();
    let (Some(size), Some(work)) = (volumes.size.constant(), volumes.work.constant()) else { return Vec::new() };
    if problem.collective().name() != "reduce" {
        return Vec::new();
    }
    let (platform, places) = (problem.platform(), places(problem));
    let maker = Maker::new(problem);
    let route = |from: &NodeId| -> Option<Rational> {
        let path = routes.path(*from, places[0])?;
        Some(path.into_iter().map(|link| &platform.link(link).cost).sum())
    };
    let computes = || places.iter().filter_map(|&node| platform.node(node).compute.clone());
    let equal = || -> Option<Algorithm> {
        let transfers: Vec<Rational> = places.iter().skip(1).map(route).collect::<Option<_>>()?;
        let (transfer, compute) = (average(transfers) * size, average(computes().collect()) * work);
        let costs = homogeneous::Costs::new(transfer, compute).ok()?;
        let values = places.len() as u64;
        let shortest = homogeneous::reduce(values, &costs, Strategy::Greedy, Limit::Unlimited, Tie::default()).ok()?;
        let about = "the shortest single reduction if all transfers and all merges were equal";
        maker.tree("RR-7898", about, &[tree(&shortest)?])
    };
    let unequal = || -> Option<Algorithm> {
        let fastest = |node: &NodeId| platform.outgoing(*node).iter().map(|&link| &platform.link(link).cost).min();
        // The target's own time plays no role.
        let root = platform.incoming(places[0]).iter().map(|&link| &platform.link(link).cost).min();
        let times = places.iter().enumerate().map(|(place, node)| if place == 0 { root } else { fastest(node) });
        let times = times.map(|cost| Some(cost? * size)).collect::<Option<Vec<Rational>>>()?;
        let processors = Processors::new(times, Destination::Listed(0)).ok()?;
        let about =
            "slowest node first: at most twice the shortest single reduction if times depended on the sender alone";
        maker.tree("Liu-Kuo-Wang", about, &[tree(&slowest_first::schedule(&processors).ok()?)?])
    };
    equal().into_iter().chain(unequal()).collect()
}

fn average(values: Vec<Rational>) -> Rational {
    let count = values.len().max(1) as u64;
    values.into_iter().fold(Rational::zero(), |sum, value| sum + value) / Rational::from_integer(count.into())
}

/// The tree of a reduction, turned so that its root is place 0; who sends last is the first child: the way down is the
/// way up backwards.
fn tree(reduction: &Reduction) -> Option<Tree> {
    let count = reduction.receivers.len();
    let root = reduction.root as usize;
    let place = |processor: usize| (processor + count - root) % count;
    let mut edges: Vec<(Rational, usize, usize)> = Vec::with_capacity(count);
    for (processor, &receiver) in reduction.receivers.iter().enumerate().filter(|(processor, _)| *processor != root) {
        edges.push((reduction.starts.get(processor)?, place(receiver as usize), place(processor)));
    }
    edges.sort_by(|one, other| other.cmp(one));
    let edges: Vec<(usize, usize)> = edges.into_iter().map(|(_, parent, child)| (parent, child)).collect();
    Tree::of_edges(count, &edges).ok()
}
