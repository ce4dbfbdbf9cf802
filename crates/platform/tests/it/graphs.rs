//! Platforms as petgraph graphs, and of petgraph graphs.

use oneport_platform::generate::torus;
use oneport_platform::{LinkId, Node, NodeId, Platform, PlatformError, Rational, whole};
use petgraph::Direction;
use petgraph::graph::NodeIndex;
use petgraph::stable_graph::StableDiGraph;
use petgraph::visit::EdgeRef;

fn cost(number: i64) -> Rational {
    whole(number)
}

fn processor(name: &str) -> Node {
    Node::processor(name, cost(1))
}

/// The returned graph has the platform's numbers, and makes the same platform again.
#[test]
fn there_and_back() {
    let platform = torus(&[3, 4]).unwrap();
    let graph = platform.graph();
    for id in platform.node_ids() {
        let leaving = graph.edges_directed(id.into(), Direction::Outgoing);
        let mut leaving: Vec<LinkId> = leaving.map(|edge| edge.id().into()).collect();
        leaving.sort_unstable();
        assert_eq!(leaving, platform.outgoing(id));
        assert_eq!(&graph[NodeIndex::from(id)], platform.node(id));
        assert_eq!(NodeId::from(NodeIndex::from(id)), id);
    }
    let again = Platform::from_graph(
        graph,
        |(_, node)| node.clone(),
        |link| link.weight().cost.clone(),
    )
    .unwrap();
    assert_eq!(again.with_model(platform.model()), platform);
}

/// Nodes that were removed leave gaps in a graph's indices, but none in ids.
#[test]
fn gaps() {
    let mut graph = StableDiGraph::<&str, i64>::new();
    let [a, gone, b] = ["a", "gone", "b"].map(|name| graph.add_node(name));
    graph.add_edge(a, gone, 1);
    graph.add_edge(b, a, 2);
    graph.remove_node(gone);
    let platform = Platform::from_graph(
        &graph,
        |(_, name)| processor(name),
        |edge| cost(*edge.weight()),
    )
    .unwrap();
    assert_eq!(
        platform
            .nodes()
            .iter()
            .map(|node| node.name.as_str())
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
    let [link] = platform.links().iter().collect::<Vec<_>>()[..] else {
        panic!("one link")
    };
    assert_eq!(
        (platform.name(link.from), platform.name(link.to), &link.cost),
        ("b", "a", &cost(2))
    );
}

/// A graph of the caller's is validated as the builder validates.
#[test]
fn refusals() {
    let converted = |names: &[&str], edges: &[(usize, usize, i64)]| {
        let mut graph = StableDiGraph::<String, i64>::new();
        let nodes: Vec<_> = names
            .iter()
            .map(|name| graph.add_node(name.to_string()))
            .collect();
        for &(from, to, cost) in edges {
            graph.add_edge(nodes[from], nodes[to], cost);
        }
        Platform::from_graph(
            &graph,
            |(_, name)| processor(name),
            |edge| cost(*edge.weight()),
        )
    };
    assert!(converted(&["a", "b"], &[(0, 1, 1)]).is_ok());
    assert_eq!(converted(&[], &[]), Err(PlatformError::Empty));
    assert!(matches!(
        converted(&["a", "a"], &[]),
        Err(PlatformError::DuplicateNode { .. })
    ));
    assert!(matches!(
        converted(&["a"], &[(0, 0, 1)]),
        Err(PlatformError::SelfLoop { .. })
    ));
    assert!(matches!(
        converted(&["a", "b"], &[(0, 1, -1)]),
        Err(PlatformError::BadCost { .. })
    ));
    assert!(matches!(
        converted(&["a", "b"], &[(0, 1, 1), (0, 1, 2)]),
        Err(PlatformError::DuplicateLink { .. })
    ));
}

/// A lookup detects an id of another platform.
#[test]
fn unknown_ids() {
    let platform = torus(&[3]).unwrap();
    assert!(platform.nodes().get(NodeId::new(2).index()).is_some());
    assert!(
        platform
            .nodes()
            .get(NodeId::new(usize::MAX).index())
            .is_none()
    );
}
