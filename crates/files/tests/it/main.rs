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

mod amounts;
mod collectives;
mod common;
mod everywhere;
mod hostile;
mod plans;
mod platforms;
mod rates;
mod reductions;
mod shared;
mod singles;
mod units;
