//! GOAL, for the LogGOPSim of ATLAHS: a rank per node, whole numbers of units for times.
//!
//! Every rank has a clock, a chain of calculations on a separate processor that ends at the dates of the plan. A send
//! waits for the clock and for its input. So under `L = o = g = O = 0`, `G = 1` and `S` above every size, under which a
//! message of `n + 1` bytes takes `n`, the run ends at the plan's own date if its ports do not conflict, and later if
//! they do.
//!
//! That holds in the simulator that ATLAHS ships (spcl/atlahs). The older spcl/LogGOPSim calls a calculation done when
//! it starts, and charges the length of a message that arrives to the processor of the receiver's own sends, so a rank
//! cannot send while it receives: there the run ends at another date.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use oneport_plan::Task;
use oneport_platform::{NodeId, PortModel};

use crate::chakra::{merge_length, needs_no_splits};
use crate::operation::{Operation, Order, may_have_rank};
use crate::run::{Occurrence, RepeatedPeriod};
use crate::{ExportError, File, Format, Request, Written};

/// The format.
pub(crate) const FORMAT: Format = Format {
    name: "goal",
    about: "GOAL for the LogGOPSim of ATLAHS: a rank per node, dates in units of the common denominator",
    lacks: "names, what is wanted where, the proof; half-duplex ports and several ports (no such ranks), lanes",
    write: |request| {
        if request.without_dates {
            undated(request)
        } else {
            Ok(File::only(write(request)?))
        }
    },
};

/// The clock's processor, and the one that merges. Sends and receives are on processor 0.
const CLOCK: u32 = 1;
const MERGES: u32 = 2;

/// Operations of one rank, in the order of dates.
#[derive(Default)]
struct Rank {
    /// Dates that something waits for.
    dates: Vec<u64>,
    lines: Vec<String>,
}

fn whole(date: &BigInt) -> Result<u64, ExportError> {
    let small = date.to_u64().filter(|date| *date < 1 << 62);
    small.ok_or_else(|| {
        let reason = format!(
            "the date {date} in units of the common denominator exceeds 2^62; choose a shorter period"
        );
        ExportError::refused(FORMAT.name, reason)
    })
}

/// One operation for simulators with a separate network model: sizes in bytes, merges in nanoseconds, no dates. The
/// sends of a rank to another, and its receives from it, keep the order of the plan.
fn undated(request: &Request<'_>) -> Result<Written, ExportError> {
    let platform = request.problem.platform();
    needs_no_splits(request, FORMAT.name)?;
    let operation = Operation::new(request, FORMAT.name, Order::Dates, |node| {
        may_have_rank(platform, node)
    })?;
    let mut lines: Vec<String> = vec![String::new(); operation.ranks.len()];
    let mut last: BTreeMap<(usize, usize, bool), String> = BTreeMap::new();
    let mut made: Vec<String> = Vec::with_capacity(operation.steps.len());
    let mut enter = |rank: usize, label: &str, line: String, waits: &[String]| {
        let _ = writeln!(lines[rank], "{label}: {line}");
        for before in waits.iter() {
            _ = writeln!(lines[rank], "{label} requires {before}");
        }
    };
    for (tag, step) in operation.steps.iter().enumerate() {
        let mut waits = step.uses(&made);
        if step.merge {
            let nanos = merge_length(request, &operation, step, 1_000_000);
            let (label, line) = (format!("m{tag}"), format!("calc {nanos} cpu {MERGES}"));
            enter(step.from, &label, line, &waits);
            made.push(label);
            continue;
        }
        let (from, to) = (step.from, step.to);
        let bytes = request.piece_bytes(step.piece, operation.pieces);
        let (sent, received) = (format!("s{tag}"), format!("r{tag}"));
        waits.extend(last.insert((from, to, true), sent.clone()));
        let line = format!("send {bytes}b to {to} tag {tag}");
        enter(from, &sent, line, &waits);
        let before = last.insert((from, to, false), received.clone());
        let line = format!("recv {bytes}b from {from} tag {tag}");
        enter(to, &received, line, before.as_slice());
        made.push(received);
    }
    let mut text = String::from(
        "// Sizes in bytes and calculations in nanoseconds; the network and its times are the simulator's.\n",
    );
    let _ = writeln!(text, "num_ranks {}", lines.len());
    for (number, lines) in lines.into_iter().enumerate() {
        let _ = write!(text, "rank {number} {{\n{lines}}}\n");
    }
    Ok(Written {
        notes: operation.note(platform),
        ..File::only(text)
    })
}

fn write(request: &Request<'_>) -> Result<String, ExportError> {
    let run = RepeatedPeriod::new(request)?;
    let (platform, execution) = (run.problem.platform(), &run.execution);
    let mut ranks: Vec<Rank> = platform.node_ids().map(|_| Rank::default()).collect();
    // Per task and period: the labels of the operations that bring it, and the last piece's tag.
    let mut brought: BTreeMap<(usize, u64), Vec<String>> = BTreeMap::new();
    let mut occurrences: Vec<Occurrence<'_>> = run.occurrences().collect();
    occurrences.sort_by(|a, b| (&a.start, a.number).cmp(&(&b.start, b.number)));
    for (tag, occurrence) in occurrences.iter().enumerate() {
        let start = whole(&occurrence.start)?;
        let length = whole(&(&occurrence.end - &occurrence.start))?;
        let inputs = occurrence
            .dated
            .inputs
            .iter()
            .flatten()
            .filter_map(|&input| brought.get(&(input, occurrence.period)));
        let mut waits: Vec<String> = inputs.flatten().cloned().collect();
        if start > 0 {
            waits.push(format!("c{start}"));
        }
        let mut enter = |node: NodeId, label: &str, line: String, waits: &[String]| {
            let rank = &mut ranks[node.index()];
            rank.lines.push(format!("{label}: {line}"));
            rank.lines.extend(
                waits
                    .iter()
                    .map(|before| format!("{label} requires {before}")),
            );
            if start > 0 && !waits.is_empty() {
                rank.dates.push(start);
            }
        };
        let done = match occurrence.dated.task {
            Task::Send { link, .. } => {
                let ends = platform.link(link);
                let size = length + 1;
                let (sent, received) = (format!("s{tag}"), format!("r{tag}"));
                let line = format!("send {size}b to {} tag {tag}", ends.to);
                enter(ends.from, &sent, line, &waits);
                let line = format!("recv {size}b from {} tag {tag}", ends.from);
                enter(ends.to, &received, line, &[]);
                received
            }
            Task::Merge { node, .. } => {
                let (label, line) = (format!("m{tag}"), format!("calc {length} cpu {MERGES}"));
                enter(node, &label, line, &waits);
                label
            }
        };
        brought
            .entry((occurrence.number, occurrence.period))
            .or_default()
            .push(done);
    }
    let ends = occurrences.iter().map(|occurrence| &occurrence.end);
    let last = ends.max().cloned().unwrap_or_default();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "// {} units are one unit of time; the run ends at {last}.",
        execution.units
    );
    text.push_str(
        "// Made for the LogGOPSim of ATLAHS: in spcl/LogGOPSim no rank sends while it receives, and the end is another.\n",
    );
    let _ = writeln!(
        text,
        "// LogGOPSim -L 0 -o 0 -g 0 -G 1 -O 0 -S {}",
        &last + 2
    );
    if let Some(node) = platform.node_ids().find(|&node| cannot(&run, node)) {
        let name = platform.name(node).replace(char::is_control, " ");
        let _ = writeln!(
            text,
            "// '{name}' is not a full-duplex one-port node: the simulator knows one send and one receive at a time only."
        );
    }
    let _ = writeln!(text, "num_ranks {}", ranks.len());
    for (number, rank) in ranks.into_iter().enumerate() {
        let _ = writeln!(text, "rank {number} {{");
        clock(&mut text, rank.dates);
        for line in rank.lines.iter() {
            text.push_str(&format!("{line}\n"));
        }
        text.push_str("}\n");
    }
    Ok(text)
}

/// Whether the node's port model differs from one send and one receive at a time.
fn cannot(run: &RepeatedPeriod<'_>, node: NodeId) -> bool {
    let platform = run.problem.platform();
    platform.model_of(node) == PortModel::HalfDuplex || platform.ports(node) != Some(1)
}

/// Calculations that end at these dates.
fn clock(text: &mut String, mut dates: Vec<u64>) {
    dates.sort_unstable();
    dates.dedup();
    let mut before = 0;
    for date in dates {
        let _ = writeln!(text, "c{date}: calc {} cpu {CLOCK}", date - before);
        if before > 0 {
            let _ = writeln!(text, "c{date} requires c{before}");
        }
        before = date;
    }
}
