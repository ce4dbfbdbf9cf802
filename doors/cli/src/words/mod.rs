//! Formats output: numbers, drawings, standard output, usage errors, exit codes.

pub mod clock;
pub mod drawing;
pub mod examples;
pub mod exit;
pub mod numbers;
pub mod objects;
pub mod output;
pub mod progress;
pub mod settings;
pub mod tables;
pub mod usage;
