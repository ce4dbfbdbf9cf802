//! `bound` against `solve`: never below the optimum, rarely above it, and never better than a plan's own bound.

use crate::planned::parts;
use oneport_testkit::Parts;
use std::time::Duration;

use num_traits::{One, Zero};
use oneport::plan::Routing;
use oneport::platform::generate::{self, Costs, Racks, random_connected};
use oneport::platform::{LinkId, Node, ratio};
use oneport::watch::Watch;
use oneport::{
    Amount, Answer, Collective, Goal, NodeId, Options, Platform, PortModel, Problem, Rational,
    Status, Volumes, referee, solve,
};

const MODELS: [PortModel; 4] = [
    PortModel::FullDuplex,
    PortModel::HalfDuplex,
    PortModel::Multiport,
    PortModel::Links,
];

fn collectives(participants: &[NodeId]) -> Vec<Collective> {
    let (centre, others, all) = (participants[0], participants[1..].to_vec(), || {
        participants.to_vec()
    });
    vec![
        Collective::all_gather(all()),
        Collective::reduce_scatter(all()),
        Collective::all_reduce(all()),
        Collective::all_to_all(all()),
        Collective::broadcast(centre, others.clone()),
        Collective::reduce(centre, all()),
        Collective::scatter(centre, others.clone()),
        Collective::gather(centre, others),
    ]
}

fn free_merges() -> Volumes {
    Volumes {
        work: Amount::Constant(Rational::zero()),
        ..Volumes::default()
    }
}

fn bounded(problem: &Problem) -> Answer {
    solve(problem, &Options::of(Goal::Bound)).unwrap().answer
}

fn planned(problem: &Problem, watch: Watch) -> Parts {
    let solved = solve(problem, &Options::default().watched(watch));
    parts(&solved.unwrap())
}

#[test]
fn bounds_of_small_platforms_are_their_optima() {
    let costs = Costs::Uniform { low: 1, high: 5 };
    let mut optimal = 0;
    for seed in 0..6 {
        for model in MODELS {
            let options = generate::Options {
                seed,
                link_cost: costs.clone(),
                compute: costs.clone(),
            };
            let platform = random_connected(5, 3, &options).unwrap().with_model(model);
            let participants: Vec<NodeId> = platform.processors().skip(seed as usize % 2).collect();
            for collective in collectives(&participants) {
                let volumes = free_merges();
                let problem = Problem::new(&platform, &collective, &volumes).unwrap();
                let (found, plan) = (bounded(&problem), planned(&problem, Watch::unlimited()));
                let known = found.throughput().cloned().expect("a schedule is known");
                let context = format!("{model:?} {seed} {}", collective.name());
                assert!(
                    plan.steady_state.throughput <= *found.bound() && known <= plan.upper_bound,
                    "{context}"
                );
                assert!(
                    *found.bound() <= plan.upper_bound,
                    "{context}: the plan has the better bound"
                );
                assert_eq!(found.status() == Status::Optimal, known == *found.bound());
                if plan.status == Status::Optimal {
                    assert!((found.status() == Status::Optimal), "{context}");
                    optimal += 1;
                }
            }
        }
    }
    assert!(optimal > 150, "{optimal}");
}

/// Hosts behind one shared backbone, as SimGrid describes clusters: cuts see a host's cable, and prices the backbone.
fn behind_a_backbone(hosts: usize) -> Platform {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let [into, out] = ["in", "out"].map(|name| {
        builder
            .node(Node {
                replicates: false,
                ..Node::router(name)
            })
            .unwrap()
    });
    for host in 0..hosts {
        let host = builder
            .node(Node::processor(format!("h{host}"), Rational::one()))
            .unwrap();
        builder.link(host, into, ratio(8, 1)).unwrap();
        builder.link(out, host, ratio(8, 1)).unwrap();
    }
    builder.link(into, out, ratio(4, 5)).unwrap();
    builder.build().unwrap()
}

/// On platforms too large for the whole program, every row has the optimum, which follows from the construction.
#[test]
fn larger_platforms_are_bounded_as_well() {
    let volumes = free_merges();
    let backbone = behind_a_backbone(70);
    let torus = generate::torus(&[4, 4, 5]).unwrap();
    let [cost, one] = [1, 1].map(|cost| Costs::Uniform {
        low: cost,
        high: cost,
    });
    let shape = Racks {
        racks: 5,
        hosts: (16, 16),
        ..Racks::default()
    };
    let options = generate::Options {
        link_cost: cost,
        compute: one,
        ..generate::Options::default()
    };
    let racks = generate::racks(&shape, &options)
        .unwrap()
        .with_model(PortModel::Links);
    for (platform, exact) in [(&backbone, 8), (&torus, 7), (&racks, 6)] {
        let participants: Vec<NodeId> = platform.processors().collect();
        let mut attained = 0;
        for collective in collectives(&participants) {
            let problem = Problem::new(platform, &collective, &volumes).unwrap();
            let found = bounded(&problem);
            let known = found.throughput().cloned().expect("a schedule is known");
            assert!(
                found.bound() * ratio(99, 100) <= known,
                "{}: {} {known}",
                collective.name(),
                found.bound()
            );
            attained += usize::from(found.status() == Status::Optimal);
        }
        assert!(attained >= exact, "{attained}");
    }
    // 70 x 69 messages over the backbone, at 4/5 each.
    let all = Collective::all_to_all(backbone.processors().collect());
    let problem = Problem::new(&backbone, &all, &volumes).unwrap();
    assert_eq!(*bounded(&problem).bound(), ratio(5, 4 * 70 * 69));
}

/// A tree has a single path for every message that travels alone: `bound` is attained, for all ports, and larger
/// problems are solved without a program.
#[test]
fn trees_are_decided() {
    let tree = |nodes: usize, seed: usize, model: PortModel| {
        let mut builder = Platform::builder();
        builder.model(model);
        for index in 0..nodes {
            let node = builder
                .node(Node::processor(format!("n{index}"), Rational::one()))
                .unwrap();
            if index > 0 {
                let parent = NodeId::new((index * seed + seed) % index.min(7));
                builder
                    .link(node, parent, ratio(1 + (index * seed % 5) as i64, 3))
                    .unwrap();
                builder
                    .link(parent, node, ratio(1 + (index + seed) as i64 % 4, 2))
                    .unwrap();
            }
        }
        builder.build().unwrap()
    };
    for (seed, model) in (1..9).zip(MODELS.into_iter().cycle()) {
        let volumes = Volumes::of_size(ratio(5, 7));
        let small = tree(6, seed, model);
        let participants: Vec<NodeId> = small.processors().skip(seed % 2).collect();
        for collective in collectives(&participants)
            .into_iter()
            .filter(|one| !one.commodities().is_empty())
        {
            let problem = Problem::new(&small, &collective, &volumes).unwrap();
            let found = bounded(&problem);
            assert!(
                (found.status() == Status::Optimal),
                "{model:?} {seed} {}",
                collective.name()
            );
            // The program's optimum.
            assert_eq!(
                planned(&problem, Watch::unlimited())
                    .steady_state
                    .throughput,
                *found.bound()
            );
        }
        let large = tree(96, seed, model);
        let all = Collective::all_to_all(large.processors().collect());
        let problem = Problem::new(&large, &all, &volumes).unwrap();
        let (found, plan) = (bounded(&problem), planned(&problem, Watch::unlimited()));
        assert_eq!(
            (&plan.steady_state.throughput, plan.status),
            (found.bound(), Status::Optimal)
        );
        let state = referee::check_steady_state(&problem, &plan.steady_state, &Watch::unlimited());
        assert!(
            (found.status() == Status::Optimal) && state.is_ok(),
            "{model:?} {seed}: {state:?}"
        );
    }
    // Other platforms have several paths, and copies may share them.
    let ring = generate::torus(&[5]).unwrap();
    let participants: Vec<NodeId> = ring.processors().collect();
    let volumes = Volumes::default();
    for (platform, collective) in [
        (&ring, Collective::all_to_all(participants.clone())),
        (
            &tree(5, 1, PortModel::Links),
            Collective::all_gather(participants),
        ),
    ] {
        let problem = Problem::new(platform, &collective, &volumes).unwrap();
        assert!(referee::sustained(&problem, &Routing::OnlyWay, &Watch::unlimited()).is_err());
    }
}

/// A plan of an ended search has a bound at least as good as the cheap bound.
#[test]
fn a_plan_cut_short_has_no_worse_bound() {
    let volumes = free_merges();
    let platform = behind_a_backbone(12);
    assert!(platform.link_ids().count() == 25 && platform.link(LinkId::new(0)).cost == ratio(8, 1));
    let participants: Vec<NodeId> = platform.processors().collect();
    let mut short = 0;
    for collective in collectives(&participants) {
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let cut = oneport_lp::cut_bound(&oneport_lp::Question::new(&problem)).unwrap();
        for questions in [0, 1, 3, 10, 100] {
            let watch = Watch::counting(questions, Duration::ZERO);
            let options = Options {
                watch,
                ..Options::default()
            };
            let Ok(solved) = solve(&problem, &options) else {
                continue;
            };
            let least = cut.as_ref().map(|bound| &bound.throughput);
            assert!(
                least.is_none_or(|least| solved.answer.bound() <= least),
                "{}",
                collective.name()
            );
            short += usize::from(solved.ended_by.is_some());
        }
    }
    assert!(short > 8, "{short}");
}
