//! `cargo xtask VERB`: work on this repository, one module per verb. It only dispatches.
//!
//! Messages of a verb go to standard error, as in cargo. Standard output belongs to the program that the verb runs.

mod bench;
mod binaries;
mod check;
mod cost;
mod lexer;
mod mpi;
mod mutants;
mod needs;
mod package;
mod record;
mod reproduce;
mod runner;
mod setup;
mod simgrid;
mod steps;
mod test;
mod tidy;
mod tree;
mod wheel;
mod workflow;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Work on the oneport repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Find, fetch or compile HiGHS and the build tools, once for all profiles and commands
    Setup,
    /// Compare every table, figure and claim of the papers with ours (runs setup first)
    Reproduce {
        /// Arguments of the reproduce program
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Run the tests, the documentation's examples and the benchmarks' answers (runs setup first)
    Test(test::Arguments),
    /// Check all that the tests do not: format, tidy, workflow, clippy, features, documentation, long tests, benchmarks
    /// beside their reference, SimGrid, packages (runs setup first)
    Check(check::Arguments),
    /// Run the benchmarks, each of which asserts its answer (runs setup first)
    Bench {
        /// Measure a dozen next to a reference loop, and record their ratios for the next release
        #[arg(long)]
        record: bool,
        /// Arguments of the benchmarks
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Change every operator of a crate in turn, and check that a test fails (slow, needs cargo-mutants)
    Mutants(mutants::Arguments),
    /// Run the collective tests of mpi4py, and of MPICH if its source is named, with and without the drop-in library
    Mpi(mpi::Arguments),
    /// Pack every library, and build and run an empty project with them, without HiGHS
    Package,
    /// Replay plans in SimGrid, another simulator, by date and as soon as possible, and with planted faults
    Simgrid(simgrid::Arguments),
    /// Build the Python package, install it without network, and test it (runs setup first)
    Wheel(wheel::Arguments),
    /// Check the house rules that no compiler checks
    Tidy,
    /// Print the tuning constants: value, trade, measurement
    Constants,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().verb {
        Verb::Setup => setup::run(),
        Verb::Reproduce { arguments } => reproduce::run(&arguments),
        Verb::Test(arguments) => test::run(&arguments),
        Verb::Check(arguments) => check::run(&arguments),
        Verb::Bench { record: true, .. } => bench::record(),
        Verb::Bench { arguments, .. } => bench::run(&arguments),
        Verb::Mutants(arguments) => mutants::run(&arguments),
        Verb::Mpi(arguments) => mpi::run(&arguments),
        Verb::Package => package::run(),
        Verb::Simgrid(arguments) => simgrid::run(&arguments),
        Verb::Wheel(arguments) => wheel::run(&arguments),
        Verb::Tidy => tidy::run(),
        Verb::Constants => tidy::constants::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
