//! Single reductions and broadcasts as JSON.

use num_traits::Zero;
use oneport_plan::{Broadcast, Dates, Reduction};
use oneport_platform::Rational;
use serde::Serialize;

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
    let rows = reduction.receivers.iter().enumerate().filter(|&(i, _)| i != reduction.root as usize);
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
    let rows = broadcast.senders.iter().enumerate().filter(|&(i, _)| i != broadcast.root as usize);
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
    dates.get(processor).unwrap_or_else(Rational::zero).to_string()
}
