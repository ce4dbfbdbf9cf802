//! Drawings as self-contained SVG text: schedules, whole runs, platforms with their flows,
//! patterns, single reductions, curves.
//!
//! The same input gives the same bytes. Floats serve as pixel coordinates and nothing else. A message has the same
//! colour in every drawing. Every element gives its exact figures in a tooltip. Values that the platform does not have
//! (ids of another platform) are left out or named by number, never a panic.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // pixels

mod colour;
mod curve;
mod gantt;
mod graph;
mod lanes;
mod layered;
mod legend;
mod measure;
mod page;
mod parts;
mod patterns;
mod single;
#[cfg(test)]
mod tests;
mod ticks;
mod windows;
mod xml;

pub use curve::{CurveOptions, Series, curve};
pub use gantt::{gantt, period_gantt, timeline_gantt};
pub use graph::{graph, graph_of_rates, platform};
pub use measure::Measure;
pub use parts::{Part, parts};
pub use patterns::{pattern, tree};
pub use single::{all_reduce_gantt, broadcast_gantt, reduction_gantt, single_tree};
pub use windows::windows;
