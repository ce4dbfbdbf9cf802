//! A verb made of steps: they run in sequence until one fails. At the end it prints a table of their times.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::binaries::{self, Built};
use crate::cost::{self, Cost};
use crate::runner::Which;
use crate::{setup, workspace};

/// One step.
pub struct Step {
    /// Its name, for the user.
    pub name: &'static str,
    /// Its work.
    pub run: fn(&mut StepState) -> Result<()>,
}

/// State shared by the steps.
pub struct StepState {
    /// The tests that a step runs.
    pub which: Which,
    /// The test programs, once they are compiled.
    pub built: Built,
}

/// The step before any that runs tests.
pub const COMPILE: Step = Step {
    name: "compile the tests",
    run: |state| {
        state.built = binaries::build()?;
        Ok(())
    },
};

impl StepState {
    /// Before the first step.
    pub fn of(which: Which) -> StepState {
        StepState {
            which,
            built: Built::default(),
        }
    }
}

/// Calls cargo, and shows how.
///
/// # Errors
/// It failed. It has printed the reason.
pub fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let mut command = workspace::cargo(arguments)?;
    command.envs(environment.iter().copied());
    eprintln!("{}", workspace::describe(&command));
    workspace::run(command)
}

/// Sets up, then runs the steps.
///
/// # Errors
/// Names the step that failed.
pub fn run<'a>(steps: impl IntoIterator<Item = &'a Step>, state: &mut StepState) -> Result<()> {
    let start = Instant::now();
    let cold = !workspace::target()?.join("debug/deps").is_dir();
    let (result, cost) = Cost::of(setup::run);
    result?;
    let mut costs = vec![("setup".to_string(), cost)];
    let steps: Vec<&Step> = steps.into_iter().collect();
    for (index, step) in steps.iter().enumerate() {
        let label = format!("step {}/{}", index + 1, steps.len());
        eprintln!("== {label}: {}", step.name);
        let (result, cost) = Cost::of(|| (step.run)(state));
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
