#![doc = include_str!("../README.md")]

mod buffers;
mod check;
mod followed;
mod machine;
pub mod msccl;
pub mod mscclpp;
mod text;
mod verdict;

pub use buffers::BufferType;
pub use check::{check, follow};
pub use followed::{CellsAt, Followed, Moved};
pub use machine::{Fault, FaultKind};
pub use verdict::Verdict;
