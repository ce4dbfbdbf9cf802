//! The commands, one file or folder each: its options and `run`. No command imports another.

pub mod batch;
pub mod bound;
#[cfg(feature = "exports")]
pub mod check;
#[cfg(feature = "compare")]
pub mod compare;
pub mod completions;
#[cfg(feature = "topologies")]
pub mod convert;
#[cfg(feature = "exports")]
pub mod export;
pub mod extract;
pub mod generate;
#[cfg(all(feature = "topologies", feature = "drawings"))]
pub mod inspect;
pub mod man;
pub mod program;
#[cfg(feature = "drawings")]
pub mod reduce;
#[cfg(feature = "rings")]
pub mod rings;
pub mod run;
#[cfg(feature = "drawings")]
pub mod show;
pub mod solve;
#[cfg(feature = "compare")]
pub mod time;
pub mod verify;
pub mod whatif;
