#![doc = include_str!("../README.md")]

mod algorithm;
mod catalogue;
mod delivery;
mod error;
mod load;
mod phase;
mod routes;
mod tree;

pub use algorithm::Algorithm;
pub use catalogue::{Shape, named, of_ring, of_steps, of_tree, places};
pub use error::BaselineError;
pub use load::{Loads, Throughput};
pub use oneport_plan::Problem;
pub use phase::{Between, Blocks, Message, Phase, Sink, Step};
pub use routes::{Over, Routes};
pub use tree::{Tree, TreeError};
