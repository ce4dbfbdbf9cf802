//! `cargo xtask test`: every check there is, in the order in which a mistake shows soonest.

pub mod binaries;
mod cost;
mod record;
mod runner;

use std::time::Instant;

use anyhow::{Context, Result};

use crate::{bench, package, setup, simgrid, tidy, workspace};
use binaries::Built;
use cost::Cost;

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
    Step {
        name: "compile the tests",
        run: compile,
    },
    Step {
        name: "run the tests",
        run: |state| runner::run(&state.built, state.all),
    },
];
/// The other ones. A warning of the documentation (a dead link, say) is an error.
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

/// One step of the test.
struct Step {
    name: &'static str,
    run: fn(&mut State) -> Result<()>,
}

/// State shared by the steps.
struct State {
    /// The tests marked as long run too.
    all: bool,
    /// The test programs, once they are compiled.
    built: Built,
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let mut command = workspace::cargo(arguments)?;
    command.envs(environment.iter().copied());
    eprintln!("{}", workspace::describe(&command));
    workspace::run(command)
}

fn compile(state: &mut State) -> Result<()> {
    state.built = binaries::build()?;
    Ok(())
}

/// Sets up, then runs the steps one by one and stops at the first that fails; ends with a table of their times.
///
/// # Errors
/// Names the step that failed.
pub fn run(quick: bool) -> Result<()> {
    let start = Instant::now();
    let cold = !workspace::target()?.join("debug/deps").is_dir();
    let (result, cost) = Cost::of(setup::run);
    result?;
    let (result, mpi) = Cost::of(setup::mpi::provide);
    result?;
    let mut costs = vec![
        ("setup".to_string(), cost),
        ("MPI libraries".to_string(), mpi),
    ];
    let steps: Vec<&Step> = if quick {
        QUICK.iter().collect()
    } else {
        QUICK.iter().chain(REST).collect()
    };
    let mut state = State {
        all: !quick,
        built: Built::default(),
    };
    for (index, step) in steps.iter().enumerate() {
        let label = format!("step {}/{}", index + 1, steps.len());
        eprintln!("== {label}: {}", step.name);
        let (result, cost) = Cost::of(|| (step.run)(&mut state));
        result.with_context(|| format!("{label} ({}) failed", step.name))?;
        costs.push((step.name.to_string(), cost));
    }
    eprint!("{}", cost::table(&costs, cold));
    eprintln!(
        "== all {} steps passed in {}",
        steps.len(),
        workspace::duration(start.elapsed())
    );
    Ok(())
}
