//! Runs against the referee, the bound and exhaustive search.

#![allow(clippy::expect_used, clippy::panic)]

mod naive;
mod reductions;
mod runs;
mod sizes;
mod small;
