//! The papers' own programs, corrected: one commodity per message or partial result. They agree exactly with the flow
//! and with column generation, and serve as their test.

pub mod copies;
pub mod reduce;
pub mod scatter;
