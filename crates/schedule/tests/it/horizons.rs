//! A given time and a given number of operations, against runs followed message by message; the papers' own policy.

use num_bigint::BigUint;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_period::rounding::{Target, round};
use oneport_plan::{
    Collective, Pattern, PeriodicSchedule, Problem, ScheduledPattern, Volumes, WholePatterns,
};
use oneport_platform::{LinkId, Node, Platform, Rational};
use oneport_referee::check_timeline;
use oneport_schedule::{Horizon, Policy, execution, periodic, timeline};
use proptest::prelude::*;

use crate::models::{Case, any_models, cases, ratio};

fn problem(case: &Case) -> Problem {
    Problem::new(&case.platform, &case.collective, &case.volumes).unwrap()
}

fn schedule(case: &Case, most: u64) -> PeriodicSchedule {
    let whole = round(&problem(case), &case.steady_state, &Target::Instances(most)).unwrap();
    periodic(&problem(case), whole).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_sum_is_what_the_referee_counts(case in cases(any_models(), 6, 4), most in 1..12u64, dates in prop::collection::vec(0..4000i64, 6)) {
        let schedule = schedule(&case, most);
        let horizon = Horizon::new(&problem(&case), &execution(&problem(&case), &schedule).unwrap());
        let periods = 6 + horizon.depth();
        let report = check_timeline(&problem(&case), &timeline(&problem(&case), &schedule, periods).unwrap()).unwrap();
        for date in dates {
            // Anywhere in the first six periods, and exactly at their ends.
            let until = &schedule.period * ratio(date * 6, 4000);
            for until in [until.clone(), (&until / &schedule.period).floor() * &schedule.period] {
                let delivered = horizon.delivered(&until);
                prop_assert_eq!(&delivered, &BigUint::from(report.complete_by(&until)));
                prop_assert!(Rational::from_integer(delivered.clone().into()) <= schedule.throughput() * &until);
                prop_assert!(horizon.steady(&until) <= delivered, "the papers' floor");
                prop_assert!(horizon.full_periods(&until) <= horizon.starting_periods(&until));
            }
        }
    }

    #[test]
    fn the_least_time_is_the_least(case in cases(any_models(), 6, 4), most in 1..12u64, count in 1..60u64) {
        let schedule = schedule(&case, most);
        let execution = execution(&problem(&case), &schedule).unwrap();
        let horizon = Horizon::new(&problem(&case), &execution);
        let time = horizon.time_of(&count.into());
        prop_assert!(horizon.delivered(&time) >= count.into());
        let unit = Rational::new(1.into(), execution.units.clone());
        prop_assert!(time.is_zero() || horizon.delivered(&(&time - unit)) < count.into());
        // Every date is one at which some instance ends.
        let far: BigUint = BigUint::from(10u32).pow(18) * count;
        let time = horizon.time_of(&far);
        prop_assert!(horizon.delivered(&time) >= far);
        let rate = Rational::from_integer(far.into()) / time;
        let loss = Rational::one() - rate / schedule.throughput();
        prop_assert!(!loss.is_negative() && loss < ratio(1, 1_000_000_000));
    }

    #[test]
    fn the_papers_policy_fills_and_empties_along_the_longest_path(case in cases(any_models(), 7, 4), most in 1..12u64) {
        let schedule = schedule(&case, most);
        if let Some(policy) = Policy::of(&problem(&case), &schedule) {
            prop_assert!(policy.filling < policy.longest.max(1), "{policy:?}");
            prop_assert!(policy.clean_up < policy.longest.max(1), "{policy:?}");
            prop_assert!(policy.fullest < ratio(2, 1), "{policy:?}");
            let until = &schedule.period * ratio(40, 1);
            let least = schedule.instances.clone() * (40 - policy.clean_up);
            prop_assert_eq!(policy.delivered(&until, &schedule.period), least);
        }
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
    nodes.windows(2).for_each(|pair| {
        builder.link(pair[0], pair[1], ratio(1, 1)).unwrap();
    });
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
        let schedule = periodic(&problem, whole).unwrap();
        let policy = Policy::of(&problem, &schedule).unwrap();
        let expected = links as u64;
        assert_eq!(
            [policy.longest, policy.filling, policy.clean_up],
            [expected, expected - 1, expected - 1]
        );
        let horizon = Horizon::new(&problem, &execution(&problem, &schedule).unwrap());
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
    )
    .unwrap();
    assert_eq!(Policy::of(&problem, &schedule), None);
}
