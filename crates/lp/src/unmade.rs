//! Reductions without a tree: some partial result cannot be made, or cannot be sent to its target.

use std::collections::BTreeMap;

use oneport_graph::reachable;
use oneport_plan::{Amount, Demand, Interval, Kind, Problem};
use oneport_platform::NodeId;
use petgraph::visit::Reversed;

/// A partial result that makes a reduction impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmade {
    /// The partial result.
    pub part: Interval,
    /// The target that it cannot reach. `None` if no node can make it.
    pub target: Option<NodeId>,
}

/// The partial result that no tree can make or bring to its target, or `None` if no reduction is impossible because of
/// missing processors.
///
/// Under a table of work by task, it is the shortest one that no node can make, or else the whole one if it cannot
/// reach the target. Under any other work it is the whole one of the first reduction that no single node can merge,
/// among those with a participant that does not merge. `O(n^3 p log n + n^2 p^2)` for `n` operands and `p` nodes.
pub fn unmade(problem: &Problem) -> Option<Unmade> {
    let Amount::Tasks(_) = problem.volumes().work else {
        return without_processor(problem);
    };
    let demand = problem.demands().next()?;
    let (whole, target) = (demand.whole(), demand.targets().first().copied()?);
    let holders = holders(problem, &demand);
    let held = holders.get(&whole)?;
    if held[target.index()] {
        return None;
    }
    if held.contains(&true) {
        return Some(Unmade {
            part: whole,
            target: Some(target),
        });
    }
    let nowhere = holders
        .iter()
        .filter(|(_, held)| !held.contains(&true))
        .map(|(&part, _)| part);
    nowhere
        .min_by_key(|part| part.operands())
        .map(|part| Unmade { part, target: None })
}

/// Finds the first reduction that no single node can merge, among the reductions with a participant that does not
/// merge. A node can merge a whole reduction if it merges, all owners reach it, and it reaches the target.
fn without_processor(problem: &Problem) -> Option<Unmade> {
    let platform = problem.platform();
    let merges = |node: &NodeId| platform.node(*node).merges();
    let idle = |demand: &Demand<'_>| {
        let mut nodes = demand.operands.iter().chain(demand.targets());
        demand.kind() == Kind::Combine && !nodes.all(merges)
    };
    problem.demands().filter(idle).find_map(|demand| {
        let from_owners: Vec<Vec<bool>> = demand
            .operands
            .iter()
            .map(|&owner| reachable(platform.graph(), [owner.into()]))
            .collect();
        let target = demand.targets().first().copied()?;
        let to_target = reachable(Reversed(platform.graph()), [target.into()]);
        let gathers = |node: &NodeId| from_owners.iter().all(|reached| reached[node.index()]);
        let mergers: Vec<NodeId> = platform.mergers().filter(gathers).collect();
        let unmade = Unmade {
            part: demand.whole(),
            target: (!mergers.is_empty()).then_some(target),
        };
        (!mergers.iter().any(|merger| to_target[merger.index()])).then_some(unmade)
    })
}

/// Per partial result, per node: whether the node can make or receive it.
fn holders(problem: &Problem, demand: &Demand<'_>) -> BTreeMap<Interval, Vec<bool>> {
    let platform = problem.platform();
    let reach: Vec<Vec<bool>> = platform
        .node_ids()
        .map(|node| reachable(platform.graph(), [node.into()]))
        .collect();
    let operands = demand.whole().operands();
    let mut holders = BTreeMap::new();
    for length in 1..=operands {
        for first in 0..=operands - length {
            let last = first + length - 1;
            let part = Interval { first, last };
            let makers = makers(problem, demand, part, &holders);
            let held = (0..reach.len())
                .map(|to| makers.iter().any(|maker| reach[maker.index()][to]))
                .collect();
            holders.insert(part, held);
        }
    }
    holders
}

/// The nodes that own a partial result, or can merge it from shorter ones.
fn makers(
    problem: &Problem,
    demand: &Demand<'_>,
    part: Interval,
    holders: &BTreeMap<Interval, Vec<bool>>,
) -> Vec<NodeId> {
    if part.first == part.last {
        return demand
            .operands
            .get(part.first)
            .copied()
            .into_iter()
            .collect();
    }
    let holds =
        |node: NodeId, part: Interval| holders.get(&part).is_some_and(|held| held[node.index()]);
    let merges = |node: NodeId, split: usize| {
        let (left, right) = part.split(split);
        problem.volumes().can_merge(node, part, split) && holds(node, left) && holds(node, right)
    };
    problem
        .platform()
        .mergers()
        .filter(|&node| (part.first..part.last).any(|split| merges(node, split)))
        .collect()
}
