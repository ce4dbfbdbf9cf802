//! A given time and a given number of operations, against runs followed message by message, and the papers' own policy.

use std::time::Duration;

use num_bigint::BigUint;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_plan::{
    Collective, Pattern, PeriodicSchedule, Problem, ScheduledPattern, Volumes, WholePatterns,
};
use oneport_platform::{LinkId, Node, Platform, Rational};
use oneport_referee::check_timeline;
use oneport_schedule::{Horizon, Policy, ScheduleError, execution, periodic, timeline};
use oneport_watch::{Left, Limit, Watch};
use proptest::prelude::*;

use crate::models::{any_models, cases, problem, ratio, schedule};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(75))]

    #[test]
    fn the_sum_is_what_the_referee_counts(case in cases(any_models(), 6, 4), most in 1..12u64, dates in prop::collection::vec(0..4000i64, 6)) {
        let schedule = schedule(&case, most);
        let horizon = Horizon::new(&problem(&case), &execution(&problem(&case), &schedule, &Watch::unlimited()).unwrap());
        let periods = 6 + horizon.depth();
        let report = check_timeline(&problem(&case), &timeline(&problem(&case), &schedule, periods).unwrap()).unwrap();
        for date in dates {
            // Anywhere in the first six periods, and exactly at their ends.
            let until = &schedule.period * ratio(date * 6, 4000);
            for until in [until.clone(), (&until / &schedule.period).floor() * &schedule.period] {
                let delivered = horizon.delivered(&until);
                prop_assert_eq!(&delivered, &BigUint::from(report.complete_by(&until)));
                prop_assert!(ratio(delivered.clone(), 1) <= schedule.throughput() * &until);
                prop_assert!(horizon.steady(&until) <= delivered, "the papers' floor");
                prop_assert!(horizon.full_periods(&until) <= horizon.starting_periods(&until));
            }
        }
    }

    #[test]
    fn a_listing_ends_at_any_question(case in cases(any_models(), 6, 4), most in 1..12u64, questions in 0..40u64) {
        let (schedule, problem) = (schedule(&case, most), problem(&case));
        let whole = execution(&problem, &schedule, &Watch::unlimited()).unwrap();
        let tasks = whole.tasks.len() as u64;
        let watch = Watch::counting(questions, Duration::ZERO);
        match execution(&problem, &schedule, &watch) {
            Ok(listed) => prop_assert_eq!(listed, whole),
            Err(error) => prop_assert_eq!(error, ScheduleError::Unlisted { limit: Limit::Caller, tasks }),
        }
        let narrow = Watch::new(|| Left { bytes: Some(1), ..Left::default() });
        let refused = execution(&problem, &schedule, &narrow);
        prop_assert_eq!(refused, Err(ScheduleError::Unlisted { limit: Limit::Memory, tasks }));
    }

    #[test]
    fn the_least_time_is_the_least(case in cases(any_models(), 6, 4), most in 1..12u64, count in 1..60u64) {
        let schedule = schedule(&case, most);
        let execution = execution(&problem(&case), &schedule, &Watch::unlimited()).unwrap();
        let horizon = Horizon::new(&problem(&case), &execution);
        let time = horizon.time_of(&count.into());
        prop_assert!(horizon.delivered(&time) >= count.into());
        let unit = ratio(1, execution.units.clone());
        prop_assert!(time.is_zero() || horizon.delivered(&(&time - unit)) < count.into());
        // Every date is one at which some instance ends.
        let far: BigUint = BigUint::from(10u32).pow(18) * count;
        let time = horizon.time_of(&far);
        prop_assert!(horizon.delivered(&time) >= far);
        let rate = ratio(far, 1) / time;
        let loss = Rational::one() - rate / schedule.throughput();
        prop_assert!(!loss.is_negative() && loss < ratio(1, 1_000_000_000));
    }

    #[test]
    fn the_papers_policy_fills_and_empties_along_the_longest_path(case in cases(any_models(), 7, 4), most in 1..12u64) {
        let schedule = schedule(&case, most);
        if let Some(policy) = Policy::of(&problem(&case), &schedule) {
            prop_assert!(policy.filling < policy.longest.max(1), "{policy:?}");
            prop_assert!(policy.clean_up < policy.longest.max(1), "{policy:?}");
            prop_assert!(policy.fullest_between_periods < ratio(2, 1), "{policy:?}");
            prop_assert!(policy.fullest_between_periods <= policy.fullest, "{policy:?}");
            prop_assert!(policy.fullest < ratio(3, 1), "{policy:?}");
            let until = &schedule.period * ratio(40, 1);
            let least = schedule.instances.clone() * (40 - policy.clean_up);
            prop_assert_eq!(policy.delivered(&until, &schedule.period), least);
        }
    }
}

/// Nodes, each with a link to every later one, and a flow from the first to the last along paths that ascend.
fn ascending(nodes: usize, paths: &[(Vec<usize>, u32)]) -> (Problem, PeriodicSchedule) {
    let mut builder = Platform::builder();
    let ids: Vec<_> = (0..nodes)
        .map(|node| builder.node(Node::router(format!("n{node}"))).unwrap())
        .collect();
    let mut links = Vec::new();
    for from in 0..nodes {
        for to in from + 1..nodes {
            builder.link(ids[from], ids[to], ratio(1, 1)).unwrap();
            links.push((from, to));
        }
    }
    let link = |pair: &[usize]| {
        let index = links.iter().position(|&(from, to)| [from, to] == *pair);
        LinkId::new(index.unwrap())
    };
    let pattern = |(inner, copies): &(Vec<usize>, u32)| {
        let nodes: Vec<usize> = [&[0][..], inner, &[nodes - 1]].concat();
        ScheduledPattern {
            pattern: Pattern::path(0, nodes.windows(2).map(link)),
            copies: (*copies).into(),
        }
    };
    let collective = Collective::scatter(ids[0], vec![ids[nodes - 1]]);
    let schedule = PeriodicSchedule {
        period: ratio(1, 1),
        instances: paths.iter().map(|(_, copies)| *copies).sum::<u32>().into(),
        patterns: paths.iter().map(pattern).collect(),
        slots: Vec::new(),
    };
    let problem = Problem::new(builder.build().unwrap(), &collective, Volumes::default());
    (problem.unwrap(), schedule)
}

/// The papers' policy message by message: per period, each link of a node that sends moves its messages one at a time,
/// the links in turn by `turn`. The fullest buffer between periods and at any date, relative to the messages that its
/// node sends.
fn followed(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    turn: impl Fn(LinkId) -> usize,
) -> [Rational; 2] {
    let platform = problem.platform();
    let last = platform.nodes().len() - 1;
    let mut moves: Vec<LinkId> = Vec::new();
    for scheduled in &schedule.patterns {
        for link in scheduled.pattern.links() {
            let copies = scheduled.copies.to_usize().unwrap();
            moves.extend(std::iter::repeat_n(link, copies));
        }
    }
    moves.sort_by_key(|&link| turn(link));
    let sent = |node: usize| {
        let is_sender = |link: &&LinkId| platform.link(**link).from.index() == node;
        moves.iter().filter(is_sender).count()
    };
    let sent: Vec<usize> = (0..=last).map(sent).collect();
    let mut held = vec![0; last + 1];
    let mut fullest = [Rational::zero(), Rational::zero()];
    let mut look = |when: usize, held: &[usize]| {
        for node in (1..last).filter(|&node| sent[node] > 0) {
            let share = ratio(held[node] as i64, sent[node] as i64);
            fullest[when] = fullest[when].clone().max(share);
        }
    };
    for _ in 0..=last {
        let full: Vec<bool> = (0..=last)
            .map(|node| node == 0 || held[node] >= sent[node])
            .collect();
        for &link in &moves {
            let (from, to) = (
                platform.link(link).from.index(),
                platform.link(link).to.index(),
            );
            if full[from] {
                held[to] += 1;
                if from > 0 {
                    held[from] -= 1;
                }
                look(1, &held);
            }
        }
        look(0, &held);
    }
    fullest
}

fn flows() -> impl Strategy<Value = (usize, Vec<(Vec<usize>, u32)>)> {
    (4..7usize).prop_flat_map(|nodes| {
        let inner: Vec<usize> = (1..nodes - 1).collect();
        let path = prop::sample::subsequence(inner, 1..nodes - 1);
        (Just(nodes), prop::collection::vec((path, 1..9u32), 1..5))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Below two periods' messages between periods, below three at any date, for every order of a period's sends.
    #[test]
    fn buffers_stay_below_three_periods_messages((nodes, paths) in flows(), turns in prop::collection::vec(0..20usize, 16)) {
        let (problem, schedule) = ascending(nodes, &paths);
        let policy = Policy::of(&problem, &schedule).unwrap();
        prop_assert!(policy.fullest_between_periods < ratio(2, 1), "{policy:?}");
        prop_assert!(policy.fullest < ratio(3, 1), "{policy:?}");
        let [between, within] = followed(&problem, &schedule, |link| turns[link.index()]);
        prop_assert_eq!(&between, &policy.fullest_between_periods);
        prop_assert!(within <= policy.fullest, "{} in this order, {:?}", within, policy);
    }
}

/// One message of `f` takes a longer path: the node holds `2 f - 1` when it begins to send, and `3 f - 1` before it
/// sends.
#[test]
fn three_periods_messages_are_the_least_bound() {
    for f in 2..12u32 {
        let (problem, schedule) = ascending(4, &[(vec![2], f - 1), (vec![1, 2], 1)]);
        let policy = Policy::of(&problem, &schedule).unwrap();
        let size = |messages: u32| ratio(messages, f);
        assert_eq!(policy.fullest_between_periods, size(2 * f - 1));
        assert_eq!(policy.fullest, size(3 * f - 1));
        let receives_first =
            |link: LinkId| usize::from(problem.platform().link(link).from.index() == 2);
        let followed = followed(&problem, &schedule, receives_first);
        assert_eq!(followed, [size(2 * f - 1), size(3 * f - 1)]);
    }
}

/// A chain of links of cost 1.
fn chain(links: usize) -> (Platform, Collective) {
    let mut builder = Platform::builder();
    let nodes: Vec<_> = (0..=links)
        .map(|node| {
            builder
                .node(Node::processor(format!("n{node}"), ratio(1, 1)))
                .unwrap()
        })
        .collect();
    for pair in nodes.windows(2) {
        builder.link(pair[0], pair[1], ratio(1, 1)).unwrap();
    }
    (
        builder.build().unwrap(),
        Collective::scatter(nodes[0], vec![nodes[links]]),
    )
}

#[test]
fn chains_of_three_four_and_six_links() {
    for links in [1, 2, 3, 4, 6] {
        let ((platform, collective), volumes) = (chain(links), Volumes::default());
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let pattern = Pattern::path(0, (0..links).map(LinkId::new));
        let patterns = vec![ScheduledPattern {
            pattern,
            copies: 1u32.into(),
        }];
        let whole = WholePatterns {
            period: ratio(1, 1),
            instances: 1u32.into(),
            patterns,
        };
        let schedule = periodic(&problem, whole, &Watch::unlimited()).unwrap();
        let policy = Policy::of(&problem, &schedule).unwrap();
        let expected = links as u64;
        assert_eq!(
            [policy.longest, policy.filling, policy.clean_up],
            [expected, expected - 1, expected - 1]
        );
        let horizon = Horizon::new(
            &problem,
            &execution(&problem, &schedule, &Watch::unlimited()).unwrap(),
        );
        assert_eq!(horizon.initialisation(), ratio(links as i64 - 1, 1));
        let delivered = |until: i64| horizon.delivered(&ratio(until, 1)).to_i64().unwrap();
        assert_eq!(
            (0..20).map(delivered).collect::<Vec<_>>(),
            (0..20)
                .map(|k| (k + 1 - links as i64).max(0))
                .collect::<Vec<_>>()
        );
        assert_eq!(
            policy.delivered(&ratio(20, 1), &ratio(1, 1)),
            (21 - expected).into()
        );
        assert_eq!(
            policy.delivered(&ratio(1, 2), &ratio(1, 1)),
            BigUint::zero()
        );
    }
}

#[test]
fn copied_messages_have_no_such_policy() {
    let (platform, _) = chain(2);
    let collective = Collective::broadcast(
        platform.find("n0").unwrap(),
        vec![platform.find("n2").unwrap(), platform.find("n1").unwrap()],
    );
    let volumes = Volumes::default();
    let problem = Problem::new(&platform, &collective, &volumes).unwrap();
    let pattern = Pattern::arborescence(0, [(LinkId::new(0), None), (LinkId::new(1), Some(0))]);
    let patterns = vec![ScheduledPattern {
        pattern,
        copies: 1u32.into(),
    }];
    let schedule = periodic(
        &problem,
        WholePatterns {
            period: ratio(1, 1),
            instances: 1u32.into(),
            patterns,
        },
        &Watch::unlimited(),
    )
    .unwrap();
    assert_eq!(Policy::of(&problem, &schedule), None);
}
