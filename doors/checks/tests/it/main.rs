//! The integration tests, one module per format. The files of the exports are checked in their tests.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used
)]

mod msccl;
mod mscclpp;
