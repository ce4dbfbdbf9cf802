//! Single reductions to test the referee: a small generator, changes, and shortest lengths by enumeration.

pub mod brute;
pub mod make;
pub mod twin;

pub use oneport_testkit::{Dice, ratio};
