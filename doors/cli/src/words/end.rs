//! How a command ends.

/// The end of a command without an error.
pub enum End {
    /// Done.
    Done,
    /// The answer was printed, and it is negative.
    Refused,
}
