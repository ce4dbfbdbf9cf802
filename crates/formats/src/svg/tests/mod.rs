//! What the drawings say, read back from their own text.

mod charts;
mod curves;
mod graphs;
mod parse;
mod reductions;
mod samples;
mod small;
mod trees;
