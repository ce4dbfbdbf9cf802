//! Violations of house rules, with file and line.

/// One violation of one rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Path from the root of the repository.
    pub path: String,
    /// Counted from 1. 0 means the whole file.
    pub line: usize,
    /// The fault, and its remedy.
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
