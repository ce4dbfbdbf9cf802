//! Named algorithms against the referee, hand counts and one another.

#![allow(unreachable_pub, reason = "a test program has no outside")]
#![allow(clippy::expect_used, clippy::panic)]

mod custom;
mod ends;
mod named;
mod nccl;
mod rings;
mod two_levels;
