//! Process groups: several collectives at once, against one program over all their patterns.

use crate::common;

use common::naive::{Dice, check, processors, random, solved};
use common::ratio;
use oneport_plan::{Amount, Collective, Member, Volumes};
use oneport_platform::{NodeId, Platform, PortModel};

/// Up to four nodes of one model. Every third platform is half-duplex.
fn platform(seed: u64) -> (Platform, Dice) {
    let models = [
        PortModel::FullDuplex,
        PortModel::HalfDuplex,
        PortModel::Links,
        PortModel::Multiport,
    ];
    let mut dice = Dice::new(seed);
    let mut list = processors(3 + dice.below(2));
    for node in &mut list {
        node.ports = Some(1 + dice.below(2) as u32);
    }
    let extra = 2 + dice.below(5);
    (
        random(&mut dice, list, models[seed as usize % 4], extra),
        dice,
    )
}

/// A collective on a random part of the nodes. Reductions combine three values on three nodes at most: there are many
/// trees.
fn collective(platform: &Platform, dice: &mut Dice) -> Collective {
    let mut members: Vec<NodeId> = platform.node_ids().collect();
    let first = dice.below(members.len());
    members.rotate_left(first);
    let small = members.len() == 3;
    let count = 2 + dice.below(members.len() - 1);
    members.truncate(count);
    let (first, rest) = (members[0], members[1..].to_vec());
    match dice.below(if small { 6 } else { 5 }) {
        0 => Collective::scatter(first, rest),
        1 => Collective::gather(first, rest),
        2 => Collective::all_to_all(members),
        3 => Collective::broadcast(first, rest),
        4 => Collective::all_gather(members),
        _ => Collective::reduce(first, members).in_order(),
    }
}

#[test]
fn two_groups_share_the_platform() {
    for seed in 0..60 {
        let (platform, mut dice) = platform(seed);
        let mut member = || {
            let collective = collective(&platform, &mut dice);
            Member {
                collective,
                rate: 1 + dice.below(3) as u64,
            }
        };
        let members = vec![member(), member()];
        let volumes = Volumes {
            size: Amount::Constant(dice.cost()),
            work: Amount::Constant(ratio(1, 2)),
        };
        check(&platform, &Collective::Groups(members), &volumes);
    }
}

#[test]
fn a_group_of_one_is_the_collective_alone() {
    for seed in 100..140 {
        let (platform, mut dice) = platform(seed);
        let alone = collective(&platform, &mut dice);
        let rate = 1 + dice.below(5) as u64;
        let volumes = Volumes {
            size: Amount::Constant(dice.cost()),
            work: Amount::Constant(ratio(1, 2)),
        };
        let group = Collective::Groups(vec![Member {
            collective: alone.clone(),
            rate,
        }]);
        let expected =
            solved(&platform, &alone, &volumes).steady_state.throughput / ratio(rate as i64, 1);
        assert_eq!(
            solved(&platform, &group, &volumes).steady_state.throughput,
            expected,
            "{alone:?} {platform:?}"
        );
    }
}

/// Two groups together are at most as fast as either alone, and at least as fast as alternating.
#[test]
fn together_is_between_alone_and_in_turns() {
    for seed in 200..220 {
        let (platform, mut dice) = platform(seed);
        let volumes = Volumes {
            size: Amount::Constant(dice.cost()),
            work: Amount::Constant(ratio(1, 1)),
        };
        let pair = [
            collective(&platform, &mut dice),
            collective(&platform, &mut dice),
        ];
        let alone = pair
            .each_ref()
            .map(|one| solved(&platform, one, &volumes).steady_state.throughput);
        let members = pair
            .into_iter()
            .map(|collective| Member {
                collective,
                rate: 1,
            })
            .collect();
        let together = solved(&platform, &Collective::Groups(members), &volumes)
            .steady_state
            .throughput;
        assert!(alone.iter().all(|alone| together <= *alone));
        assert!(together >= (alone[0].recip() + alone[1].recip()).recip());
    }
}
