//! Other programs' schedules, run in the interpreter.

use crate::machine::{Fault, Kind};
use crate::verdict::Verdict;
use crate::{msccl, mscclpp};

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
