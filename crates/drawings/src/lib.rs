#![doc = include_str!("../README.md")]

mod arborescence;
pub mod dot;
mod reduction;
mod scheme;
pub mod svg;
