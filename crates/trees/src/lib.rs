#![doc = include_str!("../README.md")]

pub mod cheapest;
pub mod commutative;

pub use oneport_plan::{Pattern, Volumes};
