//! Half-duplex platforms against program (P) of RR-2004-32: every matching, every pattern, exact weights.

use crate::common;

use common::naive::{Dice, check, demands, link_sets, optimum, processors, random, solved};
use common::ratio;
use num_traits::One;
use oneport_plan::{Amount, Collective, Volumes};
use oneport_platform::{Node, NodeId, Platform, PortModel, Rational};
use oneport_testkit::toys;

/// Random half-duplex platforms of 3 to `most` nodes.
fn platform(seed: u64, most: usize) -> (Platform, Dice) {
    let mut dice = Dice::new(seed);
    let nodes = 3 + dice.below(most - 2);
    let extra = dice.below(2 * nodes + 1);
    (
        random(&mut dice, processors(nodes), PortModel::HalfDuplex, extra),
        dice,
    )
}

/// All nodes, starting at any.
fn members(platform: &Platform, dice: &mut Dice) -> Vec<NodeId> {
    let mut members: Vec<NodeId> = platform.node_ids().collect();
    members.rotate_left(dice.below(platform.nodes().len()));
    members
}

#[test]
fn broadcasts() {
    let mut odd = 0;
    for seed in 0..40 {
        let (platform, mut dice) = platform(seed, 5);
        let members = members(&platform, &mut dice);
        let fewer = if seed % 3 == 0 {
            1 + dice.below(members.len() - 1)
        } else {
            members.len() - 1
        };
        let collective = Collective::broadcast(members[0], members[1..=fewer].to_vec());
        let volumes = Volumes::of_size(dice.cost());
        check(&platform, &collective, &volumes);
        odd += usize::from(
            solved(&platform, &collective, &volumes)
                .certificate
                .odd_sets()
                .next()
                .is_some(),
        );
    }
    // Ports alone must not suffice: otherwise these platforms would test nothing.
    assert!(odd >= 3, "{odd} with odd sets");
}

#[test]
fn scatters_and_gathers() {
    for seed in 100..130 {
        let (platform, mut dice) = platform(seed, 5);
        let members = members(&platform, &mut dice);
        let (first, rest) = (members[0], members[1..].to_vec());
        let collective = match seed % 3 {
            0 => Collective::gather(first, rest),
            1 => Collective::scatter(first, rest),
            _ => Collective::all_to_all(members),
        };
        check(&platform, &collective, &Volumes::of_size(dice.cost()));
    }
}

#[test]
fn all_gathers() {
    for seed in 200..220 {
        let (platform, mut dice) = platform(seed, 4);
        let collective = Collective::all_gather(members(&platform, &mut dice));
        check(&platform, &collective, &Volumes::of_size(dice.cost()));
    }
}

#[test]
fn reductions() {
    for seed in 300..316 {
        let mut dice = Dice::new(seed);
        let nodes = 3 + dice.below(2);
        let list = (0..nodes)
            .map(|at| Node::processor(format!("p{at}"), dice.cost()))
            .collect();
        let extra = 4 - nodes + dice.below(3);
        let platform = random(&mut dice, list, PortModel::HalfDuplex, extra);
        let members = members(&platform, &mut dice);
        let participants = members[..3].to_vec();
        let volumes = Volumes {
            size: Amount::Affine {
                fixed: dice.cost(),
                per_operand: ratio(dice.below(2) as i64, 2),
            },
            work: Amount::Constant(ratio(dice.below(4) as i64, 2)),
        };
        let collective = match seed % 4 {
            0 => Collective::reduce_scatter(participants).in_order(),
            _ => Collective::reduce(members[nodes - 1], participants).in_order(),
        };
        check(&platform, &collective, &volumes);
    }
}

/// The throughput of a broadcast from the first node to all others.
fn to_all(platform: Platform, model: PortModel) -> Rational {
    let platform = platform.with_model(model);
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let collective = Collective::broadcast(ids[0], ids[1..].to_vec());
    check(&platform, &collective, &Volumes::of_size(Rational::one()))
}

/// RR-2004-32, figure 1 as reconstructed: 4/5, and 1 if nodes can send and receive at the same time.
#[test]
fn figure_1() {
    let figure = toys::broadcast;
    assert_eq!(to_all(figure(), PortModel::HalfDuplex), ratio(4, 5));
    assert_eq!(to_all(figure(), PortModel::FullDuplex), ratio(1, 1));
}

/// RR-2004-32, figure 2: 2/3, while the ports alone would allow 3/4. 1 if nodes can send and receive at the same time.
#[test]
fn figure_2() {
    let figure = toys::odd_set;
    assert_eq!(to_all(figure(), PortModel::HalfDuplex), ratio(2, 3));
    assert_eq!(to_all(figure(), PortModel::FullDuplex), ratio(1, 1));
}

/// The yardstick itself: three nodes in a triangle, one link at a time.
#[test]
fn a_triangle_by_hand() {
    let mut builder = Platform::builder();
    builder.model(PortModel::HalfDuplex);
    let ids: Vec<NodeId> = processors(3)
        .into_iter()
        .map(|node| builder.node(node).unwrap())
        .collect();
    for at in 0..3 {
        builder
            .link(ids[at], ids[(at + 1) % 3], Rational::one())
            .unwrap();
    }
    let platform = builder.build().unwrap();
    assert_eq!(link_sets(&platform).len(), 3);
    let collective = Collective::all_gather(ids);
    let volumes = Volumes::of_size(Rational::one());
    // Six hops per instance, one at a time.
    assert_eq!(
        optimum(&platform, &demands(&platform, &collective, &volumes)),
        ratio(1, 6)
    );
    assert_eq!(check(&platform, &collective, &volumes), ratio(1, 6));
}
