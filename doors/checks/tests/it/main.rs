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

/// Draws numbers.
struct Dice(u64);

impl Dice {
    /// Below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit.max(1) as u64) as usize
    }
}
