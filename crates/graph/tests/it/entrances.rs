//! The entry points for petgraph's graphs agree with those for lists of arcs.

use oneport_graph::arborescence::{ArborescenceFault, arborescence};
use oneport_graph::steiner::{Effort, steiner};
use oneport_graph::{free_automorphisms, minimum_arborescence, steiner_arborescence};
use oneport_testkit::whole;
use oneport_watch::Watch;
use petgraph::graph::{DiGraph, NodeIndex};
use proptest::prelude::*;

proptest! {
    #[test]
    fn arborescences(arcs in prop::collection::vec((0..7u32, 0..7u32, 0..20u64), 6..30), root in 0..7u32) {
        let mut graph = DiGraph::<(), u64>::new();
        for _ in 0..7 {
            graph.add_node(());
        }
        graph.extend_with_edges(&arcs);
        let list: Vec<_> = arcs.iter().map(|&(tail, head, cost)| (tail as usize, head as usize, cost)).collect();
        let cost = |edge: petgraph::graph::EdgeReference<'_, u64>| whole(*edge.weight());
        let found = minimum_arborescence(&graph, root.into(), cost);
        let expected = arborescence(7, root as usize, &list);
        prop_assert_eq!(
            found.as_ref().map(|found| found.cost.clone()),
            expected.map(|found| whole(found.cost))
        );
        if let Some(mut found) = found {
            prop_assert_eq!(found.check_in(&graph, root.into(), cost), Ok(()));
            found.cost += whole(1);
            prop_assert_eq!(found.check_in(&graph, root.into(), cost), Err(ArborescenceFault::NotEqual));
        }
        let required: Vec<NodeIndex> = [1u32, 4, 6].map(NodeIndex::from).to_vec();
        let tree = steiner_arborescence(&graph, root.into(), &required, 100, |edge| *edge.weight());
        let watch = Watch::unlimited();
        let effort = Effort { budget: Some(100), cuts: true, watch: &watch };
        let expected = steiner(7, root as usize, &[1, 4, 6], &list, effort);
        let indices = |arcs: &[petgraph::graph::EdgeIndex]| arcs.iter().map(|arc| arc.index()).collect::<Vec<_>>();
        prop_assert_eq!(
            tree.map(|tree| (indices(&tree.arcs), tree.cost, tree.at_least)),
            expected.map(|tree| (tree.arcs, tree.cost, tree.at_least))
        );
    }
}

/// Parallel edges of one weight are distinguished, and counted.
#[test]
fn parallel_edges() {
    let mut twice = DiGraph::<(), u64>::from_edges([(0, 1, 3), (1, 0, 3), (0, 1, 3), (1, 0, 3)]);
    let both = [NodeIndex::new(0), NodeIndex::new(1)];
    let group = free_automorphisms(&twice, |_| (), |edge| *edge.weight(), &both);
    assert_eq!(group.len(), 2);
    assert_eq!(
        (&group[1].nodes, &group[1].edges),
        (&vec![1, 0], &vec![1, 0, 3, 2])
    );
    twice.add_edge(both[0], both[1], 3);
    assert_eq!(
        free_automorphisms(&twice, |_| (), |edge| *edge.weight(), &both).len(),
        1
    );
}
