//! Mistakes in how the command was called.

use anyhow::anyhow;

/// A mistake in how the command was called: exit code 2.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A usage error as `anyhow` carries it.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    anyhow!(Usage(message.into()))
}
