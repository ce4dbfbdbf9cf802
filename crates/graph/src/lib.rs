#![doc = include_str!("../README.md")]

pub mod arborescence;
mod digraph;
mod reach;
mod shortest_paths;
pub mod steiner;

pub use digraph::{AllArcs, Arc, ArcsAt, Digraph, Ends};
pub use reach::reachable;
pub use shortest_paths::{ShortestPaths, shortest_paths};
