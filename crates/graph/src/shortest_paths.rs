//! Shortest paths from some nodes: the algorithm of Dijkstra, over numbers of any length.
//!
//! petgraph's `dijkstra` requires lengths that are `Copy`, so it takes no big integer and no rational. This one takes
//! any [`Exact`] number, starts from several nodes, and passes only through allowed nodes. Its result does not depend
//! on the order of edges: nodes are settled by distance, ties by number of edges, then by index. Of equally short paths
//! one with the fewest edges is taken. For paths *to* a node wrap the graph in [`petgraph::visit::Reversed`]. To
//! exclude edges, wrap it in [`petgraph::visit::EdgeFiltered`].

use std::borrow::Borrow;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use oneport_numbers::Exact;
use petgraph::visit::{EdgeRef, IntoEdges, NodeIndexable};

/// Shortest paths to all nodes that can be reached. Nodes are given by their index in the graph.
#[derive(Debug, Clone)]
pub struct ShortestPaths<N, E> {
    /// Per node: its distance. `None` if it is unreachable.
    pub distances: Vec<Option<N>>,
    /// Per node: the last edge of the path and the node before it. `None` for start nodes and unreachable ones.
    pub last: Vec<Option<(E, usize)>>,
    /// The nodes that are reached, in order of distance.
    pub settled: Vec<usize>,
}

/// Shortest paths from some nodes, each with a start cost, over edges of length at least 0, to every node. A path
/// passes through nodes for which `through` holds. Every node may be an end. Ties between paths to a node go to the
/// fewest edges, then to the last but one node that is first by distance, then by edges, then by index.
///
/// `O((n + m) log m)` additions and comparisons for `n` nodes and `m` edges.
///
/// ```
/// use num_rational::BigRational;
/// use oneport_graph::shortest_paths;
/// use petgraph::graph::DiGraph;
/// let third = |times: i64| BigRational::new(times.into(), 3.into());
/// let mut graph = DiGraph::new();
/// let [a, b, c] = ["a", "b", "c"].map(|name| graph.add_node(name));
/// graph.add_edge(a, b, third(1));
/// let onwards = graph.add_edge(b, c, third(1));
/// graph.add_edge(a, c, third(3));
/// let paths = shortest_paths(&graph, [(a, third(0))], |edge| edge.weight(), |_| true);
/// assert_eq!(paths.distances[c.index()], Some(third(2)));
/// assert_eq!(paths.path(c.index()).last(), Some(&onwards));
/// ```
pub fn shortest_paths<G, N, L>(
    graph: G,
    from: impl IntoIterator<Item = (G::NodeId, N)>,
    length: impl FnMut(G::EdgeRef) -> L,
    mut through: impl FnMut(G::NodeId) -> bool,
) -> ShortestPaths<N, G::EdgeId>
where
    G: IntoEdges + NodeIndexable,
    N: Exact,
    L: Borrow<N>,
{
    let mut searches = Searches::new(graph.node_bound());
    searches.run(graph, from, length, |node, _| Some(through(node)));
    searches.paths
}

/// Buffers for a sequence of shortest-path searches on one graph. A search takes time for the nodes that it meets, not
/// for the whole graph.
///
/// ```
/// use oneport_graph::Searches;
/// use petgraph::graph::DiGraph;
/// let path = DiGraph::<(), u64>::from_edges([(0, 1, 5), (1, 2, 5), (2, 3, 5)]);
/// let mut searches = Searches::new(path.node_count());
/// for start in path.node_indices() {
///     let nearer_than_5 = |_, far: &u64| (*far < 5).then_some(true);
///     let paths = searches.run(&path, [(start, 0)], |edge| edge.weight(), nearer_than_5);
///     assert_eq!(paths.settled.len(), if start.index() < 3 { 2 } else { 1 });
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Searches<N, E> {
    paths: ShortestPaths<N, E>,
    /// The number of edges of each node's path.
    edges: Vec<u32>,
    starts: Vec<bool>,
    /// The nodes that have a distance.
    met: Vec<usize>,
}

impl<N: Exact, E: Copy> Searches<N, E> {
    /// Searches on graphs whose nodes have indices below this number.
    pub fn new(nodes: usize) -> Self {
        let paths = ShortestPaths {
            distances: vec![None; nodes],
            last: vec![None; nodes],
            settled: Vec::new(),
        };
        Searches {
            paths,
            edges: vec![0; nodes],
            starts: vec![false; nodes],
            met: Vec::new(),
        }
    }

    /// [`shortest_paths`], but `through` is called for every settled node, with its distance, and may end the search by
    /// `None`. Then distances of nodes that are not settled are upper bounds.
    ///
    /// Takes the operations of [`shortest_paths`] on the graph of the nodes that it meets and the edges that leave
    /// them.
    pub fn run<G, L>(
        &mut self,
        graph: G,
        from: impl IntoIterator<Item = (G::NodeId, N)>,
        mut length: impl FnMut(G::EdgeRef) -> L,
        mut through: impl FnMut(G::NodeId, &N) -> Option<bool>,
    ) -> &ShortestPaths<N, E>
    where
        G: IntoEdges<EdgeId = E> + NodeIndexable,
        L: Borrow<N>,
    {
        self.clear();
        let Searches {
            paths:
                ShortestPaths {
                    distances,
                    last,
                    settled,
                },
            edges,
            starts,
            met,
        } = self;
        let mut heap = BinaryHeap::new();
        for (node, far) in from {
            let node = graph.to_index(node);
            if distances[node].as_ref().is_none_or(|known| far < *known) {
                met.push(node);
                distances[node] = Some(far.clone());
                starts[node] = true;
                heap.push(Reverse((far, 0, node)));
            }
        }
        while let Some(Reverse((near, count, node))) = heap.pop() {
            if edges[node] < count || distances[node].as_ref().is_some_and(|known| *known < near) {
                continue;
            }
            settled.push(node);
            match through(graph.from_index(node), &near) {
                None => break,
                Some(false) if !starts[node] => continue,
                Some(_) => {}
            }
            for edge in graph.edges(graph.from_index(node)) {
                let next = graph.to_index(edge.target());
                let mut far = near.clone();
                far += length(edge).borrow();
                let order = distances[next]
                    .as_ref()
                    .map_or(Ordering::Less, |known| far.cmp(known));
                if order.is_lt() || order.is_eq() && count + 1 < edges[next] {
                    met.push(next);
                    distances[next] = Some(far.clone());
                    edges[next] = count + 1;
                    last[next] = Some((edge.id(), node));
                    heap.push(Reverse((far, count + 1, next)));
                }
            }
        }
        &self.paths
    }

    /// Forgets the last search.
    fn clear(&mut self) {
        for node in self.met.drain(..) {
            self.paths.distances[node] = None;
            self.paths.last[node] = None;
            self.edges[node] = 0;
            self.starts[node] = false;
        }
        self.paths.settled.clear();
    }
}

impl<N, E: Copy> ShortestPaths<N, E> {
    /// The edges of the path to a node, in the order of travel. Empty for a start and for a node that is not reached.
    pub fn path(&self, to: usize) -> Vec<E> {
        let before = |&(_, node): &(E, usize)| self.last.get(node).copied().flatten();
        let mut edges: Vec<E> = std::iter::successors(self.last.get(to).copied().flatten(), before)
            .map(|(edge, _)| edge)
            .collect();
        edges.reverse();
        edges
    }
}
