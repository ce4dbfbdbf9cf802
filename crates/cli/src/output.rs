//! Standard output that may go away.

use std::io::{ErrorKind, Write, stdout};

use anyhow::{Context, Result};

/// Prints a text and a newline. A reader that has gone (a closed pipe) is no error.
///
/// # Errors
/// Standard output cannot be written for another reason.
pub fn print(text: &str) -> Result<()> {
    let mut out = stdout().lock();
    match writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// `1 slot`, `2 slots`.
pub fn count(number: impl std::fmt::Display, noun: &str) -> String {
    let number = number.to_string();
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
