//! Reduction trees: the cheapest under given prices, and their extraction from a linear program's solution.

pub mod cheapest;
pub mod commutative;
pub mod extract;
