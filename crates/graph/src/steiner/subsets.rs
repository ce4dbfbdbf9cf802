//! Few nodes to reach: the dynamic program over their subsets.
//!
//! Dreyfus and Wagner, "The Steiner problem in graphs", Networks 1 (1971), for directed graphs: the cheapest tree out
//! of a node to a set either begins with an arc, or splits the set at the node.

use oneport_watch::Watch;

use super::graph::{Graph, Task, Tree};
use oneport_numbers::Exact;

/// The cheapest tree to at most 20 needed nodes. `None` if no tree exists or the watch has ended.
/// `O(3^k n + 2^k m log n)` for `k` needed nodes, and room for `2^k n` costs.
pub(super) fn cheapest<N: Exact>(graph: &Graph<N>, task: &Task, watch: &Watch) -> Option<Tree<N>> {
    let needed: Vec<usize> = (0..graph.nodes())
        .filter(|&node| task.needed[node] && node != graph.root)
        .collect();
    if needed.is_empty() {
        return Some(Tree {
            arcs: Vec::new(),
            cost: N::zero(),
        });
    }
    let mut table: Vec<Vec<Option<N>>> = vec![Vec::new()];
    for set in 1..1usize << needed.len() {
        watch.ask().ok()?;
        let start = if set.is_power_of_two() {
            let node = needed[set.trailing_zeros() as usize];
            vec![(node, N::zero())]
        } else {
            (0..graph.nodes())
                .filter_map(|node| Some((node, split(&table, set, node)?.1)))
                .collect()
        };
        table.push(graph.distances(task, |arc| &graph.net.arcs[arc].2, start, true));
    }
    let whole = table.len() - 1;
    let cost = table[whole][graph.root].clone()?;
    let arcs = trace(graph, task, &table, &needed);
    Some(Tree { arcs, cost })
}

/// The cheapest split of a set at a node into two parts: one of the parts and the cost.
fn split<N: Exact>(table: &[Vec<Option<N>>], set: usize, node: usize) -> Option<(usize, N)> {
    let mut best: Option<(usize, N)> = None;
    let mut part = (set - 1) & set;
    // One of the two parts holds the highest element: it is enough to look at these.
    while part > set ^ part {
        if let (Some(one), Some(other)) = (&table[part][node], &table[set ^ part][node]) {
            let mut cost = one.clone();
            cost += other;
            if best.as_ref().is_none_or(|(_, known)| cost < *known) {
                best = Some((part, cost));
            }
        }
        part = (part - 1) & set;
    }
    best
}

/// The arcs of the tree behind the last entry of the root, without repetition. They lead from the root to every needed
/// node, and cost at most that entry. Ends, for no cycle of the graph is free.
fn trace<N: Exact>(
    graph: &Graph<N>,
    task: &Task,
    table: &[Vec<Option<N>>],
    needed: &[usize],
) -> Vec<usize> {
    let mut arcs = Vec::new();
    let mut stack = vec![(table.len() - 1, graph.root)];
    while let Some((set, node)) = stack.pop() {
        let Some(cost) = &table[set][node] else {
            continue;
        };
        if set.is_power_of_two() && needed[set.trailing_zeros() as usize] == node {
            continue;
        }
        if let Some((part, _)) = split(table, set, node).filter(|(_, parts)| parts == cost) {
            stack.extend([(part, node), (set ^ part, node)]);
            continue;
        }
        let leads = |arc: &usize| {
            let (_, head, length) = &graph.net.arcs[*arc];
            table[set][*head]
                .clone()
                .filter(|_| task.open[*arc])
                .is_some_and(|mut onwards| {
                    onwards += length;
                    onwards == *cost
                })
        };
        if let Some(&arc) = graph.net.out[node].iter().find(|arc| leads(arc)) {
            stack.push((set, graph.net.arcs[arc].1));
            arcs.push(arc);
        }
    }
    arcs.sort_unstable();
    arcs.dedup();
    arcs
}
