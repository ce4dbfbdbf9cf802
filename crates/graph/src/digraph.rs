//! A compact directed graph: a list of arcs, and per node the indices of its entering and leaving arcs.

use std::ops::Range;

use fixedbitset::FixedBitSet;
use petgraph::Direction;
use petgraph::visit::{
    Data, EdgeRef, GraphBase, GraphProp, IntoEdgeReferences, IntoEdges, IntoEdgesDirected,
    IntoNeighbors, IntoNeighborsDirected, IntoNodeIdentifiers, NodeCompactIndexable, NodeCount,
    NodeIndexable, Visitable,
};

/// A directed graph that does not change: nodes `0..nodes`, arcs `(tail, head, weight)` numbered by their position.
///
/// The entering and the leaving arcs of a node are in ascending order. The algorithms of petgraph and of this crate run
/// on it.
///
/// ```
/// use oneport_graph::Digraph;
/// use petgraph::algo::kosaraju_scc;
/// let cycle_and_exit = Digraph::new(3, vec![(0, 1, 5u64), (1, 0, 7), (1, 2, 1)]);
/// assert_eq!(kosaraju_scc(&cycle_and_exit).len(), 2);
/// ```
#[derive(Debug, Clone)]
pub struct Digraph<N> {
    pub(crate) arcs: Vec<(usize, usize, N)>,
    /// For every node the arcs that enter it.
    pub(crate) into: Vec<Vec<usize>>,
    /// For every node the arcs that leave it.
    pub(crate) out: Vec<Vec<usize>>,
}

impl<N> Digraph<N> {
    /// Lists the arcs by node. Arcs of nodes that do not exist are in the list alone. `O(n + m)`.
    pub fn new(nodes: usize, arcs: Vec<(usize, usize, N)>) -> Self {
        let mut into = vec![Vec::new(); nodes];
        let mut out = vec![Vec::new(); nodes];
        for (arc, &(tail, head, _)) in arcs.iter().enumerate() {
            if tail < nodes && head < nodes {
                into[head].push(arc);
                out[tail].push(arc);
            }
        }
        Digraph { arcs, into, out }
    }

    /// The edges of any graph by their nodes' indices, with the weight that `weight` returns, and the edges' own ids,
    /// by position. `O(n + m)`.
    pub fn of<G>(graph: G, mut weight: impl FnMut(G::EdgeRef) -> N) -> (Self, Vec<G::EdgeId>)
    where
        G: IntoEdgeReferences + NodeIndexable,
    {
        let (mut arcs, mut names) = (Vec::new(), Vec::new());
        for edge in graph.edge_references() {
            names.push(edge.id());
            arcs.push((
                graph.to_index(edge.source()),
                graph.to_index(edge.target()),
                weight(edge),
            ));
        }
        (Digraph::new(graph.node_bound(), arcs), names)
    }

    /// All arcs, by position.
    pub fn arcs(&self) -> &[(usize, usize, N)] {
        &self.arcs
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.into.len()
    }
}

/// An arc of a [`Digraph`].
#[derive(Debug)]
pub struct Arc<'a, N> {
    position: usize,
    arc: &'a (usize, usize, N),
}

impl<N> Clone for Arc<'_, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N> Copy for Arc<'_, N> {}

impl<'a, N> EdgeRef for Arc<'a, N> {
    type NodeId = usize;
    type EdgeId = usize;
    type Weight = N;

    fn source(&self) -> usize {
        self.arc.0
    }

    fn target(&self) -> usize {
        self.arc.1
    }

    fn weight(&self) -> &N {
        &self.arc.2
    }

    fn id(&self) -> usize {
        self.position
    }
}

/// The arcs at some positions.
pub struct ArcsAt<'a, N> {
    positions: std::slice::Iter<'a, usize>,
    arcs: &'a [(usize, usize, N)],
}

impl<'a, N> Iterator for ArcsAt<'a, N> {
    type Item = Arc<'a, N>;

    #[inline]
    fn next(&mut self) -> Option<Arc<'a, N>> {
        self.positions.next().map(|&position| Arc {
            position,
            arc: &self.arcs[position],
        })
    }
}

/// The nodes at the other end of arcs at some positions.
pub struct Ends<'a, N> {
    arcs: ArcsAt<'a, N>,
    side: Direction,
}

impl<N> Iterator for Ends<'_, N> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let Arc { arc, .. } = self.arcs.next()?;
        Some(if self.side == Direction::Outgoing {
            arc.1
        } else {
            arc.0
        })
    }
}

/// All arcs, by position.
pub struct AllArcs<'a, N>(std::iter::Enumerate<std::slice::Iter<'a, (usize, usize, N)>>);

impl<'a, N> Iterator for AllArcs<'a, N> {
    type Item = Arc<'a, N>;

    fn next(&mut self) -> Option<Arc<'a, N>> {
        self.0.next().map(|(position, arc)| Arc { position, arc })
    }
}

impl<N> GraphBase for Digraph<N> {
    type NodeId = usize;
    type EdgeId = usize;
}

impl<N> GraphProp for Digraph<N> {
    type EdgeType = petgraph::Directed;
}

impl<N> Data for Digraph<N> {
    type NodeWeight = ();
    type EdgeWeight = N;
}

impl<N> NodeCount for Digraph<N> {
    fn node_count(&self) -> usize {
        self.nodes()
    }
}

impl<N> NodeIndexable for Digraph<N> {
    fn node_bound(&self) -> usize {
        self.nodes()
    }

    fn to_index(&self, node: usize) -> usize {
        node
    }

    fn from_index(&self, index: usize) -> usize {
        index
    }
}

impl<N> NodeCompactIndexable for Digraph<N> {}

impl<N> Visitable for Digraph<N> {
    type Map = FixedBitSet;

    fn visit_map(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.nodes())
    }

    fn reset_map(&self, map: &mut FixedBitSet) {
        map.clear();
        map.grow(self.nodes());
    }
}

impl<N> IntoNodeIdentifiers for &Digraph<N> {
    type NodeIdentifiers = Range<usize>;

    fn node_identifiers(self) -> Range<usize> {
        0..self.nodes()
    }
}

impl<'a, N> IntoEdgeReferences for &'a Digraph<N> {
    type EdgeRef = Arc<'a, N>;
    type EdgeReferences = AllArcs<'a, N>;

    fn edge_references(self) -> AllArcs<'a, N> {
        AllArcs(self.arcs.iter().enumerate())
    }
}

impl<'a, N> IntoEdgesDirected for &'a Digraph<N> {
    type EdgesDirected = ArcsAt<'a, N>;

    #[inline]
    fn edges_directed(self, node: usize, side: Direction) -> ArcsAt<'a, N> {
        let positions = if side == Direction::Outgoing {
            &self.out
        } else {
            &self.into
        };
        ArcsAt {
            positions: positions[node].iter(),
            arcs: &self.arcs,
        }
    }
}

impl<'a, N> IntoEdges for &'a Digraph<N> {
    type Edges = ArcsAt<'a, N>;

    #[inline]
    fn edges(self, node: usize) -> ArcsAt<'a, N> {
        self.edges_directed(node, Direction::Outgoing)
    }
}

impl<'a, N> IntoNeighborsDirected for &'a Digraph<N> {
    type NeighborsDirected = Ends<'a, N>;

    fn neighbors_directed(self, node: usize, side: Direction) -> Ends<'a, N> {
        Ends {
            arcs: self.edges_directed(node, side),
            side,
        }
    }
}

impl<'a, N> IntoNeighbors for &'a Digraph<N> {
    type Neighbors = Ends<'a, N>;

    fn neighbors(self, node: usize) -> Ends<'a, N> {
        self.neighbors_directed(node, Direction::Outgoing)
    }
}
