//! Minimum cuts, and a threshold query on them.

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_numbers::{Exact, Whole};
use petgraph::visit::{EdgeRef, IntoEdgeReferences, NodeIndexable};

use crate::Network;

/// The capacity of a minimum cut between two nodes that differ, and by index of the node whether it is on the source's
/// side of the one with the fewest nodes there. Capacities are at least 0. `O(n^2 m)`, in practice a few searches.
///
/// ```
/// use num_rational::BigRational;
/// use oneport_graph::minimum_cut;
/// use petgraph::graph::DiGraph;
/// let third = |times: i64| BigRational::new(times.into(), 3.into());
/// let mut pipes = DiGraph::new();
/// let [a, b, c] = ["a", "b", "c"].map(|name| pipes.add_node(name));
/// pipes.extend_with_edges([(a, b, third(5)), (b, c, third(1)), (a, c, third(1))]);
/// assert_eq!(minimum_cut(&pipes, a, c, |pipe| pipe.weight().clone()), (third(2), vec![true, true, false]));
/// ```
pub fn minimum_cut<G, N>(
    graph: G,
    source: G::NodeId,
    sink: G::NodeId,
    mut capacity: impl FnMut(G::EdgeRef) -> N,
) -> (N, Vec<bool>)
where
    G: IntoEdgeReferences + NodeIndexable,
    N: Exact,
{
    let mut network = Network::new(graph.node_bound());
    for edge in graph.edge_references() {
        network.arc(
            graph.to_index(edge.source()),
            graph.to_index(edge.target()),
            capacity(edge),
        );
    }
    network.full_cut(graph.to_index(source), graph.to_index(sink))
}

/// Whether at least `limit` can flow from `source` to `sink` along directed arcs `(from, to, capacity)`: `None` if so,
/// else the nodes on the source's side of a minimum cut, whose leaving arcs have less capacity together than `limit`.
/// Arcs of nodes that do not exist carry nothing. From a node to itself any amount flows.
///
/// In machine integers if sums fit. `O(n^2 m)`, in practice a few searches of the graph.
///
/// ```
/// use num_bigint::BigUint;
/// use oneport_graph::cut_below;
/// let arcs = [(0, 1, BigUint::from(3u32)), (0, 2, BigUint::from(2u32)), (1, 2, BigUint::from(1u32))];
/// assert_eq!(cut_below(3, &arcs, 0, 2, &BigUint::from(3u32)), None);
/// assert_eq!(cut_below(3, &arcs, 0, 2, &BigUint::from(4u32)), Some(vec![true, true, false]));
/// ```
pub fn cut_below(
    nodes: usize,
    arcs: &[(usize, usize, BigUint)],
    source: usize,
    sink: usize,
    limit: &BigUint,
) -> Option<Vec<bool>> {
    if source >= nodes || sink >= nodes || source == sink || limit.is_zero() {
        return None;
    }
    let total: BigUint = arcs
        .iter()
        .map(|(_, _, capacity)| capacity)
        .sum::<BigUint>()
        + limit;
    match total.bits() {
        0..64 => narrowed::<u64>(nodes, arcs, source, sink, limit),
        64..128 => narrowed::<u128>(nodes, arcs, source, sink, limit),
        _ => narrowed::<BigUint>(nodes, arcs, source, sink, limit),
    }
}

/// The answer of [`cut_below`], computed in numbers in which all capacities fit.
fn narrowed<W: Whole>(
    nodes: usize,
    arcs: &[(usize, usize, BigUint)],
    source: usize,
    sink: usize,
    limit: &BigUint,
) -> Option<Vec<bool>> {
    let mut network = Network::new(nodes);
    for (from, to, capacity) in arcs
        .iter()
        .filter(|(from, to, _)| *from < nodes && *to < nodes)
    {
        network.arc(*from, *to, W::narrow(capacity)?);
    }
    network.cut_below(source, sink, &W::narrow(limit)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_testkit::Dice;

    /// Every answer on small graphs against all cuts.
    #[test]
    fn a_cut_is_in_the_way_or_there_is_none() {
        let mut dice = Dice::new(1);
        let mut draw = |below: u64| dice.below(below);
        let mut blocked = 0;
        for case in 0..600 {
            let nodes = 2 + case % 5;
            // Up to 10^30: all three kinds of integers.
            let unit = [
                BigUint::from(1u32),
                BigUint::from(10u32).pow(15),
                BigUint::from(10u32).pow(30),
            ][case % 3]
                .clone();
            let arcs: Vec<(usize, usize, BigUint)> = (0..draw(12))
                .map(|_| {
                    (
                        draw(nodes as u64) as usize,
                        draw(nodes as u64) as usize,
                        &unit * draw(6),
                    )
                })
                .collect();
            let limit = &unit * draw(10);
            let leaving = |side: &[bool]| -> BigUint {
                arcs.iter()
                    .filter(|(from, to, _)| side[*from] && !side[*to])
                    .map(|(_, _, capacity)| capacity)
                    .sum()
            };
            let sides = (0..1usize << nodes).filter(|set| set & 1 == 1 && set >> (nodes - 1) == 0);
            let least = sides
                .map(|set| leaving(&(0..nodes).map(|v| set >> v & 1 == 1).collect::<Vec<_>>()))
                .min();
            match cut_below(nodes, &arcs, 0, nodes - 1, &limit) {
                None => assert!(least.unwrap() >= limit),
                Some(side) => {
                    assert!(side[0] && !side[nodes - 1]);
                    assert!(leaving(&side) < limit && Some(leaving(&side)) == least);
                    blocked += 1;
                }
            }
        }
        assert!(blocked > 100, "{blocked}");
    }
}
