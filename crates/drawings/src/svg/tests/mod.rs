//! What the drawings say, read back from their own text.

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
