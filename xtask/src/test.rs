//! `cargo xtask test`: every check there is, in the order in which a mistake shows soonest.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::{package, setup, simgrid, tidy, workspace};

/// The steps of `--quick`, then the rest. `tidy`, `simgrid` and `package` are our own; everything else is a cargo
/// command.
const QUICK: &[Step] = &[
    Step::Cargo(&["fmt", "--all", "--check"]),
    Step::Tidy,
    Step::Cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]),
    Step::Cargo(&["test", "--workspace"]),
];
const REST: &[Step] = &[
    Step::Doc(&["doc", "--workspace", "--no-deps"]),
    Step::Cargo(&["run", "--release", "--package", "oneport-papers"]),
    Step::Cargo(&["bench", "--package", "oneport-benches", "--", "--test"]),
    Step::Simgrid,
    Step::Package,
];

/// One step of the test.
#[derive(Clone, Copy)]
enum Step {
    /// A cargo command, judged by its exit code.
    Cargo(&'static [&'static str]),
    /// The documentation, where a warning (a dead link, say) is an error.
    Doc(&'static [&'static str]),
    /// The house rules.
    Tidy,
    /// A sample of plans in another simulator, where it is installed.
    Simgrid,
    /// What a stranger gets.
    Package,
}

/// Where the property tests look for the seed of their random cases.
const SEED: &str = "PROPTEST_RNG_SEED";

impl Step {
    fn command(self) -> Result<Option<Command>> {
        match self {
            Step::Cargo(arguments) => {
                let mut command = workspace::cargo(arguments)?;
                // The same cases every time: a red run is then the change's doing. `cargo test` by hand draws new ones.
                if std::env::var_os(SEED).is_none() {
                    command.env(SEED, "1");
                }
                Ok(Some(command))
            }
            Step::Doc(arguments) => {
                let mut command = workspace::cargo(arguments)?;
                command.env("RUSTDOCFLAGS", "-D warnings");
                Ok(Some(command))
            }
            Step::Tidy | Step::Simgrid | Step::Package => Ok(None),
        }
    }
}

/// Sets up, then runs the steps one by one and stops at the first that fails.
///
/// # Errors
/// Names the command that failed.
pub fn run(quick: bool) -> Result<()> {
    let start = Instant::now();
    setup::run()?;
    let steps: Vec<Step> = if quick { QUICK.to_vec() } else { [QUICK, REST].concat() };
    for (index, step) in steps.iter().enumerate() {
        let label = format!("step {}/{}", index + 1, steps.len());
        one(*step, &label).with_context(|| format!("{label} failed"))?;
    }
    eprintln!("== all {} steps passed in {}", steps.len(), workspace::duration(start.elapsed()));
    Ok(())
}

fn one(step: Step, label: &str) -> Result<()> {
    let start = Instant::now();
    match step.command()? {
        Some(command) => {
            eprintln!("== {label}: {}", workspace::describe(&command));
            workspace::run(command)?;
        }
        None if matches!(step, Step::Package) => {
            eprintln!("== {label}: cargo xtask package");
            package::run()?;
        }
        None if matches!(step, Step::Simgrid) => {
            eprintln!("== {label}: cargo xtask simgrid --sample");
            simgrid::run(&simgrid::Arguments::sample())?;
        }
        None => {
            eprintln!("== {label}: cargo xtask tidy");
            tidy::run()?;
        }
    }
    eprintln!("== {label}: passed in {}", workspace::duration(start.elapsed()));
    Ok(())
}
