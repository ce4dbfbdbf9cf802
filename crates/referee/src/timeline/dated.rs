//! The events and merges of a run: their ids exist, and their dates are integers over one denominator.

use num_bigint::BigUint;
use oneport_plan::{Event, Interval, MergeEvent, Message};
use oneport_platform::NodeId;

use crate::Violation;
use crate::arithmetic::{Scale, is_non_negative};
use crate::case::Case;
use crate::pattern::{check_merge, check_part};
use crate::violation::{fault, shown};

/// An event with its ends looked up.
pub(super) struct Dated<'a> {
    pub(super) event: &'a Event,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// At least one.
    pub(super) pieces: Vec<(BigUint, BigUint)>,
}

/// A merge with its operands.
pub(super) struct DatedMerge<'a> {
    pub(super) event: &'a MergeEvent,
    /// The result.
    pub(super) part: Interval,
    pub(super) operands: [Interval; 2],
    pub(super) start: BigUint,
    pub(super) end: BigUint,
}

pub(super) static ZERO: BigUint = BigUint::ZERO;

impl<'a> Dated<'a> {
    /// Scales the dates of a checked event.
    pub(super) fn new(case: &Case<'_>, scale: &Scale, event: &'a Event) -> Dated<'a> {
        let link = case.platform.link(event.link);
        let pieces = event
            .pieces
            .iter()
            .map(|(start, end)| (scale.scaled(start), scale.scaled(end)))
            .collect();
        Dated {
            event,
            from: link.from,
            to: link.to,
            pieces,
        }
    }

    pub(super) fn start(&self) -> &BigUint {
        self.pieces.first().map_or(&ZERO, |(start, _)| start)
    }

    pub(super) fn end(&self) -> &BigUint {
        self.pieces.last().map_or(&ZERO, |(_, end)| end)
    }
}

impl<'a> DatedMerge<'a> {
    /// Scales the dates of a checked merge.
    pub(super) fn new(scale: &Scale, (event, part, operands): CheckedMerge<'a>) -> DatedMerge<'a> {
        DatedMerge {
            event,
            part,
            operands,
            start: scale.scaled(&event.start),
            end: scale.scaled(&event.end),
        }
    }

    pub(super) fn is_instant(&self) -> bool {
        self.start == self.end
    }
}

/// A merge whose result, and two operands, exist.
pub(super) type CheckedMerge<'a> = (&'a MergeEvent, Interval, [Interval; 2]);

/// The ids of an event exist, its dates are not negative, and it has pieces.
pub(super) fn check_event(
    case: &Case<'_>,
    index: usize,
    event: &Event,
    started: u128,
) -> Result<(), Violation> {
    let named = || format!("event {index}");
    check_message(case, named, event.message)?;
    let name = || case.message_name(event.instance, event.message);
    case.link(event.link, named)?;
    check_instance(case, named, event.instance, event.message, started)?;
    let link = || case.platform.link_name(event.link);
    if event.pieces.is_empty() {
        return Err(
            fault!(Run, "event {index} ({} over {}) has no pieces", name(), link(); "a transfer takes time"),
        );
    }
    for date in event.pieces.iter().flat_map(|(start, end)| [start, end]) {
        if !is_non_negative(date) {
            return Err(
                fault!(Run, "{} over {}: date {}", name(), link(), shown(date); "dates start at 0"),
            );
        }
    }
    Ok(())
}

/// The ids of a merge exist, and its dates are not negative and ascend.
pub(super) fn check_merge_event<'a>(
    case: &Case<'_>,
    index: usize,
    event: &'a MergeEvent,
    started: u128,
) -> Result<CheckedMerge<'a>, Violation> {
    let named = || format!("merge {index}");
    check_message(case, named, event.message)?;
    check_instance(case, named, event.instance, event.message, started)?;
    let located = |violation: Violation| {
        let message = case.message_name(event.instance, event.message);
        violation.at(format!("merge {index} ({message})"))
    };
    let part = event.message.part;
    // The message has been checked: its demand exists.
    let Some(demand) = case.demand(event.message.demand) else {
        return Err(case.unknown_demand(named(), event.message.demand));
    };
    let operands = check_merge(case, &demand, event.node, part, event.split).map_err(located)?;
    if !is_non_negative(&event.start) || !is_non_negative(&event.end) || event.end < event.start {
        let (start, end) = (shown(&event.start), shown(&event.end));
        return Err(located(
            fault!(Run, "lasts from {start} to {end}"; "dates start at 0 and ascend"),
        ));
    }
    Ok((event, part, operands))
}

/// A demand of rate `r` is executed `r` times per instance.
fn check_instance(
    case: &Case<'_>,
    location: impl Fn() -> String,
    instance: u64,
    message: Message,
    started: u128,
) -> Result<(), Violation> {
    let started = started.saturating_mul(case.rate(message.demand).into());
    if u128::from(instance) >= started {
        let found = format!("{} belongs to instance {instance}", location());
        return Err(fault!(Run, "{found}"; "{started} instances are started, numbered from 0"));
    }
    Ok(())
}

/// The demand exists, and so does the part of it.
fn check_message(
    case: &Case<'_>,
    location: impl Fn() -> String,
    message: Message,
) -> Result<(), Violation> {
    let Some(demand) = case.demand(message.demand) else {
        return Err(case.unknown_demand(location(), message.demand));
    };
    check_part(&demand, message.part).map_err(|violation| violation.at(location()))
}
