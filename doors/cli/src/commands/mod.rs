//! The commands, one file or folder each: its options and `run`. No command knows another.

pub mod bound;
pub mod check;
pub mod compare;
pub mod convert;
pub mod export;
pub mod extract;
pub mod generate;
pub mod inspect;
pub mod program;
pub mod reduce;
pub mod rings;
pub mod run;
pub mod show;
pub mod solve;
pub mod time;
pub mod verify;
pub mod whatif;
