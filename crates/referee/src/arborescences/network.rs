//! The graph of one demand: nodes that replicate, and the shortest routes between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::SubAssign;

use num_bigint::BigUint;
use oneport_platform::{LinkId, NodeId, PerLink, PerNode};

use crate::Violation;
use crate::case::Case;
use crate::shortest_paths::Length;

/// The length of an arc, as a number.
pub(crate) trait Weight: Length + for<'a> SubAssign<&'a Self> + Into<BigUint> {}
impl<T: Length + for<'a> SubAssign<&'a T> + Into<BigUint>> Weight for T {}

/// From, to, length.
pub(crate) type Arc<T> = (usize, usize, T);

/// The graph of one demand: nodes that replicate, numbered from 0, and the shortest routes between them.
pub(crate) struct Network<T> {
    pub nodes: usize,
    pub source: usize,
    /// Without the source, ascending.
    pub targets: Vec<usize>,
    pub arcs: Vec<Arc<T>>,
}

/// The shortest routes between hubs that pass no other hub. O(hubs (nodes + links) log nodes), unless all are hubs.
pub(crate) fn routes<T: Weight>(
    case: &Case<'_>,
    lengths: &PerLink<T>,
    is_hub: &PerNode<bool>,
) -> Result<Vec<Arc<T>>, Violation> {
    let platform = case.platform;
    let mut arcs = Vec::new();
    for hub in platform.node_ids().filter(|hub| is_hub[*hub]) {
        let links = platform.outgoing(hub);
        if links.iter().all(|&id| is_hub[platform.link(id).to]) {
            let arc = |&id: &LinkId| {
                (
                    hub.index(),
                    platform.link(id).to.index(),
                    lengths[id].clone(),
                )
            };
            arcs.extend(links.iter().map(arc));
        } else {
            arcs.extend(nearest(case, lengths, is_hub, &[hub])?);
        }
    }
    Ok(arcs)
}

/// To every other hub the shortest of the routes from some hubs that pass no other one: O((nodes + links) log nodes).
pub(crate) fn nearest<T: Weight>(
    case: &Case<'_>,
    lengths: &PerLink<T>,
    is_hub: &PerNode<bool>,
    from: &[NodeId],
) -> Result<Vec<Arc<T>>, Violation> {
    case.ask()?;
    let platform = case.platform;
    let mut starts = platform.per_node(false);
    for hub in from.iter() {
        starts[*hub] = true;
    }
    let mut best: PerNode<Option<(T, NodeId)>> = platform.per_node(None);
    let mut heap: BinaryHeap<_> = from
        .iter()
        .map(|&hub| Reverse((T::zero(), hub, hub)))
        .collect();
    while let Some(Reverse((distance, node, start))) = heap.pop() {
        let stale = best[node]
            .as_ref()
            .is_some_and(|(best, _)| *best < distance);
        if stale || (is_hub[node] && !starts[node]) {
            continue;
        }
        for &id in platform.outgoing(node) {
            let (to, mut length) = (platform.link(id).to, distance.clone());
            length += &lengths[id];
            let best = &mut best[to];
            if !starts[to] && best.as_ref().is_none_or(|(best, _)| length < *best) {
                *best = Some((length.clone(), start));
                heap.push(Reverse((length, to, start)));
            }
        }
    }
    let ends = best
        .into_iter()
        .enumerate()
        .filter(|&(node, _)| is_hub[NodeId::new(node)]);
    let arc = |(node, best): (usize, Option<(T, NodeId)>)| {
        best.map(|(length, start)| (start.index(), node, length))
    };
    Ok(ends.filter_map(arc).collect())
}

/// The hubs that lie between the source and some target, and the routes among them.
pub(crate) fn network<T: Weight>(
    case: &Case<'_>,
    routes: &[Arc<T>],
    source: NodeId,
    targets: &[NodeId],
) -> Result<Network<T>, Violation> {
    let nodes = case.platform.nodes().len();
    let forward = closure(
        nodes,
        &[source.index()],
        routes.iter().map(|&(from, to, _)| (from, to)),
    );
    let ends: Vec<usize> = targets.iter().map(|target| target.index()).collect();
    let backward = closure(nodes, &ends, routes.iter().map(|&(from, to, _)| (to, from)));
    let mut numbers = vec![None; nodes];
    let mut count = 0;
    for node in
        (0..nodes).filter(|&node| forward[node] && (backward[node] || node == source.index()))
    {
        numbers[node] = Some(count);
        count += 1;
    }
    let number = |node: usize| numbers.get(node).copied().flatten();
    let arc = |(from, to, length): &Arc<T>| {
        let arc = (number(*from)?, number(*to)?, length.clone());
        (*to != source.index()).then_some(arc)
    };
    let mut targets: Vec<usize> = ends
        .into_iter()
        .filter(|&target| target != source.index())
        .filter_map(number)
        .collect();
    targets.sort_unstable();
    let source = number(source.index()).unwrap_or_default();
    Ok(Network {
        nodes: count,
        source,
        targets,
        arcs: routes.iter().filter_map(arc).collect(),
    })
}

/// The nodes that can be reached from some along arcs.
fn closure(nodes: usize, from: &[usize], arcs: impl Iterator<Item = (usize, usize)>) -> Vec<bool> {
    let mut next = vec![Vec::new(); nodes];
    for (from, to) in arcs {
        next[from].push(to);
    }
    let mut reached = vec![false; nodes];
    let mut open = from.to_vec();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(&next[node]);
        }
    }
    reached
}
