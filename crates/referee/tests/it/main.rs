//! The integration tests, one module per subject; one binary links faster than many.

mod common;
mod copies;
mod every;
mod exchange;
mod groups;
mod half_duplex;
mod large;
mod large_copies;
mod mutations;
mod nonsense;
mod reduction_words;
mod reductions;
mod schemes;
mod shares;
mod simulation;
mod single_schedules;
mod single_shortest;
mod single_support;
mod verdicts;
