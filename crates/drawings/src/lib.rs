#![doc = include_str!("../README.md")]

mod arborescence;
pub mod dot;
#[cfg(feature = "png")]
pub mod png;
mod quantities;
mod reduction;
mod scheme;
pub mod svg;
mod words;

pub use oneport_plan::{Pattern, Problem};

use oneport_plan::Kind;

/// How a pattern is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// From a source down: paths and arborescences, and patterns of demands that nobody knows.
    Arborescence,
    /// From values up to a result.
    Tree,
    /// Merges and copies in any order.
    Scheme,
}

impl Shape {
    fn of(problem: Problem<'_>, pattern: &Pattern) -> Self {
        match problem.collective().demand(pattern.demand).map(|demand| demand.kind()) {
            Some(Kind::Combine) => Shape::Tree,
            Some(Kind::CombineCopy | Kind::Prefix) => Shape::Scheme,
            Some(Kind::Route | Kind::Copy) | None => Shape::Arborescence,
        }
    }
}
