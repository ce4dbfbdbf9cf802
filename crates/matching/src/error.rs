//! Mistakes of a weighted graph.

use num_rational::BigRational;
use oneport_watch::Limit;

/// Why a graph was refused. Every variant names the edge, by its index in the input, and the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchingError {
    /// An edge with a negative weight.
    #[error(
        "edge {edge} ({left} -> {right}): weight is {weight}; a weight is a time and must not be negative"
    )]
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
    #[error(
        "edge {edge} ({left} -> {right}): the weight's denominator is 0; a weight must be a number"
    )]
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
    /// An edge of a port graph whose end does not exist.
    #[error("edge {edge}: an end is {end}; there are {count} vertices, numbered from 0")]
    EndOutOfRange {
        /// Index of the edge.
        edge: usize,
        /// The refused end.
        end: usize,
        /// How many vertices there are.
        count: usize,
    },
    /// An edge of a port graph that joins a vertex with itself.
    #[error("edge {edge}: both ends are {vertex}; an edge joins two different vertices")]
    Loop {
        /// Index of the edge.
        edge: usize,
        /// Both its ends.
        vertex: usize,
    },
    /// An edge of a port graph that is to be used although one of its ends never serves any edge.
    #[error("edge {edge}: vertex {vertex} has capacity 0, so the edge's time must be 0")]
    ZeroCapacity {
        /// Index of the edge.
        edge: usize,
        /// The end of capacity 0.
        vertex: usize,
    },
    /// Not one time per edge.
    #[error("{times} times are given for {edges} edges; there must be one per edge")]
    TimesCount {
        /// How many times are given.
        times: usize,
        /// How many edges there are.
        edges: usize,
    },
    /// A time of an edge, or the period if no edge is named, that is negative or has the denominator zero.
    #[error("{} is {time}; it must be a number and not negative", edge.map_or("the period".to_owned(), |edge| format!("edge {edge}: the time")))]
    BadTime {
        /// Index of the edge. `None` for the period.
        edge: Option<usize>,
        /// The refused time, as `numerator/denominator`.
        time: String,
    },
    /// A limit ended the decomposition.
    #[error("{0} ended the one-port decomposition")]
    Stopped(Limit),
    /// A step of the algorithm found something that its theorem excludes: a defect of this crate, never of the input.
    #[error("internal error in the decomposition of a port graph: {what}")]
    Unsound {
        /// The contradiction.
        what: &'static str,
    },
}
