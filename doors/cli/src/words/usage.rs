//! Usage errors.

use std::io::{Write as _, stdout};

use anyhow::anyhow;
use oneport::plan::Form;
use oneport_questions::{Kind, QuestionError};

use crate::words::exit;

/// A usage error, of the exit code [`exit::USAGE`].
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Whether an error is one of usage.
pub fn is_usage(error: &anyhow::Error) -> bool {
    let of_question = error.downcast_ref::<QuestionError>();
    error.is::<Usage>() || of_question.is_some_and(|error| error.kind == Kind::Question)
}

/// A usage error as an `anyhow` error.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    anyhow!(Usage(message.into()))
}

/// Ends the program with the error in its arguments, or with a hint at the command that was probably meant.
pub fn refuse(error: &clap::Error) -> ! {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if error.use_stderr()
        && let Some(meant) = meant(&words)
    {
        eprintln!("error: {meant}");
        std::process::exit(exit::USAGE.into());
    }
    if error.use_stderr() {
        error.exit()
    }
    // Help and version are answers: a failed write is an error, a closed pipe is not.
    match error.print().and_then(|()| stdout().flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write to standard output: {error}");
            std::process::exit(exit::REFUSED.into())
        }
        _ => std::process::exit(0),
    }
}

/// The hint, if a collective or a missing feature is given as the command.
fn meant(words: &[String]) -> Option<String> {
    let (command, rest) = words.split_first()?;
    let form = Form::called(command)?;
    let roles = form
        .roles
        .iter()
        .filter(|role| !role.many)
        .map(|role| format!(" --{} NODE", role.key));
    let solve = format!(
        "oneport solve {} FILE{}",
        form.name,
        roles.collect::<String>()
    );
    match command.as_str() {
        "reduce" if rest.iter().any(|word| word.starts_with("--platform")) => Some(format!(
            "'oneport reduce' is one reduction by its costs alone; on a platform ask '{solve}'"
        )),
        "reduce" => None,
        _ => Some(format!(
            "'{command}' is a collective, not a command; ask '{solve}'"
        )),
    }
}

/// An error and its causes on one line. Control characters become spaces.
pub fn on_one_line(error: &anyhow::Error) -> String {
    format!("{error:#}").replace(char::is_control, " ")
}
