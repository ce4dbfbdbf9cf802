//! Other programs' schedules, run in the interpreter.

use crate::machine::{Fault, Kind};
use crate::{msccl, mscclpp};

/// What was found to be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The file's format.
    pub format: &'static str,
    /// What the file calls its collective.
    pub collective: String,
    /// Ranks that take part.
    pub ranks: usize,
    /// Threadblocks of all ranks.
    pub threads: usize,
    /// Steps that moved or combined data.
    pub steps: usize,
    /// Whether it is known what the collective asks for, so that the results were compared.
    pub known: bool,
    /// An access that is in order only if the threadblocks of a group go in step, in words. Executors do not promise
    /// that.
    pub in_step: Option<String>,
}

/// Runs a schedule of another program: an MSCCL++ execution plan (JSON) or an MSCCL algorithm (XML).
///
/// # Errors
/// The first fault: races, missing synchronisation, deadlocks (who waits for whom), chunks that are not there, wrong
/// results; or why the file cannot be read.
pub fn check(text: &str) -> Result<Verdict, Fault> {
    if text.trim_start().starts_with('<') {
        return msccl::check::check(text);
    }
    let plan: mscclpp::schema::Plan = serde_json::from_str(text)
        .map_err(|error| Fault::new(Kind::Malformed, format!("no MSCCL++ execution plan: {error}")))?;
    mscclpp::check::check(&plan)
}
