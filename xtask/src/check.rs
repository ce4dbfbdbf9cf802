//! `cargo xtask check`: all checks besides the tests of `cargo xtask test`, in the order in which a mistake shows
//! soonest.

use anyhow::Result;
use clap::Args;

use crate::runner::{self, Which};
use crate::steps::{self, Step, StepState, cargo};
use crate::{bench, package, simgrid, tidy, workflow};

/// The options of `cargo xtask check`.
#[derive(Args)]
pub struct Arguments {
    /// Only format, tidy, workflow and clippy
    #[arg(long)]
    quick: bool,
}

/// The steps of `--quick`.
const QUICK: &[Step] = &[
    Step {
        name: "fmt",
        run: |_| cargo(&["fmt", "--all", "--check"], &[]),
    },
    Step {
        name: "tidy",
        run: |_| tidy::run(),
    },
    Step {
        name: "workflow",
        run: |_| workflow::run(),
    },
    Step {
        name: "clippy",
        run: |_| {
            cargo(
                &[
                    "clippy",
                    "--workspace",
                    "--all-targets",
                    "--",
                    "--deny",
                    "warnings",
                ],
                &[],
            )
        },
    },
];
/// The remaining steps. A warning of the documentation (a dead link, say) is an error.
const REST: &[Step] = &[
    Step {
        name: "the command without its doors",
        run: |_| {
            cargo(
                &["check", "--package", "oneport-cli", "--no-default-features"],
                &[],
            )
        },
    },
    Step {
        name: "doc",
        run: |_| {
            cargo(
                &["doc", "--workspace", "--no-deps"],
                &[("RUSTDOCFLAGS", "-D warnings")],
            )
        },
    },
    steps::COMPILE,
    Step {
        name: "run the long tests",
        run: |state| runner::run(&state.built, state.which),
    },
    Step {
        name: "measure benchmarks",
        run: |state| bench::ratios(&state.built.tests),
    },
    Step {
        name: "simgrid --sample",
        run: |state| simgrid::run(&simgrid::Arguments::sample(state.built.program("oneport"))),
    },
    Step {
        name: "package",
        run: |_| package::run(),
    },
];

/// Sets up, then runs the steps in sequence and stops at the first that fails.
///
/// # Errors
/// Names the step that failed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let rest = if arguments.quick { &[] } else { REST };
    steps::run(QUICK.iter().chain(rest), &mut StepState::of(Which::Long))
}
