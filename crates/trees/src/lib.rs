#![doc = include_str!("../README.md")]

pub mod cheapest;
pub mod commutative;
pub mod extract;

pub use oneport_plan::{Pattern, Volumes};
