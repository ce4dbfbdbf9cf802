//! The `oneport` command: solve, compare, time, reduce, verify, show, convert, generate, export, check.
//! `oneport --help` is its contract.
//!
//! Exit codes: 0 done, 1 refused or violated, 2 usage.

mod answer;
mod any_order;
mod arguments;
mod bottleneck;
mod bound;
mod check;
mod compare;
mod convert;
mod drawing;
mod export;
mod generate;
mod hardware;
mod inspect;
mod limits;
mod measured;
mod names;
mod numbers;
mod once;
mod optimum;
mod output;
mod platform_file;
mod progress;
mod question;
mod reduce;
mod report;
mod rings;
mod show;
mod solve;
mod time;
mod topology;
mod usage;
mod verify;
mod whatif;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// What a command has to say in the end.
pub enum End {
    /// Done.
    Done,
    /// An answer was given, and it is no.
    Refused,
}

fn main() -> ExitCode {
    limits::begin();
    let arguments = Arguments::try_parse().unwrap_or_else(|error| usage::refuse(&error));
    let end = match arguments.command {
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Time(arguments) => time::run(&arguments),
        Command::Reduce(arguments) => reduce::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Whatif(arguments) => whatif::run(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Rings(arguments) => rings::run(&arguments),
        Command::Bound(arguments) => bound::run(&arguments),
    };
    match end {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::Refused) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {}", usage::on_one_line(&error));
            ExitCode::from(if error.is::<usage::Usage>() { 2 } else { 1 })
        }
    }
}
