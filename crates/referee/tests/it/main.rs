//! The integration tests, one module per subject. One binary links faster than many.

#![allow(unreachable_pub, reason = "a test program has no outside")]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::float_arithmetic
)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod bounds;
mod common;
mod copies;
mod every;
mod exchange;
mod fractions;
mod groups;
mod half_duplex;
mod large;
mod large_copies;
mod mutations;
mod nonsense;
mod operations;
mod reduction_words;
mod reductions;
mod rings;
mod runs;
mod same_platform;
mod schemes;
mod shares;
mod simulation;
mod single_everywhere;
mod single_files;
mod single_schedules;
mod single_shortest;
mod single_support;
mod tables;
mod verdicts;
