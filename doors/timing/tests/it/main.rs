//! Runs against the referee, the bound and exhaustive search.

#![allow(unreachable_pub, reason = "a test program has no outside")]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod counts;
mod ends;
mod naive;
mod periodic;
mod reductions;
mod runs;
mod sizes;
mod small;
