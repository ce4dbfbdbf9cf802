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

mod anneal;
mod broadcast;
mod common;
mod earliest;
mod search;
mod shortest;
mod slots;
mod slowest_first;
mod starts;
mod two_classes;
