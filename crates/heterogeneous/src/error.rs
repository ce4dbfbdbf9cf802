//! Mistakes of a question.

use oneport_platform::Rational;

/// Why a question is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A transmission time that is not positive.
    #[error("{entry} has transmission time {value}; times must be positive")]
    NotPositive {
        /// Which processor or class: "processor 3", "class 2".
        entry: String,
        /// The time.
        value: Rational,
    },
    /// No processor at all.
    #[error("there is no processor; give at least one transmission time")]
    NoProcessor,
    /// A class without members.
    #[error("class {class} (time {time}) is empty; give at least 1 sender, or leave the class out")]
    EmptyClass {
        /// Which, from 0.
        class: usize,
        /// Its time.
        time: Rational,
    },
    /// More than 2^63 senders.
    #[error("the classes have more than 2^63 senders together; give at most 2^63")]
    TooManySenders,
    /// The destination is out of range.
    #[error(
        "destination {destination} is out of range; there are {processors} processors, numbered from 0"
    )]
    DestinationOutOfRange {
        /// The destination given.
        destination: usize,
        /// How many there are.
        processors: usize,
    },
    /// A sequence that is not a permutation of the senders.
    #[error("the sequence is not an order of the senders: {0}")]
    NoSequence(String),
    /// A schedule without a dependency tree.
    #[error("the schedule has no dependency tree: {0}")]
    NoTree(String),
    /// Too many senders to write the schedule down.
    #[error("{senders} senders are too many {purpose}; at most {most}")]
    TooMany {
        /// How many there are.
        senders: u64,
        /// The purpose: "to write the schedule down", "for the dynamic program", ...
        purpose: &'static str,
        /// How many are possible.
        most: u64,
    },
    /// Times without a common unit of sensible size.
    #[error(
        "the times need a common unit so small that the longest is a number of {bits} bits; at most 64: round the times"
    )]
    Unit {
        /// Bits of the longest time in units.
        bits: u64,
    },
    /// A method that does not apply.
    #[error("method {method} does not apply: {why}")]
    Method {
        /// Name of the method.
        method: &'static str,
        /// The requirement, and the alternative.
        why: String,
    },
    /// The exact solver gave up.
    #[error("the exact solver failed on {what}: {why}")]
    Solver {
        /// Which program.
        what: &'static str,
        /// The message of the solver.
        why: String,
    },
}
