//! The `oneport` command, and the list of its commands. `oneport --help` is its contract.
//!
//! A command is a file of `commands`: its options and `run`. It calls the library, in part through `answers`. `answers`
//! holds the calls that several commands share, `flags` the shared options, `words` the formats of output. Each of
//! these modules uses only the modules named after it.
//!
//! Exit codes (`words/exit.rs`): 0 done, 1 refused or violated, 2 usage.

// A build without some doors leaves code unused that their commands share.
#![cfg_attr(
    not(all(feature = "compare", feature = "exports", feature = "rings")),
    allow(dead_code)
)]

mod answers;
mod commands;
#[cfg(all(test, feature = "compare", feature = "exports", feature = "rings"))]
mod examples_test;
mod flags;
#[cfg(all(test, feature = "compare", feature = "exports", feature = "rings"))]
mod limits_test;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use words::clock;
use words::examples;
use words::exit::{self, End};
use words::settings;
use words::usage;

/// Optimal collective communication on heterogeneous platforms: exact throughput, proof, schedule.
#[derive(Debug, Parser)]
#[command(
    name = "oneport",
    version,
    arg_required_else_help = true,
    max_term_width = 110
)]
struct Arguments {
    /// The command.
    #[command(subcommand)]
    command: Command,
    /// Options of every command.
    #[command(flatten)]
    settings: settings::Settings,
}

/// Defines the enum of the commands and its `run`. The help text of a command is the documentation of its options.
macro_rules! commands {
    ($($(#[$feature:meta])? $name:ident($module:ident::$options:ident),)*) => {
        /// The verbs.
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$feature])? $name(Box<commands::$module::$options>),)*
        }

        impl Command {
            fn run(&self) -> anyhow::Result<End> {
                match self {
                    $($(#[$feature])? Command::$name(options) => commands::$module::run(options),)*
                }
            }
        }
    };
}

// In the order of `oneport --help`.
commands! {
    Solve(solve::SolveArguments),
    #[cfg(feature = "compare")]
    Compare(compare::CompareArguments),
    #[cfg(feature = "compare")]
    Time(time::TimeArguments),
    Batch(batch::BatchArguments),
    #[cfg(feature = "drawings")]
    Reduce(reduce::ReduceArguments),
    Verify(verify::VerifyArguments),
    #[cfg(feature = "drawings")]
    Show(show::ShowArguments),
    Run(run::RunArguments),
    #[cfg(feature = "topologies")]
    Convert(convert::ConvertArguments),
    Generate(generate::GenerateArguments),
    Whatif(whatif::WhatIfArguments),
    #[cfg(all(feature = "topologies", feature = "drawings"))]
    Inspect(inspect::InspectArguments),
    Extract(extract::ExtractArguments),
    #[cfg(feature = "exports")]
    Export(export::ExportArguments),
    #[cfg(feature = "exports")]
    Check(check::CheckArguments),
    #[cfg(feature = "rings")]
    Rings(rings::RingsArguments),
    Bound(bound::BoundArguments),
    Program(program::ProgramArguments),
    Completions(completions::CompletionsArguments),
    Man(man::ManArguments),
}

/// The command line, with examples.
fn command() -> clap::Command {
    examples::added(Arguments::command())
}

fn main() -> ExitCode {
    clock::begin();
    let arguments = command()
        .try_get_matches()
        .and_then(|matches| Arguments::from_arg_matches(&matches))
        .unwrap_or_else(|error| usage::refuse(&error));
    settings::set(arguments.settings);
    match arguments.command.run() {
        Ok(end) => ExitCode::from(end.code()),
        Err(error) => {
            eprintln!("error: {}", usage::on_one_line(&error));
            let code = if usage::is_usage(&error) {
                exit::USAGE
            } else {
                exit::REFUSED
            };
            ExitCode::from(code)
        }
    }
}
