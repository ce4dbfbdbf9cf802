//! Formats output: numbers, drawings, standard output, usage errors, the end of a command.

pub mod clock;
pub mod drawing;
pub mod end;
pub mod examples;
pub mod numbers;
pub mod objects;
pub mod output;
pub mod progress;
pub mod settings;
pub mod tables;
pub mod usage;
