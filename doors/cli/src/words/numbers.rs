//! Formats rationals, as the sentences of answers do.

pub use oneport::percent;
pub use oneport_questions::shown::{Shown, both, readable, readable_count, short};
pub use oneport_questions::words::decimal;
