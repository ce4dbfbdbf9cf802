//! Drawings of what oneport computes: [`svg`] for eyes, [`dot`] for those who lay out with Graphviz.
//!
//! The same input gives the same bytes. What does not fit together is drawn as far as it goes, never a panic.

mod copies;
pub mod dot;
mod reduction;
mod scheme;
pub mod svg;
