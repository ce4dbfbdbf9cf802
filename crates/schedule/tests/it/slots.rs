//! Slots and timelines: matchings that take as long as the busiest port, and runs that the referee accepts.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Case, connected_cases, ratio, sample, solution};
use num_bigint::BigUint;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_lp::Formulation;
use oneport_period::rounding::{Target, own_period, round};
use oneport_plan::{Problem, WholePatterns};
use oneport_platform::{LinkId, NodeId, Rational};
use oneport_schedule::{ScheduleError, buffers, execution, periodic, timeline};
use oneport_watch::Watch;
use proptest::prelude::*;

/// Whole messages, optimal or rounded.
fn whole(case: &Case, most: Option<u64>) -> WholePatterns {
    let solution = solution(case, Formulation::Columns);
    match most {
        None => own_period(&solution.steady_state),
        Some(most) => {
            let target = Target::Instances(most);
            round(
                &Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(),
                &solution.steady_state,
                &target,
                &Watch::unlimited(),
            )
            .unwrap()
        }
    }
}

fn link_times(case: &Case, whole: &WholePatterns) -> BTreeMap<LinkId, Rational> {
    let mut times = BTreeMap::new();
    for scheduled in &whole.patterns {
        for link in scheduled.pattern.links() {
            let copies = ratio(scheduled.copies.clone(), 1);
            *times.entry(link).or_insert_with(Rational::zero) +=
                copies * &case.size * &case.platform.link(link).cost;
        }
    }
    times
}

fn port_times(case: &Case, links: &BTreeMap<LinkId, Rational>) -> Vec<Rational> {
    let nodes = case.platform.nodes().len();
    let mut busy = vec![Rational::zero(); 2 * nodes];
    for (&link, time) in links {
        busy[case.platform.link(link).from.index()] += time;
        busy[nodes + case.platform.link(link).to.index()] += time;
    }
    busy
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn slots_are_matchings_as_long_as_the_busiest_port(
        case in connected_cases(6, 14),
        most in prop::option::of(1..9u64),
        spare in 0..3i64,
    ) {
        let mut whole = whole(&case, most);
        whole.period += ratio(spare, 2);
        let schedule = periodic(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), whole.clone(), &Watch::unlimited()).unwrap();
        oneport_referee::check_schedule(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), &schedule)
            .unwrap_or_else(|violation| panic!("{case:?}: {violation}"));
        prop_assert_eq!((&schedule.period, &schedule.instances), (&whole.period, &whole.instances));
        prop_assert_eq!(&schedule.patterns, &whole.patterns);
        let expected = link_times(&case, &whole);
        let mut spent: BTreeMap<LinkId, Rational> = BTreeMap::new();
        for slot in &schedule.slots {
            prop_assert!(slot.length.is_positive());
            prop_assert!(slot.links.is_sorted());
            let ends = |end: fn(&oneport_platform::Link) -> _| -> BTreeSet<_> {
                slot.links.iter().map(|&link| end(case.platform.link(link))).collect()
            };
            prop_assert_eq!(ends(|link| link.from).len(), slot.links.len(), "two sends at a time: {:?}", slot);
            prop_assert_eq!(ends(|link| link.to).len(), slot.links.len(), "two receives at a time: {:?}", slot);
            for &link in &slot.links {
                *spent.entry(link).or_insert_with(Rational::zero) += &slot.length;
            }
        }
        prop_assert_eq!(&spent, &expected);
        let total: Rational = schedule.slots.iter().map(|slot| &slot.length).sum();
        prop_assert_eq!(total, port_times(&case, &expected).into_iter().max().unwrap());
        prop_assert!(schedule.slots.len() <= expected.len() + 2 * case.platform.nodes().len());
    }

    #[test]
    fn an_overfull_period_is_refused(case in connected_cases(5, 8), most in 1..5u64) {
        let mut whole = whole(&case, Some(most));
        let times = port_times(&case, &link_times(&case, &whole));
        let busy = times.iter().max().unwrap().clone();
        let first = times.iter().position(|time| *time == busy).unwrap();
        let nodes = case.platform.nodes().len();
        let resource = if first < nodes { "send port" } else { "receive port" };
        let resource = format!("{resource} of '{}'", case.platform.name(NodeId::new(first % nodes)));
        whole.period = &busy * ratio(999, 1000);
        let period = Box::new(whole.period.clone());
        let refused = periodic(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), whole, &Watch::unlimited());
        prop_assert_eq!(refused, Err(ScheduleError::Overfull { resource, busy: Box::new(busy), period }));
    }

    #[test]
    fn a_run_delivers_every_message(case in connected_cases(5, 10), most in 1..5u64, periods in 1..=6u64) {
        let schedule = periodic(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), whole(&case, Some(most)), &Watch::unlimited()).unwrap();
        let run = timeline(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), &schedule, periods).unwrap();
        let report = oneport_referee::check_timeline(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), &run)
            .unwrap_or_else(|violation| panic!("{case:?}, {periods} periods: {violation}"));
        let instances = schedule.instances.to_u64().unwrap();
        prop_assert_eq!(report.delivered, periods * instances);
        prop_assert_eq!(&run.period, &schedule.period);
        prop_assert_eq!((run.starting_periods, run.instances_per_period), (periods, instances));
        let execution = execution(&Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(), &schedule, &Watch::unlimited()).unwrap();
        prop_assert_eq!(run.clean_up_periods, execution.depth as u64 - 1);
        let hops: BigUint = schedule.patterns.iter().map(|s| &s.copies * BigUint::from(s.pattern.links().count())).sum();
        prop_assert_eq!(BigUint::from(run.events.len()), hops * periods);
        // Nothing is complete sooner than the optimum allows, and all but the depth is complete in time.
        for elapsed in 0..=periods {
            prop_assert!(report.complete_after(elapsed) <= elapsed * instances);
            let late = execution.depth as u64 - 1;
            prop_assert!(report.complete_after(elapsed + late) >= elapsed * instances);
        }
        let room = buffers(&case.platform, &execution);
        for (node, &peak) in report.peak_buffer.iter().enumerate() {
            let room = room.get(&NodeId::new(node)).cloned().unwrap_or_default();
            prop_assert!(BigUint::from(peak) <= room, "{case:?}: node {node} holds {peak}, room for {room}");
        }
    }
}

#[test]
fn too_long_a_run_is_refused() {
    let case = sample();
    let schedule = periodic(
        &Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(),
        whole(&case, Some(2)),
        &Watch::unlimited(),
    )
    .unwrap();
    for periods in [10_000_000, u64::MAX] {
        let refused = timeline(
            &Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(),
            &schedule,
            periods,
        );
        assert!(
            matches!(refused, Err(ScheduleError::TooManyEvents { periods: named, .. }) if named == periods)
        );
    }
    let many = WholePatterns {
        period: &schedule.period * ratio(BigUint::from(10u32).pow(30), 1),
        instances: &schedule.instances * BigUint::from(10u32).pow(30),
        patterns: schedule
            .patterns
            .iter()
            .cloned()
            .map(|mut scheduled| {
                scheduled.copies *= BigUint::from(10u32).pow(30);
                scheduled
            })
            .collect(),
    };
    let schedule = periodic(
        &Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(),
        many,
        &Watch::unlimited(),
    )
    .unwrap();
    assert!(schedule.period > Rational::one());
    assert!(matches!(
        timeline(
            &Problem::new(&case.platform, &case.collective, case.volumes()).unwrap(),
            &schedule,
            1
        ),
        Err(ScheduleError::TooManyEvents { .. })
    ));
}
