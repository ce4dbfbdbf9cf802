//! The integration tests, one module per subject. One binary links faster than many.

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

/// Runs the command as a user types it in the folder of platforms: `oneport!("solve all-gather {file} --work '1 GB'")`.
/// Names in braces are variables, as in `format!`. Quoted text is one word.
macro_rules! oneport {
    ($($line:tt)*) => {
        crate::common::typed(&format!($($line)*))
    };
}

mod all_reduce;
mod batch;
mod bound;
mod collectives;
mod common;
mod compare;
mod counts;
mod events;
mod free_links;
mod generate;
mod guide;
mod horizon;
mod idle;
mod in_network;
mod latency;
mod limits;
mod measured;
mod odd_sets;
mod plans;
mod platforms;
mod programs;
mod rates;
mod reduce;
mod rings;
mod schemas;
mod shared;
mod single;
mod single_reduction;
mod solve;
mod tables;
mod time;
mod topologies;
mod whatif;
mod words;
