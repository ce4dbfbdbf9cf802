//! Shortest paths against relaxation until nothing changes, and reachability and cuts against their definitions.

use std::time::Duration;

use num_bigint::BigUint;
use oneport_graph::{
    Digraph, Network, Searches, cut_below, minimum_cut, reachable, shortest_paths,
};
use oneport_watch::{Limit, Watch};
use petgraph::graph::DiGraph;
use petgraph::stable_graph::StableDiGraph;
use petgraph::visit::{EdgeFiltered, EdgeRef, Reversed};
use proptest::prelude::*;

type Arcs = Vec<(usize, usize, u64)>;

/// Distances by relaxing all arcs once per node.
fn naive(
    nodes: usize,
    arcs: &Arcs,
    starts: &[(usize, u64)],
    passable: &[bool],
) -> Vec<Option<u64>> {
    let mut far = vec![None; nodes];
    for &(start, length) in starts {
        far[start] = Some(far[start].map_or(length, |known: u64| known.min(length)));
    }
    let may_leave = |node: usize| passable[node] || starts.iter().any(|&(start, _)| start == node);
    for _ in 0..nodes {
        for &(tail, head, length) in arcs.iter().filter(|(tail, ..)| may_leave(*tail)) {
            if let Some(near) = far[tail] {
                far[head] = Some(far[head].map_or(near + length, |known| known.min(near + length)));
            }
        }
    }
    far
}

/// Distances times 100 and the fewest edges of paths of that length, among eight nodes.
fn by_edges(arcs: &Arcs, starts: &[(usize, u64)], passable: &[bool]) -> Vec<Option<u64>> {
    let counted: Arcs = arcs
        .iter()
        .map(|&(tail, head, length)| (tail, head, 100 * length + 1))
        .collect();
    let starts: Vec<(usize, u64)> = starts
        .iter()
        .map(|&(start, far)| (start, 100 * far))
        .collect();
    naive(8, &counted, &starts, passable)
}

fn arcs(nodes: usize, most: usize) -> impl Strategy<Value = Arcs> {
    prop::collection::vec((0..nodes, 0..nodes, 0..9u64), 0..most)
}

/// A petgraph graph with the same indices.
fn graph(nodes: usize, arcs: &Arcs) -> DiGraph<(), u64> {
    let mut graph = DiGraph::new();
    let ids: Vec<_> = (0..nodes).map(|_| graph.add_node(())).collect();
    for &(tail, head, length) in arcs {
        graph.add_edge(ids[tail], ids[head], length);
    }
    graph
}

proptest! {
    /// Searches in sequence give the results of separate searches. One that is ended early has settled the nearest
    /// nodes, with their distances.
    #[test]
    fn searches_one_after_the_other(
        arcs in arcs(8, 24),
        passable in prop::collection::vec(any::<bool>(), 8),
        most in prop::collection::vec(1..9usize, 8),
    ) {
        let graph = graph(8, &arcs);
        let mut searches = Searches::new(8);
        for (start, most) in graph.node_indices().zip(most) {
            let whole = shortest_paths(&graph, [(start, 0)], |arc| arc.weight(), |node| passable[node.index()]);
            let mut left = most;
            let found = searches.run(&graph, [(start, 0)], |arc| arc.weight(), |node, _| {
                left -= 1;
                (left > 0).then_some(passable[node.index()])
            });
            let near = most.min(whole.settled.len());
            prop_assert_eq!(&found.settled[..], &whole.settled[..near]);
            for &node in &found.settled {
                prop_assert_eq!(found.distances[node], whole.distances[node]);
                prop_assert_eq!(found.path(node), whole.path(node));
            }
            let met = (0..8).filter(|&node| found.distances[node].is_some());
            prop_assert!(most <= whole.settled.len() || met.count() == whole.settled.len());
        }
    }
}

proptest! {
    /// Several starts, nodes that must not be passed, big numbers, petgraph's graph and ours: the distances agree, and
    /// paths have their stated lengths.
    #[test]
    fn distances_and_paths(
        arcs in arcs(8, 24),
        starts in prop::collection::vec((0..8usize, 0..5u64), 1..4),
        passable in prop::collection::vec(any::<bool>(), 8),
    ) {
        let expected = naive(8, &arcs, &starts, &passable);
        let ours = Digraph::new(8, arcs.clone());
        let found = shortest_paths(&ours, starts.clone(), |arc| *arc.weight(), |node| passable[node]);
        prop_assert_eq!(&found.distances, &expected);
        prop_assert_eq!(found.settled.len(), expected.iter().flatten().count());
        for (node, far) in expected.iter().enumerate() {
            let path = found.path(node);
            let ends = path.windows(2).all(|pair| arcs[pair[0]].1 == arcs[pair[1]].0);
            prop_assert!(ends && path.last().is_none_or(|&last| arcs[last].1 == node));
            if let (Some(&first), Some(far)) = (path.first(), far) {
                let length: u64 = path.iter().map(|&arc| arcs[arc].2).sum();
                prop_assert!(starts.contains(&(arcs[first].0, far - length)));
            }
        }
        let edges: Vec<u64> = (0..8).map(|node| found.path(node).len() as u64).collect();
        for (node, far) in by_edges(&arcs, &starts, &passable).into_iter().enumerate() {
            prop_assert_eq!(far.map(|far| far % 100), found.distances[node].map(|_| edges[node]));
        }
        let theirs = graph(8, &arcs);
        let big = starts.iter().map(|&(node, far)| ((node as u32).into(), BigUint::from(far)));
        let again =
            shortest_paths(&theirs, big, |edge| BigUint::from(*edge.weight()), |node| passable[node.index()]);
        prop_assert_eq!(again.distances, expected.iter().map(|far| far.map(BigUint::from)).collect::<Vec<_>>());
    }

    /// Backwards and over some arcs only, by petgraph's adaptors.
    #[test]
    fn adaptors(arcs in arcs(7, 20), open in prop::collection::vec(any::<bool>(), 20), start in 0..7usize) {
        let kept: Arcs = arcs.iter().zip(&open).filter(|(_, open)| **open).map(|(&arc, _)| arc).collect();
        let turned: Arcs = kept.iter().map(|&(tail, head, length)| (head, tail, length)).collect();
        let ours = Digraph::new(7, arcs.clone());
        let some = EdgeFiltered::from_fn(&ours, |arc: oneport_graph::Arc<'_, u64>| open[arc.id()]);
        let forwards = shortest_paths(&some, [(start, 0)], |arc| *arc.weight(), |_| true);
        let backwards = shortest_paths(Reversed(&some), [(start, 0)], |arc| *arc.weight(), |_| true);
        prop_assert_eq!(&forwards.distances, &naive(7, &kept, &[(start, 0)], &[true; 7]));
        prop_assert_eq!(backwards.distances, naive(7, &turned, &[(start, 0)], &[true; 7]));
        let seen: Vec<bool> = forwards.distances.iter().map(Option::is_some).collect();
        prop_assert_eq!(reachable(&some, [start]), seen);
    }

    /// The cut of least capacity, by all cuts. The cut below a limit is the same one.
    #[test]
    fn cuts(arcs in arcs(6, 18)) {
        let leaving = |side: &dyn Fn(usize) -> bool| -> u64 {
            arcs.iter().filter(|&&(tail, head, _)| side(tail) && !side(head)).map(|arc| arc.2).sum()
        };
        let sides = (0..1usize << 6).filter(|set| set & 1 == 1 && set >> 5 == 0);
        let least = sides.map(|set| leaving(&|node| set >> node & 1 == 1)).min();
        let graph = graph(6, &arcs);
        let (capacity, side) = minimum_cut(&graph, 0.into(), 5.into(), |edge| *edge.weight());
        prop_assert_eq!((Some(capacity), leaving(&|node| side[node])), (least, capacity));
        let big: Vec<(usize, usize, BigUint)> = arcs.iter().map(|&(a, b, room)| (a, b, room.into())).collect();
        prop_assert_eq!(cut_below(6, &big, 0, 5, &(capacity + 1).into()), Some(side));
        prop_assert_eq!(cut_below(6, &big, 0, 5, &capacity.into()), None);
    }
}

/// A cut that thousands of paths have to find ends in between.
#[test]
fn one_cut_ends() {
    let wide = || {
        let mut network = Network::new(1002);
        for node in 1..1001 {
            network.arc(0, node, 1u64);
            network.arc(node, 1001, 1);
        }
        network
    };
    let cut = wide().minimum_cut(0, 1001, &Watch::unlimited()).unwrap();
    assert_eq!(
        (
            cut.0,
            cut == wide().minimum_cut(0, 1001, &Watch::unlimited()).unwrap()
        ),
        (1000, true)
    );
    let watch = Watch::counting(1, Duration::ZERO);
    assert_eq!(wide().minimum_cut(0, 1001, &watch), Err(Limit::Caller));
}

/// Indices with gaps, as petgraph's stable graphs have them.
#[test]
fn removed_nodes() {
    let mut graph = StableDiGraph::<(), u64>::new();
    let [a, gone, b] = [(); 3].map(|()| graph.add_node(()));
    graph.add_edge(a, gone, 1);
    graph.add_edge(gone, b, 1);
    graph.add_edge(a, b, 5);
    graph.remove_node(gone);
    let found = shortest_paths(&graph, [(a, 0)], |edge| *edge.weight(), |_| true);
    assert_eq!(found.distances, [Some(0), None, Some(5)]);
}
