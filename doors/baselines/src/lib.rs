#![doc = include_str!("../README.md")]

mod algorithm;
mod atomic;
mod boxes;
mod catalogue;
mod compare;
mod custom;
mod error;
mod libraries;
mod load;
mod mpi;
mod nccl;
mod nccl_model;
mod paper_trees;
mod phase;
mod replay;
mod rings;
mod routes;
mod shape;
mod tree;

pub use algorithm::{Algorithm, Ways};
pub use atomic::atomic;
pub use boxes::{Boxes, box_trees, is_accelerator};
pub use catalogue::{RankHints, named, ranks};
pub use compare::{Compared, Comparison, EQUAL_RINGS, known, known_watched};
pub use custom::{Send, of_ring, of_rounds, of_tree};
pub use error::BaselineError;
pub use libraries::run_by;
pub use load::{Loads, Throughput};
pub use nccl_model::{Estimate, Generation, NcclModel};
pub use oneport_plan::Problem;
pub use paper_trees::published;
pub use phase::{Blocks, ExchangeOp, Message, Phase, Sink, Step};
pub use rings::{of_equal_rings, on_rings};
pub use routes::{Forwarders, Routes, Ties};
pub use tree::{Tree, TreeError};
