#![doc = include_str!("../README.md")]

mod algorithm;
mod atomic;
mod catalogue;
mod compare;
mod custom;
mod error;
mod load;
mod paper_trees;
mod phase;
mod replay;
mod rings;
mod routes;
mod shape;
mod tree;
mod two_levels;

pub use algorithm::{Algorithm, Ways};
pub use atomic::atomic;
pub use catalogue::{RankHints, named, ranks};
pub use compare::{Compared, Comparison, known, known_watched};
pub use custom::{Send, of_ring, of_rounds, of_tree};
pub use error::BaselineError;
pub use load::{Loads, Throughput};
pub use oneport_plan::Problem;
pub use paper_trees::published;
pub use phase::{Blocks, ExchangeOp, Message, Phase, Sink, Step};
pub use rings::{of_equal_rings, on_rings};
pub use routes::{Forwarders, Routes, Ties};
pub use tree::{Tree, TreeError};
pub use two_levels::in_two_levels;
