//! Operators that keep their operands' order: symmetric platforms, and problems that are too large for every bound.

use crate::common;

use common::naive::{check_loads, solved};
use common::ratio;
use oneport_lp::{Formulation, LpError, Options, Question, Solution, solve};
use oneport_plan::{Amount, Collective, Form, Member, Problem, Status, Volumes};
use oneport_platform::generate::{
    self, Costs, SwitchedBoxes, complete, dgx_a100, ring, switched_boxes, torus,
};
use oneport_platform::{Node, NodeId, Platform, PortModel, free_automorphisms};
use oneport_watch::Watch;

fn alike() -> generate::Options {
    let costs = Costs::Constant(ratio(3, 2));
    generate::Options {
        link_cost: costs.clone(),
        compute: costs,
        ..generate::Options::default()
    }
}

fn boxes(boxes: usize, accelerators: usize, rails: usize) -> Platform {
    switched_boxes(SwitchedBoxes {
        boxes,
        accelerators,
        inside: 300,
        network: 25,
        rails,
        sharp: false,
    })
    .unwrap()
}

fn platforms() -> Vec<Platform> {
    let full_duplex = [
        ring(4, &alike()),
        ring(5, &alike()),
        complete(4, &alike()),
        torus(&[2, 3]),
    ];
    let full_duplex = full_duplex.into_iter().map(Result::unwrap);
    let links = [
        boxes(1, 4, 1),
        boxes(2, 2, 1),
        boxes(2, 3, 3),
        boxes(3, 2, 2),
        boxes(2, 4, 2),
    ];
    let multiport = complete(4, &alike())
        .unwrap()
        .with_model(PortModel::Multiport);
    full_duplex.chain(links).chain([multiport]).collect()
}

fn volumes() -> [Volumes; 3] {
    let constant = |number: i64| Amount::Constant(ratio(number, 6));
    let by_operands = Amount::Affine {
        fixed: ratio(1, 1),
        per_operand: ratio(1, 2),
    };
    [
        Volumes {
            size: constant(4),
            work: constant(0),
        },
        Volumes {
            size: constant(6),
            work: constant(1),
        },
        Volumes {
            size: by_operands,
            work: constant(0),
        },
    ]
}

/// These demands as groups, which are solved without symmetry.
fn one_by_one(whole: &Collective) -> Collective {
    let reduce = |target: NodeId, participants: &[NodeId]| {
        Collective::reduce(target, participants.to_vec()).commutative(whole.is_commutative())
    };
    let members = match &whole.cast()[..] {
        &[participants] if whole.is(Form::REDUCE_SCATTER) => participants
            .iter()
            .map(|&target| reduce(target, participants))
            .collect(),
        _ => vec![whole.clone()],
    };
    Collective::Groups(
        members
            .into_iter()
            .map(|collective| Member {
                collective,
                rate: 1,
            })
            .collect(),
    )
}

#[track_caller]
fn steady(platform: &Platform, collective: &Collective, volumes: &Volumes) -> Solution {
    let question = Question::new(&Problem::new(platform, collective, volumes).unwrap());
    let solution = solve(&question, &Options::default()).unwrap();
    oneport_referee::check_steady_state(
        &Problem::new(platform, collective, volumes).unwrap(),
        &solution.steady_state,
        &Watch::unlimited(),
    )
    .unwrap();
    check_loads(platform, collective, volumes, &solution);
    solution
}

/// For every use of symmetry, the optimum is that of the whole platform.
#[test]
fn reduce_scatters_of_symmetric_platforms() {
    for platform in platforms() {
        let participants: Vec<NodeId> = platform.processors().collect();
        assert!(
            free_automorphisms(&platform, &participants).len() > 1,
            "nothing symmetric"
        );
        for volumes in volumes() {
            let whole = Collective::reduce_scatter(participants.clone()).in_order();
            let found = solved(&platform, &whole, &volumes);
            check_loads(&platform, &whole, &volumes, &found);
            let plain = solved(&platform, &one_by_one(&whole), &volumes);
            assert_eq!(
                found.steady_state.throughput, plain.steady_state.throughput,
                "{platform:?} {volumes:?}"
            );
        }
    }
}

/// The platform with a router without outgoing links: it changes only the symmetry.
fn lopsided(platform: &Platform) -> Platform {
    let mut builder = Platform::builder();
    builder.model(platform.model());
    for node in platform.nodes() {
        builder.node(node.clone()).unwrap();
    }
    let end = builder
        .node(Node {
            replicates: false,
            ..Node::router("end")
        })
        .unwrap();
    for link in platform.links() {
        builder.link(link.from, link.to, link.cost.clone()).unwrap();
    }
    builder.link(NodeId::new(0), end, ratio(1, 1)).unwrap();
    builder.build().unwrap()
}

/// The compositions of an all-reduce under symmetry.
#[test]
fn all_reduces_of_symmetric_platforms() {
    for platform in platforms() {
        let participants: Vec<NodeId> = platform.processors().collect();
        let lopsided = lopsided(&platform);
        assert_eq!(
            free_automorphisms(&lopsided, &participants).len(),
            1,
            "something symmetric"
        );
        for volumes in volumes() {
            let whole = Collective::all_reduce(participants.clone()).in_order();
            let found = steady(&platform, &whole, &volumes);
            let plain = steady(&lopsided, &whole, &volumes);
            assert_eq!(
                found.steady_state.throughput, plain.steady_state.throughput,
                "{platform:?} {volumes:?}"
            );
        }
    }
}

/// Operands in an order that alternates between the boxes: no box is an interval.
#[test]
fn operands_that_alternate_between_boxes() {
    let platform = boxes(2, 3, 1);
    let all: Vec<NodeId> = platform.processors().collect();
    let participants: Vec<NodeId> = [0, 3, 1, 4, 2, 5]
        .into_iter()
        .map(|index| all[index])
        .collect();
    for volumes in volumes() {
        let whole = Collective::reduce_scatter(participants.clone()).in_order();
        let found = solved(&platform, &whole, &volumes).steady_state.throughput;
        assert_eq!(
            found,
            solved(&platform, &one_by_one(&whole), &volumes)
                .steady_state
                .throughput
        );
        let any_order = Collective::reduce_scatter(participants.clone());
        let any_order = solved(&platform, &any_order, &volumes)
            .steady_state
            .throughput;
        // If merges take time, the processors are busy all the time.
        let merges_are_free = volumes.work.constant() == Some(&ratio(0, 1));
        assert!(
            if merges_are_free {
                found < any_order
            } else {
                found <= any_order
            },
            "{found} {any_order}"
        );
    }
}

/// Two boxes of eight accelerators: in order no slower than in any order.
#[test]
fn boxes_in_order() {
    let platform = dgx_a100(2).unwrap();
    let participants: Vec<NodeId> = platform.processors().collect();
    let volumes = Volumes {
        size: Amount::Constant(ratio(1, 1)),
        work: Amount::Constant(ratio(0, 1)),
    };
    let [in_order, any_order] = [false, true].map(|commutative| {
        let whole = Collective::reduce_scatter(participants.clone()).commutative(commutative);
        solved(&platform, &whole, &volumes).steady_state.throughput
    });
    assert_eq!(in_order, any_order);
    let [in_order, any_order] = [false, true].map(|commutative| {
        let whole = Collective::all_reduce(participants.clone()).commutative(commutative);
        steady(&platform, &whole, &volumes)
    });
    assert_eq!(
        in_order.steady_state.throughput,
        any_order.steady_state.throughput
    );
    assert_eq!(in_order.status, Status::Optimal);
}

/// Prices that bound compositions may be on resources that other schedules do not need. The answer is still valid.
#[test]
fn groups_of_one_all_reduce() {
    for platform in platforms() {
        let participants: Vec<NodeId> = platform.processors().collect();
        let whole = Collective::all_reduce(participants).in_order();
        for volumes in volumes() {
            let alone = steady(&platform, &whole, &volumes).steady_state.throughput;
            let grouped = steady(&platform, &one_by_one(&whole), &volumes);
            assert_eq!(grouped.steady_state.throughput, alone, "{platform:?}");
            assert!(grouped.upper_bound >= alone, "{platform:?}");
        }
    }
}

/// If the tables would be too large, no program is tried.
#[test]
fn too_many_operands_are_refused() {
    let platform = ring(500, &alike()).unwrap();
    let participants: Vec<NodeId> = platform.processors().collect();
    let [_, volumes, _] = volumes();
    let reduce = Collective::reduce(participants[0], participants.clone()).in_order();
    let all_reduce = Collective::all_reduce(participants.clone()).in_order();
    let question =
        |collective| Question::new(&Problem::new(&platform, collective, &volumes).unwrap());
    let scan = Collective::scan(participants.clone());
    let refused = solve(&question(&scan), &Options::default()).unwrap_err();
    assert!(
        matches!(
            refused,
            LpError::TooManyOperands {
                operands: 500,
                processors: 500,
                ..
            }
        ),
        "{refused}"
    );
    // There are chains along the line of the owners, which no program improves.
    for collective in [&reduce, &all_reduce] {
        assert!(
            steady(&platform, collective, &volumes)
                .steady_state
                .throughput
                > ratio(0, 1)
        );
    }
    // The compact program has a column for every task: 800 million.
    let question = Question::new(&Problem::new(&platform, &reduce, &volumes).unwrap());
    let compact = Options {
        formulation: Formulation::Compact,
        ..Options::default()
    };
    assert!(matches!(
        solve(&question, &compact).unwrap_err(),
        LpError::TooManyOperands { .. }
    ));
    let few = participants[..100].to_vec();
    let reduce = Collective::reduce(participants[0], few).in_order();
    let question = Question::new(&Problem::new(&platform, &reduce, &volumes).unwrap());
    assert!(matches!(
        solve(&question, &compact).unwrap_err(),
        LpError::CompactTooLarge { .. }
    ));
}

/// A scan is at most as fast as the reduction into the last participant, which bounds it.
#[test]
fn scans_of_many_are_bounded_by_their_last_prefix() {
    let options = generate::Options {
        seed: 3,
        ..generate::Options::default()
    };
    let platform = generate::random_connected(28, 4, &options).unwrap();
    let participants: Vec<NodeId> = platform.processors().collect();
    for volumes in volumes() {
        let scan = steady(&platform, &Collective::scan(participants.clone()), &volumes);
        let last = Collective::reduce(participants[27], participants.clone()).in_order();
        let last = solved(&platform, &last, &volumes).steady_state.throughput;
        assert!(
            scan.steady_state.throughput <= last && last <= scan.upper_bound,
            "{volumes:?}"
        );
        let proved = oneport_referee::bound(
            &Problem::new(&platform, Collective::scan(participants.clone()), &volumes).unwrap(),
            &scan.certificate,
            &Watch::unlimited(),
        );
        assert!(proved.unwrap() <= scan.upper_bound);
    }
}
