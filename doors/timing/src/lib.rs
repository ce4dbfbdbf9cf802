#![doc = include_str!("../README.md")]

mod bound;
mod certificate_bound;
mod layers;
mod periodic;
mod piece_search;
mod simulate;
mod task_graph;
mod task_list;

pub use bound::lower_bound;
pub use certificate_bound::lower_bound_from_certificate;
pub use layers::Layers;

pub use oneport_plan::{Problem, Run};
pub use oneport_watch::{Limit, Watch};
pub use piece_search::{
    BestPieces, NamedSearch, PieceSearch, SearchLimits, TimedPieces, proportion,
};
pub use simulate::Timing;
pub use task_graph::TaskGraph;
pub use task_list::TaskList;

/// The reason why a schedule does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimingError {
    /// Sizes or work depend on the combined operands.
    #[error(
        "one operation is cut into equal pieces, so sizes and work are numbers; give --size and --work as numbers"
    )]
    NotConstant,
    /// Two nodes that exchange messages are not connected.
    #[error("no path leads from '{from}' to '{to}'; connect them")]
    NoWay {
        /// The sender.
        from: String,
        /// The receiver.
        to: String,
    },
    /// A node sends a block that it does not have.
    #[error("'{node}' sends block {block} in step {step}, which it does not have")]
    NotHeld {
        /// The sender.
        node: String,
        /// The block, counted from 0.
        block: u32,
        /// The step, counted from 1.
        step: usize,
    },
    /// The watch ended the search for dates.
    #[error("{0} ended the search for dates; allow more")]
    Stopped(Limit),
    /// The run does not end before the limit.
    #[error("the run would take at least as long as the limit")]
    AboveLimit,
    /// The tasks exceed machine memory.
    #[error("more than {0} tasks; take fewer pieces")]
    TooMany(usize),
}

impl From<Limit> for TimingError {
    fn from(limit: Limit) -> Self {
        TimingError::Stopped(limit)
    }
}
