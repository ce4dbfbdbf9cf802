//! Symmetric platforms: the quotient has the optimum of the whole platform. All-reduce, and its bounds.

use crate::common;

use common::naive::{Dice, check_loads, priced, processors, random, solved, trees};
use common::{ratio, reversed};
use num_traits::{One, Zero};
use oneport_lp::{Options, Question, Solution, solve};
use oneport_plan::{Amount, Collective, Member, Problem, Status, Volumes};
use oneport_platform::generate::{self, Costs, complete, dgx_a100, mi250, ring, torus};
use oneport_platform::{NodeId, Platform, PortModel, Rational, free_automorphisms};
use oneport_referee as referee;
use oneport_watch::Watch;

fn alike() -> generate::Options {
    let costs = Costs::Constant(ratio(3, 2));
    generate::Options {
        link_cost: costs.clone(),
        compute: costs,
        ..generate::Options::default()
    }
}

/// Platforms with symmetries.
fn platforms() -> Vec<Platform> {
    let regular = [
        ring(5, &alike()),
        ring(6, &alike()),
        complete(4, &alike()),
        torus(&[3, 3]),
        torus(&[4]),
    ];
    let regular: Vec<Platform> = regular
        .into_iter()
        .map(|platform| platform.unwrap())
        .collect();
    let links = regular[..3]
        .iter()
        .map(|platform| platform.clone().with_model(PortModel::Links));
    let multiport = [regular[2].clone().with_model(PortModel::Multiport)];
    let mut all: Vec<Platform> = links.chain(multiport).collect();
    all.extend(regular);
    all
}

fn volumes(work: i64) -> Volumes {
    Volumes {
        size: Amount::Constant(ratio(2, 3)),
        work: Amount::Constant(ratio(work, 6)),
    }
}

/// These demands as groups, which have no quotient.
fn one_by_one(whole: &Collective) -> Collective {
    let &[participants] = &whole.cast()[..] else {
        panic!("{whole:?}")
    };
    let member = |&node: &NodeId| {
        let others = || {
            participants
                .iter()
                .copied()
                .filter(|&other| other != node)
                .collect()
        };
        let collective = if !whole.combines() {
            Collective::broadcast(node, others())
        } else {
            Collective::reduce(node, participants.to_vec())
        };
        Member {
            collective,
            rate: 1,
        }
    };
    Collective::Groups(participants.iter().map(member).collect())
}

fn check_quotient(platform: &Platform, whole: &Collective, volumes: &Volumes) {
    let quotient = solved(platform, whole, volumes);
    check_loads(platform, whole, volumes, &quotient);
    let plain = solved(platform, &one_by_one(whole), volumes);
    assert_eq!(
        quotient.steady_state.throughput, plain.steady_state.throughput,
        "{whole:?} {platform:?}"
    );
}

#[test]
fn all_gathers_of_the_quotient() {
    for platform in platforms() {
        let participants: Vec<NodeId> = platform.processors().collect();
        assert!(
            free_automorphisms(&platform, &participants).len() > 1,
            "nothing to be divided by"
        );
        check_quotient(
            &platform,
            &Collective::all_gather(participants),
            &volumes(1),
        );
    }
}

#[test]
fn reduce_scatters_of_the_quotient() {
    for platform in platforms()
        .into_iter()
        .filter(|platform| platform.nodes().len() < 7)
    {
        let participants: Vec<NodeId> = platform.processors().collect();
        for work in [0, 1, 7] {
            let whole = Collective::reduce_scatter(participants.clone());
            check_quotient(&platform, &whole, &volumes(work));
        }
    }
}

/// A part of the processors, whose symmetries are fewer.
#[test]
fn some_participants() {
    let platform = ring(6, &alike()).unwrap();
    for indices in [vec![0, 3], vec![0, 2, 4], vec![1, 2, 4, 5], vec![0, 1, 3]] {
        let participants: Vec<NodeId> = indices.into_iter().map(NodeId::new).collect();
        check_quotient(
            &platform,
            &Collective::all_gather(participants.clone()),
            &volumes(1),
        );
        check_quotient(
            &platform,
            &Collective::reduce_scatter(participants),
            &volumes(1),
        );
    }
}

/// Machines of 8 and 16 accelerators, with and without a switch.
#[test]
fn accelerator_boxes() {
    for platform in [mi250(1), dgx_a100(1), dgx_a100(2)] {
        let platform = platform.unwrap();
        let participants: Vec<NodeId> = platform.processors().collect();
        check_quotient(
            &platform,
            &Collective::all_gather(participants),
            &volumes(1),
        );
    }
}

/// A steady state that holds.
#[track_caller]
fn composed(platform: &Platform, whole: &Collective, volumes: &Volumes) -> Solution {
    let question = Question::new(&Problem::new(platform, whole, volumes).unwrap());
    let solution = solve(&question, &Options::default()).unwrap();
    referee::check_steady_state(
        &Problem::new(platform, whole, volumes).unwrap(),
        &solution.steady_state,
        &Watch::unlimited(),
    )
    .unwrap();
    check_loads(platform, whole, volumes, &solution);
    solution
}

/// An all-reduce among all nodes: a steady state, and a proved bound. They need not meet.
#[track_caller]
fn all_reduce(platform: &Platform, whole: &Collective, volumes: &Volumes) -> Solution {
    let solution = composed(platform, whole, volumes);
    let throughput = &solution.steady_state.throughput;
    let bound = &solution.upper_bound;
    assert!(
        *throughput > Rational::zero() && throughput <= bound,
        "{whole:?} {platform:?}"
    );
    assert_eq!(solution.status == Status::Optimal, throughput == bound);
    let certificate = &solution.certificate;
    if certificate.needs.is_empty() {
        assert_eq!(
            *bound,
            exchange(platform, volumes, &solution),
            "{whole:?} {platform:?}"
        );
    }
    // The referee alone proves at least as much, perhaps more by other arguments.
    let proved = referee::bound(
        &Problem::new(platform, whole, volumes).unwrap(),
        &solution.certificate,
        &Watch::unlimited(),
    )
    .unwrap();
    assert!(
        *throughput <= proved && proved <= *bound,
        "{whole:?} {platform:?}"
    );
    solution
}

/// The bound that the prices prove for all-reduces, by enumerating all trees. The first node that holds all operands
/// received them over a tree. Afterwards every other node receives a message. Read backwards: a tree from some node to
/// all others, and a message sent by each of them in addition. The number of merges is the number of operands minus
/// one. Volumes are constant.
fn exchange(platform: &Platform, volumes: &Volumes, solution: &Solution) -> Rational {
    let (size, work) = (
        volumes.size.constant().unwrap(),
        volumes.work.constant().unwrap(),
    );
    let priced = priced(platform, &solution.certificate);
    let nodes: Vec<NodeId> = platform.node_ids().collect();
    let turned = reversed(platform);
    let least = |backwards: bool| {
        let least_from = |&root: &NodeId| {
            let others: Vec<NodeId> = nodes.iter().copied().filter(|&node| node != root).collect();
            let all = trees(
                if backwards { platform } else { &turned },
                root,
                &others,
                size,
            );
            let tree = all.iter().map(|tree| priced.price(tree)).min().unwrap();
            let single = |&node: &NodeId| {
                let links = if backwards {
                    platform.outgoing(node)
                } else {
                    platform.incoming(node)
                };
                links
                    .iter()
                    .map(|&link| priced.link(platform, link, size))
                    .min()
                    .unwrap()
            };
            tree + others.iter().map(single).sum::<Rational>()
        };
        nodes.iter().map(least_from).min().unwrap()
    };
    let merge = |&node: &NodeId| {
        platform.node(node).compute.clone().unwrap() * &priced.processors[node.index()] * work
    };
    let merges = nodes.iter().map(merge).min().unwrap() * ratio(nodes.len() as i64 - 1, 1);
    &priced.worth / (least(false).max(least(true)) + merges)
}

/// The best composition is that of the whole platform, too.
#[test]
fn all_reduces_of_the_quotient() {
    for platform in platforms()
        .into_iter()
        .filter(|platform| platform.nodes().len() < 6)
    {
        let participants: Vec<NodeId> = platform.processors().collect();
        for work in [0, 2] {
            let whole = Collective::all_reduce(participants.clone());
            let quotient = all_reduce(&platform, &whole, &volumes(work));
            let plain = Collective::Groups(vec![Member {
                collective: whole,
                rate: 1,
            }]);
            let plain = composed(&platform, &plain, &volumes(work));
            assert_eq!(
                quotient.steady_state.throughput, plain.steady_state.throughput,
                "{platform:?}"
            );
        }
    }
}

/// Complete homogeneous platforms: `2 (n - 1) / n` messages pass every port in every schedule, and that is enough.
#[test]
fn all_reduce_among_equals() {
    for n in 2..=5usize {
        for work in [ratio(0, 1), ratio(1, 10)] {
            let platform = complete(n, &alike()).unwrap();
            let participants: Vec<NodeId> = platform.processors().collect();
            let volumes = Volumes {
                size: Amount::Constant(Rational::one()),
                work: Amount::Constant(work),
            };
            let whole = Collective::all_reduce(participants.clone());
            let solution = all_reduce(&platform, &whole, &volumes);
            let expected = ratio(n as i64, 2 * (n as i64 - 1)) / ratio(3, 2);
            assert_eq!(solution.steady_state.throughput, expected, "{n} nodes");
            assert_eq!(solution.upper_bound, expected, "{n} nodes");
            let ordered = all_reduce(
                &platform,
                &Collective::all_reduce(participants).in_order(),
                &volumes,
            );
            assert!(ordered.steady_state.throughput <= expected, "{n} nodes");
        }
    }
}

/// An all-reduce includes a reduce: it is at most as fast as the reduction to any participant, and at most as fast as
/// an all-gather's broadcasts. It is at least as fast as reducing to one node and broadcasting from there in
/// alternation.
#[test]
fn all_reduce_between_its_parts() {
    for seed in 0..24 {
        let mut dice = Dice::new(seed);
        let nodes = 3 + dice.below(2);
        let model = [
            PortModel::FullDuplex,
            PortModel::Links,
            PortModel::HalfDuplex,
        ][seed as usize % 3];
        let extra = 3 + dice.below(4);
        let platform = random(&mut dice, processors(nodes), model, extra);
        let participants: Vec<NodeId> = platform.node_ids().collect();
        let volumes = Volumes {
            size: Amount::Constant(dice.cost()),
            work: Amount::Constant(ratio(1, 3)),
        };
        let commutative = seed % 2 == 0;
        let whole = Collective::all_reduce(participants.clone()).commutative(commutative);
        let throughput = all_reduce(&platform, &whole, &volumes)
            .steady_state
            .throughput;
        for &root in &participants {
            let reduce = Collective::reduce(root, participants.clone()).commutative(commutative);
            let targets = participants
                .iter()
                .copied()
                .filter(|&node| node != root)
                .collect();
            let broadcast = Collective::broadcast(root, targets);
            let alone = [reduce, broadcast]
                .map(|one| solved(&platform, &one, &volumes).steady_state.throughput);
            assert!(throughput <= alone[0], "{platform:?}");
            assert!(
                throughput >= (alone[0].recip() + alone[1].recip()).recip(),
                "{platform:?}"
            );
        }
    }
}
