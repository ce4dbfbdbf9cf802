//! What a command has to say in the end.

/// How a command ends that did not fail.
pub enum End {
    /// Done.
    Done,
    /// An answer was given, and it is no.
    Refused,
}
