//! Work that is ended ends soon, measured in checks of the watch.
//!
//! The clock of these watches is the number of checks itself. So a run may be ended after any share of its work, on
//! every machine alike, and its stages have their shares of the rest, as they have of real time.

use crate::planned::parts;
use std::ops::ControlFlow;
use std::sync::Arc;

use oneport::heterogeneous::{Budget, Destination, Method, Processors};
use oneport::platform::generate::{self, Costs, Racks, random_connected};
use oneport::platform::{Change, LinkId, Node, Number};
use oneport::watch::Watch;
use oneport::{
    Amount, Collective, Error, Goal, LpError, NodeId, Options, Platform, PortModel, Problem,
    Rational, Refusal, Shape, Status, Volumes, best_shape, reduce_processors, referee, rings,
    solve,
};
use oneport_testkit::whole;

/// Checks that may follow the end, for any work: each stage notices it separately.
const STAGES: u64 = 40;

fn uniform() -> generate::Options {
    let costs = Costs::Uniform { low: 1, high: 9 };
    generate::Options {
        seed: 7,
        link_cost: costs.clone(),
        compute: costs,
    }
}

/// Hosts around a switch that does not copy. Only links are exclusive.
fn star(hosts: usize) -> Platform {
    let (mut builder, one) = (Platform::builder(), || whole(1));
    builder.model(PortModel::Links);
    let hub = builder
        .node(Node {
            replicates: false,
            ..Node::router("hub")
        })
        .unwrap();
    for host in 0..hosts {
        let host = builder
            .node(Node::processor(format!("h{host}"), one()))
            .unwrap();
        builder.link(host, hub, one()).unwrap();
        builder.link(hub, host, one()).unwrap();
    }
    builder.build().unwrap()
}

fn platforms() -> Vec<(&'static str, Platform)> {
    let racks = |racks, hosts| {
        let shape = Racks {
            racks,
            hosts: (hosts, hosts),
            ..Racks::default()
        };
        generate::racks(&shape, &generate::Options::default())
            .unwrap()
            .with_model(PortModel::Links)
    };
    let random = |nodes, model| {
        random_connected(nodes, nodes / 2, &uniform())
            .unwrap()
            .with_model(model)
    };
    vec![
        ("racks", racks(3, 3)),
        ("star", star(66)),
        ("random", random(6, PortModel::FullDuplex)),
        ("half-duplex", random(5, PortModel::HalfDuplex)),
    ]
}

fn collectives(platform: &Platform) -> Vec<Collective> {
    let participants: Vec<NodeId> = platform.processors().collect();
    let (centre, others) = (participants[0], participants[1..].to_vec());
    let all = || participants.clone();
    let mut collectives = vec![
        Collective::scatter(centre, others.clone()),
        Collective::gather(centre, others.clone()),
        Collective::broadcast(centre, others),
        Collective::all_gather(all()),
        Collective::reduce(centre, all()),
        Collective::reduce_scatter(all()),
        Collective::all_reduce(all()),
    ];
    if participants.len() <= 12 {
        collectives.extend([
            Collective::all_to_all(all()),
            Collective::reduce(centre, all()).in_order(),
            Collective::all_reduce(all()).in_order(),
            Collective::scan(all()),
        ]);
    }
    collectives
}

/// Runs the work without an end, then with ends after three tenths of its checks. Returns the checks after the end. The
/// tenths depend on the name: over all names they are all nine.
fn ends(name: &str, work: impl Fn(&Watch)) -> Vec<String> {
    // No run has this number of checks. The limit is there because the search for a period is shorter under one.
    let free = Watch::in_questions(u64::from(u32::MAX));
    work(&free);
    let all = free.questions();
    let mut late = Vec::new();
    for tenth in (1 + name.len() as u64 % 3..10).step_by(3) {
        let limit = all * tenth / 10;
        let watch = Watch::in_questions(limit);
        work(&watch);
        let after = watch.questions().saturating_sub(limit);
        if after > all / 20 + STAGES {
            late.push(format!("{name}: {after} questions after {limit} of {all}"));
        }
    }
    late
}

fn problems(mut ask: impl FnMut(&str, &Problem)) {
    let volumes = Volumes {
        work: Amount::Constant(Rational::new(1.into(), 2.into())),
        ..Volumes::default()
    };
    for (name, platform) in platforms() {
        for collective in collectives(&platform) {
            let problem = Problem::new(&platform, &collective, &volumes).unwrap();
            ask(&format!("{} on {name}", collective.name()), &problem);
        }
    }
}

fn none(late: Vec<String>) {
    assert!(late.is_empty(), "{}", late.join("\n"));
}

#[test]
fn solving_ends() {
    let mut late = Vec::new();
    problems(|name, problem| {
        late.extend(ends(&format!("solve {name}"), |watch| {
            let _ = solve(
                problem,
                &Options {
                    watch: watch.clone(),
                    ..Options::default()
                },
            );
        }));
    });
    none(late);
}

#[test]
fn rating_and_bounding_end() {
    let mut late = Vec::new();
    problems(|name, problem| {
        let options = |watch: &Watch| Options {
            watch: watch.clone(),
            ..Options::default()
        };
        late.extend(ends(&format!("rate {name}"), |watch| {
            _ = solve(problem, &options(watch).goal(Goal::Rate))
        }));
        late.extend(ends(&format!("bound {name}"), |watch| {
            _ = solve(problem, &options(watch).goal(Goal::Bound))
        }));
    });
    none(late);
}

#[test]
fn the_referee_ends() {
    let (mut late, mut plans) = (Vec::new(), 0);
    problems(|name, problem| {
        let limited = Options {
            watch: Watch::in_questions(100_000),
            ..Options::default()
        };
        let Ok(solved) = solve(problem, &limited) else {
            return;
        };
        if solved.unwritten.is_some() {
            return;
        }
        plans += 1;
        let plan = parts(&solved);
        late.extend(ends(&format!("verify {name}"), |watch| {
            let _ = referee::verify(plan.claim(), &plan.stated(), watch);
        }));
    });
    assert!(plans > 5, "{plans}");
    none(late);
}

#[test]
fn rings_end() {
    let platform = generate::dgx1().unwrap();
    let gpus: Vec<NodeId> = platform.processors().collect();
    none(ends("rings", |watch| {
        _ = rings(&platform, &gpus, 32, watch)
    }));
}

/// The problem of another platform with the results of the first, as in `whatif`.
#[test]
fn changed_platforms_end() {
    let (mut late, mut known_ones) = (Vec::new(), 0);
    problems(|name, problem| {
        if problem.platform().nodes().len() > 12 {
            return;
        }
        let Ok(known) = solve(problem, &Options::of(Goal::Rate)) else {
            return;
        };
        known_ones += 1;
        let known = Arc::new(known.answer);
        let half = Number::Times(Rational::new(1.into(), 2.into()));
        let changed = problem
            .platform()
            .changed(&[Change::Cost(LinkId::new(0), half)])
            .unwrap()
            .platform;
        let new = Problem::new(&changed, problem.collective(), problem.volumes()).unwrap();
        late.extend(ends(&format!("changed {name}"), |watch| {
            let options = Options {
                watch: watch.clone(),
                ..Options::default()
            };
            let options = options.goal(Goal::Rate).knowing(Arc::clone(&known));
            let _ = solve(&new, &options);
        }));
    });
    assert!(known_ones > 5, "{known_ones}");
    none(late);
}

#[test]
fn single_trees_end() {
    let platform = random_connected(8, 4, &uniform()).unwrap();
    let all: Vec<NodeId> = platform.processors().collect();
    let (broadcast, volumes) = (
        Collective::broadcast(all[0], all[1..].to_vec()),
        Volumes::default(),
    );
    let problem = Problem::new(&platform, &broadcast, &volumes).unwrap();
    let mut late = Vec::new();
    for shape in [Shape::Tree, Shape::Acyclic] {
        late.extend(ends(&format!("{shape:?}"), |watch| {
            let _ = best_shape(
                &problem,
                &Options {
                    watch: watch.clone(),
                    ..Options::default()
                },
                shape,
            );
        }));
    }
    none(late);
}

#[test]
fn single_reductions_end() {
    let times = [5, 7, 8, 9, 11, 12, 13, 17, 19, 23].map(|time: i64| whole(time));
    let processors = Processors::new(times.to_vec(), Destination::Outside).unwrap();
    none(ends("a single reduction", |watch| {
        let asked = |_: &_| {
            if watch.ask().is_ok() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let _ = reduce_processors(
            &processors,
            Method::Auto,
            &Budget {
                states: 1 << 20,
                watch: &asked,
            },
        );
    }));
}

/// If no schedule fits into the limits, or into any plan, the answer is the bound of `bound`, without a plan.
#[test]
fn without_room_for_a_schedule_the_answer_is_what_is_known() {
    let volumes = Volumes {
        work: Amount::Constant(whole(0)),
        ..Volumes::default()
    };
    let asked = |hosts: usize, watch: &dyn Fn() -> Watch| {
        let platform = star(hosts);
        let participants: Vec<NodeId> = platform.processors().collect();
        for collective in [
            Collective::all_gather(participants.clone()),
            Collective::reduce_scatter(participants.clone()),
            Collective::all_to_all(participants.clone()),
        ] {
            let problem = Problem::new(&platform, &collective, &volumes).unwrap();
            let known = solve(&problem, &Options::of(Goal::Bound)).expect("a bound");
            let known = known.answer;
            // A host sends, or receives, a message of each other one.
            assert_eq!(
                *known.bound(),
                Rational::new(1.into(), (hosts as i64 - 1).into()),
                "{}",
                collective.name()
            );
            assert_eq!(known.status(), Status::Optimal, "{}", collective.name());
            let options = || Options {
                watch: watch(),
                ..Options::default()
            };
            for goal in [Goal::Schedule, Goal::Rate] {
                let solved = solve(&problem, &options().goal(goal)).unwrap();
                let (answer, why) = (&solved.answer, solved.plan().unwrap_err());
                assert_eq!(
                    (answer.bound(), answer.throughput(), answer.status()),
                    (known.bound(), known.throughput(), Status::Optimal)
                );
                let unwritten = solved.unwritten.expect("it is not listed");
                assert!(
                    unwritten.tasks >= (hosts * (hosts - 1)) as u64
                        && why.to_string().contains("no schedule is listed")
                );
                assert_eq!(unwritten.limit.is_none(), watch().is_unlimited(), "{why}");
            }
        }
    };
    asked(6_000, &Watch::unlimited);
    // Two million tasks take longer. A bound takes two checks for each host.
    asked(1_500, &|| Watch::in_questions(3_700));
}

/// A problem that no plan can answer is not built, and no bound is computed if its messages are too many.
#[test]
fn what_is_too_large_is_refused_at_once() {
    let platform = star(17_000);
    let participants: Vec<NodeId> = platform.processors().collect();
    let volumes = Volumes::default();
    for collective in [
        Collective::all_to_all(participants.clone()),
        Collective::all_gather(participants.clone()),
        Collective::reduce_scatter(participants.clone()),
    ] {
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        assert!(
            matches!(
                solve(&problem, &Options::of(Goal::Bound)),
                Err(Error::Problem(Refusal::TooLarge { .. }))
            ),
            "{}",
            collective.name()
        );
        let solved = solve(&problem, &Options::default());
        let refused = matches!(
            solved,
            Err(Error::Problem(Refusal::Question(
                LpError::TooManyTasks { .. }
            )))
        );
        assert!(refused, "{}: {:?}", collective.name(), solved.err());
    }
    let broadcast = Collective::broadcast(participants[0], participants[1..].to_vec());
    let problem = Problem::new(&platform, &broadcast, &volumes).unwrap();
    assert!(solve(&problem, &Options::of(Goal::Bound)).is_ok());
}
