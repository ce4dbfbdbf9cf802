//! `cargo xtask reproduce [ARGUMENTS]`: the papers' tables, figures and claims against ours.

use anyhow::{Context, Result};
use std::process::Command;

use crate::binaries;
use crate::{setup, workspace};

/// The program, and the test that runs it. Cargo builds it for that test: with the tests' profile and with the features
/// of the whole workspace, so that no crate is compiled again for the other tests.
const PROGRAM: &str = "oneport-papers";
const TEST: &str = "program";

/// Sets up, then builds the program and runs it.
///
/// # Errors
/// Setup failed, or the program refused its arguments or found an unexpected verdict.
pub fn run(arguments: &[String]) -> Result<()> {
    setup::run()?;
    let built = binaries::compile(&["--test", TEST])?;
    let program = built
        .program(PROGRAM)
        .with_context(|| format!("cargo has built no {PROGRAM}"))?;
    let mut command = Command::new(program);
    command.current_dir(workspace::root()?).args(arguments);
    workspace::run(command)
}
