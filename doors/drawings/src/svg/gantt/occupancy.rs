//! Which message occupies a link when, and which merge a processor.

use std::collections::BTreeMap;

use num_traits::{Signed, Zero};
use oneport_plan::{Message, PeriodicSchedule, Problem, Task, Timeline};
use oneport_platform::{LinkId, NodeId, Rational, whole};

use crate::words;

/// The activity that a bar shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::svg) enum Activity {
    /// A message crosses a link.
    Transfer(LinkId),
    /// A processor makes a partial result. `split` is the last operand of the left part.
    Merge { node: NodeId, split: usize },
}

/// A link or processor busy with one kind of message without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::svg) struct Bar {
    pub activity: Activity,
    pub message: Message,
    pub start: Rational,
    pub end: Rational,
    pub note: Note,
}

/// The part of a bar's text that is not its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::svg) enum Note {
    /// A number of messages, possibly fractional, in sequence.
    Count(Rational),
    /// The message of one instance.
    Instance(u64),
}

/// The bars of one period: transfers by link, then by time, then merges by processor.
///
/// A link sends its messages in the order of `patterns`, then stages, then copies, during the slots that name it. A
/// processor computes its merges in that order, in sequence from the start of the period. Copies that follow one
/// another without a break are one bar.
pub(in crate::svg) fn of_period(problem: &Problem, schedule: &PeriodicSchedule) -> Vec<Bar> {
    let (platform, volumes) = (problem.platform(), problem.volumes());
    let (windows, shares) = (windows(schedule), shares(schedule));
    let mut bars = Vec::new();
    let (sends, merges) = queues(schedule);
    for (link, queue) in sends {
        let (Some(windows), Some(ends)) = (windows.get(&link), words::link(platform, link)) else {
            continue;
        };
        let timed = queue.into_iter().map(|(message, copies)| {
            let one = slower(volumes.size_of(message) * &ends.cost, shares.get(&link));
            (message, copies, one)
        });
        fill(link, timed, windows, &mut bars);
    }
    for (node, queue) in merges {
        let mut clock = Rational::zero();
        for ((message, split), copies) in queue {
            let one = volumes.merge_time(platform, node, message.part, split);
            let end = &clock + one * &copies;
            if clock < end {
                let start = std::mem::replace(&mut clock, end.clone());
                let activity = Activity::Merge { node, split };
                bars.push(Bar {
                    activity,
                    message,
                    start,
                    end,
                    note: Note::Count(copies),
                });
            }
        }
    }
    bars
}

/// The bars of one period whose transfers and merges are dated from its start, in the same order; of the same kind
/// without a break, one bar.
pub(in crate::svg) fn counted(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    period: &Timeline,
) -> Vec<Bar> {
    let (platform, volumes) = (problem.platform(), problem.volumes());
    let shares = shares(schedule);
    let mut single = of_timeline(period);
    single.sort_by(|a, b| (a.activity, &a.start).cmp(&(b.activity, &b.start)));
    let mut bars: Vec<Bar> = Vec::new();
    for mut bar in single {
        let part = bar.message.part;
        let one = match bar.activity {
            Activity::Transfer(link) => words::link(platform, link)
                .map_or_else(Rational::zero, |ends| {
                    slower(volumes.size_of(bar.message) * &ends.cost, shares.get(&link))
                }),
            Activity::Merge { node, split } => volumes.merge_time(platform, node, part, split),
        };
        let count = if one.is_zero() {
            one
        } else {
            (&bar.end - &bar.start) / one
        };
        match bars.last_mut() {
            Some(Bar {
                activity,
                message,
                end,
                note: Note::Count(before),
                ..
            }) if (*activity, *message, &*end) == (bar.activity, bar.message, &bar.start) => {
                *end = bar.end;
                *before += count;
            }
            _ => {
                bar.note = Note::Count(count);
                bars.push(bar);
            }
        }
    }
    bars
}

/// Links that transfer at a part of their full rate, and the part.
fn shares(schedule: &PeriodicSchedule) -> BTreeMap<LinkId, &Rational> {
    let shares = schedule.slots.iter().flat_map(|slot| &slot.shares);
    let positive = shares.filter(|(_, share)| share.is_positive());
    positive.map(|(link, share)| (*link, share)).collect()
}

/// The time of a message at a part of the full rate.
fn slower(time: Rational, share: Option<&&Rational>) -> Rational {
    share.map_or(time.clone(), |share| time / *share)
}

/// Tasks of a period, in order, and how often each is done.
type Queue<T> = Vec<(T, Rational)>;
type Queues<K, T> = BTreeMap<K, Queue<T>>;

/// Per link: the messages that it sends in a period, in order. Per processor: its merges, each with its result and the
/// position of its split.
fn queues(
    schedule: &PeriodicSchedule,
) -> (Queues<LinkId, Message>, Queues<NodeId, (Message, usize)>) {
    let (mut sends, mut merges) = (BTreeMap::new(), BTreeMap::new());
    for scheduled in &schedule.patterns {
        let copies = whole(scheduled.copies.clone());
        for (_, task) in scheduled.pattern.by_stage() {
            let message = scheduled.pattern.message(task.part());
            match task {
                Task::Send { link, .. } => push(sends.entry(link).or_default(), message, &copies),
                Task::Merge { node, split, .. } => {
                    push(merges.entry(node).or_default(), (message, split), &copies)
                }
            }
        }
    }
    (sends, merges)
}

/// Adds copies to a queue, to the last entry if they are of the same kind.
fn push<T: PartialEq>(queue: &mut Queue<T>, what: T, copies: &Rational) {
    match queue.last_mut() {
        Some((last, count)) if *last == what => *count += copies,
        _ => queue.push((what, copies.clone())),
    }
}

/// When each link may send: disjoint (start, end), slots that touch joined.
fn windows(schedule: &PeriodicSchedule) -> BTreeMap<LinkId, Vec<(Rational, Rational)>> {
    let mut windows: BTreeMap<LinkId, Vec<(Rational, Rational)>> = BTreeMap::new();
    let mut start = Rational::zero();
    for slot in schedule
        .slots
        .iter()
        .filter(|slot| slot.length.is_positive())
    {
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

/// Pours a queue of messages, with their number and the time that each takes, into the windows.
fn fill(
    link: LinkId,
    queue: impl Iterator<Item = (Message, Rational, Rational)>,
    windows: &[(Rational, Rational)],
    bars: &mut Vec<Bar>,
) {
    let mut windows = windows.iter().cloned();
    let mut window = windows.next();
    for (message, copies, one) in queue.filter(|(.., one)| one.is_positive()) {
        let mut left = copies * &one;
        while left.is_positive() {
            // If a schedule grants a link too little time, the rest of the messages is not drawn.
            let Some((start, end)) = window.take() else {
                return;
            };
            let room = &end - &start;
            let used = if left < room { left.clone() } else { room };
            let stop = &start + &used;
            left -= &used;
            let note = Note::Count(used / &one);
            bars.push(Bar {
                activity: Activity::Transfer(link),
                message,
                start,
                end: stop.clone(),
                note,
            });
            window = if stop < end {
                Some((stop, end))
            } else {
                windows.next()
            };
        }
    }
}

/// The bars of a whole run: one per event, or one per piece where the event is cut, then one per merge.
pub(in crate::svg) fn of_timeline(timeline: &Timeline) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for event in &timeline.events {
        let first = bars.len();
        for (start, end) in event.pieces.iter().filter(|(start, end)| start < end) {
            match bars.get_mut(first..).and_then(<[Bar]>::last_mut) {
                Some(last) if last.end == *start => last.end = end.clone(),
                _ => bars.push(Bar {
                    activity: Activity::Transfer(event.link),
                    message: event.message,
                    start: start.clone(),
                    end: end.clone(),
                    note: Note::Instance(event.instance),
                }),
            }
        }
    }
    bars.extend(
        timeline
            .merges
            .iter()
            .filter(|merge| merge.start < merge.end)
            .map(|merge| Bar {
                activity: Activity::Merge {
                    node: merge.node,
                    split: merge.split,
                },
                message: merge.message,
                start: merge.start.clone(),
                end: merge.end.clone(),
                note: Note::Instance(merge.instance),
            }),
    );
    bars
}
