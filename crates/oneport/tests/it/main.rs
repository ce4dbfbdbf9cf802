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
#[path = "../../../lp/tests/it/common/mod.rs"]
mod common;
mod custom;
mod ends;
mod examples;
mod explain;
mod free_links;
mod judged;
mod limits;
mod nasty;
mod periods;
mod pipeline;
mod planned;
#[path = "../../examples/nasty/questions.rs"]
mod questions;
mod rates;
mod shared;
mod smallest;
mod why;
