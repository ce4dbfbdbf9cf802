//! Mistakes of a question.

use oneport_platform::Rational;

/// Why a question is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A cost below 0.
    #[error("the {name} time {value} is negative; give 0 or more")]
    NegativeCost {
        /// "transfer" or "compute".
        name: &'static str,
        /// The cost.
        value: Rational,
    },
    /// Nothing to reduce.
    #[error("there are no values to reduce; give at least 1")]
    NoValues,
    /// A limit of 0.
    #[error("a limit of 0 {what} leaves nothing to reduce with; give at least 1")]
    ZeroLimit {
        /// "transfers" or "reducers".
        what: &'static str,
    },
    /// More values than a schedule can hold, or than the method can count.
    #[error("{values} values are too many {purpose}; at most {most}")]
    TooMany {
        /// The requested number.
        values: u64,
        /// The purpose: "to write a schedule down", ...
        purpose: &'static str,
        /// How many are possible.
        most: u64,
    },
    /// A limit with a strategy that allows none.
    #[error("the {strategy} strategy knows no limits; take greedy, or leave the limit out")]
    StrategyWithLimit {
        /// Name of the strategy.
        strategy: &'static str,
    },
    /// A time within which too many values can be combined to count them under a limit on transfers shorter than
    /// merges.
    #[error(
        "counting the values takes too many steps under a limit on transfers shorter than merges; stopped at {counted}"
    )]
    TooLong {
        /// How many were counted.
        counted: u128,
    },
    /// A processor that is out of range.
    #[error("the {role} {processor} is not one of the {values} processors; count from 0 to {}", values - 1)]
    NoProcessor {
        /// Its role.
        role: &'static str,
        /// Its number.
        processor: u64,
        /// Their number, at least 1.
        values: u64,
    },
    /// Receivers that form no tree.
    #[error("the receivers form no tree: {0}")]
    NoTree(String),
    /// A release date before 0.
    #[error("value {index} is ready at {date}; give 0 or more")]
    NegativeReady {
        /// Which value, from 0.
        index: usize,
        /// Its date.
        date: Rational,
    },
}
