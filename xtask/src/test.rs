//! `cargo xtask test`: compiles every test in one build, and runs them side by side.

use anyhow::Result;
use clap::Args;

use crate::runner::{self, Which};
use crate::setup;
use crate::steps::{self, Step, StepState};
use crate::wheel;

/// The options of `cargo xtask test`.
#[derive(Args)]
pub struct Arguments {
    /// Leave out the test programs that are unchanged since all their tests passed
    #[arg(long)]
    quick: bool,
}

/// The long tests are a step of `cargo xtask check`.
const STEPS: &[Step] = &[
    Step {
        name: "MPI libraries",
        run: |_| setup::mpi::provide().map(drop),
    },
    steps::COMPILE,
    Step {
        name: "run the tests",
        run: |state| runner::run(&state.built, state.which),
    },
    Step {
        name: "the Python package",
        run: |state| wheel::step(matches!(state.which, Which::Changed)),
    },
];

/// Sets up, compiles the tests, and runs them.
///
/// # Errors
/// Something does not compile, or a test failed. The output was shown.
pub fn run(arguments: &Arguments) -> Result<()> {
    let which = if arguments.quick {
        Which::Changed
    } else {
        Which::Every
    };
    steps::run(STEPS, &mut StepState::of(which))
}
