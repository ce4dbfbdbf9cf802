//! Single reductions to try the referee on: a small generator, changes, and shortest lengths by trying everything.

pub mod brute;
pub mod make;
pub mod twin;

pub use oneport_testkit::{Dice, ratio};
