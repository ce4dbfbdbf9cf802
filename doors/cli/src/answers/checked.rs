//! The answer in a plan file, checked by the referee.

use std::path::Path;

use anyhow::{Context, Result};
use oneport::plan::{Claim, Stated};
use oneport::watch::Watch;
use oneport::{Answer, Plan, referee};

/// The answer that a file's claim makes, if its numbers are the ones that it states.
///
/// # Errors
/// The file's violation, or the limit that left it unchecked.
pub fn answer(path: &Path, claim: Claim, stated: &Stated, watch: &Watch) -> Result<Answer> {
    referee::verify(claim, stated, watch).map_err(|violation| {
        let name = path.display();
        let about = match violation.stopped() {
            Some(_) => format!("{name}: not fully checked, no violation found so far"),
            None => format!("{name}: violation"),
        };
        anyhow::Error::from(violation).context(about)
    })
}

/// The parts of a file's answer.
///
/// # Errors
/// A file without patterns or schedule, which no reader accepts.
pub fn plan<'a>(path: &Path, answer: &'a Answer) -> Result<Plan<'a>> {
    let plan = answer.plan();
    plan.with_context(|| format!("{}: no schedule", path.display()))
}
