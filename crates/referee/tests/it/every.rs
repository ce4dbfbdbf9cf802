//! Every collective under every port model: honest plans and runs are accepted, and changed ones judged as other
//! definitions judge them.

use crate::common;

use std::collections::BTreeMap;

use crate::common::ask::{check_schedule, check_steady_state, check_timeline};
use common::every::{fits, plan};
use common::*;
use oneport_plan::{Collective, Goals, Interval, Pattern, Task, Timeline};
use oneport_platform::{LinkId, NodeId, Platform};
use proptest::prelude::*;

fn is_repeated(collective: &Collective) -> bool {
    (0..collective.demands()).any(|index| collective.rate(index) > 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Weak duality: no honest plan is faster than the bound of any prices. Slots prove the same as odd sets would.
    #[test]
    fn honest_plans_are_accepted(seed: u64) {
        let mut dice = Dice(seed);
        let plan = plan(&mut dice, false);
        let verdict = check_plan(&plan).unwrap();
        prop_assert!(verdict.throughput <= verdict.bound);
        check_steady_state(&plan.platform, &plan.collective, &plan.volumes, &plan.steady_state).unwrap();
        if !is_repeated(&plan.collective) {
            let run = unroll(&plan, 1 + dice.below(2) as u64);
            let report = check_timeline(&plan.platform, &plan.collective, &plan.volumes, &run).unwrap();
            prop_assert!(report.throughput <= verdict.bound);
            for &(periods, complete) in &report.complete {
                let time = &plan.schedule.period * whole(periods as usize);
                prop_assert!(whole(complete as usize) <= &verdict.bound * time);
            }
        }
    }

    /// A further link in a slot: refused, unless ports and the time of the link have room.
    #[test]
    fn overfull_slots_are_refused(seed: u64) {
        let mut dice = Dice(seed);
        let plan = plan(&mut dice, false);
        let check = |plan: &Plan| check_schedule(&plan.platform, &plan.collective, &plan.volumes, &plan.schedule);
        for slot in 0..plan.schedule.slots.len() {
            for link in plan.platform.link_ids() {
                let mut changed = plan.clone();
                let links = &mut changed.schedule.slots[slot].links;
                if links.contains(&link) {
                    continue;
                }
                links.push(link);
                links.sort_unstable();
                let room = fits(&plan.platform, &links.clone());
                let refusal = check(&changed).unwrap_err().to_string();
                // With room at the ports, only the time of the link is wrong.
                prop_assert_eq!(room, refusal.contains("its messages take"), "{}", refusal);
                prop_assert_eq!(!room, refusal.contains("at a time"), "{}", refusal);
            }
        }
    }

    /// Runs with integer dates, disturbed, against a simulation in single units of time.
    #[test]
    fn runs_are_judged_as_simulated(seed: u64) {
        let mut dice = Dice(seed);
        let plan = plan(&mut dice, true);
        prop_assume!(!is_repeated(&plan.collective));
        let run = unroll(&plan, 1 + dice.below(2) as u64);
        agree(&plan, &run, Some(true));
        for _ in 0..6 {
            let mut changed = run.clone();
            disturb(&mut dice, &plan, &mut changed);
            agree(&plan, &changed, None);
        }
    }
}

fn agree(plan: &Plan, run: &Timeline, expected: Option<bool>) -> bool {
    let verdict = check_timeline(&plan.platform, &plan.collective, &plan.volumes, run);
    let right = simulate(plan, run);
    if let (Some(right), true) = (right, has_only_copies(&plan.collective)) {
        assert_eq!(verdict.is_ok(), right, "{verdict:?}\n{plan:#?}\n{run:#?}");
    }
    assert!(
        expected.is_none_or(|expected| verdict.is_ok() == expected),
        "{verdict:?}"
    );
    verdict.is_ok()
}

/// Paths and reduction trees have stricter rules, which other files test.
fn has_only_copies(collective: &Collective) -> bool {
    (0..collective.demands())
        .all(|index| !matches!(collective.demand(index).unwrap().goals, Goals::At(_)))
}

/// Moves, drops or redirects one part.
fn disturb(dice: &mut Dice, plan: &Plan, run: &mut Timeline) {
    let shift = whole(1 + dice.below(3)) * ratio([1, -1][dice.below(2)], 1);
    if !run.merges.is_empty() && dice.one_in(3) {
        let index = dice.below(run.merges.len());
        match dice.below(4) {
            0 => drop(run.merges.remove(index)),
            1 => run.merges[index].node = NodeId::new(dice.below(plan.platform.nodes().len())),
            _ => {
                run.merges[index].start += &shift;
                run.merges[index].end += &shift;
            }
        }
        return;
    }
    if run.events.is_empty() {
        return;
    }
    let index = dice.below(run.events.len());
    match dice.below(6) {
        0 => drop(run.events.remove(index)),
        1 => run.events[index].link = LinkId::new(dice.below(plan.platform.links().len())),
        2 => {
            let other = run.events[dice.below(run.events.len())].pieces.clone();
            run.events[index].pieces = other;
        }
        _ => {
            for (start, end) in &mut run.events[index].pieces {
                *start += &shift;
                *end += &shift;
            }
        }
    }
}

/// Plays a run of copies and schemes, one unit of time after the other, with tokens. `None` if dates are not whole.
fn simulate(plan: &Plan, run: &Timeline) -> Option<bool> {
    let platform = &plan.platform;
    let (period, started) = (
        int(&run.period)?,
        run.starting_periods * run.instances_per_period,
    );
    let horizon = period * (run.starting_periods + run.clean_up_periods) as i64;
    let mut firsts: BTreeMap<u64, i64> = BTreeMap::new();
    let mut last = 0;
    // Transfers and merges as (start, end, kind).
    let mut good = true;
    let mut pieces: Vec<(i64, i64, LinkId)> = Vec::new();
    for event in &run.events {
        let needed = plan.volumes.size_of(event.message) * &platform.link(event.link).cost;
        let mut dates = Vec::new();
        for (start, end) in &event.pieces {
            dates.extend([int(start)?, int(end)?]);
            pieces.push((int(start)?, int(end)?, event.link));
        }
        let total: i64 = dates.chunks(2).map(|piece| piece[1] - piece[0]).sum();
        good &= int(&needed)? == total && dates.is_sorted() && dates[0] >= 0;
        last = last.max(dates[dates.len() - 1]);
        let first = firsts.entry(event.instance).or_insert(i64::MAX);
        *first = dates[0].min(*first);
    }
    for merge in &run.merges {
        let (start, end) = (int(&merge.start)?, int(&merge.end)?);
        let needed = plan
            .volumes
            .merge_time(platform, merge.node, merge.message.part, merge.split);
        good &= platform.node(merge.node).merges()
            && int(&needed)? == end - start
            && start >= 0
            && end > start;
        last = last.max(end);
        let first = firsts.entry(merge.instance).or_insert(i64::MAX);
        *first = start.min(*first);
    }
    let in_period = |(&instance, &first): (&u64, &i64)| {
        first / period == (instance / run.instances_per_period) as i64
    };
    let idle = run.clean_up_periods > 0 && last <= horizon - period;
    if !good
        || last > horizon
        || idle
        || !(run.eager || firsts.iter().all(in_period))
        || firsts.len() as u64 != started
    {
        return Some(false);
    }
    for now in 0..horizon {
        let busy: Vec<LinkId> = pieces
            .iter()
            .filter(|(s, e, _)| *s <= now && now < *e)
            .map(|(_, _, link)| *link)
            .collect();
        let merging = |node: NodeId| {
            let at = |merge: &&oneport_plan::MergeEvent| {
                merge.node == node
                    && int(&merge.start).unwrap() <= now
                    && now < int(&merge.end).unwrap()
            };
            run.merges.iter().filter(at).count()
        };
        if !fits(platform, &busy) || platform.node_ids().any(|node| merging(node) > 1) {
            return Some(false);
        }
    }
    for instance in 0..started {
        for index in 0..plan.collective.demands() {
            if !carried_out(plan, run, instance, index, horizon) {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// One demand of one instance, for some order of its operands.
fn carried_out(plan: &Plan, run: &Timeline, instance: u64, index: usize, horizon: i64) -> bool {
    let demand = plan.collective.demand(index).unwrap();
    let count = demand.operands.len();
    let orders = if demand.commutative {
        trees::permutations(count)
    } else {
        vec![(0..count).collect()]
    };
    let of = |other: u64, commodity: usize| other == instance && commodity == index;
    orders.iter().any(|order: &Vec<usize>| {
        // Tokens: value, node, start date, remaining uses (unlimited at a node that replicates).
        let mut tokens: Vec<(Interval, NodeId, i64, bool)> = order
            .iter()
            .enumerate()
            .map(|(i, &owner)| (part(i, i), demand.operands[owner], 0, false))
            .collect();
        for now in 0..horizon {
            let take =
                |tokens: &mut Vec<(Interval, NodeId, i64, bool)>, what: Interval, at: NodeId| {
                    let keeps = plan.platform.node(at).replicates;
                    let found = tokens.iter_mut().find(|(p, n, since, spent)| {
                        (*p, *n) == (what, at) && *since <= now && !*spent
                    });
                    found.map(|token| token.3 = !keeps).is_some()
                };
            for merge in run
                .merges
                .iter()
                .filter(|m| of(m.instance, m.message.demand) && int(&m.start) == Some(now))
            {
                let whole = merge.message.part;
                let right = merge.split >= whole.first
                    && merge.split < whole.last
                    && take(&mut tokens, part(whole.first, merge.split), merge.node)
                    && take(&mut tokens, part(merge.split + 1, whole.last), merge.node);
                if !right {
                    return false;
                }
                tokens.push((whole, merge.node, int(&merge.end).unwrap(), false));
            }
            let events = run
                .events
                .iter()
                .filter(|e| of(e.instance, e.message.demand));
            for event in events.filter(|e| int(&e.pieces[0].0) == Some(now)) {
                let link = plan.platform.link(event.link);
                let what = event.message.part;
                if !take(&mut tokens, what, link.from) {
                    return false;
                }
                tokens.push((
                    what,
                    link.to,
                    int(&event.pieces.last().unwrap().1).unwrap(),
                    false,
                ));
            }
        }
        demand
            .goals()
            .iter()
            .all(|&(node, what)| tokens.iter().any(|(p, n, ..)| (*p, *n) == (what, node)))
    })
}

/// The disturbances leave both kinds of runs, so that the agreement above is not empty.
#[test]
fn disturbed_runs_are_right_or_wrong() {
    let mut counts = [0, 0];
    for seed in 0..600 {
        let mut dice = Dice(seed);
        let plan = plan(&mut dice, true);
        if is_repeated(&plan.collective) || !has_only_copies(&plan.collective) {
            continue;
        }
        let mut run = unroll(&plan, 1);
        disturb(&mut dice, &plan, &mut run);
        counts[usize::from(agree(&plan, &run, None))] += 1;
    }
    assert!(counts.iter().all(|&count| count >= 10), "{counts:?}");
}

/// Every single change to a scheme is judged as by playing it with tokens.
#[test]
fn changed_schemes_are_refused() {
    let (mut refused, mut kept) = (0, 0);
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let plan = plan(&mut dice, false);
        for (index, weighted) in plan.steady_state.patterns.iter().enumerate() {
            let scheme = &weighted.pattern;
            if matches!(
                plan.collective.demand(scheme.demand).unwrap().goals,
                Goals::At(_)
            ) {
                continue;
            }
            assert!(plays(&plan, scheme));
            for changed in variants(&plan.platform, scheme) {
                let right = plays(&plan, &changed);
                let mut other = plan.clone();
                // Slow enough for the waste.
                let slower = ratio(1, 1000);
                other.steady_state.throughput *= &slower;
                for weighted in &mut other.steady_state.patterns {
                    weighted.weight *= &slower;
                }
                other.steady_state.patterns[index].pattern = changed.clone();
                let verdict = check_steady_state(
                    &other.platform,
                    &other.collective,
                    &other.volumes,
                    &other.steady_state,
                );
                assert_eq!(verdict.is_ok(), right, "{verdict:?} {changed:?}");
                *(if right { &mut kept } else { &mut refused }) += 1;
            }
        }
    }
    assert!(refused > 1000 && kept > 20, "{refused} {kept}");
}

fn variants(platform: &Platform, scheme: &Pattern) -> Vec<Pattern> {
    let mut variants = Vec::new();
    let inputs = |known: Option<u32>| {
        let near = known.map_or(0, |known| known + 1);
        [
            None,
            Some(0),
            Some(near),
            known.map(|known| known.saturating_sub(1)),
            Some(999),
        ]
    };
    let parts = |known: Interval| {
        [
            part(known.first, known.last + 1),
            part(known.first + 1, known.last),
            part(known.last, known.first),
            part(0, 0),
        ]
    };
    let mut change = |index: usize, task: Task| {
        if scheme.tasks[index] != task {
            let mut changed = scheme.clone();
            changed.tasks[index] = task;
            variants.push(changed);
        }
    };
    for (index, &task) in scheme.tasks.iter().enumerate() {
        match task {
            Task::Send { link, part, after } => {
                for link in platform.link_ids() {
                    change(index, Task::Send { link, part, after });
                }
                for after in inputs(after) {
                    change(index, Task::Send { link, part, after });
                }
                for part in parts(part) {
                    change(index, Task::Send { link, part, after });
                }
            }
            Task::Merge {
                node,
                part,
                split,
                left,
                right,
            } => {
                let merge = |node, part, split, left, right| Task::Merge {
                    node,
                    part,
                    split,
                    left,
                    right,
                };
                for node in platform.node_ids() {
                    change(index, merge(node, part, split, left, right));
                }
                for part in parts(part) {
                    change(index, merge(node, part, split, left, right));
                }
                for split in [0, split + 1, 9] {
                    change(index, merge(node, part, split, left, right));
                }
                for left in inputs(left) {
                    change(index, merge(node, part, split, left, right));
                }
                for right in inputs(right) {
                    change(index, merge(node, part, split, left, right));
                }
            }
        }
    }
    for index in 0..scheme.tasks.len() {
        let mut dropped = scheme.clone();
        dropped.tasks.remove(index);
        variants.push(dropped);
    }
    let operands = scheme.order.as_ref().map_or(2, Vec::len);
    for order in [
        None,
        Some((0..operands).rev().collect()),
        Some(vec![0; operands]),
        Some(vec![0]),
    ] {
        if order != scheme.order {
            variants.push(Pattern {
                order,
                ..scheme.clone()
            });
        }
    }
    variants
}

/// Plays a scheme with tokens: each names its value and is spent at nodes that do not replicate.
fn plays(plan: &Plan, scheme: &Pattern) -> bool {
    let demand = plan.collective.demand(scheme.demand).unwrap();
    let natural: Vec<usize> = (0..demand.operands.len()).collect();
    let order = scheme.order.clone().unwrap_or(natural.clone());
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != natural
        || (scheme.order.is_some() && (!demand.commutative || demand.goals == Goals::Prefixes))
    {
        return false;
    }
    let mut own: Vec<(Interval, NodeId, bool)> = order
        .iter()
        .enumerate()
        .map(|(i, &owner)| (part(i, i), demand.operands[owner], false))
        .collect();
    let mut made: Vec<(Interval, NodeId, bool)> = Vec::new();
    for &task in &scheme.tasks {
        let mut take = |input: Option<u32>, what: Interval, at: NodeId| {
            let token = match input {
                Some(input) => made.get_mut(input as usize),
                None => own.iter_mut().find(|(part, ..)| *part == what),
            };
            let Some(token) = token.filter(|token| (token.0, token.1) == (what, at) && !token.2)
            else {
                return false;
            };
            token.2 = !plan.platform.node(at).replicates;
            true
        };
        let token = match task {
            Task::Send { link, part, after } => {
                let link = plan.platform.link(link);
                (take(after, part, link.from), (part, link.to, false))
            }
            Task::Merge {
                node,
                part: whole,
                split,
                left,
                right,
            } => {
                let splits =
                    whole.first <= split && split < whole.last && plan.platform.node(node).merges();
                let left = splits && take(left, part(whole.first, split), node);
                (
                    left && take(right, part(split + 1, whole.last), node),
                    (whole, node, false),
                )
            }
        };
        if !token.0 {
            return false;
        }
        made.push(token.1);
    }
    demand.goals().iter().all(|&(node, what)| {
        own.iter()
            .chain(&made)
            .any(|(p, n, _)| (*p, *n) == (what, node))
    })
}
