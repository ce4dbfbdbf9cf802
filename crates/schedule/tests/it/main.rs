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

#[path = "../../../lp/tests/it/common/mod.rs"]
mod common;
mod follow;
mod horizons;
mod models;
mod port_models;
mod reductions;
mod runs;
mod slots;
mod trees;
mod whole;
