//! Formats rationals, as the sentences of answers do.

pub use oneport::percent;
#[cfg(any(all(feature = "topologies", feature = "drawings"), feature = "rings"))]
pub use oneport_questions::shown::both;
pub use oneport_questions::shown::{Shown, readable, readable_count, short};
pub use oneport_questions::words::decimal;
