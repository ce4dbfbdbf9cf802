//! Drawings as self-contained SVG text: schedules, whole runs, platforms with their flows,
//! patterns, single reductions, curves.
//!
//! The same input gives the same bytes. Floats serve as pixel coordinates and nothing else. A message has the same
//! colour in every drawing; every element tells its exact figures in a tooltip. Values that the platform does not
//! know (ids of another platform) are left out or named by number, never a panic.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // pixels

mod arborescence;
mod chart;
mod colour;
mod curve;
mod gantt;
mod graph;
mod legend;
mod page;
mod parts;
mod scheme;
mod single;
#[cfg(test)]
mod tests;
mod ticks;
mod tree;
mod windows;
mod xml;

pub use chart::{Bar, Measure, bars};
pub use curve::{CurveOptions, Series, curve};
pub use gantt::{gantt, period_gantt, timeline_gantt};
pub use graph::{graph, graph_of_rates, platform};
pub use parts::{Part, parts};
pub use single::{all_reduce_gantt, broadcast_gantt, once_tree, reduction_gantt};
pub use tree::tree;
pub use windows::windows;

use oneport_plan::{Pattern, Problem};

use crate::Shape;
use oneport_platform::Rational;

/// Draws a pattern. A path or an arborescence has its source at the top and arrows that tell how long their links are
/// busy; a reduction tree is drawn by [`tree()`]; an all-reduce or a scan has a column for every node and goes on from
/// row to row, the reduction part of an all-reduce above, the broadcast part below. `weight` is how often the pattern
/// is carried out per unit of time.
///
/// What does not fit together is drawn as far as it goes. `O(t log t)` for `t` tasks.
pub fn pattern(problem: Problem<'_>, pattern: &Pattern, weight: Option<&Rational>) -> String {
    match Shape::of(problem, pattern) {
        Shape::Tree => tree(problem, pattern, weight),
        Shape::Scheme => scheme::draw(problem, pattern, weight),
        Shape::Arborescence => arborescence::draw(problem, pattern, weight),
    }
}
