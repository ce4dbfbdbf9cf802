//! Good trees: over the arcs that a dual ascent leaves without slack, by shortest paths, and by exchanging single
//! nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::{Graph, Task, Tree};
use crate::arborescence::arborescence;
use oneport_numbers::Exact;

/// The cheapest arborescence over the marked nodes, pruned, and again over the remaining nodes. `None` if the open arcs
/// do not span the marked nodes, or a needed node is not marked.
pub(super) fn span<N: Exact>(graph: &Graph<N>, task: &Task, marked: &[bool]) -> Option<Tree<N>> {
    if (0..graph.nodes()).any(|node| task.needed[node] && !marked[node]) {
        return None;
    }
    let mut nodes: Vec<usize> = (0..graph.nodes()).filter(|&node| marked[node]).collect();
    let mut best: Option<Tree<N>> = None;
    loop {
        let tree = span_once(graph, task, &nodes)?;
        let mut kept = vec![graph.root];
        kept.extend(tree.arcs.iter().map(|&arc| graph.net.arcs[arc].1));
        kept.sort_unstable();
        let done = kept.len() == nodes.len();
        if best.as_ref().is_none_or(|known| tree.cost < known.cost) {
            best = Some(tree);
        }
        if done {
            return best;
        }
        nodes = kept;
    }
}

fn span_once<N: Exact>(graph: &Graph<N>, task: &Task, nodes: &[usize]) -> Option<Tree<N>> {
    let mut position = vec![usize::MAX; graph.nodes()];
    for (index, &node) in nodes.iter().enumerate() {
        position[node] = index;
    }
    let inner = |&&arc: &&usize| task.open[arc] && position[graph.net.arcs[arc].0] != usize::MAX;
    let used: Vec<usize> = nodes
        .iter()
        .flat_map(|&node| graph.net.into[node].iter().filter(inner))
        .copied()
        .collect();
    let arcs: Vec<_> = used
        .iter()
        .map(|&arc| &graph.net.arcs[arc])
        .map(|(tail, head, cost)| (position[*tail], position[*head], cost.clone()))
        .collect();
    let found = arborescence(nodes.len(), position[graph.root], &arcs)?;
    Some(prune(
        graph,
        task,
        found
            .entering
            .into_iter()
            .flatten()
            .map(|index| used[index])
            .collect(),
    ))
}

/// A tree without its leaves that are not needed.
fn prune<N: Exact>(graph: &Graph<N>, task: &Task, mut arcs: Vec<usize>) -> Tree<N> {
    let mut entering = vec![None; graph.nodes()];
    let mut leaving = vec![0usize; graph.nodes()];
    for &arc in &arcs {
        entering[graph.net.arcs[arc].1] = Some(arc);
        leaving[graph.net.arcs[arc].0] += 1;
    }
    let mut kept = vec![true; graph.nodes()];
    for &arc in &arcs {
        let mut node = graph.net.arcs[arc].1;
        while kept[node] && leaving[node] == 0 && !task.needed[node] {
            kept[node] = false;
            let Some(up) = entering[node] else { break };
            node = graph.net.arcs[up].0;
            leaving[node] -= 1;
        }
    }
    arcs.retain(|&arc| kept[graph.net.arcs[arc].1]);
    let mut cost = N::zero();
    for &arc in &arcs {
        cost += &graph.net.arcs[arc].2;
    }
    Tree { arcs, cost }
}

/// Connects the nearest needed node to the tree so far by a shortest path, until all are connected. Returns the nodes
/// of these paths. `pass` selects the arcs. `None` if a needed node is unreachable.
///
/// Takahashi and Matsuyama, "An approximate solution for the Steiner problem in graphs" (1980).
pub(super) fn paths<N: Exact>(
    graph: &Graph<N>,
    task: &Task,
    pass: impl Fn(usize) -> bool,
) -> Option<Vec<bool>> {
    let mut marked = vec![false; graph.nodes()];
    let mut left = (0..graph.nodes())
        .filter(|&node| task.needed[node] && node != graph.root)
        .count();
    let mut best: Vec<Option<N>> = vec![None; graph.nodes()];
    let mut from: Vec<Option<usize>> = vec![None; graph.nodes()];
    marked[graph.root] = true;
    best[graph.root] = Some(N::zero());
    let mut heap = BinaryHeap::from([Reverse((N::zero(), graph.root))]);
    while left > 0 {
        let Reverse((length, node)) = heap.pop()?;
        if best[node].as_ref().is_some_and(|known| *known < length) {
            continue;
        }
        if task.needed[node] && !marked[node] {
            let mut next = node;
            while !marked[next] {
                marked[next] = true;
                left -= usize::from(task.needed[next] && next != graph.root);
                best[next] = Some(N::zero());
                heap.push(Reverse((N::zero(), next)));
                let Some(arc) = from[next] else { break };
                next = graph.net.arcs[arc].0;
            }
            continue;
        }
        for &arc in graph.net.out[node]
            .iter()
            .filter(|&&arc| task.open[arc] && pass(arc))
        {
            let (_, head, cost) = &graph.net.arcs[arc];
            let mut longer = length.clone();
            longer += cost;
            if best[*head].as_ref().is_none_or(|known| longer < *known) {
                best[*head] = Some(longer.clone());
                from[*head] = Some(arc);
                heap.push(Reverse((longer, *head)));
            }
        }
    }
    Some(marked)
}

/// The best of some trees over the arcs that `pass` allows, and others. At least every needed node must be reached.
pub(super) fn best_of<N: Exact>(
    graph: &Graph<N>,
    task: &Task,
    pass: impl Fn(usize) -> bool,
) -> Option<Tree<N>> {
    let reached = graph.reached(task, &pass);
    let reaching = graph.reaching(task, &task.needed, &pass);
    let both: Vec<bool> = reached
        .iter()
        .zip(&reaching)
        .map(|(&one, &other)| one && other)
        .collect();
    let all = (0..graph.nodes())
        .all(|node| both[node] || !task.needed[node])
        .then_some(both);
    let sets = [all, paths(graph, task, &pass)];
    sets.into_iter()
        .flatten()
        .filter_map(|mut marked| {
            marked[graph.root] = true;
            span(graph, task, &marked)
        })
        .min_by(|one, other| one.cost.cmp(&other.cost))
}

/// Adds or removes single optional nodes while the tree gets cheaper, at most `rounds` times over all nodes.
pub(super) fn improve<N: Exact>(graph: &Graph<N>, task: &Task, tree: &mut Tree<N>, rounds: usize) {
    for _ in 0..rounds {
        let mut better = false;
        for node in (0..graph.nodes()).filter(|&node| !task.needed[node] && node != graph.root) {
            let mut marked = marks(graph, tree);
            marked[node] = !marked[node];
            let touches = |&arc: &usize| task.open[arc] && marked[graph.net.arcs[arc].0];
            let leads = |&arc: &usize| task.open[arc] && marked[graph.net.arcs[arc].1];
            // An optional node is of use only between others.
            if marked[node]
                && !(graph.net.into[node].iter().any(touches)
                    && graph.net.out[node].iter().any(leads))
            {
                continue;
            }
            if let Some(other) = span(graph, task, &marked).filter(|other| other.cost < tree.cost) {
                *tree = other;
                better = true;
            }
        }
        if !better {
            return;
        }
    }
}

/// The nodes of a tree.
fn marks<N>(graph: &Graph<N>, tree: &Tree<N>) -> Vec<bool> {
    let mut marked = vec![false; graph.net.into.len()];
    marked[graph.root] = true;
    for &arc in &tree.arcs {
        marked[graph.net.arcs[arc].1] = true;
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 -> 1 -> 2, and 0 -> 3: if 3 is not needed it is cut off. If a needed node is not marked the result is `None`.
    #[test]
    fn needed_and_marked() {
        let graph = Graph::new(4, 0, vec![(0, 1, 1u64), (1, 2, 1), (0, 3, 1)]);
        let mut task = Task {
            needed: vec![false, false, true, false],
            open: vec![true; 3],
        };
        let cost =
            |task: &Task, marked: [bool; 4]| span(&graph, task, &marked).map(|tree| tree.cost);
        assert_eq!(cost(&task, [true; 4]), Some(2));
        assert_eq!(cost(&task, [true, false, true, true]), None);
        assert_eq!(cost(&task, [true, true, false, true]), None);
        task.needed[3] = true;
        assert_eq!(cost(&task, [true; 4]), Some(3));
        assert_eq!(cost(&task, [true, true, true, false]), None);
    }
}
