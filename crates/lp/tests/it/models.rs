//! Platforms whose nodes obey different port models, and switches that cannot copy: every allowed set of links and
//! every copying scheme, in one program.

use crate::common;

use common::naive::{Dice, check, processors, random};
use common::ratio;
use num_traits::One;
use oneport_plan::{Collective, Volumes};
use oneport_platform::{Node, NodeId, Platform, PortModel, Rational};

const MODELS: [PortModel; 4] = [
    PortModel::FullDuplex,
    PortModel::HalfDuplex,
    PortModel::Multiport,
    PortModel::Links,
];

/// Up to four nodes, each of a separate model.
fn mixed(seed: u64) -> (Platform, Dice) {
    let mut dice = Dice::new(seed);
    let mut list = processors(3 + dice.below(2));
    for node in &mut list {
        node.model = Some(MODELS[dice.below(4)]);
        node.ports = Some(1 + dice.below(3) as u32);
    }
    let extra = 2 + dice.below(10);
    (random(&mut dice, list, PortModel::FullDuplex, extra), dice)
}

#[test]
fn mixed_broadcasts() {
    for seed in 0..60 {
        let (platform, mut dice) = mixed(seed);
        let mut targets: Vec<NodeId> = platform.node_ids().collect();
        let source = targets.remove(dice.below(targets.len()));
        check(
            &platform,
            &Collective::broadcast(source, targets),
            &Volumes::of_size(dice.cost()),
        );
    }
}

#[test]
fn mixed_exchanges() {
    for seed in 100..140 {
        let (platform, mut dice) = mixed(seed);
        let mut participants: Vec<NodeId> = platform.node_ids().collect();
        participants.rotate_left(dice.below(3));
        let collective = match seed % 4 {
            0 => Collective::all_to_all(participants),
            1 => Collective::scatter(participants[0], participants[1..].to_vec()),
            2 => Collective::gather(participants[0], participants[1..].to_vec()),
            _ => Collective::all_gather(participants),
        };
        check(&platform, &collective, &Volumes::of_size(dice.cost()));
    }
}

#[test]
fn mixed_reductions() {
    for seed in 200..210 {
        let mut dice = Dice::new(seed);
        let mut list: Vec<Node> = (0..3)
            .map(|at| Node::processor(format!("p{at}"), dice.cost()))
            .collect();
        for node in &mut list {
            node.model = Some(MODELS[dice.below(4)]);
        }
        let platform = random(&mut dice, list, PortModel::FullDuplex, 2);
        let participants: Vec<NodeId> = platform.node_ids().collect();
        let collective = Collective::reduce(participants[1], participants).in_order();
        check(&platform, &collective, &Volumes::of_size(dice.cost()));
    }
}

/// Three or four processors, one or two switches between them, and few further links.
fn switched(seed: u64, model: PortModel) -> (Platform, Dice, Vec<NodeId>) {
    let mut dice = Dice::new(seed);
    let (count, switches) = (3 + dice.below(2), 1 + dice.below(2));
    let mut list = processors(count);
    for at in 0..switches {
        // Spread round the ring.
        list.insert(
            1 + 2 * at,
            Node {
                replicates: false,
                ..Node::router(format!("switch{at}"))
            },
        );
    }
    let extra = 2 + dice.below(5);
    let platform = random(&mut dice, list, model, extra);
    let processors = platform.processors().collect();
    (platform, dice, processors)
}

#[test]
fn switches_do_not_copy() {
    for seed in 300..350 {
        let model = MODELS[[0, 3, 0, 3, 1][seed as usize % 5]];
        let (platform, mut dice, mut members) = switched(seed, model);
        let volumes = Volumes::of_size(dice.cost());
        if seed % 3 == 0 && members.len() == 3 {
            check(&platform, &Collective::all_gather(members), &volumes);
        } else {
            let source = members.remove(dice.below(members.len()));
            check(&platform, &Collective::broadcast(source, members), &volumes);
        }
    }
}

/// A star around a switch: if it cannot copy, the source sends repeatedly, or the leaves forward.
#[test]
fn a_star_by_hand() {
    let star = |model: PortModel, replicates: bool| {
        let mut builder = Platform::builder();
        builder.model(model);
        let hub = builder
            .node(Node {
                replicates,
                ..Node::router("hub")
            })
            .unwrap();
        let leaves: Vec<NodeId> = processors(4)
            .into_iter()
            .map(|node| builder.node(node).unwrap())
            .collect();
        for &leaf in &leaves {
            builder.duplex(leaf, hub, Rational::one()).unwrap();
        }
        let collective = Collective::broadcast(leaves[0], leaves[1..].to_vec());
        check(
            &builder.build().unwrap(),
            &collective,
            &Volumes::of_size(Rational::one()),
        )
    };
    // A hub that copies sends three times. If only links count, one link into it is enough.
    assert_eq!(star(PortModel::FullDuplex, true), ratio(1, 3));
    assert_eq!(star(PortModel::Links, true), ratio(1, 1));
    // Three copies pass the switch's receive port. Leaves that forward copies make up for a switch of many ports.
    assert_eq!(star(PortModel::FullDuplex, false), ratio(1, 3));
    assert_eq!(star(PortModel::Links, false), ratio(1, 1));
}
