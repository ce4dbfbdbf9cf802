//! `cargo xtask reproduce [ARGUMENTS]`: the papers' tables, figures and claims against ours.

use anyhow::Result;

use crate::{setup, workspace};

/// Sets up, then runs the reproduce program in release.
///
/// # Errors
/// Setup failed, or the program refused its arguments or found an unexpected verdict.
pub fn run(arguments: &[String]) -> Result<()> {
    setup::run()?;
    let mut command = workspace::cargo(&["run", "--release", "--package", "oneport-papers", "--"])?;
    command.args(arguments);
    workspace::run(command)
}
