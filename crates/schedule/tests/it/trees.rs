//! Reductions: whole copies of trees, slots, runs and buffers, against sums over single tasks and the paper's rule.

use crate::reductions;
use oneport_testkit::Reductions;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};
use oneport_period::PeriodError;
use oneport_period::rounding::{Target, own_period, round, rounded_down};
use oneport_plan::{
    Interval, Pattern, PeriodicSchedule, Problem, Resource, Task, Timeline, WholePatterns,
};
use oneport_platform::{LinkId, NodeId, Rational};
use oneport_schedule::{ScheduleError, buffers, execution, periodic, timeline};
use oneport_watch::Watch;
use proptest::prelude::*;
use reductions::{Case, case, cases, figure_6, loads, ratio};

fn rounded(case: &Case, target: &Target) -> Result<WholePatterns, PeriodError> {
    round(
        &Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(),
        &case.steady_state,
        target,
        &Watch::unlimited(),
    )
}

fn of_whole(case: &Case, whole: &WholePatterns) -> BTreeMap<Resource, Rational> {
    let copies = |scheduled: &oneport_plan::ScheduledPattern| ratio(scheduled.copies.clone(), 1);
    loads(
        &case.platform,
        &case.volumes,
        whole.patterns.iter().map(|it| (&it.pattern, copies(it))),
    )
}

fn busiest(case: &Case, whole: &WholePatterns) -> Rational {
    of_whole(case, whole)
        .into_values()
        .max()
        .unwrap_or_default()
}

fn rate(whole: &WholePatterns) -> Rational {
    ratio(whole.instances.clone(), 1) / &whole.period
}

/// Only given trees, in whole positive copies. Their number per reduction is the number of instances. No resource is
/// busy for longer than the period.
fn check(case: &Case, whole: &WholePatterns) {
    let known: BTreeSet<&Pattern> = case
        .steady_state
        .patterns
        .iter()
        .map(|weighted| &weighted.pattern)
        .collect();
    let mut copies = vec![BigUint::zero(); case.collective.reductions().len()];
    for scheduled in &whole.patterns {
        assert!(
            known.contains(&scheduled.pattern),
            "{case:?}: {:?} comes from nowhere",
            scheduled.pattern
        );
        assert!(!scheduled.copies.is_zero());
        copies[scheduled.pattern.demand] += &scheduled.copies;
    }
    assert!(
        copies.iter().all(|count| *count == whole.instances),
        "{case:?}: {copies:?} of {}",
        whole.instances
    );
    assert!(busiest(case, whole) <= whole.period, "{case:?}: {whole:?}");
}

/// The copies of the paper's rule, reduction by reduction.
fn floors(case: &Case, period: &Rational) -> Vec<BigInt> {
    let mut sums = vec![BigInt::zero(); case.collective.reductions().len()];
    for weighted in &case.steady_state.patterns {
        sums[weighted.pattern.demand] += (&weighted.weight * period).floor().to_integer();
    }
    sums
}

#[test]
fn the_toy_loses_what_the_paper_says() {
    let toy = figure_6();
    for (period, expected) in [
        (1, (0, 1)),
        (2, (1, 2)),
        (3, (1, 1)),
        (4, (3, 4)),
        (5, (4, 5)),
        (7, (6, 7)),
        (10, (9, 10)),
        (100, (99, 100)),
    ] {
        let plain = rounded_down(
            &Problem::new(&toy.platform, &toy.collective, &toy.volumes).unwrap(),
            &toy.steady_state,
            &ratio(period, 1),
        )
        .unwrap();
        assert_eq!(
            rate(&plain),
            ratio(expected.0, expected.1),
            "period {period}"
        );
        check(&toy, &plain);
        // With exchanged copies nothing is lost: each tree alone keeps no resource busy for more than its time.
        assert_eq!(
            rate(&rounded(&toy, &Target::Period(ratio(period, 1))).unwrap()),
            ratio(1, 1),
            "period {period}"
        );
    }
    let own = own_period(&toy.steady_state);
    assert_eq!(
        (&own.period, own.instances.to_u64()),
        (&ratio(3, 1), Some(3))
    );
    let best = rounded(&toy, &Target::Instances(10_000)).unwrap();
    assert_eq!(rate(&best), ratio(1, 1));
    let refused = rounded(&toy, &Target::Period(ratio(99, 100)));
    let needed = Box::new(ratio(1, 1));
    assert_eq!(
        refused,
        Err(PeriodError::PeriodTooShort {
            period: Box::new(ratio(99, 100)),
            needed
        })
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// RR-4872, proposition 4, in the strict form: `TP - floor rule < card(TREES) / T_fixed`, and for whole `T_fixed`
    /// and weights that are whole over `T` at most `card(TREES) (1 - 1/T) / T_fixed`. The trees are those of the
    /// scarcest reduction.
    #[test]
    fn the_plain_rule_loses_less_than_a_tree_each(case in cases(6, 4), p in 1..200i64, q in 1..4i64) {
        let period = ratio(p, q);
        let plain = rounded_down(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &case.steady_state, &period).unwrap();
        check(&case, &plain);
        let floors = floors(&case, &period);
        let least = floors.iter().min().unwrap();
        prop_assert_eq!(&BigInt::from(plain.instances.clone()), least);
        let trees = |reduction: usize| {
            let of_it = case.steady_state.patterns.iter().filter(|it| it.pattern.demand == reduction);
            ratio(of_it.count(), 1)
        };
        let scarcest = floors.iter().position(|sum| sum == least).unwrap();
        let loss = &case.steady_state.throughput - rate(&plain);
        prop_assert!(loss < trees(scarcest) / &period);
        if q == 1 {
            let whole = case.steady_state.patterns.iter().map(|it| it.weight.denom().clone());
            let whole = whole.fold(BigInt::one(), |all, denominator| num_integer::Integer::lcm(&all, &denominator));
            let less = Rational::one() - ratio(BigInt::one(), whole);
            prop_assert!(loss <= trees(scarcest) * less / &period);
        }
    }

    #[test]
    fn a_fixed_period_keeps_its_promises(case in cases(6, 4), p in 1..300i64, q in 1..4i64) {
        let period = ratio(p, q);
        let floor = floors(&case, &period).into_iter().min().unwrap();
        match rounded(&case, &Target::Period(period.clone())) {
            Ok(whole) => {
                check(&case, &whole);
                prop_assert_eq!(&whole.period, &period);
                prop_assert!(BigInt::from(whole.instances.clone()) >= floor, "less than the paper's rule");
                // No room is left for another instance along any one tree of each reduction.
                let mut fullest = whole.clone();
                let mut more: BTreeMap<usize, Vec<&Pattern>> = BTreeMap::new();
                for weighted in &case.steady_state.patterns {
                    more.entry(weighted.pattern.demand).or_default().push(&weighted.pattern);
                }
                if let [trees] = &more.into_values().collect::<Vec<_>>()[..] {
                    for &tree in trees {
                        let one = oneport_plan::ScheduledPattern { pattern: tree.clone(), copies: BigUint::one() };
                        fullest.patterns.push(one);
                        prop_assert!(busiest(&case, &fullest) > period, "room for {:?}", tree);
                        fullest.patterns.pop();
                    }
                }
            }
            Err(PeriodError::PeriodTooShort { period: named, needed }) => {
                prop_assert_eq!(&*named, &period);
                prop_assert!(floor.is_zero());
                prop_assert!(*needed > period);
                let whole = rounded(&case, &Target::Period(*needed)).unwrap();
                check(&case, &whole);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn a_number_of_instances_keeps_its_promises(case in cases(6, 4), most in 1..40u64) {
        let whole = rounded(&case, &Target::Instances(most)).unwrap();
        check(&case, &whole);
        prop_assert!(!whole.instances.is_zero() && whole.instances <= BigUint::from(most));
        prop_assert_eq!(&whole.period, &busiest(&case, &whole));
        let more = rounded(&case, &Target::Instances(most + 1)).unwrap();
        prop_assert!(rate(&more) >= rate(&whole));
        let own = own_period(&case.steady_state);
        check(&case, &own);
        prop_assert_eq!(&rate(&own), &case.steady_state.throughput);
        prop_assert_eq!(&busiest(&case, &own), &own.period);
        if own.instances <= BigUint::from(most) {
            prop_assert!(rate(&whole) >= case.steady_state.throughput);
        }
        // Over a period shorter than its own, the weights are not integers.
        for divisor in [2u32, 3, 5, 7] {
            let shorter = &own.period / ratio(divisor, 1);
            prop_assert!(!case.steady_state.patterns.iter().all(|it| (&it.weight * &shorter).is_integer()));
        }
    }

    /// The best proportion that few instances allow, by trying all of them.
    #[test]
    fn few_instances_are_rounded_well(case in single_cases(), most in 1..=4u64) {
        let whole = rounded(&case, &Target::Instances(most)).unwrap();
        let trees: Vec<&Pattern> = case.steady_state.patterns.iter().map(|weighted| &weighted.pattern).collect();
        let mut best = Rational::zero();
        for code in 1..(most as usize + 1).pow(trees.len() as u32) {
            let copies: Vec<usize> =
                (0..trees.len()).map(|tree| code / (most as usize + 1).pow(tree as u32) % (most as usize + 1)).collect();
            let count: usize = copies.iter().sum();
            if count <= most as usize {
                let counted = trees.iter().zip(&copies).map(|(&tree, &copies)| (tree, ratio(copies, 1)));
                let busy = loads(&case.platform, &case.volumes, counted).into_values().max().unwrap();
                best = best.max(ratio(count, 1) / busy);
            }
        }
        prop_assert!(rate(&whole) <= best);
        prop_assert!(rate(&whole) >= &best * ratio(2, 3), "{best} is possible, {} was found", rate(&whole));
    }
}

/// Cases with one reduction.
fn single_cases() -> impl Strategy<Value = Case> {
    cases(5, 3).prop_filter("a single reduction", |case| {
        case.collective.reductions().len() == 1
    })
}

fn schedule(case: &Case, most: Option<u64>) -> PeriodicSchedule {
    let whole = match most {
        Some(most) => rounded(case, &Target::Instances(most)).unwrap(),
        None => own_period(&case.steady_state),
    };
    periodic(
        &Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(),
        whole,
        &Watch::unlimited(),
    )
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn slots_are_matchings_as_long_as_the_busiest_port(case in cases(6, 4), most in prop::option::of(1..9u64)) {
        let schedule = schedule(&case, most);
        oneport_referee::check_schedule(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &schedule)
            .unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
        let mut needed: BTreeMap<LinkId, Rational> = BTreeMap::new();
        for scheduled in &schedule.patterns {
            for task in &scheduled.pattern.tasks {
                let Task::Send { link, part, .. } = *task else { continue };
                let copies = ratio(scheduled.copies.clone(), 1);
                let cost = &case.platform.link(link).cost;
                *needed.entry(link).or_default() += copies * case.volumes.size.of(part).unwrap() * cost;
            }
        }
        let mut spent: BTreeMap<LinkId, Rational> = BTreeMap::new();
        for slot in &schedule.slots {
            let ports: BTreeSet<Resource> =
                slot.links.iter().flat_map(|&link| Resource::uses(&case.platform, link).map(|used| used.resource)).collect();
            prop_assert_eq!(ports.len(), 2 * slot.links.len(), "a port does two things at a time: {:?}", slot);
            for &link in &slot.links {
                *spent.entry(link).or_default() += &slot.length;
            }
        }
        prop_assert_eq!(spent, needed);
        let whole = WholePatterns {
            period: schedule.period.clone(),
            instances: schedule.instances.clone(),
            patterns: schedule.patterns.clone(),
        };
        let loads = of_whole(&case, &whole);
        let ports = loads.iter().filter(|(resource, _)| !matches!(resource, Resource::Compute(_)));
        let total: Rational = schedule.slots.iter().map(|slot| &slot.length).sum();
        prop_assert_eq!(&total, ports.map(|(_, time)| time).max().unwrap());
    }

    /// The busiest of ports and processors is named.
    #[test]
    fn an_overfull_period_is_refused(case in cases(6, 4), most in 1..6u64) {
        let mut whole = rounded(&case, &Target::Instances(most)).unwrap();
        let loads = of_whole(&case, &whole);
        let busy = loads.values().max().unwrap().clone();
        whole.period = &busy * ratio(999, 1000);
        match periodic(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), whole.clone(), &Watch::unlimited()) {
            Err(ScheduleError::Overfull { resource, busy: named, period }) => {
                prop_assert_eq!((&*named, &*period), (&busy, &whole.period));
                let named = loads.keys().find(|it| it.describe(&case.platform) == resource);
                prop_assert_eq!(&loads[named.unwrap()], &busy);
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn a_run_delivers_every_result(case in cases(6, 4), most in 1..5u64, periods in 1..=5u64) {
        let schedule = schedule(&case, Some(most));
        let run = timeline(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &schedule, periods).unwrap();
        let report = oneport_referee::check_timeline(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &run)
            .unwrap_or_else(|violation| panic!("{case:?}, {periods} periods: {violation}"));
        let instances = schedule.instances.to_u64().unwrap();
        prop_assert_eq!(report.delivered, periods * instances);
        prop_assert_eq!((run.starting_periods, run.instances_per_period), (periods, instances));
        let tasks = |count: fn(&Pattern) -> usize| -> BigUint {
            schedule.patterns.iter().map(|it| &it.copies * count(&it.pattern)).sum::<BigUint>() * periods
        };
        prop_assert_eq!(BigUint::from(run.events.len()), tasks(|pattern| pattern.links().count()));
        prop_assert_eq!(BigUint::from(run.merges.len()), tasks(|pattern| pattern.tasks.len() - pattern.links().count()));
        let execution = execution(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &schedule, &Watch::unlimited()).unwrap();
        let late = execution.depth as u64 - 1;
        prop_assert!(run.clean_up_periods <= late);
        for elapsed in 0..=periods {
            prop_assert!(report.complete_after(elapsed + late) >= elapsed * instances);
        }
        let room = buffers(&case.platform, &execution);
        for (node, peak) in held(&case, &run) {
            let room = room.get(&node).cloned().unwrap_or_default();
            prop_assert!(BigUint::from(peak) <= room, "{case:?}: node {node} holds {peak}, room for {room}");
        }
    }
}

/// The most messages that each node holds at a time: from their arrival, or from the end of the merge that makes them,
/// until they have left or have been merged.
fn held(case: &Case, run: &Timeline) -> BTreeMap<NodeId, usize> {
    // Per message: its arrival at a node, and the end of its last use there.
    type Stay = (Option<Rational>, Option<Rational>);
    let mut stays: BTreeMap<(u64, usize, Interval, NodeId), Stay> = BTreeMap::new();
    for event in &run.events {
        let (link, part) = (case.platform.link(event.link), event.message.part);
        let key = |node| (event.instance, event.message.demand, part, node);
        let end = event.pieces.last().unwrap().1.clone();
        stays.entry(key(link.from)).or_default().1 = Some(end.clone());
        stays.entry(key(link.to)).or_default().0 = Some(end);
    }
    for merge in &run.merges {
        let part = merge.message.part;
        let key = |part| (merge.instance, merge.message.demand, part, merge.node);
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
            stays.entry(key(half)).or_default().1 = Some(merge.end.clone());
        }
        stays.entry(key(part)).or_default().0 = Some(merge.end.clone());
    }
    let mut changes: BTreeMap<NodeId, Vec<(Rational, bool)>> = BTreeMap::new();
    for ((_, _, _, node), stay) in stays {
        // Values at their owners do not appear, and results at their targets do not go.
        if let (Some(from), Some(until)) = stay
            && from < until
        {
            changes
                .entry(node)
                .or_default()
                .extend([(from, true), (until, false)]);
        }
    }
    let peak = |mut changes: Vec<(Rational, bool)>| {
        changes.sort();
        let mut held = 0usize;
        let levels = changes.into_iter().map(|(_, comes)| {
            held = if comes { held + 1 } else { held - 1 };
            held
        });
        levels.max().unwrap_or(0)
    };
    changes
        .into_iter()
        .map(|(node, changes)| (node, peak(changes)))
        .collect()
}

/// A chain of three: the buffers and the dates can be counted by hand.
#[test]
fn the_toy_by_hand() {
    let toy = figure_6();
    let schedule = schedule(&toy, None);
    let run = timeline(
        &Problem::new(&toy.platform, &toy.collective, &toy.volumes).unwrap(),
        &schedule,
        2,
    )
    .unwrap();
    assert_eq!((run.events.len(), run.merges.len()), (2 * 3 * 2, 2 * 3 * 2));
    // Messages arrive at P0 after one, two and three units of time. A merge takes half a unit, so each starts at once.
    let arrivals = |part: Interval, node: usize| {
        let arrives = |it: &&oneport_plan::Event| {
            it.message.part == part && toy.platform.link(it.link).to.index() == node
        };
        let mut dates: Vec<(u64, Rational)> = run
            .events
            .iter()
            .filter(arrives)
            .map(|it| (it.instance, it.pieces[it.pieces.len() - 1].1.clone()))
            .collect();
        dates.sort();
        dates
    };
    let mut merges: Vec<(u64, Rational)> = run
        .merges
        .iter()
        .filter(|it| it.node.index() == 0)
        .map(|it| (it.instance, it.start.clone()))
        .collect();
    merges.sort();
    assert_eq!(arrivals(Interval { first: 1, last: 2 }, 0), merges);
    // Transfer, merge, transfer, merge: four stages, of one unit of time each except the last.
    let execution = execution(
        &Problem::new(&toy.platform, &toy.collective, &toy.volumes).unwrap(),
        &schedule,
        &Watch::unlimited(),
    )
    .unwrap();
    assert_eq!(
        (schedule.depth(), execution.depth as u64),
        (4, 1 + run.clean_up_periods)
    );
    assert!(execution.depth <= 3, "{execution:?}");
    // P0 holds the values that it merges. P1 receives v[2,2] once per period, and makes one partial result. P2 makes
    // twice as many.
    let room = buffers(&toy.platform, &execution);
    assert_eq!(room.get(&NodeId::new(0)), Some(&BigUint::from(3u32)));
    assert!(
        room.iter()
            .all(|(node, room)| *room <= BigUint::from([3u32, 2 + 2, 2 * (2 + 2)][node.index()])),
        "{room:?}"
    );
}

#[test]
fn nonsense_is_refused() {
    let toy = figure_6();
    for period in [ratio(0, 1), ratio(-3, 2)] {
        let refused = Err(PeriodError::BadPeriod(Box::new(period.clone())));
        assert_eq!(rounded(&toy, &Target::Period(period.clone())), refused);
        assert_eq!(
            rounded_down(
                &Problem::new(&toy.platform, &toy.collective, &toy.volumes).unwrap(),
                &toy.steady_state,
                &period
            ),
            refused
        );
    }
    assert_eq!(
        rounded(&toy, &Target::Instances(0)),
        Err(PeriodError::NoInstances)
    );
    let mut heavy = toy.clone();
    heavy.steady_state.patterns[0].weight = ratio(1, 2);
    let refused = rounded(&heavy, &Target::Instances(5));
    let (found, throughput) = (Box::new(ratio(7, 6)), Box::new(ratio(1, 1)));
    assert_eq!(
        refused,
        Err(PeriodError::Unbalanced {
            demand: 0,
            found,
            throughput
        })
    );
    let mut negative = toy.clone();
    negative.steady_state.patterns[0].weight = ratio(-1, 3);
    negative.steady_state.patterns[1].weight = ratio(4, 3);
    let refused = rounded(&negative, &Target::Instances(5));
    assert!(
        matches!(refused, Err(PeriodError::Unbalanced { .. })),
        "{refused:?}"
    );
    let long = timeline(
        &Problem::new(&toy.platform, &toy.collective, &toy.volumes).unwrap(),
        &schedule(&toy, None),
        u64::MAX,
    );
    assert!(matches!(long, Err(ScheduleError::TooManyEvents { .. })));
}

/// A number of instances that attains the optimum is not missed among millions.
#[test]
fn the_optimum_is_attained_exactly() {
    // The two trees balance the send ports of P1 and P2 in the proportion 400,000 : 599,983, whose sum is a prime.
    let (first, both) = (400_000, 999_983);
    let mut toy = figure_6();
    let mut builder = oneport_platform::Platform::builder();
    for node in toy.platform.nodes() {
        assert!(builder.node(node.clone()).is_ok());
    }
    for link in toy.platform.links() {
        let more = match (link.from.index(), link.to.index()) {
            (2, 1) => both - first,
            (1, 2) => first,
            _ => 0,
        };
        builder
            .link(link.from, link.to, ratio(2_000_000 + more, 1_000_000))
            .unwrap();
    }
    toy.platform = builder.build().unwrap();
    for (weighted, share) in toy
        .steady_state
        .patterns
        .iter_mut()
        .zip([first, both - first])
    {
        weighted.weight = ratio(share, both);
    }
    let weights = toy
        .steady_state
        .patterns
        .iter()
        .map(|weighted| (&weighted.pattern, weighted.weight.clone()));
    let throughput = loads(&toy.platform, &toy.volumes, weights)
        .into_values()
        .max()
        .unwrap()
        .recip();
    for weighted in toy.steady_state.patterns.iter_mut() {
        weighted.weight *= &throughput;
    }
    toy.steady_state.throughput = throughput.clone();
    for most in [999_983, 1_500_000, 10_000_000] {
        let whole = rounded(&toy, &Target::Instances(most)).unwrap();
        assert_eq!(
            (rate(&whole), whole.instances.to_u64()),
            (throughput.clone(), Some(999_983)),
            "{most}"
        );
    }
    assert!(rate(&rounded(&toy, &Target::Instances(999_982)).unwrap()) < throughput);
}

/// Limits and periods far beyond machine integers, and weights far below them.
#[test]
fn extreme_numbers_are_only_numbers() {
    let numbers: Vec<usize> = (0..50).map(|index| index * 977 % 10_007).collect();
    for scatter in [false, true] {
        let mut case = case(6, 4, 5, scatter, false, 2, &numbers);
        let tiny = ratio(BigInt::one(), BigInt::from(10).pow(60));
        for reduction in 0..case.collective.reductions().len() {
            let mut of_it = case
                .steady_state
                .patterns
                .iter_mut()
                .filter(|weighted| weighted.pattern.demand == reduction);
            if let (Some(first), Some(second)) = (of_it.next(), of_it.next()) {
                second.weight += &first.weight - &tiny;
                first.weight = tiny.clone();
            }
        }
        let busiest = loads(
            &case.platform,
            &case.volumes,
            case.steady_state
                .patterns
                .iter()
                .map(|weighted| (&weighted.pattern, weighted.weight.clone())),
        );
        let busiest = busiest.into_values().max().unwrap();
        case.steady_state.throughput /= &busiest;
        for weighted in case.steady_state.patterns.iter_mut() {
            weighted.weight /= &busiest;
        }
        let period = ratio(BigInt::from(10).pow(40), 1);
        for target in [
            Target::Instances(u64::MAX),
            Target::Instances(1),
            Target::Period(period),
        ] {
            let whole = rounded(&case, &target).unwrap();
            check(&case, &whole);
            periodic(
                &Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(),
                whole,
                &Watch::unlimited(),
            )
            .unwrap();
        }
    }
}
