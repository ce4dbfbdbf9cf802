//! The answer: a tree, a bound and its proof.

/// A tree that reaches the required nodes, and a lower bound on the cost of all such trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steiner<N, V = usize, E = usize> {
    /// The arcs used (of a list, their indices there), each after the arc that enters its tail. They form a tree out
    /// of the root whose leaves are required.
    pub arcs: Vec<E>,
    /// The sum of their costs.
    pub cost: N,
    /// No arborescence that reaches the required nodes costs less. Equal to `cost` if this is the cheapest.
    pub at_least: N,
    /// The proof of a bound by arithmetic alone: sets of nodes without the root (sorted), each with a required node,
    /// with positive weights. For every arc the weights of the sets that it enters add up to at most its cost. The sum
    /// of all weights is at most `at_least`. It is less if that took branching.
    pub cuts: Vec<(Vec<V>, N)>,
}
