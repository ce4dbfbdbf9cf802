//! Random all-reduces and scans with prices, and the cheapest scheme of all by enumeration.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::common::ask::bound;
use oneport_plan::{Amount, Certificate, Collective, Resource, Volumes};
use oneport_platform::{Node, NodeId, Platform, Rational};

use super::*;

/// Two or three processors, all of which replicate, on a ring with chords.
fn network(dice: &mut Dice) -> Platform {
    let count = 2 + dice.below(2);
    let mut builder = Platform::builder();
    for i in 0..count {
        builder
            .node(Node::processor(format!("n{i}"), whole(1 + dice.below(3))))
            .unwrap();
    }
    for i in 0..count {
        for j in (0..count).filter(|&j| j != i) {
            if j == (i + 1) % count || dice.one_in(2) {
                builder
                    .link(NodeId::new(i), NodeId::new(j), whole(1 + dice.below(4)))
                    .unwrap();
            }
        }
    }
    builder.build().unwrap()
}

/// Whole prices of units of time, by link and by processor, and the certificate.
fn prices(dice: &mut Dice, platform: &Platform) -> (Vec<u64>, Vec<u64>, Certificate) {
    let links: Vec<u64> = platform
        .links()
        .iter()
        .map(|_| dice.below(4) as u64)
        .collect();
    let processors: Vec<u64> = platform
        .nodes()
        .iter()
        .map(|_| dice.below(3) as u64)
        .collect();
    let of_processors = platform.node_ids().map(Resource::Compute).zip(&processors);
    let of_links = platform.link_ids().map(Resource::Link).zip(&links);
    let prices = of_processors
        .chain(of_links)
        .filter(|(_, price)| **price > 0);
    let prices = prices
        .map(|(resource, price)| (resource, whole(*price as usize)))
        .collect();
    (links, processors, Certificate::of_prices(prices))
}

/// The cheapest scheme: Dijkstra's algorithm over all sets of values (sets of operands) that can be at nodes. Sizes and
/// work are `fixed + per_operand x operands`. Operands that do not commute combine only next to each other.
fn naive(
    platform: &Platform,
    (links, processors): (&[u64], &[u64]),
    (sizes, works): ([u64; 2], [u64; 2]),
    owners: &[NodeId],
    commutative: bool,
    goals: &[(NodeId, usize)],
) -> u64 {
    let count = owners.len();
    let sets: Vec<usize> = (1..1usize << count)
        .filter(|set| commutative || ((set >> set.trailing_zeros()) + 1).is_power_of_two())
        .collect();
    let bit =
        |node: NodeId, set: usize| node.index() * sets.len() + sets.binary_search(&set).unwrap();
    let integer = |value: &Rational| u64::try_from(value.to_integer()).unwrap();
    let amount = |[fixed, per_operand]: [u64; 2], set: usize| {
        fixed + per_operand * u64::from(set.count_ones())
    };
    let start = owners
        .iter()
        .enumerate()
        .fold(0usize, |state, (i, &owner)| state | 1 << bit(owner, 1 << i));
    let wanted = goals
        .iter()
        .fold(0usize, |state, &(node, set)| state | 1 << bit(node, set));
    let mut heap = BinaryHeap::from([Reverse((0u64, start))]);
    let mut done = vec![false; 1 << (sets.len() * platform.nodes().len())];
    while let Some(Reverse((price, state))) = heap.pop() {
        if state & wanted == wanted {
            return price;
        }
        if std::mem::replace(&mut done[state], true) {
            continue;
        }
        let mut offer = |node: NodeId, set: usize, cost: u64| {
            let next = state | 1 << bit(node, set);
            if next != state && !done[next] {
                heap.push(Reverse((price + cost, next)));
            }
        };
        for (link, unit) in platform.links().iter().zip(links) {
            for &set in sets
                .iter()
                .filter(|&&set| state >> bit(link.from, set) & 1 == 1)
            {
                offer(
                    link.to,
                    set,
                    unit * integer(&link.cost) * amount(sizes, set),
                );
            }
        }
        for node in platform.node_ids() {
            let unit =
                processors[node.index()] * integer(platform.node(node).compute.as_ref().unwrap());
            let here: Vec<usize> = sets
                .iter()
                .copied()
                .filter(|&set| state >> bit(node, set) & 1 == 1)
                .collect();
            for (i, one) in here.iter().enumerate() {
                for other in here[..i].iter().filter(|other| *other & one == 0) {
                    if sets.binary_search(&(one | other)).is_ok() {
                        offer(node, one | other, unit * amount(works, one | other));
                    }
                }
            }
        }
    }
    unreachable!("everyone reaches everyone")
}

/// A problem, the cheapest scheme's price and the total that the certificate offers.
pub struct Case {
    pub platform: Platform,
    pub collective: Collective,
    pub volumes: Volumes,
    pub certificate: Certificate,
    pub links: Vec<u64>,
    pub size: u64,
    pub price: u64,
}

/// A random problem with random prices.
pub fn case(dice: &mut Dice) -> Case {
    let platform = network(dice);
    let (links, processors, certificate) = prices(dice, &platform);
    let mut participants: Vec<NodeId> = platform.node_ids().collect();
    dice.shuffle(&mut participants);
    participants.truncate(2 + dice.below(participants.len() - 1));
    let count = participants.len();
    // All operands, or the prefixes.
    let (collective, commutative, goals) = if dice.one_in(2) {
        let commutative = dice.one_in(3);
        let goals: Vec<(NodeId, usize)> = participants
            .iter()
            .map(|&node| (node, (1 << count) - 1))
            .collect();
        (
            Collective::all_reduce(participants.clone()).commutative(commutative),
            commutative,
            goals,
        )
    } else {
        let goals = participants
            .iter()
            .enumerate()
            .map(|(i, &node)| (node, (2 << i) - 1))
            .collect();
        (Collective::scan(participants.clone()), false, goals)
    };
    let mut number = |least: usize| [(least + dice.below(2)) as u64, dice.below(2) as u64];
    let (mut sizes, mut works) = (number(1), number(0));
    let amount = |[fixed, per_operand]: [u64; 2]| match per_operand {
        0 => Amount::Constant(whole(fixed as usize)),
        _ => Amount::Affine {
            fixed: whole(fixed as usize),
            per_operand: whole(per_operand as usize),
        },
    };
    let mut volumes = Volumes {
        size: amount(sizes),
        work: amount(works),
    };
    if volumes.validate(&collective).is_err() {
        (sizes[1], works[1]) = (0, 0);
        volumes = Volumes {
            size: amount(sizes),
            work: amount(works),
        };
    }
    let price = naive(
        &platform,
        (&links, &processors),
        (sizes, works),
        &participants,
        commutative,
        &goals,
    );
    Case {
        platform,
        collective,
        volumes,
        certificate,
        links,
        size: sizes[0] + sizes[1],
        price,
    }
}

/// The least cost of a scheme according to the bound. `None` if there is no bound.
pub fn least(case: &Case) -> Option<Rational> {
    let offered: Rational = case.certificate.prices().map(|(_, price)| price).sum();
    bound(
        &case.platform,
        &case.collective,
        &case.volumes,
        &case.certificate,
    )
    .ok()
    .map(|bound| offered / bound)
}
