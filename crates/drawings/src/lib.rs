#![doc = include_str!("../README.md")]

mod copies;
pub mod dot;
mod reduction;
mod scheme;
pub mod svg;
