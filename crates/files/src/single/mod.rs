//! Single reductions and broadcasts as JSON: lists of transfers, and the files `oneport-reduction/1`,
//! `oneport-broadcast/1` and `oneport-all-reduce/1`.
//!
//! A file has one schedule with its length, bound and proof. Every list has one entry per processor, counted from 0.
//! The root's entry is `null`, for it sends nothing. Dates are strings in lowest terms, or whole numbers of `unit`, if
//! the file gives one. `fixtures/README.md` documents every field.

mod everywhere;
mod lists;
mod read;
mod write;

use std::path::Path;

use num_traits::Zero;
use oneport_plan::{
    Broadcast, Claim, Dates, Reduction, SingleAllReduce, SingleBroadcast, SingleReduction, Stated,
};
use oneport_platform::Rational;
use serde::Serialize;

use crate::error::FormatError;
use crate::json::Json;
use crate::plan::{Chosen, MAX_PLAN_BYTES};
use crate::source::{Source, read_bytes};

pub use everywhere::{
    one_all_reduce_from_json, one_all_reduce_to_json, single_broadcast_from_json,
    single_broadcast_to_json,
};
pub use lists::{read_receivers, read_starts, receivers_from_json, starts_from_json};
pub use read::single_reduction_from_json;
pub use write::single_reduction_to_json;

/// Contents of a file with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerFile {
    /// A steady state with its periodic schedule, the numbers stated of it, and how its links were chosen if a search
    /// did that: `oneport-plan/3`.
    Plan(Box<Claim>, Stated, Option<Chosen>),
    /// One reduction: `oneport-reduction/1`.
    Reduction(Box<SingleReduction>),
    /// One broadcast: `oneport-broadcast/1`.
    Broadcast(Box<SingleBroadcast>),
    /// A reduction and the broadcast that follows it: `oneport-all-reduce/1`.
    AllReduce(Box<SingleAllReduce>),
}

/// Reads a plan, one reduction, one broadcast or one all-reduction, according to the file's `format`.
///
/// # Errors
/// A file that cannot be read or is over [`MAX_PLAN_BYTES`]. Else as [`read_plan`](crate::read_plan),
/// [`single_reduction_from_json`], [`single_broadcast_from_json`] and [`one_all_reduce_from_json`].
pub fn read_answer(path: &Path) -> Result<AnswerFile, FormatError> {
    let (name, bytes) = (
        path.display().to_string(),
        read_bytes(path, MAX_PLAN_BYTES)?,
    );
    let format = format_of(&name, &bytes);
    let is_of_kind = |kind: &str| {
        format
            .as_deref()
            .and_then(|format| format.strip_prefix(kind))
            .is_some_and(|rest| rest.starts_with('/'))
    };
    Ok(if is_of_kind("oneport-reduction") {
        AnswerFile::Reduction(Box::new(single_reduction_from_json(&name, &bytes)?))
    } else if is_of_kind("oneport-broadcast") {
        AnswerFile::Broadcast(Box::new(single_broadcast_from_json(&name, &bytes)?))
    } else if is_of_kind("oneport-all-reduce") {
        AnswerFile::AllReduce(Box::new(one_all_reduce_from_json(&name, &bytes)?))
    } else {
        let ((claim, stated), chosen) = crate::plan::plan_of(&name, &bytes)?;
        AnswerFile::Plan(Box::new(claim), stated, chosen)
    })
}

/// The format that the file names, of any version.
fn format_of(name: &str, bytes: &[u8]) -> Option<String> {
    let says = || -> Result<Option<String>, FormatError> {
        let top = Json::parse(Source::new(name, bytes, "an answer")?)?;
        let [format] = top.open_object(["format"])?;
        format
            .map(|format| format.string().map(|text| text.to_string()))
            .transpose()
    };
    says().ok().flatten()
}

/// One transfer of a reduction.
#[derive(Serialize)]
struct SentValue {
    processor: usize,
    receiver: u32,
    start: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<String>,
}

/// One transfer of a broadcast.
#[derive(Serialize)]
struct SentCopy {
    processor: usize,
    sender: u32,
    start: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    preparation: Option<String>,
}

/// The transfers of a reduction as a JSON array, by processor: `processor`, `receiver`, `start` of the transfer and,
/// under equal costs, `merge`: when the receiver starts to merge it. The root has no entry. O(n).
pub fn reduction_to_json(reduction: &Reduction) -> String {
    let merges = reduction.merges.as_ref();
    let rows = reduction
        .receivers
        .iter()
        .enumerate()
        .filter(|&(i, _)| i != reduction.root as usize);
    json(rows.map(|(processor, &receiver)| SentValue {
        processor,
        receiver,
        start: text(&reduction.starts, processor),
        merge: merges.map(|merges| text(merges, processor)),
    }))
}

/// The transfers of a broadcast as a JSON array, by processor: `processor`, its `sender`, `start` of the transfer and,
/// under equal costs, `preparation`: when the sender starts to prepare it. The root has no entry. O(n).
pub fn broadcast_to_json(broadcast: &Broadcast) -> String {
    let preparations = broadcast.preparations.as_ref();
    let rows = broadcast
        .senders
        .iter()
        .enumerate()
        .filter(|&(i, _)| i != broadcast.root as usize);
    json(rows.map(|(processor, &sender)| SentCopy {
        processor,
        sender,
        start: text(&broadcast.starts, processor),
        preparation: preparations.map(|dates| text(dates, processor)),
    }))
}

fn json<T: Serialize>(rows: impl Iterator<Item = T>) -> String {
    let lines = rows.map(|row| serde_json::to_string(&row).unwrap_or_default());
    format!("[{}]", lines.collect::<Vec<_>>().join(",\n"))
}

fn text(dates: &Dates, processor: usize) -> String {
    dates
        .get(processor)
        .unwrap_or_else(Rational::zero)
        .to_string()
}
