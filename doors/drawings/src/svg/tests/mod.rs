//! The text of the drawings, read back.

mod amounts;
mod charts;
mod curves;
mod graphs;
mod models;
mod parse;
mod patterns;
mod reductions;
mod samples;
mod sizes;
mod small;
mod trees;
