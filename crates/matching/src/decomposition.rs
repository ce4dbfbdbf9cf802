//! Weighted edges, and the sequence of matchings that they are cut into.

use num_rational::BigRational;

/// An edge of the weighted bipartite graph. Parallel edges are allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The left end, numbered from 0.
    pub left: usize,
    /// The right end, numbered from 0.
    pub right: usize,
    /// The time for which the edge is used, in units of time, not negative. An edge of weight 0 is never used.
    pub weight: BigRational,
}

/// A stretch of time during which the same edges are used without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Duration, in the unit of the weights, positive.
    pub length: BigRational,
    /// A matching: indices of the input's edges, ascending. Every one is used during the whole step.
    pub edges: Vec<usize>,
}

/// A sequence of matchings that uses every edge for exactly its weight.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decomposition {
    /// The steps, one after another.
    pub steps: Vec<Step>,
}

impl IntoIterator for Decomposition {
    type Item = Step;
    type IntoIter = std::vec::IntoIter<Step>;

    fn into_iter(self) -> Self::IntoIter {
        self.steps.into_iter()
    }
}
