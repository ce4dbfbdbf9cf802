#![doc = include_str!("../README.md")]

pub mod arborescence;
mod cut;
mod digraph;
mod network;
mod reach;
mod shortest_paths;
pub mod steiner;
mod symmetry;

pub use arborescence::minimum_arborescence;
pub use cut::{cut_below, minimum_cut};
pub use digraph::{AllArcs, Arc, ArcsAt, Digraph, Ends};
pub use network::Network;
pub use petgraph;
pub use reach::reachable;
pub use shortest_paths::{Searches, ShortestPaths, shortest_paths};
pub use steiner::steiner_arborescence;
pub use symmetry::{Automorphism, Orbit, free_automorphisms, orbits};
