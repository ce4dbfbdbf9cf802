//! Minimum-cost spanning arborescences with a proof: the algorithm of Chu and Liu, Edmonds, and Bock.
//!
//! An arborescence out of a root reaches every node by exactly one path, so every other node has one entering arc. For
//! an arborescence *into* a root, reverse every arc.
//!
//! **The proof of optimality.** Give non-negative weights to sets of nodes without the root such that for every arc
//! the weights of the sets that it *enters* (its head is inside, its tail is not) add up to at most its cost. An
//! arborescence enters every such set at least once, so it costs at least the sum of all weights. The algorithm ends
//! with weights that add up to the cost of its arborescence, on a laminar family of sets (two of them are disjoint or
//! one contains the other): a [`Dual`]. [`Arborescence::check`] checks all of this anew.
//!
//! **The algorithm** walks backwards from a node over the cheapest entering arc and subtracts that arc's cost (the
//! weight of the set) from all arcs that enter. If it meets its own path, it contracts the cycle. Mergeable heaps with
//! deferred subtractions hold the entering arcs of sets: `O(m log m)` operations on costs for `m` arcs. If most of the
//! `n^2` arcs exist, rows hold them: `O(n^2)` operations.

mod contraction;
mod entering;
mod heaps;
mod proof;
mod rows;
mod shallow;

use oneport_numbers::Exact;
use petgraph::visit::{IntoEdgeReferences, NodeCompactIndexable};

use crate::Digraph;

use contraction::Contraction;
use heaps::Heaps;
use rows::Rows;

pub use proof::{Arborescence, ArborescenceFault, Dual};

/// A graph is dense if at least 1 in 6 of the possible arcs exists. Trades heaps for a matrix of costs. Not measured.
const DENSE: usize = 6;

/// The cheapest arborescence out of `root` that spans a directed graph, with costs of at least 0. `None` if the root
/// does not reach every node. The indices of the nodes have no gaps. [`arborescence`] on the list of its edges, with
/// the same complexity.
///
/// ```
/// use num_rational::BigRational;
/// use oneport_graph::minimum_arborescence;
/// use petgraph::graph::DiGraph;
/// let third = |times: i64| BigRational::new(times.into(), 3.into());
/// let mut graph = DiGraph::new();
/// let [a, b, c] = ["a", "b", "c"].map(|name| graph.add_node(name));
/// graph.extend_with_edges([(a, b, third(4)), (a, c, third(5)), (c, b, third(1)), (b, c, third(1))]);
/// let found = minimum_arborescence(&graph, a, |edge| edge.weight().clone()).ok_or("not spanned")?;
/// assert_eq!(found.cost, third(5));
/// assert_eq!(found.entering[c.index()], graph.find_edge(b, c));
/// found.check_in(&graph, a, |edge| edge.weight().clone())?; // the dual solution proves that nothing is cheaper
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn minimum_arborescence<G, N>(
    graph: G,
    root: G::NodeId,
    cost: impl FnMut(G::EdgeRef) -> N,
) -> Option<Arborescence<N, G::EdgeId>>
where
    G: IntoEdgeReferences + NodeCompactIndexable,
    N: Exact,
{
    let (net, names) = Digraph::of(graph, cost);
    let Arborescence {
        entering,
        cost,
        dual,
    } = arborescence(net.nodes(), graph.to_index(root), net.arcs())?;
    let entering = entering
        .into_iter()
        .map(|arc| arc.map(|arc| names[arc]))
        .collect();
    Some(Arborescence {
        entering,
        cost,
        dual,
    })
}

/// The cheapest spanning arborescence out of `root` over arcs `(tail, head, cost)` with costs of at least 0. `None` if
/// the root does not reach every node. Loops and arcs of nodes that do not exist are ignored.
///
/// `O(m log m)` operations on costs for `m` arcs, or `O(n^2)` for `n` nodes and more than `n^2 / 6` arcs.
pub fn arborescence<N: Exact>(
    nodes: usize,
    root: usize,
    arcs: &[(usize, usize, N)],
) -> Option<Arborescence<N>> {
    if root >= nodes {
        return None;
    }
    // Rows take time and room for all pairs of nodes.
    if nodes <= arcs.len() / nodes * DENSE {
        Contraction::new(nodes, root, arcs, Rows::new(nodes, root, arcs)).run(nodes)
    } else {
        Contraction::new(nodes, root, arcs, Heaps::new(nodes, root, arcs)).run(nodes)
    }
}

/// The cheapest arborescence with nodes near the root, if every arc (by its index) counts `hops`. It is at most as deep
/// as that of [`arborescence`] and has the same proof. If only single nodes have a weight in the proof, every node is
/// as near to the root as in any arborescence of this cost. In general it may be deeper.
///
/// `O(m log m + m d)` for `m` arcs and sets nested `d` deep, besides the time of [`arborescence`].
///
/// ```
/// use oneport_graph::arborescence::shallow_arborescence;
/// let arcs = [(0, 1, 1u32), (1, 2, 1), (0, 2, 1)];
/// let found = shallow_arborescence(3, 0, &arcs, |_| 1).ok_or("not spanned")?;
/// assert_eq!(found.entering, [None, Some(0), Some(2)]);
/// # Ok::<(), &str>(())
/// ```
pub fn shallow_arborescence<N: Exact>(
    nodes: usize,
    root: usize,
    arcs: &[(usize, usize, N)],
    hops: impl Fn(usize) -> u32,
) -> Option<Arborescence<N>> {
    if let Some(star) = Arborescence::star(nodes, root, arcs, &hops) {
        return Some(star);
    }
    Some(arborescence(nodes, root, arcs)?.shallow(root, arcs, hops))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(250))]

        /// A star out of the root, if there is one, has the cost of the arborescence without it, and the same proof.
        #[test]
        fn stars(
            nodes in 2..6usize,
            arcs in prop::collection::vec((0..6usize, 0..6usize, 0..3u64), 0..60),
        ) {
            let hops = |arc: usize| 1 + arc as u32 % 2;
            let least = arborescence(nodes, 0, &arcs);
            let direct = Arborescence::star(nodes, 0, &arcs, &hops);
            if let Some(found) = &direct {
                prop_assert_eq!(found.check(0, &arcs), Ok(()));
                prop_assert_eq!(Some(found.cost), least.as_ref().map(|least| least.cost));
            }
            let arcs_into = |node: usize| arcs.iter().filter(move |arc| arc.1 == node && arc.0 != node && arc.0 < nodes);
            let is_star = |node: usize| {
                let least = arcs_into(node).map(|arc| arc.2).min();
                least.is_some() && arcs_into(node).filter(|arc| arc.0 == 0).map(|arc| arc.2).min() == least
            };
            prop_assert_eq!(direct.is_some(), (1..nodes).all(is_star));
        }

        /// Heaps and rows, each with its proof.
        #[test]
        fn both_ways(
            nodes in 2..20usize,
            arcs in prop::collection::vec((0..20usize, 0..20usize, 0..30u64), 0..120),
        ) {
            let heaps = Contraction::new(nodes, 0, &arcs, Heaps::new(nodes, 0, &arcs)).run(nodes);
            let rows = Contraction::new(nodes, 0, &arcs, Rows::new(nodes, 0, &arcs)).run(nodes);
            prop_assert_eq!(heaps.as_ref().map(|found| found.cost), rows.as_ref().map(|found| found.cost));
            for found in heaps.into_iter().chain(rows) {
                prop_assert_eq!(found.check(0, &arcs), Ok(()));
            }
        }
    }
}
