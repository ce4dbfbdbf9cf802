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

mod all_reduce_bound;
mod anytime;
mod broadcast;
mod common;
mod cuts;
mod families;
mod free_links;
mod groups;
mod half_duplex;
mod hard_numbers;
mod in_order;
mod models;
mod paths;
mod reductions;
mod rings;
mod routings;
mod scan;
mod shapes;
mod ssr;
mod symmetric;
mod tables;
mod theorems;
