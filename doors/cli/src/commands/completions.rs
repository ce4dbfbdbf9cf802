//! `oneport completions`: the command's words, for a shell.

use anyhow::{Context, Result};
use clap::Args;
use clap_complete::{Shell, generate};

use crate::words::exit::End;
use crate::words::output::print;

/// Print completions of commands, options and collectives for a shell.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &CompletionsArguments) -> Result<End> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut crate::command(), "oneport", &mut text);
    print(&String::from_utf8(text).context("completions are text")?)?;
    Ok(End::Done)
}
