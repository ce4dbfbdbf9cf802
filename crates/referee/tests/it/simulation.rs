//! The timeline checks against a naive simulator, which plays runs with integer dates one time unit at a time.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use crate::common::ask::check_timeline;
use common::*;
use oneport_plan::{Event, Timeline};
use oneport_platform::{LinkId, NodeId, Rational};
use proptest::prelude::*;

/// Position of a message: at a node, or on its way with this part of the transfer done.
struct Traveller {
    at: NodeId,
    underway: Option<(LinkId, i64)>,
    been: BTreeSet<NodeId>,
}

/// Results of the simulation of a correct run.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    last_arrival: i64,
    peak_buffer: Vec<usize>,
    /// By instance: the period at whose end it is complete.
    complete: Vec<u64>,
}

/// Plays a run with whole numbers. `None` if it breaks a rule.
fn simulate(plan: &Plan, run: &Timeline) -> Option<Seen> {
    let commodities = plan.collective.commodities();
    let period = int(&run.period)?;
    let horizon = period * (run.starting_periods + run.clean_up_periods) as i64;
    let mut travellers: BTreeMap<(u64, usize), Traveller> = BTreeMap::new();
    for instance in 0..run.starting_periods * run.instances_per_period {
        for (index, commodity) in commodities.iter().enumerate() {
            let been = BTreeSet::from([commodity.source]);
            travellers.insert(
                (instance, index),
                Traveller {
                    at: commodity.source,
                    underway: None,
                    been,
                },
            );
        }
    }
    let mut events: Vec<(&Event, Vec<(i64, i64)>)> = Vec::new();
    for event in &run.events {
        let pieces: Option<Vec<(i64, i64)>> = event
            .pieces
            .iter()
            .map(|(s, e)| Some((int(s)?, int(e)?)))
            .collect();
        events.push((event, pieces.filter(|pieces| pieces_fit(pieces, horizon))?));
    }
    let mut seen = Seen {
        last_arrival: 0,
        peak_buffer: vec![0; plan.platform.nodes().len()],
        complete: Vec::new(),
    };
    let mut starts: BTreeMap<u64, i64> = BTreeMap::new();
    let mut ends: BTreeMap<u64, i64> = BTreeMap::new();
    for now in 0..horizon {
        let (mut sending, mut receiving) = (BTreeSet::new(), BTreeSet::new());
        for (event, pieces) in &events {
            if !pieces.iter().any(|&(start, end)| start <= now && now < end) {
                continue;
            }
            let link = plan.platform.links().get(event.link.index())?;
            let traveller = travellers.get_mut(&(event.instance, event.message.demand))?;
            if !sending.insert(link.from) || !receiving.insert(link.to) || traveller.at != link.from
            {
                return None;
            }
            if traveller.at == commodities[event.message.demand].target {
                return None;
            }
            match &mut traveller.underway {
                None => {
                    starts.entry(event.instance).or_insert(now);
                    if !traveller.been.insert(link.to) {
                        return None;
                    }
                    traveller.underway = Some((event.link, 1));
                }
                Some((underway, done)) if *underway == event.link => *done += 1,
                Some(_) => return None,
            }
        }
        // Held during this unit: at, or being sent from, a node that is not the source or the target.
        let mut held = vec![0; seen.peak_buffer.len()];
        for (&(_, commodity), traveller) in &travellers {
            if traveller.at != commodities[commodity].source
                && traveller.at != commodities[commodity].target
            {
                held[traveller.at.index()] += 1;
            }
        }
        for (peak, held) in seen.peak_buffer.iter_mut().zip(held) {
            *peak = held.max(*peak);
        }
        for (&(instance, _), traveller) in &mut travellers {
            let Some((id, done)) = traveller.underway else {
                continue;
            };
            let link = plan.platform.link(id);
            if done == int(&(plan.volumes.size.constant().unwrap() * &link.cost))? {
                traveller.at = link.to;
                traveller.underway = None;
                ends.insert(instance, now + 1);
                seen.last_arrival = now + 1;
            }
        }
    }
    let arrived = |(&(_, commodity), traveller): (&(u64, usize), &Traveller)| {
        traveller.underway.is_none() && traveller.at == commodities[commodity].target
    };
    let in_period = |(&instance, &start): (&u64, &i64)| {
        start / period == (instance / run.instances_per_period) as i64
    };
    let idle = run.clean_up_periods > 0 && seen.last_arrival <= horizon - period;
    if !travellers.iter().all(arrived) || !(run.eager || starts.iter().all(in_period)) || idle {
        return None;
    }
    seen.complete = ends
        .values()
        .map(|end| ((end + period - 1) / period) as u64)
        .collect();
    Some(seen)
}

fn whole_i(value: i64) -> Rational {
    ratio(value, 1)
}

/// The pieces are positive, ascending, disjoint, and within the run.
fn pieces_fit(pieces: &[(i64, i64)], horizon: i64) -> bool {
    let dates: Vec<i64> = pieces
        .iter()
        .flat_map(|&(start, end)| [start, end])
        .collect();
    dates.first().is_some_and(|&first| first >= 0)
        && dates.last().is_some_and(|&last| last <= horizon)
        && dates.is_sorted()
        && pieces.iter().all(|(start, end)| start < end)
}

/// Changes a date, an id, an event or a count by a little.
fn disturb(dice: &mut Dice, plan: &Plan, run: &mut Timeline) {
    let index = dice.below(run.events.len());
    let links = plan.platform.links().len();
    let commodities = plan.collective.commodities().len();
    let instances = run.starting_periods * run.instances_per_period;
    let shift = ratio(dice.below(7) as i64 - 3, 1);
    let event = &mut run.events[index];
    match dice.below(12) {
        0 => event.instance = dice.roll() % (instances + 1),
        1 => event.message.demand = dice.below(commodities),
        2 => event.link = LinkId::new(dice.below(links)),
        3 => event.pieces[0].0 += shift,
        4 => event.pieces[0].1 += shift,
        5 => run.clean_up_periods = dice.below(4) as u64,
        8 => run.eager = !run.eager,
        6 => drop(run.events.remove(index)),
        7 => {
            let other = dice.below(run.events.len());
            let pieces = run.events[other].pieces.clone();
            run.events[other].pieces = std::mem::replace(&mut run.events[index].pieces, pieces);
        }
        _ => {
            for (start, end) in &mut event.pieces {
                *start += &shift;
                *end += &shift;
            }
        }
    }
}

/// Compares referee and simulation. Returns whether the run is right.
#[track_caller]
fn agree(plan: &Plan, run: &Timeline) -> bool {
    let report = check_timeline(&plan.platform, &plan.collective, &plan.volumes, run);
    let seen = simulate(plan, run);
    match (&report, &seen) {
        (Err(_), None) => false,
        (Ok(report), Some(seen)) => {
            assert_eq!(report.last_arrival, whole_i(seen.last_arrival));
            assert_eq!(report.peak_buffer, seen.peak_buffer);
            assert_eq!(report.delivered, seen.complete.len() as u64);
            for periods in 0..=run.starting_periods + run.clean_up_periods {
                let complete = seen
                    .complete
                    .iter()
                    .filter(|&&period| period <= periods)
                    .count();
                assert_eq!(report.complete_after(periods), complete as u64);
            }
            true
        }
        _ => panic!("the referee says {report:?}, the simulation {seen:?}\n{run:#?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_referee_and_the_simulation_agree(seed: u64) {
        let mut dice = Dice(seed);
        let plan = generate::path_plan(&mut dice, true);
        let starting = 1 + dice.below(3) as u64;
        let run = unroll(&plan, starting);
        prop_assert!(agree(&plan, &run));
        for _ in 0..8 {
            let mut disturbed = run.clone();
            for _ in 0..1 + dice.below(2) {
                if !disturbed.events.is_empty() {
                    disturb(&mut dice, &plan, &mut disturbed);
                }
            }
            agree(&plan, &disturbed);
        }
    }
}

/// The disturbances leave both kinds of runs, so that the agreement above is not empty.
#[test]
fn disturbed_runs_are_right_or_wrong() {
    let mut counts = [0, 0];
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let plan = generate::path_plan(&mut dice, true);
        let mut run = unroll(&plan, 2);
        disturb(&mut dice, &plan, &mut run);
        counts[usize::from(agree(&plan, &run))] += 1;
    }
    assert!(counts.iter().all(|&count| count >= 10), "{counts:?}");
}
