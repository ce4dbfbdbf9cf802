//! The integration tests, one module per format; what the exports write is checked in theirs.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod msccl;
mod mscclpp;
