//! How a command ends.

/// How a command ends that did not fail.
pub enum End {
    /// Done.
    Done,
    /// The answer was printed, and it is negative.
    Refused,
}
