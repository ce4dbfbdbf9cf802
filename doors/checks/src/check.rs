//! Other programs' schedules, run in the interpreter.

use crate::followed::Followed;
use crate::machine::{Fault, malformed};
use crate::text::clipped;
use crate::verdict::Verdict;
use crate::{msccl, mscclpp};

/// The field that all files of oneport have.
#[derive(serde::Deserialize)]
struct Ours {
    format: String,
}

/// Runs a schedule of another program: an MSCCL++ execution plan (JSON) or an MSCCL algorithm (XML), whose connections
/// hold `slots` messages each. `None`: as many as NCCL's protocols have, 8 and, of `Simple`, 2.
///
/// # Errors
/// The first fault: races, missing synchronisation, deadlocks (threads in a cycle of waits), missing chunks, wrong
/// results; or the reason why the file cannot be read.
pub fn check(text: &str, slots: Option<u32>) -> Result<Verdict, Fault> {
    Ok(follow(text, slots)?.verdict)
}

/// [`check`] with the data that the schedule moves.
///
/// # Errors
/// Those of [`check`].
pub fn follow(text: &str, slots: Option<u32>) -> Result<Followed, Fault> {
    if text.trim_start().starts_with('<') {
        return msccl::check(text, slots);
    }
    if slots.is_some() {
        let text = "MSCCL++ plans have no connections with slots; leave the number of slots out";
        return Err(malformed(text));
    }
    let plan: mscclpp::schema::Plan = serde_json::from_str(text).map_err(|error| {
        let reason = match serde_json::from_str(text) {
            Ok(Ours { format }) if format.starts_with("oneport-plan/") => {
                "this is an oneport plan; check reads MSCCL XML and MSCCL++ JSON; `verify` judges plans".to_string()
            }
            _ => format!("no MSCCL++ execution plan: {}", clipped(&error.to_string(), 300)),
        };
        malformed(reason)
    })?;
    mscclpp::check(&plan)
}
