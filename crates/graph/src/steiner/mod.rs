//! Minimum-cost arborescences that reach some nodes and may pass through others (directed Steiner trees), with bounds.
//!
//! Broadcasts to some of the nodes, or over routers, use these trees. The problem is NP-hard. The graphs here are
//! sparse and have some hundred nodes at most.
//!
//! **The proof of a bound** is that of [`crate::arborescence`]: give weights to sets of nodes without the root, each
//! with a required node, such that for every arc the weights of the sets that it *enters* add up to at most its cost. A
//! tree that reaches all required nodes enters every set at least once, and costs at least the sum of all weights.
//!
//! **The algorithm**
//! 1. reduces the instance and cuts it into pieces (`reduce`),
//! 2. finds weights by dual ascent (Wong 1984) in several orders (`ascent`), and trees over the arcs that the ascent
//!    leaves without slack (`trees`),
//! 3. if bound and tree do not meet, closes arcs that no cheaper tree can use, then either goes through the subsets of
//!    the needed nodes if they are few (Dreyfus and Wagner 1971, `subsets`), or branches on optional nodes: in or out
//!    (`search`).

mod ascent;
mod dominators;
mod graph;
mod reduce;
mod search;
mod shallow;
mod solution;
mod subsets;
mod trees;

use oneport_watch::Watch;
use petgraph::visit::{IntoEdgeReferences, NodeIndexable};

use crate::Digraph;

use oneport_numbers::Exact;
pub use search::Effort;

pub use solution::Steiner;

/// The cheapest arborescence out of `root` that reaches all `required` nodes of a directed graph, with costs of at
/// least 0, or the best found. `None` if the root does not reach a required node. [`steiner`] on the list of its edges.
///
/// ```
/// use num_rational::BigRational;
/// use oneport_graph::steiner_arborescence;
/// use petgraph::graph::DiGraph;
/// let half = |times: i64| BigRational::new(times.into(), 2.into());
/// let mut graph = DiGraph::new();
/// let [source, hub, a, b] = ["source", "hub", "a", "b"].map(|name| graph.add_node(name));
/// graph.extend_with_edges([(source, hub, half(3)), (hub, a, half(1)), (hub, b, half(1))]);
/// graph.extend_with_edges([(source, a, half(3)), (source, b, half(3))]);
/// let found = steiner_arborescence(&graph, source, &[a, b], 100, |edge| edge.weight().clone()).ok_or("unreachable")?;
/// assert_eq!((&found.cost, found.arcs.len()), (&half(5), 3));
/// assert_eq!(found.cost, found.at_least); // proved: nothing is cheaper
/// assert_eq!(found.cuts.into_iter().map(|(_, weight)| weight).sum::<BigRational>(), half(5));
/// # Ok::<(), &str>(())
/// ```
pub fn steiner_arborescence<G, N>(
    graph: G,
    root: G::NodeId,
    required: &[G::NodeId],
    budget: usize,
    cost: impl FnMut(G::EdgeRef) -> N,
) -> Option<Steiner<N, G::NodeId, G::EdgeId>>
where
    G: IntoEdgeReferences + NodeIndexable,
    N: Exact,
{
    let (net, names) = Digraph::of(graph, cost);
    let required: Vec<usize> = required.iter().map(|&node| graph.to_index(node)).collect();
    let found = steiner(
        net.nodes(),
        graph.to_index(root),
        &required,
        net.arcs(),
        Effort {
            budget: Some(budget),
            cuts: true,
            watch: &Watch::unlimited(),
        },
    )?;
    let named = |(set, weight): (Vec<usize>, N)| {
        (
            set.into_iter().map(|node| graph.from_index(node)).collect(),
            weight,
        )
    };
    Some(Steiner {
        arcs: found.arcs.into_iter().map(|arc| names[arc]).collect(),
        cost: found.cost,
        at_least: found.at_least,
        cuts: found.cuts.into_iter().map(named).collect(),
    })
}

/// The cheapest arborescence out of `root` that reaches all `required` nodes over arcs `(tail, head, cost)` with costs
/// of at least 0, or the best found. `None` if the root does not reach a required node. Loops and arcs of nodes that do
/// not exist are ignored.
///
/// `effort` limits the branch and bound. If it ends early, `cost` may be more than `at_least`, and both hold. With
/// machine integers four times the sum of all costs must not overflow.
///
/// Polynomial up to the branching: some dual ascents and local searches, `O(n)` arborescences each. Plus
/// `O(3^k n + 2^k m log n)` if `k`, the number of needed nodes of a piece, is small (8 at least).
pub fn steiner<N: Exact>(
    nodes: usize,
    root: usize,
    required: &[usize],
    arcs: &[(usize, usize, N)],
    mut effort: Effort<'_>,
) -> Option<Steiner<N>> {
    let (question, pieces) = reduce::Reduction::new(nodes, root, required, arcs)?;
    let mut chosen = Vec::new();
    let mut at_least = N::zero();
    let mut cuts = Vec::new();
    for piece in &pieces {
        let found = search::solve(&piece.graph, &piece.task, &mut effort)?;
        chosen.extend(found.tree.arcs.iter().map(|&arc| piece.indices[arc]));
        at_least += &found.at_least;
        cuts.extend(
            found
                .cuts
                .into_iter()
                .map(|(set, weight)| (piece.groups_of(&set), weight)),
        );
    }
    Some(question.answer(&chosen, cuts, at_least))
}

/// A good arborescence out of `root` that reaches all `required` nodes, and a bound, quickly: dual ascents and trees,
/// as [`steiner`] without enumeration.
///
/// `O(m^2)` operations on costs in the worst case, far fewer on usual graphs.
pub fn heuristic<N: Exact>(
    nodes: usize,
    root: usize,
    required: &[usize],
    arcs: &[(usize, usize, N)],
) -> Option<Steiner<N>> {
    let watch = Watch::unlimited();
    let effort = Effort {
        budget: None,
        cuts: true,
        watch: &watch,
    };
    steiner(nodes, root, required, arcs, effort)
}
