//! The clock of the command: time since it began.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// When the command began.
static BEGAN: OnceLock<Instant> = OnceLock::new();

/// Time since the command began.
pub fn elapsed() -> Duration {
    BEGAN.get_or_init(Instant::now).elapsed()
}

/// Starts the clock. To be called first.
pub fn begin() {
    elapsed();
}
