//! Follows a run event by event: busy resources, the copies at each node, and their number.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Interval, Timeline};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::models::Case;
use crate::port_models::check_busy;

/// Pieces take as long as transfers do, links and nodes obey their models, processors run one merge at a time.
pub fn check_dates(case: &Case, run: &Timeline) {
    let mut pieces: Vec<(&Rational, &Rational, LinkId)> = Vec::new();
    for event in &run.events {
        assert!(event.pieces.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        let spent: Rational = event.pieces.iter().map(|(start, end)| end - start).sum();
        assert_eq!(
            spent,
            case.volumes.size_of(event.message) * &case.platform.link(event.link).cost
        );
        pieces.extend(
            event
                .pieces
                .iter()
                .map(|(start, end)| (start, end, event.link)),
        );
    }
    pieces.sort();
    let mut busy: Vec<(&Rational, LinkId)> = Vec::new();
    for (start, end, link) in pieces {
        assert!(start < end);
        busy.retain(|(end, _)| *end > start);
        busy.push((end, link));
        check_busy(
            &case.platform,
            &busy.iter().map(|&(_, link)| link).collect::<Vec<_>>(),
        );
    }
    let mut free: BTreeMap<NodeId, &Rational> = BTreeMap::new();
    for merge in &run.merges {
        let part = merge.message.part;
        let time = case
            .volumes
            .merge_time(&case.platform, merge.node, part, merge.split);
        assert_eq!(&merge.end - &merge.start, time);
        let before = free.insert(merge.node, &merge.end);
        assert!(
            before.is_none_or(|before| *before <= merge.start),
            "{case:?}: {merge:?}"
        );
    }
}

/// The state of one kind of message at one node.
#[derive(Default)]
struct Stay<'r> {
    /// Dates at which copies are there: brought or made.
    arrivals: Vec<&'r Rational>,
    /// Intervals in which copies are forwarded or merged.
    uses: Vec<(&'r Rational, &'r Rational)>,
}

/// Every run of every demand is complete, and every copy is used after its arrival, and once at a switch. Returns the
/// most copies that each node holds at a time for later use.
pub fn check_messages(case: &Case, run: &Timeline) -> BTreeMap<NodeId, usize> {
    let platform = &case.platform;
    // Per demand and number of its run, then per node and kind of message.
    type Copies<'r> = BTreeMap<(NodeId, Interval), Stay<'r>>;
    let mut all: BTreeMap<(usize, u64), Copies<'_>> = BTreeMap::new();
    for event in &run.events {
        let copies = all
            .entry((event.message.demand, event.instance))
            .or_default();
        let (link, part) = (platform.link(event.link), event.message.part);
        let (start, end) = (&event.pieces[0].0, &event.pieces[event.pieces.len() - 1].1);
        copies
            .entry((link.from, part))
            .or_default()
            .uses
            .push((start, end));
        copies
            .entry((link.to, part))
            .or_default()
            .arrivals
            .push(end);
    }
    for merge in &run.merges {
        let copies = all
            .entry((merge.message.demand, merge.instance))
            .or_default();
        let part = merge.message.part;
        for half in [
            Interval {
                last: merge.split,
                ..part
            },
            Interval {
                first: merge.split + 1,
                ..part
            },
        ] {
            copies
                .entry((merge.node, half))
                .or_default()
                .uses
                .push((&merge.start, &merge.end));
        }
        copies
            .entry((merge.node, part))
            .or_default()
            .arrivals
            .push(&merge.end);
    }
    let mut changes: BTreeMap<NodeId, Vec<(&Rational, bool)>> = BTreeMap::new();
    for index in 0..case.collective.demands() {
        let demand = case.collective.demand(index).unwrap();
        let started = run.starting_periods * run.instances_per_period * case.collective.rate(index);
        for number in 0..started {
            let mut copies = all.remove(&(index, number)).unwrap_or_default();
            let owned = |node: NodeId, part: Interval| {
                part.first == part.last && demand.operands[part.first] == node
            };
            for (node, part) in demand.goals() {
                let there = copies
                    .get(&(node, part))
                    .is_some_and(|stay| !stay.arrivals.is_empty());
                assert!(
                    there || owned(node, part),
                    "{case:?}: {index}, {number}: {part:?} is not at {node}"
                );
            }
            for (&(node, part), stay) in &mut copies {
                stay.arrivals.sort();
                stay.uses.sort();
                if owned(node, part) {
                    continue;
                }
                let of_node = changes.entry(node).or_default();
                if platform.node(node).replicates {
                    let Some(last) = stay.uses.iter().map(|(_, end)| *end).max() else {
                        continue;
                    };
                    assert!(
                        *stay.arrivals[0] <= *stay.uses[0].0,
                        "{case:?}: sent by {node} before it is there"
                    );
                    hold(of_node, stay.arrivals[0], last);
                } else {
                    assert!(
                        stay.uses.len() <= stay.arrivals.len(),
                        "{case:?}: duplicated at {node}"
                    );
                    for (arrival, (start, end)) in stay.arrivals.iter().zip(&stay.uses) {
                        assert!(
                            arrival <= start,
                            "{case:?}: passed on by {node} before it is there"
                        );
                        hold(of_node, arrival, end);
                    }
                }
            }
        }
    }
    assert!(
        all.is_empty(),
        "{case:?}: what is {:?}?",
        all.keys().collect::<BTreeSet<_>>()
    );
    changes
        .into_iter()
        .map(|(node, changes)| (node, peak(changes)))
        .collect()
}

/// Merges that take no time need not be held for.
fn hold<'r>(changes: &mut Vec<(&'r Rational, bool)>, from: &'r Rational, until: &'r Rational) {
    if from < until {
        changes.extend([(from, true), (until, false)]);
    }
}

/// The most that are there at a time.
fn peak(mut changes: Vec<(&Rational, bool)>) -> usize {
    changes.sort();
    let mut held = 0usize;
    let levels = changes.into_iter().map(|(_, comes)| {
        held = if comes { held + 1 } else { held - 1 };
        held
    });
    levels.max().unwrap_or(0)
}
