//! Every pattern under every port model: roundings, slots, runs and buffers, against sums over single tasks, all odd
//! sets one by one, and runs followed event by event.

use crate::follow;
use crate::models;

use std::collections::{BTreeMap, BTreeSet};

use models::{Case, Loads, Models, any_models, cases, has_odd_sets, ratio};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_period::PeriodError;
use oneport_period::rounding::{Target, own_period, round, rounded_down};
use oneport_plan::{
    Collective, Goals, Pattern, PeriodicSchedule, Problem, ScheduledPattern, SteadyState, Volumes,
    WeightedPattern, WholePatterns,
};
use oneport_platform::{Link, LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_schedule::{ScheduleError, buffers, execution, periodic, timeline};
use oneport_watch::Watch;
use proptest::prelude::*;

fn rounded(case: &Case, target: &Target) -> Result<WholePatterns, PeriodError> {
    round(
        &Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(),
        &case.steady_state,
        target,
        &Watch::unlimited(),
    )
}

fn slotted(case: &Case, whole: &WholePatterns) -> Result<PeriodicSchedule, ScheduleError> {
    periodic(
        &Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(),
        whole.clone(),
        &Watch::unlimited(),
    )
}

fn rate(whole: &WholePatterns) -> Rational {
    ratio(whole.instances.clone(), 1) / &whole.period
}

/// Patterns of the steady state, or paths. Their number per demand is the number of instances, times the rate. They fit
/// in the period.
fn check_whole(case: &Case, whole: &WholePatterns) {
    let known: BTreeSet<&Pattern> = case
        .steady_state
        .patterns
        .iter()
        .map(|weighted| &weighted.pattern)
        .collect();
    let mut copies = vec![BigUint::zero(); case.collective.demands()];
    for scheduled in &whole.patterns {
        let index = scheduled.pattern.demand;
        let demand = case.collective.demand(index).unwrap();
        if demand.operands.len() == 1 && matches!(demand.goals, Goals::At(_)) {
            let mut at = demand.operands[0];
            for link in scheduled.pattern.links() {
                assert_eq!(case.platform.link(link).from, at);
                at = case.platform.link(link).to;
            }
            assert_eq!(vec![(at, demand.whole())], demand.goals());
            assert_eq!(
                scheduled.pattern,
                Pattern::path(index, scheduled.pattern.links())
            );
        } else {
            assert!(
                known.contains(&scheduled.pattern),
                "{case:?}: {:?} comes from nowhere",
                scheduled.pattern
            );
        }
        assert!(!scheduled.copies.is_zero());
        copies[index] += &scheduled.copies;
    }
    for (index, copies) in copies.iter().enumerate() {
        assert_eq!(
            *copies,
            &whole.instances * case.collective.rate(index),
            "{case:?}: demand {index}"
        );
    }
    assert!(
        Loads::of_whole(case, whole).busiest() <= whole.period,
        "{case:?}: {whole:?}"
    );
}

/// Every node within its model, every link once. Every link is busy for the time of its transfers.
fn check_slots(case: &Case, whole: &WholePatterns, schedule: &PeriodicSchedule) {
    let platform = &case.platform;
    assert_eq!(
        (&schedule.period, &schedule.instances),
        (&whole.period, &whole.instances)
    );
    assert_eq!(schedule.patterns, whole.patterns);
    let mut spent: BTreeMap<LinkId, Rational> = BTreeMap::new();
    for slot in &schedule.slots {
        assert!(slot.length.is_positive());
        assert!(
            slot.links.windows(2).all(|pair| pair[0] < pair[1]),
            "{slot:?}"
        );
        check_busy(platform, &slot.links);
        for &link in &slot.links {
            *spent.entry(link).or_default() += &slot.length;
        }
    }
    let loads = Loads::of_whole(case, whole);
    assert_eq!(spent, loads.links, "{case:?}");
    let total: Rational = schedule.slots.iter().map(|slot| &slot.length).sum();
    assert!(total <= whole.period, "{case:?}");
    match loads.exact_talking() {
        Some(exact) => assert_eq!(total, exact, "{case:?}"),
        None => assert!(total >= loads.talking(), "{case:?}"),
    }
}

/// These links may be busy at the same time.
pub fn check_busy(platform: &Platform, links: &[LinkId]) {
    assert_eq!(
        links.iter().collect::<BTreeSet<_>>().len(),
        links.len(),
        "a link twice: {links:?}"
    );
    for node in platform.node_ids() {
        let out = links
            .iter()
            .filter(|&&link| platform.link(link).from == node)
            .count();
        let into = links
            .iter()
            .filter(|&&link| platform.link(link).to == node)
            .count();
        let most = match platform.model_of(node) {
            PortModel::FullDuplex => out.max(into) <= 1,
            PortModel::HalfDuplex => out + into <= 1,
            PortModel::Multiport => out.max(into) <= platform.node(node).ports.unwrap() as usize,
            PortModel::Links => true,
        };
        assert!(
            most,
            "{}: {out} sends and {into} receives at a time",
            platform.name(node)
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_number_of_instances_keeps_its_promises(case in cases(any_models(), 6, 4), most in 1..40u64) {
        let whole = rounded(&case, &Target::Instances(most)).unwrap();
        check_whole(&case, &whole);
        prop_assert!(!whole.instances.is_zero() && whole.instances <= BigUint::from(most));
        let schedule = slotted(&case, &whole).unwrap();
        check_slots(&case, &whole, &schedule);
        // At most the time that the slots or a processor need.
        let total: Rational = schedule.slots.iter().map(|slot| &slot.length).sum();
        prop_assert_eq!(total.max(Loads::of_whole(&case, &whole).computing()), whole.period.clone());
        if case.attainable {
            let own = own_period(&case.steady_state);
            check_whole(&case, &own);
            prop_assert_eq!(&rate(&own), &case.steady_state.throughput);
            check_slots(&case, &own, &slotted(&case, &own).unwrap());
            if own.instances <= BigUint::from(most) {
                prop_assert!(rate(&whole) >= case.steady_state.throughput);
            }
        }
        if !has_odd_sets(&case.platform) {
            let more = rounded(&case, &Target::Instances(most + 1)).unwrap();
            prop_assert!(rate(&more) >= rate(&whole));
        }
    }

    #[test]
    fn own_weights_are_whole_as_soon_as_possible(case in cases(any_models(), 4, 4)) {
        let own = own_period(&case.steady_state);
        for prime in [2u32, 3, 5, 7, 11, 13] {
            let shorter = &own.period / ratio(prime, 1);
            let whole = |number: &Rational| (number * &shorter).is_integer();
            let weights = case.steady_state.patterns.iter().all(|weighted| whole(&weighted.weight));
            prop_assert!(!weights || !whole(&case.steady_state.throughput), "{own:?} divided by {prime}");
        }
    }

    #[test]
    fn a_fixed_period_keeps_its_promises(case in cases(any_models(), 6, 4), p in 1..300i64, q in 1..4i64) {
        let period = ratio(p, q);
        let plain = rounded_down(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &case.steady_state, &period).unwrap();
        let mut sums = vec![BigInt::zero(); case.collective.demands()];
        for weighted in &case.steady_state.patterns {
            sums[weighted.pattern.demand] += (&weighted.weight * &period).floor().to_integer();
        }
        let floor = (0..sums.len()).map(|index| &sums[index] / case.collective.rate(index)).min().unwrap();
        prop_assert_eq!(BigInt::from(plain.instances.clone()), floor.clone());
        check_whole(&case, &plain);
        match rounded(&case, &Target::Period(period.clone())) {
            Ok(whole) => {
                check_whole(&case, &whole);
                prop_assert_eq!(&whole.period, &period);
                prop_assert!(!case.attainable || BigInt::from(whole.instances.clone()) >= floor, "less than the paper's rule");
                check_slots(&case, &whole, &slotted(&case, &whole).unwrap());
                check_full(&case, &whole);
            }
            Err(PeriodError::PeriodTooShort { period: named, needed }) => {
                prop_assert_eq!(&*named, &period);
                prop_assert!(!case.attainable || floor.is_zero());
                prop_assert!(*needed > period);
                let whole = rounded(&case, &Target::Period(*needed)).unwrap();
                check_whole(&case, &whole);
                check_slots(&case, &whole, &slotted(&case, &whole).unwrap());
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }

    /// The shortest period is exactly the needed one: a slightly shorter one is refused, and the given reason is true.
    #[test]
    fn a_period_too_short_is_refused(case in cases(any_models(), 6, 4), most in 1..6u64, part in 1..=1000i64) {
        let mut whole = rounded(&case, &Target::Instances(most)).unwrap();
        let loads = Loads::of_whole(&case, &whole);
        whole.period = &whole.period * ratio(1000 - part, 1000);
        let refused = slotted(&case, &whole).unwrap_err();
        match refused {
            ScheduleError::Overfull { busy, period, .. } => {
                prop_assert_eq!((&*busy, &*period), (&loads.busiest(), &whole.period));
                prop_assert!(*busy > whole.period);
            }
            ScheduleError::OddSet { busy, period, .. } => {
                prop_assert!(has_odd_sets(&case.platform));
                prop_assert_eq!(&*period, &whole.period);
                prop_assert!(loads.busiest() <= whole.period && whole.period < *busy);
                if let Some(odd) = loads.odd_sets() {
                    prop_assert!(*busy <= odd, "{case:?}: {busy}, at most {odd}");
                }
            }
            other => prop_assert!(false, "{other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_loss_keeps_its_promises(case in cases(any_models(), 6, 4), percent in 0..60i64, limit in 1..100u64) {
        let most = ratio(percent, 100);
        let whole = rounded(&case, &Target::Loss { most: most.clone(), instances: limit }).unwrap();
        check_whole(&case, &whole);
        let schedule = slotted(&case, &whole).unwrap();
        check_slots(&case, &whole, &schedule);
        let total: Rational = schedule.slots.iter().map(|slot| &slot.length).sum();
        prop_assert_eq!(total.max(Loads::of_whole(&case, &whole).computing()), whole.period.clone());
        let enough = &case.steady_state.throughput * (Rational::one() - &most);
        let best = rounded(&case, &Target::Instances(limit)).unwrap();
        if rate(&whole) < enough {
            prop_assert!(rate(&best) < enough, "{case:?}: {} instances lose too much, not {}", whole.instances, best.instances);
            // Odd sets found during the search may lead to other numbers of equal value.
            prop_assert_eq!(rate(&whole), rate(&best));
        }
        // Small numbers have been tried one by one: the best of fewer instances is not good enough.
        let fewer = whole.instances.to_u64().unwrap() - 1;
        if fewer > 0 && !has_odd_sets(&case.platform) && rate(&whole) >= enough {
            let fewer = rounded(&case, &Target::Instances(fewer)).unwrap();
            prop_assert!(rate(&fewer) < enough, "{case:?}: {} instances lose no more", fewer.instances);
        }
        let own = own_period(&case.steady_state).instances;
        if case.attainable && own <= BigUint::from(limit) {
            prop_assert!(rate(&whole) >= enough && whole.instances <= own);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Against all numbers of copies of all patterns.
    #[test]
    fn few_instances_lose_little(case in one_demand(one_model()), percent in 1..40i64) {
        const MOST: usize = 6;
        let loss = ratio(percent, 100);
        let enough = &case.steady_state.throughput * (Rational::one() - &loss);
        let whole = rounded(&case, &Target::Loss { most: loss, instances: 10_000 }).unwrap();
        let least = (1..=MOST).find(|&most| best_of_few(&case, most) >= enough);
        let found = whole.instances.to_usize().unwrap();
        match least {
            Some(least) => prop_assert!(least <= found && found <= 2 * least, "{least} are enough, {found} found"),
            None => prop_assert!(rate(&whole) < enough || found > MOST),
        }
    }
}

/// Number of times that a link pauses and goes on.
fn breaks(schedule: &PeriodicSchedule, link: LinkId) -> usize {
    let busy = schedule.slots.iter().map(|slot| slot.links.contains(&link));
    let begins = busy
        .clone()
        .zip(std::iter::once(false).chain(busy))
        .filter(|(now, before)| *now && !before);
    begins.count().saturating_sub(1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// If links alone are exclusive, every message can be sent without a break.
    #[test]
    fn links_that_are_free_cut_no_message(case in cases(Just(Models::All(PortModel::Links)), 6, 4), most in 1..12u64) {
        let whole = rounded(&case, &Target::Instances(most)).unwrap();
        let schedule = slotted(&case, &whole).unwrap();
        check_slots(&case, &whole, &schedule);
        let times: BTreeSet<Rational> = Loads::of_whole(&case, &whole).links.into_values().collect();
        prop_assert!(schedule.slots.len() <= times.len(), "more slots than different busy times");
        let run = timeline(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &schedule, 1).unwrap();
        for event in &run.events {
            prop_assert_eq!(event.pieces.len(), 1, "{:?}: {:?} is cut", case, event);
        }
    }

    /// This holds also between such nodes among others.
    #[test]
    fn a_link_without_ports_never_pauses(case in cases(Just(Models::Mixed), 6, 4), most in 1..12u64) {
        let whole = rounded(&case, &Target::Instances(most)).unwrap();
        let schedule = slotted(&case, &whole).unwrap();
        check_slots(&case, &whole, &schedule);
        for link in case.platform.link_ids() {
            let Link { from, to, .. } = *case.platform.link(link);
            if [from, to].iter().all(|&node| case.platform.model_of(node) == PortModel::Links) {
                prop_assert_eq!(breaks(&schedule, link), 0, "{:?}: {}", case, case.platform.link_name(link));
            }
        }
    }
}

/// A hub sends transfers of 11/6, 2 and 3/2 to three leaves: the links are independent, so three slots suffice, and
/// none cuts the message of a link that sends a single one.
#[test]
fn a_star_of_links_is_not_cut() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    for name in ["hub", "a", "b", "c"] {
        builder.node(Node::processor(name, ratio(1, 1))).unwrap();
    }
    let nodes = [0, 1, 2, 3].map(NodeId::new);
    for (leaf, cost) in [(1, ratio(11, 6)), (2, ratio(2, 1)), (3, ratio(3, 2))] {
        builder.link(nodes[0], nodes[leaf], cost).unwrap();
    }
    let platform = builder.build().unwrap();
    let path = |index: usize| ScheduledPattern {
        pattern: Pattern::path(index, vec![LinkId::new(index)]),
        copies: 1u32.into(),
    };
    let patterns = (0..3).map(path).collect();
    let whole = WholePatterns {
        period: ratio(2, 1),
        instances: 1u32.into(),
        patterns,
    };
    let volumes = Volumes::of_size(ratio(1, 1));
    let collective = Collective::scatter(nodes[0], nodes[1..].to_vec());
    let schedule = periodic(
        &Problem::new(&platform, &collective, &volumes).unwrap(),
        whole,
        &Watch::unlimited(),
    )
    .unwrap();
    let lengths: Vec<Rational> = schedule
        .slots
        .iter()
        .map(|slot| slot.length.clone())
        .collect();
    assert_eq!(lengths, [ratio(3, 2), ratio(1, 3), ratio(1, 6)]);
    for link in platform.link_ids() {
        assert_eq!(breaks(&schedule, link), 0);
    }
}

/// No room is left for another instance along the steady state's own patterns, if each demand has a single one.
fn check_full(case: &Case, whole: &WholePatterns) {
    let single = case.steady_state.patterns.len() == case.collective.demands();
    if !single || (has_odd_sets(&case.platform) && !case.collective.commodities().is_empty()) {
        return;
    }
    let mut more = whole.clone();
    more.patterns.extend(
        case.steady_state
            .patterns
            .iter()
            .map(|weighted| ScheduledPattern {
                pattern: weighted.pattern.clone(),
                copies: case.collective.rate(weighted.pattern.demand).into(),
            }),
    );
    let loads = Loads::of_whole(case, &more);
    let needed = loads
        .exact()
        .unwrap_or_else(|| whole.period.clone() + Rational::one());
    assert!(
        needed > whole.period,
        "{case:?}: room for another instance in {}",
        whole.period
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(125))]

    #[test]
    fn a_run_brings_everything_where_it_is_wanted(case in cases(any_models(), 6, 3), most in 1..4u64, periods in 1..=3u64) {
        let whole = rounded(&case, &Target::Instances(most)).unwrap();
        let schedule = slotted(&case, &whole).unwrap();
        let run = timeline(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &schedule, periods).unwrap();
        let instances = schedule.instances.to_u64().unwrap();
        prop_assert_eq!((run.starting_periods, run.instances_per_period), (periods, instances));
        prop_assert!(run.clean_up_periods < schedule.depth().max(1) as u64);
        let tasks: BigUint = schedule.patterns.iter().map(|it| &it.copies * BigUint::from(it.pattern.tasks.len())).sum();
        prop_assert_eq!(tasks * periods, BigUint::from(run.events.len() + run.merges.len()));
        follow::check_dates(&case, &run);
        let peaks = follow::check_messages(&case, &run);
        let room = buffers(&case.platform, &execution(&Problem::new(&case.platform, &case.collective, &case.volumes).unwrap(), &schedule, &Watch::unlimited()).unwrap());
        for (node, peak) in peaks {
            let room = room.get(&node).cloned().unwrap_or_default();
            prop_assert!(BigUint::from(peak) <= room, "{case:?}: node {node} holds {peak}, room for {room}");
        }
    }
}

/// The best proportion that few instances allow, by trying all of them with all odd sets.
fn best_of_few(case: &Case, most: usize) -> Rational {
    let patterns: Vec<&Pattern> = case
        .steady_state
        .patterns
        .iter()
        .map(|weighted| &weighted.pattern)
        .collect();
    let mut best = Rational::zero();
    for code in 1..(most + 1).pow(patterns.len() as u32) {
        let copies =
            (0..patterns.len()).map(|index| code / (most + 1).pow(index as u32) % (most + 1));
        let copies: Vec<usize> = copies.collect();
        let count: usize = copies.iter().sum();
        if count <= most {
            let counted = patterns
                .iter()
                .zip(&copies)
                .filter(|(_, copies)| **copies > 0);
            let counted = counted.map(|(&pattern, &copies)| (pattern, ratio(copies, 1)));
            let busy = Loads::new(&case.platform, &case.volumes, counted)
                .exact()
                .unwrap();
            best = best.max(ratio(count, 1) / busy);
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(75))]

    #[test]
    fn few_instances_are_rounded_well(case in single_cases(), most in 1..=4u64) {
        let whole = rounded(&case, &Target::Instances(most)).unwrap();
        let best = best_of_few(&case, most as usize);
        prop_assert!(rate(&whole) <= best);
        prop_assert!(rate(&whole) >= &best * ratio(2, 3), "{best} is possible, {} was found", rate(&whole));
    }
}

/// One demand on a half-duplex platform.
fn single_cases() -> impl Strategy<Value = Case> {
    one_demand(Just(Models::All(PortModel::HalfDuplex)))
}

fn one_model() -> impl Strategy<Value = Models> {
    let models = [
        PortModel::FullDuplex,
        PortModel::HalfDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ];
    prop::sample::select(models.to_vec()).prop_map(Models::All)
}

fn one_demand(models: impl Strategy<Value = Models>) -> impl Strategy<Value = Case> {
    let few = cases(models, 5, 3);
    few.prop_filter("a single demand", |case| {
        case.collective.demands() == 1 && case.collective.rate(0) == 1
    })
}

/// RR-2004-32, figure 2: three nodes in a triangle, one port each.
fn triangle(model: PortModel) -> Case {
    let mut builder = Platform::builder();
    builder.model(model);
    for name in ["a", "b", "c"] {
        builder.node(Node::processor(name, ratio(1, 1))).unwrap();
    }
    let [a, b, c] = [0, 1, 2].map(NodeId::new);
    for (from, to) in [(a, b), (a, c), (b, c)] {
        builder.duplex(from, to, ratio(1, 1)).unwrap();
    }
    let platform = builder.build().unwrap();
    let link = |from, to| platform.link_between(from, to).unwrap();
    let chain = |middle, end| {
        let hops = vec![(link(a, middle), None), (link(middle, end), Some(0))];
        Pattern::arborescence(0, hops)
    };
    let star = vec![(link(a, b), None), (link(a, c), None)];
    let star = Pattern::arborescence(0, star);
    let weights = [
        (chain(b, c), ratio(1, 3)),
        (chain(c, b), ratio(1, 3)),
        (star, ratio(1, 6)),
    ];
    let patterns = weights
        .into_iter()
        .map(|(pattern, weight)| WeightedPattern { pattern, weight })
        .collect();
    Case {
        collective: Collective::broadcast(a, vec![b, c]),
        volumes: Volumes::of_size(ratio(1, 1)),
        steady_state: SteadyState {
            throughput: ratio(5, 6),
            patterns,
        },
        attainable: false,
        platform,
    }
}

#[test]
fn a_triangle_takes_longer_than_its_busiest_port() {
    // Each instance sends two messages over the triangle's links, and one link is busy at a time: 2 per instance,
    // although no port is busy for more than 5/3.
    let half = triangle(PortModel::HalfDuplex);
    let whole = rounded(&half, &Target::Instances(6)).unwrap();
    assert_eq!(rate(&whole), ratio(1, 2));
    let own = own_period(&half.steady_state);
    assert_eq!(
        (own.instances.to_u64(), &own.period),
        (Some(5), &ratio(6, 1))
    );
    let longer = WholePatterns {
        period: ratio(9, 1),
        ..own
    };
    let members = "port of 'a', port of 'b', port of 'c'".to_string();
    let refused = slotted(&half, &longer).unwrap_err();
    let (busy, period) = (Box::new(ratio(10, 1)), Box::new(ratio(9, 1)));
    assert_eq!(
        refused,
        ScheduleError::OddSet {
            members,
            at_a_time: "1".to_string(),
            busy,
            period
        }
    );
    assert_eq!(
        refused.to_string(),
        "of the links among port of 'a', port of 'b', port of 'c' at most 1 can be busy at a time, so their transfers take \
         10, longer than the period of 9; the period must be at least that long"
    );
    // The odd set, not the ports, determines the whole messages of a fixed period.
    for (period, instances) in [(2, 1), (9, 4), (10, 5), (100, 50)] {
        let whole = rounded(&half, &Target::Period(ratio(period, 1))).unwrap();
        assert_eq!(whole.instances.to_u64(), Some(instances), "period {period}");
        check_slots(&half, &whole, &slotted(&half, &whole).unwrap());
    }
    let refused = rounded(&half, &Target::Period(ratio(19, 10)));
    let (period, needed) = (Box::new(ratio(19, 10)), Box::new(ratio(2, 1)));
    assert_eq!(refused, Err(PeriodError::PeriodTooShort { period, needed }));
    // The other models have no such sets.
    let full = rounded(&triangle(PortModel::FullDuplex), &Target::Instances(10)).unwrap();
    assert_eq!(rate(&full), ratio(1, 1));
    let links = rounded(&triangle(PortModel::Links), &Target::Instances(10)).unwrap();
    assert_eq!(rate(&links), ratio(2, 1));
}

/// Weights of the wrong sum, demands without a pattern, patterns without a demand.
#[test]
fn what_is_no_steady_state_is_refused() {
    let case = triangle(PortModel::FullDuplex);
    let refused = |change: &dyn Fn(&mut Case)| {
        let mut case = case.clone();
        change(&mut case);
        match rounded(&case, &Target::Instances(3)) {
            Err(PeriodError::Unbalanced {
                demand,
                found,
                throughput,
            }) => (demand, *found, *throughput),
            other => panic!("{other:?}"),
        }
    };
    let two = |case: &mut Case, rate: u64| {
        let member = |rate| oneport_plan::Member {
            collective: case.collective.clone(),
            rate,
        };
        case.collective = Collective::Groups(vec![member(1), member(rate)]);
    };
    assert_eq!(refused(&|case| two(case, 3)), (1, ratio(0, 1), ratio(5, 2)));
    assert_eq!(
        refused(&|case| case.steady_state.patterns.clear()),
        (0, ratio(0, 1), ratio(5, 6))
    );
    let beyond = |case: &mut Case| {
        let more = case.steady_state.patterns[0].clone();
        case.steady_state.patterns.push(WeightedPattern {
            pattern: more.pattern.with_demand(7),
            ..more
        });
    };
    assert_eq!(refused(&beyond), (7, ratio(1, 3), ratio(0, 1)));
    let doubled = |case: &mut Case| {
        two(case, 2);
        let more = case.steady_state.patterns.clone();
        let other = |it: WeightedPattern| WeightedPattern {
            pattern: it.pattern.with_demand(1),
            ..it
        };
        case.steady_state
            .patterns
            .extend(more.into_iter().map(other));
    };
    assert_eq!(refused(&doubled), (1, ratio(5, 6), ratio(5, 3)));
}
