//! Which message occupies a link when.

use std::collections::BTreeMap;

use num_traits::{Signed, Zero};
use oneport_plan::{PeriodicSchedule, Timeline};
use oneport_platform::{LinkId, Platform, Rational};

use super::words;

/// A link busy with one kind of message without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bar {
    pub link: LinkId,
    pub commodity: usize,
    pub start: Rational,
    pub end: Rational,
    pub note: Note,
}

/// What a bar says besides its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Note {
    /// So many messages, possibly a fraction of one, one after another.
    Count(Rational),
    /// The message of one instance.
    Instance(u64),
}

/// The bars of one period, by link, then by time.
///
/// Within a period a link sends its messages in the order of `patterns`, then stages, then copies, during the
/// slots that name it. Copies of the same message that follow one another without a break are one bar.
pub(super) fn of_period(platform: &Platform, size: &Rational, schedule: &PeriodicSchedule) -> Vec<Bar> {
    let windows = windows(schedule);
    let mut bars = Vec::new();
    for (link, queue) in queues(schedule) {
        let (Some(windows), Some(ends)) = (windows.get(&link), words::link(platform, link)) else { continue };
        let one = size * &ends.cost;
        if one.is_positive() {
            fill(link, &one, &queue, windows, &mut bars);
        }
    }
    bars
}

/// What each link sends in a period: (commodity, copies), in order.
fn queues(schedule: &PeriodicSchedule) -> BTreeMap<LinkId, Vec<(usize, Rational)>> {
    let mut queues: BTreeMap<LinkId, Vec<(usize, Rational)>> = BTreeMap::new();
    for scheduled in &schedule.patterns {
        let copies = Rational::from_integer(scheduled.copies.clone().into());
        for transfer in scheduled.pattern.transfers() {
            let commodity = transfer.message.commodity;
            let queue = queues.entry(transfer.link).or_default();
            match queue.last_mut() {
                Some((last, count)) if *last == commodity => *count += &copies,
                _ => queue.push((commodity, copies.clone())),
            }
        }
    }
    queues
}

/// When each link may send: disjoint (start, end), slots that touch joined.
fn windows(schedule: &PeriodicSchedule) -> BTreeMap<LinkId, Vec<(Rational, Rational)>> {
    let mut windows: BTreeMap<LinkId, Vec<(Rational, Rational)>> = BTreeMap::new();
    let mut start = Rational::zero();
    for slot in schedule.slots.iter().filter(|slot| slot.length.is_positive()) {
        let end = &start + &slot.length;
        for &link in &slot.links {
            let list = windows.entry(link).or_default();
            match list.last_mut() {
                Some((_, last)) if *last >= start => *last = end.clone(),
                _ => list.push((start.clone(), end.clone())),
            }
        }
        start = end;
    }
    windows
}

/// Pours a queue of messages, each taking `one`, into the windows.
fn fill(
    link: LinkId,
    one: &Rational,
    queue: &[(usize, Rational)],
    windows: &[(Rational, Rational)],
    bars: &mut Vec<Bar>,
) {
    let mut windows = windows.iter().cloned();
    let mut window = windows.next();
    for (commodity, copies) in queue {
        let mut left = copies * one;
        while left.is_positive() {
            // A schedule that grants a link too little time is drawn as far as it goes.
            let Some((start, end)) = window.take() else { return };
            let room = &end - &start;
            let used = if left < room { left.clone() } else { room };
            let stop = &start + &used;
            left -= &used;
            let note = Note::Count(used / one);
            bars.push(Bar { link, commodity: *commodity, start, end: stop.clone(), note });
            window = if stop < end { Some((stop, end)) } else { windows.next() };
        }
    }
}

/// The bars of a whole run: one per event, or one per piece where the event is cut.
pub(super) fn of_timeline(timeline: &Timeline) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for event in &timeline.events {
        let first = bars.len();
        for (start, end) in event.pieces.iter().filter(|(start, end)| start < end) {
            match bars.get_mut(first..).and_then(<[Bar]>::last_mut) {
                Some(last) if last.end == *start => last.end = end.clone(),
                _ => bars.push(Bar {
                    link: event.link,
                    commodity: event.message.commodity,
                    start: start.clone(),
                    end: end.clone(),
                    note: Note::Instance(event.instance),
                }),
            }
        }
    }
    bars
}
