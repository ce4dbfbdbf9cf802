//! Drawings as self-contained SVG text: schedules, whole runs, platforms with their flows,
//! reduction trees, single reductions, curves.
//!
//! The same input gives the same bytes. Floats serve as pixel coordinates and nothing else. A message has the same
//! colour in every drawing; every element tells its exact figures in a tooltip. Values that the platform does not
//! know (ids of another platform) are left out or named by number, never a panic.

mod chart;
mod colour;
mod curve;
mod edges;
mod gantt;
mod graph;
mod labels;
mod layout;
mod legend;
mod occupancy;
mod once;
mod rows;
#[cfg(test)]
mod tests;
mod ticks;
mod tree;
pub(crate) mod words;
mod xml;

pub use curve::{CurveOptions, Series, curve};
pub use gantt::{gantt, timeline_gantt};
pub use graph::graph;
pub use once::{broadcast_gantt, once_tree, reduction_gantt};
pub use tree::tree;
