//! How a command speaks: numbers, names, drawings, standard output, mistakes in its options, the end.

pub mod bytes;
pub mod clock;
pub mod drawing;
pub mod end;
pub mod names;
pub mod numbers;
pub mod output;
pub mod progress;
pub mod usage;
