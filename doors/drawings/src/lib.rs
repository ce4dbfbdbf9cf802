#![doc = include_str!("../README.md")]

mod diagram;
pub mod dot;
#[cfg(feature = "png")]
pub mod png;
mod quantities;
pub mod svg;
mod words;

pub use oneport_plan::{Pattern, Problem};
