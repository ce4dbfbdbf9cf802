//! Violations of house rules, with their places.

/// One violation of one rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Path from the root of the repository.
    pub path: String,
    /// Counted from 1. 0 when the whole file is meant.
    pub line: usize,
    /// The fault, and what to do.
    pub message: String,
}

impl Problem {
    /// A violation in a file.
    pub fn new(path: &str, line: usize, message: impl Into<String>) -> Problem {
        Problem {
            path: path.to_string(),
            line,
            message: message.into(),
        }
    }
}
