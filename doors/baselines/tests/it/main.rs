//! Named algorithms against the referee, hand counts and one another.

#![allow(clippy::expect_used, clippy::panic)]

mod custom;
mod ends;
mod named;
mod nccl;
mod rings;
mod two_levels;
