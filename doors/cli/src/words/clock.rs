//! The clock of the command: time since it began.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// When the command began.
static BEGAN: OnceLock<Instant> = OnceLock::new();

/// The moment when the command began.
pub fn began() -> Instant {
    *BEGAN.get_or_init(Instant::now)
}

/// Time since the command began.
pub fn elapsed() -> Duration {
    began().elapsed()
}

/// A time of this machine in seconds: `0.125 s`.
pub fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// Starts the clock. To be called first.
pub fn begin() {
    elapsed();
}
