//! Reachability.

use petgraph::visit::{IntoNeighbors, NodeIndexable};

/// Per node index: whether a path leads there from one of these nodes, themselves included. `O(n + m)`.
///
/// For the nodes from which a node can be reached, wrap the graph in [`petgraph::visit::Reversed`].
pub fn reachable<G>(graph: G, from: impl IntoIterator<Item = G::NodeId>) -> Vec<bool>
where
    G: IntoNeighbors + NodeIndexable,
{
    let mut seen = vec![false; graph.node_bound()];
    let mut stack: Vec<G::NodeId> = from.into_iter().collect();
    for &node in &stack {
        seen[graph.to_index(node)] = true;
    }
    while let Some(node) = stack.pop() {
        for next in graph.neighbors(node) {
            if !std::mem::replace(&mut seen[graph.to_index(next)], true) {
                stack.push(next);
            }
        }
    }
    seen
}
