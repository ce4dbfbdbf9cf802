#![doc = include_str!("../README.md")]

mod algorithm;
mod atomic;
mod catalogue;
mod compare;
mod custom;
mod delivery;
mod error;
mod load;
mod phase;
mod published;
mod rings;
mod routes;
mod shape;
mod tree;

pub use algorithm::{Algorithm, Ways};
pub use atomic::atomic;
pub use catalogue::{Shape, named, places};
pub use compare::{Compared, Comparison, known};
pub use custom::{Send, of_ring, of_rounds, of_tree};
pub use error::BaselineError;
pub use load::{Loads, Throughput};
pub use oneport_plan::Problem;
pub use phase::{Between, Blocks, Message, Phase, Sink, Step};
pub use published::published;
pub use rings::{of_equal_rings, on_rings};
pub use routes::{Over, Routes, Ties};
pub use tree::{Tree, TreeError};
