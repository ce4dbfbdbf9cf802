//! The graph of ports and the inequalities of its odd sets.

use num_bigint::BigUint;

/// The graph of ports: vertices that serve several edges at a time, and edges that serve one transfer at a time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PortGraph {
    /// How many edges each vertex serves at a time.
    pub capacities: Vec<usize>,
    /// The ends of each edge. `None`: that end has no limit. An edge serves one transfer at a time. Parallel and
    /// antiparallel edges are allowed, loops are not.
    pub edges: Vec<[Option<usize>; 2]>,
}

/// An odd-set inequality: at most [`OddSet::capacity`] of the edges [`OddSet::members`] are used simultaneously.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OddSet {
    /// The vertices `U`, ascending.
    pub vertices: Vec<usize>,
    /// Some edges with one end in `U`, `F`, ascending.
    pub edges: Vec<usize>,
}

impl OddSet {
    /// The edges with both ends in `U` and the edges of `F`, ascending, edges without time included. `O(|E| log |U|)`.
    pub fn members(&self, graph: &PortGraph) -> Vec<usize> {
        let within =
            |end: &Option<usize>| end.is_some_and(|v| self.vertices.binary_search(&v).is_ok());
        let member =
            |e: &usize| graph.edges[*e].iter().all(within) || self.edges.binary_search(e).is_ok();
        (0..graph.edges.len()).filter(member).collect()
    }

    /// How many of the members may be used simultaneously: half the sum of the capacities over `U` and of the number
    /// of edges of `F`, rounded down.
    pub fn capacity(&self, graph: &PortGraph) -> BigUint {
        let vertices = self
            .vertices
            .iter()
            .filter_map(|&v| graph.capacities.get(v));
        (vertices
            .map(|&capacity| BigUint::from(capacity))
            .sum::<BigUint>()
            + self.edges.len())
            / 2u32
    }
}
