//! `cargo xtask bench [ARGUMENTS]`: the measurements.

use anyhow::Result;

use crate::{setup, workspace};

/// Sets up, then runs the benchmarks; criterion reads the arguments (a filter, `--test`, ...).
///
/// # Errors
/// Setup failed, or a benchmark did not compile, failed or found a wrong answer.
pub fn run(arguments: &[String]) -> Result<()> {
    setup::run()?;
    let mut command = workspace::cargo(&["bench", "--package", "oneport-benches", "--"])?;
    command.args(arguments);
    workspace::run(command)
}
