//! Every kind of period of every collective under every port model.

use crate::planned::parts;
use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport::platform::{Node, PlatformBuilder, ratio};
use oneport::{
    Collective, DEFAULT_MAX_INSTANCES, Error, NodeId, Options, Period, Platform, PortModel,
    Problem, Rational, Refusal, SHORT_INSTANCES, Volumes, files, solve,
};
use oneport_period::PeriodError;
use oneport_testkit::Parts;

/// Four processors and a router, every two of them linked, at costs whose optima have long periods.
fn platform(model: PortModel) -> Platform {
    let mut builder: PlatformBuilder = Platform::builder();
    builder.model(model);
    for index in 0..4 {
        let node = Node::processor(format!("p{index}"), ratio(1, 1 + index));
        builder
            .node(Node {
                ports: Some(2),
                ..node
            })
            .unwrap();
    }
    builder.node(Node::router("r")).unwrap();
    let costs = [
        ratio(7, 3),
        ratio(11, 5),
        ratio(2, 1),
        ratio(13, 7),
        ratio(17, 11),
    ];
    for from in 0..5 {
        for to in (0..5).filter(|&to| to != from) {
            builder
                .link(
                    NodeId::new(from),
                    NodeId::new(to),
                    costs[(2 * from + to) % 5].clone(),
                )
                .unwrap();
        }
    }
    builder.build().unwrap()
}

fn collectives() -> Vec<Collective> {
    let [a, b, c, d] = [0, 1, 2, 3].map(NodeId::new);
    let (others, all) = (vec![b, c, d], vec![a, b, c, d]);
    let three = vec![a, b, c];
    vec![
        Collective::scatter(a, others.clone()),
        Collective::gather(a, others.clone()),
        Collective::all_to_all(three.clone()),
        Collective::broadcast(a, others),
        Collective::all_gather(all.clone()),
        Collective::reduce(a, all).in_order(),
        Collective::reduce_scatter(three.clone()),
        Collective::all_reduce(three.clone()),
        Collective::scan(three),
    ]
}

fn planned(platform: &Platform, collective: &Collective, period: Period) -> Parts {
    let options = Options {
        period,
        ..Options::default()
    };
    let problem = Problem::new(platform, collective, Volumes::default()).unwrap();
    parts(&solve(&problem, &options).unwrap())
}

fn loss(plan: &Parts) -> Rational {
    Rational::one() - plan.schedule.throughput() / &plan.steady_state.throughput
}

#[test]
fn every_period_keeps_its_word() {
    let mut long = 0;
    for model in [
        PortModel::FullDuplex,
        PortModel::HalfDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ] {
        let platform = platform(model);
        for collective in collectives() {
            let name = format!("{} under {model}", collective.name());
            let instances = |plan: &Parts| plan.schedule.instances.clone();
            let short = planned(&platform, &collective, Period::Short);
            let attained = planned(&platform, &collective, Period::AtMost(SHORT_INSTANCES));
            if loss(&attained).is_zero() {
                assert_eq!(short.schedule, attained.schedule, "{name}");
            } else {
                long += 1;
                assert!(
                    loss(&short) <= ratio(1, 100),
                    "{name} loses {}",
                    loss(&short)
                );
                let same = Period::Losing {
                    most: ratio(1, 100),
                    instances: DEFAULT_MAX_INSTANCES,
                };
                assert_eq!(
                    short.schedule,
                    planned(&platform, &collective, same).schedule,
                    "{name}"
                );
            }
            let loose = planned(
                &platform,
                &collective,
                Period::Losing {
                    most: ratio(1, 5),
                    instances: 10_000,
                },
            );
            assert!(loss(&loose) <= ratio(1, 5), "{name} loses {}", loss(&loose));
            assert!(
                instances(&loose) <= instances(&short),
                "{name}: {} instances",
                instances(&loose)
            );
            // If the instances are too few, the plan is the best available, for any loss.
            let few = planned(
                &platform,
                &collective,
                Period::Losing {
                    most: ratio(1, 1000),
                    instances: 3,
                },
            );
            let best = planned(&platform, &collective, Period::AtMost(3));
            assert!(instances(&few) <= BigUint::from(3u32), "{name}");
            if loss(&few) > ratio(1, 1000) {
                assert_eq!(few.schedule, best.schedule, "{name}");
            }
            let nothing = planned(
                &platform,
                &collective,
                Period::Losing {
                    most: Rational::zero(),
                    instances: 5,
                },
            );
            assert_eq!(
                nothing.schedule,
                planned(&platform, &collective, Period::AtMost(5)).schedule,
                "{name}"
            );
        }
    }
    assert!(
        long >= 4,
        "only {long} optima need more than {SHORT_INSTANCES} instances"
    );
}

#[test]
fn shares_that_are_none_are_refused() {
    let platform = platform(PortModel::FullDuplex);
    let refused = |period: Period| {
        let options = Options {
            period,
            ..Options::default()
        };
        solve(
            &Problem::new(&platform, &collectives()[0], Volumes::default()).unwrap(),
            &options,
        )
        .unwrap_err()
    };
    for most in [ratio(-1, 100), ratio(1, 1), ratio(5, 1)] {
        let expected = Error::Problem(Refusal::Period(PeriodError::BadLoss(Box::new(
            most.clone(),
        ))));
        assert_eq!(
            refused(Period::Losing {
                most,
                instances: 10
            }),
            expected
        );
    }
    for most in [ratio(0, 1), ratio(1, 2)] {
        assert_eq!(
            refused(Period::Losing { most, instances: 0 }),
            Error::Problem(Refusal::Period(PeriodError::NoInstances))
        );
    }
}

/// Rounding needs two instances to lose less than 1 %. One is enough along other paths.
#[test]
fn a_small_limit_is_no_reason_to_lose_more() {
    let text = br#"
        format = "oneport-platform/1"
        node = [{ name = "a", compute = 1 }, { name = "b", compute = 1 }, { name = "c", compute = 1 }]
        link = [
          { from = "b", to = "c", cost = 5 }, { from = "b", to = "a", cost = 5 }, { from = "a", to = "c", cost = 6 },
          { from = "a", to = "b", cost = 1 }, { from = "c", to = "a", cost = 3 },
        ]
    "#;
    let platform = files::parse_platform("loss.toml", text, files::PlatformFormat::Toml).unwrap();
    let collective = Collective::all_to_all(platform.processors().collect());
    let one_percent = Rational::new(1.into(), 100.into());
    let options = Options {
        period: Period::Losing {
            most: one_percent,
            instances: 1,
        },
        ..Options::default()
    };
    let problem = Problem::new(&platform, &collective, Volumes::default()).unwrap();
    let schedule = parts(&solve(&problem, &options).unwrap()).schedule;
    assert_eq!(
        (schedule.instances.to_string(), schedule.period.to_string()),
        ("1".into(), "11".into())
    );
}
