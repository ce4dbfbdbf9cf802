//! Nodes that all paths from the root to others pass (dominators).

use super::graph::{Graph, Task};
use oneport_numbers::Exact;

/// The last gate before every node, by the order of a search: a gate precedes the nodes behind it.
struct Gates {
    /// The nodes that the root reaches in reverse postorder.
    order: Vec<usize>,
    /// For every node its position in that order. `usize::MAX` if it is not reached.
    position: Vec<usize>,
    /// Per node: its immediate dominator, the last node that all paths to it pass. The root has itself.
    gate: Vec<usize>,
}

/// A node that all paths to a needed node pass is needed. An arc that leads back to a node that all paths to its tail
/// pass is closed.
///
/// Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001): `O(m n)` at worst, hardly more than `O(m)`
/// here.
pub(super) fn require<N: Exact>(graph: &Graph<N>, task: &mut Task) {
    let gates = Gates::new(graph, task);
    for (position, &node) in gates.order.iter().enumerate().rev() {
        let gate = gates.order[gates.gate[position]];
        task.needed[gate] |= task.needed[node] && gate != graph.root;
        for &arc in &graph.net.into[node] {
            let tail = gates.position[graph.net.arcs[arc].0];
            task.open[arc] &= tail == usize::MAX || !gates.behind(position, tail);
        }
    }
}

impl Gates {
    fn new<N: Exact>(graph: &Graph<N>, task: &Task) -> Self {
        let order = postorder(graph, task);
        let mut position = vec![usize::MAX; graph.nodes()];
        for (index, &node) in order.iter().enumerate() {
            position[node] = index;
        }
        let mut gates = Gates {
            gate: vec![usize::MAX; order.len()],
            order,
            position,
        };
        gates.gate[0] = 0;
        while gates.refine(graph, task) {}
        gates
    }

    /// One round over all nodes. Returns whether any gate has moved.
    fn refine<N: Exact>(&mut self, graph: &Graph<N>, task: &Task) -> bool {
        let mut moved = false;
        for position in 1..self.order.len() {
            let entering = graph.net.into[self.order[position]]
                .iter()
                .filter(|&&arc| task.open[arc]);
            let tails = entering.map(|&arc| self.position[graph.net.arcs[arc].0]);
            let known =
                tails.filter(|&tail| self.gate.get(tail).is_some_and(|&gate| gate != usize::MAX));
            let gate = known
                .reduce(|one, other| self.meet(one, other))
                .unwrap_or(0);
            moved |= std::mem::replace(&mut self.gate[position], gate) != gate;
        }
        moved
    }

    /// The last gate that two positions share.
    fn meet(&self, mut one: usize, mut other: usize) -> usize {
        while one != other {
            if one < other {
                other = self.gate[other];
            } else {
                one = self.gate[one];
            }
        }
        one
    }

    /// Whether all paths to a position pass a gate.
    fn behind(&self, gate: usize, mut position: usize) -> bool {
        while position > gate {
            position = self.gate[position];
        }
        position == gate
    }
}

/// The nodes that the root reaches over open arcs, in reverse postorder of a depth-first search.
fn postorder<N: Exact>(graph: &Graph<N>, task: &Task) -> Vec<usize> {
    let mut seen = vec![false; graph.nodes()];
    seen[graph.root] = true;
    let mut order = Vec::new();
    let mut path = vec![(graph.root, 0)];
    while let Some((node, next)) = path.pop() {
        let Some(&arc) = graph.net.out[node].get(next) else {
            order.push(node);
            continue;
        };
        path.push((node, next + 1));
        let head = graph.net.arcs[arc].1;
        if task.open[arc] && !std::mem::replace(&mut seen[head], true) {
            path.push((head, 0));
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(375))]

        /// Compared with the definition: without the gate the node is not reached.
        #[test]
        fn by_definition(
            nodes in 2..12usize,
            arcs in prop::collection::vec((0..12usize, 1..12usize, any::<bool>()), 0..30),
            needed in prop::collection::vec(any::<bool>(), 12),
        ) {
            let arcs = arcs.into_iter().filter(|&(tail, head, _)| tail < nodes && head < nodes && tail != head);
            let (arcs, open): (Vec<_>, Vec<_>) = arcs.map(|(tail, head, open)| ((tail, head, 1u64), open)).unzip();
            let graph = Graph::new(nodes, 0, arcs);
            let mut task = Task { needed: needed[..nodes].to_vec(), open };
            task.needed[0] = false;
            let before = task.clone();
            require(&graph, &mut task);
            let all = graph.reached(&before, |_| true);
            for gate in 1..nodes {
                let without = graph.reached(&before, |arc| graph.net.arcs[arc].1 != gate);
                let lost = |node: usize| all[node] && !without[node];
                let needed = (0..nodes).any(|node| before.needed[node] && lost(node));
                prop_assert_eq!(task.needed[gate], before.needed[gate] || needed);
                for &arc in &graph.net.into[gate] {
                    let tail = graph.net.arcs[arc].0;
                    prop_assert_eq!(task.open[arc], before.open[arc] && !lost(tail));
                }
            }
        }
    }
}
