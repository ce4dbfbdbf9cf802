//! What can be wrong with a weighted bipartite graph.

use num_rational::BigRational;

/// Why a graph was refused. Every variant names the edge, by its index in the input, and the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatchingError {
    /// An edge with a negative weight.
    #[error("edge {edge} ({left} -> {right}): weight is {weight}; a weight is a time and must not be negative")]
    NegativeWeight {
        /// Index of the edge.
        edge: usize,
        /// Its left end.
        left: usize,
        /// Its right end.
        right: usize,
        /// The refused weight.
        weight: Box<BigRational>,
    },
    /// An edge whose weight has the denominator zero (only `Ratio::new_raw` can build one).
    #[error("edge {edge} ({left} -> {right}): the weight's denominator is 0; a weight must be a number")]
    ZeroDenominator {
        /// Index of the edge.
        edge: usize,
        /// Its left end.
        left: usize,
        /// Its right end.
        right: usize,
    },
    /// An edge whose left end does not exist.
    #[error("edge {edge}: left end is {left}; there are {count} left vertices, numbered from 0")]
    LeftOutOfRange {
        /// Index of the edge.
        edge: usize,
        /// The refused end.
        left: usize,
        /// How many left vertices there are.
        count: usize,
    },
    /// An edge whose right end does not exist.
    #[error("edge {edge}: right end is {right}; there are {count} right vertices, numbered from 0")]
    RightOutOfRange {
        /// Index of the edge.
        edge: usize,
        /// The refused end.
        right: usize,
        /// How many right vertices there are.
        count: usize,
    },
}
