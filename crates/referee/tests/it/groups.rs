//! Groups that run at different rates: the effect of the rate on steady states, schedules and runs.

use crate::common;

use crate::common::ask::{check_schedule, check_steady_state, check_timeline};
use common::*;
use oneport_plan::{
    Collective, Event, Member, Message, PeriodicSchedule, Slot, SteadyState, Timeline, Volumes,
    WeightedPattern,
};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

/// A sends to B twice as often as to C. Both links take 1.
fn question() -> (Platform, Collective, Volumes) {
    let one = || ratio(1, 1);
    let platform = platform(&["A", "B", "C"], &[("A", "B", one()), ("A", "C", one())]);
    let [a, b, c] = [0, 1, 2].map(NodeId::new);
    let scatter = |target, rate| Member {
        collective: Collective::scatter(a, vec![target]),
        rate,
    };
    (
        platform,
        Collective::Groups(vec![scatter(b, 2), scatter(c, 1)]),
        Volumes::of_size(one()),
    )
}

#[test]
fn weights_are_multiples_of_the_throughput() {
    let (platform, collective, volumes) = question();
    let with = |weights: [Rational; 2], throughput: Rational| {
        let patterns = weights
            .into_iter()
            .enumerate()
            .map(|(index, weight)| WeightedPattern {
                pattern: path(index, &[LinkId::new(index)]),
                weight,
            });
        let state = SteadyState {
            throughput,
            patterns: patterns.collect(),
        };
        check_steady_state(&platform, &collective, &volumes, &state)
    };
    assert_eq!(with([ratio(2, 3), ratio(1, 3)], ratio(1, 3)), Ok(()));
    assert_eq!(with([ratio(1, 2), ratio(1, 4)], ratio(1, 4)), Ok(()));
    let refused = with([ratio(1, 3), ratio(1, 3)], ratio(1, 3))
        .unwrap_err()
        .to_string();
    let words = "the weights of A=>B of group 1 add up to 1/3; they must add up to 2 times the throughput, 1/3";
    assert_eq!(refused, words);
    let refused = with([ratio(2, 3), ratio(2, 3)], ratio(1, 3))
        .unwrap_err()
        .to_string();
    let words =
        "the weights of A=>C of group 2 add up to 2/3; they must add up to the throughput, 1/3";
    assert_eq!(refused, words);
}

#[test]
fn copies_are_multiples_of_the_instances() {
    let (platform, collective, volumes) = question();
    let with = |copies: [u32; 2], instances: u32| {
        let busy = |link: usize| Slot {
            shares: Vec::new(),
            length: whole(copies[link] as usize),
            links: vec![LinkId::new(link)],
        };
        let schedule = PeriodicSchedule {
            period: whole((copies[0] + copies[1]) as usize),
            instances: instances.into(),
            patterns: (0..2)
                .map(|index| scheduled(&path(index, &[LinkId::new(index)]), copies[index]))
                .collect(),
            slots: (0..2).map(busy).collect(),
        };
        check_schedule(&platform, &collective, &volumes, &schedule)
    };
    assert_eq!(with([2, 1], 1), Ok(()));
    assert_eq!(with([6, 3], 3), Ok(()));
    let refused = with([1, 1], 1).unwrap_err().to_string();
    assert_eq!(
        refused,
        "the copies of A=>B of group 1 add up to 1; the schedule starts 2 times 1 instances per period"
    );
    let refused = with([4, 1], 2).unwrap_err().to_string();
    assert_eq!(
        refused,
        "the copies of A=>C of group 2 add up to 1; the schedule starts 2 instances per period"
    );
}

/// Two periods of one instance: messages 0 and 1 to B belong to instance 0, as does message 0 to C.
fn run() -> Timeline {
    let event = |commodity: usize, instance: u64, start: i64| Event {
        instance,
        message: Message {
            demand: commodity,
            part: part(0, 0),
        },
        link: LinkId::new(commodity),
        pieces: vec![(ratio(start, 1), ratio(start + 1, 1))],
    };
    Timeline {
        period: ratio(3, 1),
        starting_periods: 2,
        instances_per_period: 1,
        clean_up_periods: 0,
        eager: false,
        events: vec![
            event(0, 0, 0),
            event(0, 1, 1),
            event(1, 0, 2),
            event(0, 2, 3),
            event(0, 3, 4),
            event(1, 1, 5),
        ],
        merges: Vec::new(),
    }
}

#[test]
fn runs_count_every_turn_of_a_group() {
    let (platform, collective, volumes) = question();
    let of = |run: &Timeline| check_timeline(&platform, &collective, &volumes, run);
    let report = of(&run()).unwrap();
    assert_eq!(
        (report.delivered, &report.complete[..]),
        (2, &[(1, 1), (2, 2)][..])
    );
    assert_eq!(
        (report.last_arrival, report.throughput),
        (ratio(6, 1), ratio(1, 3))
    );
    let told = |change: &dyn Fn(&mut Timeline)| {
        let mut changed = run();
        change(&mut changed);
        of(&changed).unwrap_err().to_string()
    };
    assert_eq!(
        told(&|run| drop(run.events.remove(4))),
        "message A=>B of group 1 of instance 3 gets no further than 'A'; it must arrive at 'B'"
    );
    assert_eq!(
        told(&|run| run.events[4].instance = 4),
        "event 4 belongs to instance 4; 4 instances are started, numbered from 0"
    );
    assert_eq!(
        told(&|run| run.events[5].instance = 2),
        "event 5 belongs to instance 2; 2 instances are started, numbered from 0"
    );
    // The third message to B is of the second instance, which does not start before the second period.
    assert_eq!(
        told(&|run| {
            let early = run.events[2].pieces.clone();
            run.events[2].pieces = std::mem::replace(&mut run.events[3].pieces, early);
        }),
        "instance 1 starts at 2; it belongs to period 1, from 3 until before 6"
    );
}

#[test]
fn so_many_instances_fit_no_number() {
    let (platform, collective, volumes) = question();
    let run = Timeline {
        starting_periods: u64::MAX,
        instances_per_period: u64::MAX,
        ..run()
    };
    let refused = check_timeline(&platform, &collective, &volumes, &run)
        .unwrap_err()
        .to_string();
    assert!(!refused.is_empty(), "{refused}");
    let event = Event {
        instance: u64::MAX,
        ..run.events[0].clone()
    };
    let run = Timeline {
        events: vec![event],
        ..run
    };
    assert!(check_timeline(&platform, &collective, &volumes, &run).is_err());
}
