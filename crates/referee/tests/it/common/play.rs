//! The naive twin of `check_timeline`: a run played from date to date, with every value on a table.

use oneport_testkit::Reductions;
use std::collections::{BTreeMap, BTreeSet};

use super::plan::Plan;
use num_traits::Signed;
use oneport_plan::{Event, Interval, MergeEvent, Timeline};
use oneport_platform::{NodeId, Rational};

use super::trees::permutations;
use super::{part, whole};

/// Results of the naive run.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    pub last_arrival: Rational,
    pub peak_buffer: Vec<usize>,
}

/// A message or a partial result of one instance.
type Name = (u64, usize, Interval);

/// A value on the table.
struct Value {
    at: NodeId,
    been: BTreeSet<NodeId>,
    travels: bool,
    /// Whether it was sent or made here, and so takes room.
    held: bool,
}

/// Plays a run. Returns `None` if it breaks a rule. If the operands' owners are open, every order is tried.
pub fn play(plan: &Plan, run: &Timeline) -> Option<Seen> {
    let started = run
        .starting_periods
        .checked_mul(run.instances_per_period)
        .filter(|&started| started < 1000)?;
    if !run.period.is_positive()
        || started == 0
        || !run
            .events
            .iter()
            .all(|event| is_sound(plan, run, event, started))
    {
        return None;
    }
    if !run
        .merges
        .iter()
        .all(|merge| is_sound_merge(plan, run, merge, started))
        || !dates_fit(run, started)
    {
        return None;
    }
    // Instances and reductions interact only at ports and processors: each has an order of its own.
    let orders = if plan.collective.is_commutative() {
        permutations(plan.collective.operands().unwrap().len())
    } else {
        vec![(0..plan.collective.operands().map_or(0, <[NodeId]>::len)).collect()]
    };
    let mut seen = is_exclusive(plan, run).then(|| Seen {
        last_arrival: last(run),
        peak_buffer: Vec::new(),
    })?;
    let mut held: Vec<(NodeId, Rational, Rational)> = Vec::new();
    for instance in 0..started {
        for (index, commodity) in plan.collective.commodities().iter().enumerate() {
            let name = (instance, index, part(0, 0));
            held.extend(one(
                plan,
                run,
                instance,
                index,
                &[(name, commodity.source)],
                (name, commodity.target),
            )?);
        }
        for (index, &target) in plan.collective.reductions().iter().enumerate() {
            let owners = plan.collective.operands().unwrap();
            let name = |part| (instance, index, part);
            let found = orders.iter().find_map(|order| {
                let leaves: Vec<(Name, NodeId)> = order
                    .iter()
                    .enumerate()
                    .map(|(i, &owner)| (name(part(i, i)), owners[owner]))
                    .collect();
                one(
                    plan,
                    run,
                    instance,
                    index,
                    &leaves,
                    (name(part(0, owners.len() - 1)), target),
                )
            });
            held.extend(found?);
        }
    }
    let dates = dates(run);
    let at = |node: NodeId, date: &Rational| {
        held.iter()
            .filter(|(n, s, e)| *n == node && s <= date && date < e)
            .count()
    };
    seen.peak_buffer = plan
        .platform
        .node_ids()
        .map(|node| dates.iter().map(|date| at(node, date)).max().unwrap_or(0))
        .collect();
    Some(seen)
}

/// Ids, order of the pieces, durations.
fn is_sound(plan: &Plan, run: &Timeline, event: &Event, started: u64) -> bool {
    let commodities = plan.collective.commodities().len();
    let reductions = plan.collective.reductions().len();
    let Interval { first, last } = event.message.part;
    let fits = match commodities {
        0 => event.message.demand < reductions && is_part(plan, event.message.part),
        _ => event.message.demand < commodities && (first, last) == (0, 0),
    };
    let dates: Vec<&Rational> = event
        .pieces
        .iter()
        .flat_map(|(start, end)| [start, end])
        .collect();
    fits && event.instance < started
        && event.link.index() < plan.platform.links().len()
        && dates.first().is_some_and(|first| !first.is_negative())
        && dates.is_sorted()
        && event.pieces.iter().all(|(start, end)| start < end)
        && **dates.last().unwrap() <= horizon(run)
        && event
            .pieces
            .iter()
            .map(|(start, end)| end - start)
            .sum::<Rational>()
            == plan.volumes.size_of(event.message) * &plan.platform.link(event.link).cost
}

fn is_sound_merge(plan: &Plan, run: &Timeline, merge: &MergeEvent, started: u64) -> bool {
    let part = merge.message.part;
    merge.message.demand < plan.collective.reductions().len()
        && is_part(plan, part)
        && (part.first..part.last).contains(&merge.split)
        && merge.instance < started
        && plan.platform.mergers().any(|node| node == merge.node)
        && !merge.start.is_negative()
        && merge.end <= horizon(run)
        && &merge.end - &merge.start
            == plan
                .volumes
                .merge_time(&plan.platform, merge.node, part, merge.split)
}

fn is_part(plan: &Plan, part: Interval) -> bool {
    part.first <= part.last && part.last < plan.collective.operands().map_or(0, <[NodeId]>::len)
}

fn horizon(run: &Timeline) -> Rational {
    &run.period * (whole(run.starting_periods) + whole(run.clean_up_periods))
}

fn dates(run: &Timeline) -> BTreeSet<Rational> {
    let pieces = run
        .events
        .iter()
        .flat_map(|event| &event.pieces)
        .flat_map(|(start, end)| [start, end]);
    pieces
        .chain(
            run.merges
                .iter()
                .flat_map(|merge| [&merge.start, &merge.end]),
        )
        .cloned()
        .collect()
}

fn last(run: &Timeline) -> Rational {
    dates(run).last().cloned().unwrap_or_default()
}

/// Instances start in their periods, unless all tasks start as soon as possible, and some task runs in the last one.
fn dates_fit(run: &Timeline, started: u64) -> bool {
    let starts = run.eager
        || (0..started).all(|instance| {
            let events = run
                .events
                .iter()
                .filter(|event| event.instance == instance)
                .map(|event| &event.pieces[0].0);
            let merges = run
                .merges
                .iter()
                .filter(|merge| merge.instance == instance)
                .map(|merge| &merge.start);
            let first = events.chain(merges).min();
            first.is_some_and(|first| {
                (first / &run.period).floor()
                    == whole((instance / run.instances_per_period) as usize)
            })
        });
    let begin = horizon(run) - &run.period;
    let instant = |merge: &MergeEvent| merge.start == merge.end && merge.start >= begin;
    starts && (run.clean_up_periods == 0 || last(run) > begin || run.merges.iter().any(instant))
}

/// Ports and processors do one task at a time: every two intervals are compared.
fn is_exclusive(plan: &Plan, run: &Timeline) -> bool {
    type Stretch<'a> = ([Option<NodeId>; 3], &'a Rational, &'a Rational);
    let mut stretches: Vec<Stretch<'_>> = Vec::new();
    for event in &run.events {
        let link = plan.platform.link(event.link);
        stretches.extend(
            event
                .pieces
                .iter()
                .map(|(start, end)| ([Some(link.from), Some(link.to), None], start, end)),
        );
    }
    stretches.extend(
        run.merges
            .iter()
            .map(|merge| ([None, None, Some(merge.node)], &merge.start, &merge.end)),
    );
    stretches.iter().enumerate().all(|(i, (one, start, end))| {
        stretches[..i].iter().all(|(other, s, e)| {
            let shared = one
                .iter()
                .zip(other)
                .any(|(one, other)| one.is_some() && one == other);
            !shared || e <= start || end <= s || start == end || s == e
        })
    })
}

/// Plays all tasks for one commodity of one instance. Returns the values of the nodes, and their dates.
fn one(
    plan: &Plan,
    run: &Timeline,
    instance: u64,
    commodity: usize,
    leaves: &[(Name, NodeId)],
    (result, target): (Name, NodeId),
) -> Option<Vec<(NodeId, Rational, Rational)>> {
    let events: Vec<&Event> = run
        .events
        .iter()
        .filter(|e| (e.instance, e.message.demand) == (instance, commodity))
        .collect();
    let merges: Vec<&MergeEvent> = run
        .merges
        .iter()
        .filter(|m| (m.instance, m.message.demand) == (instance, commodity))
        .collect();
    let fresh = |at, held| Value {
        at,
        been: BTreeSet::from([at]),
        travels: false,
        held,
    };
    let mut table: BTreeMap<Name, Value> = leaves
        .iter()
        .map(|&(name, owner)| (name, fresh(owner, false)))
        .collect();
    let mut since: BTreeMap<Name, Rational> = BTreeMap::new();
    let mut held = Vec::new();
    let mut merged = vec![false; merges.len()];
    for date in dates(run) {
        for event in events
            .iter()
            .filter(|event| event.pieces.last().unwrap().1 == date)
        {
            let name = (instance, commodity, event.message.part);
            let value = table.get_mut(&name)?;
            if value.held {
                held.push((value.at, since[&name].clone(), date.clone()));
            }
            (value.at, value.travels, value.held) =
                (plan.platform.link(event.link).to, false, true);
            since.insert(name, date.clone());
        }
        for merge in merges
            .iter()
            .filter(|merge| merge.end == date && merge.start < date)
        {
            let name = (instance, commodity, merge.message.part);
            table
                .insert(name, fresh(merge.node, true))
                .is_none()
                .then_some(())?;
            since.insert(name, date.clone());
        }
        // Merges that start. One that takes no time may make the input of another.
        while let Some(next) = (0..merges.len()).find(|&index| {
            !merged[index] && merges[index].start == date && {
                operands(merges[index]).iter().all(|name| {
                    table
                        .get(name)
                        .is_some_and(|v| v.at == merges[index].node && !v.travels)
                })
            }
        }) {
            merged[next] = true;
            let merge = merges[next];
            for name in operands(merge) {
                if table.remove(&name)?.held {
                    held.push((merge.node, since[&name].clone(), merge.end.clone()));
                }
            }
            if merge.end == date {
                let name = (instance, commodity, merge.message.part);
                table
                    .insert(name, fresh(merge.node, true))
                    .is_none()
                    .then_some(())?;
                since.insert(name, date.clone());
            }
        }
        for event in events.iter().filter(|event| event.pieces[0].0 == date) {
            let link = plan.platform.link(event.link);
            let value = table.get_mut(&(instance, commodity, event.message.part))?;
            let arrived = plan.collective.operands().is_none() && value.at == target;
            if value.at != link.from || value.travels || arrived || !value.been.insert(link.to) {
                return None;
            }
            value.travels = true;
        }
    }
    let done = merged.iter().all(|&merged| merged) && table.len() == 1;
    (done
        && table
            .get(&result)
            .is_some_and(|value| value.at == target && !value.travels))
    .then_some(held)
}

fn operands(merge: &MergeEvent) -> [Name; 2] {
    let Interval { first, last } = merge.message.part;
    let name = |part| (merge.instance, merge.message.demand, part);
    [
        name(part(first, merge.split)),
        name(part(merge.split + 1, last)),
    ]
}
