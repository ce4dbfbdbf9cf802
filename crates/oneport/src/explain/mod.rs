//! Explanations of an answer, as values.

mod why;

pub use why::{Reason, why};
