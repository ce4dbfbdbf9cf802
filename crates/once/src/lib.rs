#![doc = include_str!("../README.md")]

mod bound;
mod dated;
mod draft;
mod layout;
mod periodic;
mod shortest;
mod windows;

pub use bound::least_time;
pub use dated::Dated;
pub use draft::Draft;
pub use layout::Layout;
pub use oneport_plan::{Problem, Run};
pub use oneport_watch::{Limit, Watch};
pub use shortest::{Found, Named, Search, Shortest, Way, proportion};
pub use windows::least_time_by_prices;

/// Why there is no schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OnceError {
    /// Sizes or work depend on what is combined.
    #[error("one operation is cut into equal pieces, so sizes and work are numbers; give --size and --work as numbers")]
    NotConstant,
    /// Two nodes that exchange messages are not connected.
    #[error("no way leads from '{from}' to '{to}'; connect them")]
    NoWay {
        /// Who sends.
        from: String,
        /// Who should receive.
        to: String,
    },
    /// Somebody sends what it does not have.
    #[error("'{node}' sends block {block} in step {step}, which it does not have")]
    NotHeld {
        /// Who sends.
        node: String,
        /// The block, counted from 0.
        block: u32,
        /// The step, counted from 1.
        step: usize,
    },
    /// The watch ended the search for dates.
    #[error("{0} ended the search for dates; allow more")]
    Stopped(Limit),
    /// All is not over before the limit that was set.
    #[error("the run takes at least as long as it may")]
    Late,
    /// Too much to do for machine memory.
    #[error("more than {0} actions; take fewer pieces")]
    TooMany(usize),
}
