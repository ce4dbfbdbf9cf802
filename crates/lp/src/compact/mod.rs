//! The papers' own programs, corrected: one commodity per message or partial result. They agree exactly with the flow
//! and with column generation, and serve as their test.

pub(crate) mod copies;
pub(crate) mod reduce;
pub(crate) mod scatter;
