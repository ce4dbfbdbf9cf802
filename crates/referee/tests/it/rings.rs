//! True and false rings: the referee accepts the former only.

use std::time::Duration;

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_plan::{Certificate, EqualRings, Resource, Ring, RingPacking};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational, whole};
use oneport_referee::{Limit, Rule, Watch, check_equal_rings, check_rings, ring_bound};

use crate::common::trees::permutations;
use crate::common::{Dice, platform, ratio, told};

/// Three processors in a triangle, linked in both directions.
fn triangle() -> (Platform, Vec<NodeId>) {
    let names = ["A", "B", "C"];
    let links = [
        ("A", "B", ratio(1, 1)),
        ("B", "C", ratio(1, 1)),
        ("C", "A", ratio(1, 1)),
        ("B", "A", ratio(1, 1)),
        ("C", "B", ratio(1, 1)),
        ("A", "C", ratio(1, 1)),
    ];
    let platform = platform(&names, &links).with_model(PortModel::Links);
    let gpus = platform.node_ids().collect();
    (platform, gpus)
}

fn ring(hops: &[&[usize]]) -> Ring {
    Ring {
        hops: hops
            .iter()
            .map(|hop| hop.iter().map(|&link| LinkId::new(link)).collect())
            .collect(),
    }
}

/// One ring in each direction, at the full rate of the links: no capacity is left.
fn best() -> RingPacking {
    RingPacking {
        rings: vec![
            (ring(&[&[0], &[1], &[2]]), ratio(1, 1)),
            (ring(&[&[3], &[5], &[4]]), ratio(1, 1)),
        ],
        others: Vec::new(),
        total: ratio(2, 1),
        certificate: Certificate::of_prices(
            (0..6)
                .map(|link| (Resource::Link(LinkId::new(link)), ratio(1, 1)))
                .collect(),
        ),
        upper_bound: ratio(2, 1),
    }
}

#[test]
fn the_best_rings_of_a_triangle_are_accepted() {
    let (platform, gpus) = triangle();
    assert_eq!(
        check_rings(&platform, &gpus, &best(), &Watch::unlimited()),
        Ok(())
    );
    assert_eq!(
        ring_bound(&platform, &gpus, &best().certificate, &Watch::unlimited()),
        Ok(ratio(2, 1))
    );
    let equal = EqualRings {
        rings: best()
            .rings
            .into_iter()
            .map(|(ring, _)| (ring, 1))
            .collect(),
        share: ratio(1, 1),
        upper_bound: ratio(2, 1),
    };
    assert_eq!(check_equal_rings(&platform, &gpus, &equal), Ok(()));
    let twice = EqualRings {
        rings: equal
            .rings
            .iter()
            .map(|(ring, _)| (ring.clone(), 2))
            .collect(),
        ..equal
    };
    let busy = check_equal_rings(&platform, &gpus, &twice).unwrap_err();
    assert_eq!(busy.rule(), Rule::SteadyState, "{busy}");
}

#[test]
fn lies_are_refused() {
    let (platform, gpus) = triangle();
    let lie = |change: &dyn Fn(&mut RingPacking), rule: Rule| {
        let mut packing = best();
        change(&mut packing);
        let violation = check_rings(&platform, &gpus, &packing, &Watch::unlimited()).unwrap_err();
        assert_eq!(violation.rule(), rule, "{violation}");
    };
    // Weights and totals.
    lie(
        &|packing| packing.rings[0].1 = ratio(2, 1),
        Rule::SteadyState,
    );
    lie(
        &|packing| packing.rings[0].1 = ratio(0, 1),
        Rule::SteadyState,
    );
    lie(&|packing| packing.rings[0].1 = ratio(1, 2), Rule::Claim);
    lie(&|packing| packing.total = ratio(3, 1), Rule::Claim);
    // Invalid rings: too short, another order, a hop through a processor, a link that does not exist, no hop.
    for wrong in [
        ring(&[&[0], &[3]]),
        ring(&[&[0], &[2], &[1]]),
        ring(&[&[0, 1], &[2]]),
        ring(&[&[0], &[1], &[]]),
        ring(&[&[0], &[1]]),
        ring(&[]),
        // All are visited, but the last hop does not lead back to the first.
        ring(&[&[0], &[1], &[4]]),
    ] {
        lie(&|packing| packing.rings[0].0 = wrong.clone(), Rule::Task);
    }
    lie(
        &|packing| packing.rings[0].0 = ring(&[&[0], &[1], &[9]]),
        Rule::Unknown,
    );
    // Prices that prove less than the claimed bound, or nothing.
    lie(&|packing| packing.upper_bound = ratio(1, 1), Rule::Claim);
    lie(
        &|packing| packing.certificate.rows[0].1 = ratio(2, 1),
        Rule::Claim,
    );
    lie(
        &|packing| packing.certificate.rows.truncate(3),
        Rule::NoBound,
    );
    lie(
        &|packing| packing.certificate.rows[0].1 = ratio(-1, 1),
        Rule::Certificate,
    );
}

/// The cost of a hop is that of the cheapest route through nodes that take no part. A route through a participant is
/// invalid.
#[test]
fn prices_follow_routes_through_switches() {
    let links = [
        ("A", "s", ratio(1, 2)),
        ("s", "B", ratio(1, 3)),
        ("A", "B", ratio(4, 1)),
        ("B", "C", ratio(1, 1)),
        ("C", "A", ratio(1, 1)),
    ];
    let platform = platform(&["A", "B", "C", "s"], &links).with_model(PortModel::Links);
    let prices = |of: &[(usize, i64)]| {
        Certificate::of_prices(
            of.iter()
                .map(|&(link, price)| (Resource::Link(LinkId::new(link)), ratio(price, 1)))
                .collect(),
        )
    };
    let bound = |gpus: &[usize], of: &[(usize, i64)]| -> Result<Rational, Rule> {
        let gpus: Vec<NodeId> = gpus.iter().map(|&node| NodeId::new(node)).collect();
        ring_bound(&platform, &gpus, &prices(of), &Watch::unlimited())
            .map_err(|violation| violation.rule())
    };
    // Over the switch: 2/2 + 3/3 + 1 + 1 of 7. The direct hop would cost more.
    assert_eq!(
        bound(&[0, 1, 2], &[(0, 2), (1, 3), (2, 1), (3, 1), (4, 1)]),
        Ok(ratio(8, 4))
    );
    // Only the direct link is priced, which no ring needs.
    assert_eq!(bound(&[0, 1, 2], &[(2, 1)]), Err(Rule::NoBound));
    // Without `C` a hop may pass through it.
    assert_eq!(bound(&[0, 1], &[(3, 1)]), Ok(ratio(1, 1)));
    assert_eq!(bound(&[0, 1, 3], &[(3, 1)]), Err(Rule::Question));
    assert_eq!(bound(&[0, 2], &[(3, 1)]), Ok(ratio(1, 1)));
    assert_eq!(bound(&[0], &[(3, 1)]), Err(Rule::Question));
    assert_eq!(bound(&[0, 0], &[(3, 1)]), Err(Rule::Question));
    assert_eq!(bound(&[0, 9], &[(3, 1)]), Err(Rule::Question));
}

/// Ports that bear rings do not suffice if a node has one for sends and receives. Participants are listed once.
#[test]
fn processors_are_listed_once_and_send_while_they_receive() {
    let (platform, gpus) = triangle();
    let slow = EqualRings {
        rings: vec![(ring(&[&[0], &[1], &[2]]), 1)],
        share: ratio(1, 100),
        upper_bound: ratio(2, 1),
    };
    assert_eq!(check_equal_rings(&platform, &gpus, &slow), Ok(()));
    let refused =
        |platform: &Platform, gpus: &[NodeId]| told(&check_equal_rings(platform, gpus, &slow));
    let half = platform.clone().with_model(PortModel::HalfDuplex);
    assert_eq!(
        refused(&half, &gpus),
        "'A' is half-duplex; rings need other port models"
    );
    assert_eq!(
        refused(&platform, &[gpus[0], gpus[1], gpus[0]]),
        "'A' is listed twice"
    );
    assert_eq!(
        refused(&platform, &gpus[..1]),
        "rings over 1 processors; 2 to 16 are possible"
    );
    assert_eq!(
        refused(&platform, &[gpus[0]; 17]),
        "rings over 17 processors; 2 to 16 are possible"
    );
    let far = NodeId::new(3);
    assert_eq!(
        refused(&platform, &[gpus[0], far]),
        "node id 3 does not exist; the platform has 3 nodes"
    );
    let never = Watch::counting(0, Duration::MAX);
    let stopped = ring_bound(&platform, &gpus, &best().certificate, &never).unwrap_err();
    assert_eq!(
        (stopped.rule(), stopped.stopped()),
        (Rule::Stopped(Limit::Caller), Some(Limit::Caller))
    );
    let none = ring_bound(
        &platform,
        &gpus,
        &Certificate::default(),
        &Watch::unlimited(),
    )
    .unwrap_err();
    assert_eq!(none.stopped(), None);
}

/// The total of all prices over the price of the cheapest ring of all orders of the processors. A hop is the cheapest
/// path without participants inside.
fn naive_bound(
    platform: &Platform,
    gpus: &[NodeId],
    prices: &[(Resource, Rational)],
) -> Option<Rational> {
    let price = |resource: Resource| -> Rational {
        prices
            .iter()
            .filter(|(one, _)| *one == resource)
            .map(|(_, price)| price)
            .sum()
    };
    let length = |link: LinkId| -> Rational {
        let ends = Resource::ends(platform, link)
            .into_iter()
            .flatten()
            .chain([Resource::Link(link)]);
        &platform.link(link).cost * ends.map(price).sum::<Rational>()
    };
    let hop = |from: NodeId, to: NodeId| -> Option<Rational> {
        let mut least: Vec<Option<Rational>> = vec![None; platform.nodes().len()];
        for _ in platform.nodes() {
            for link in platform.link_ids() {
                let ends = platform.link(link);
                let before = if ends.from == from {
                    Some(Rational::zero())
                } else {
                    least[ends.from.index()].clone()
                };
                let passes = ends.from != from && gpus.contains(&ends.from);
                let Some(sum) = before
                    .filter(|_| !passes)
                    .map(|before| before + length(link))
                else {
                    continue;
                };
                let known = &mut least[ends.to.index()];
                if known.as_ref().is_none_or(|known| sum < *known) {
                    *known = Some(sum);
                }
            }
        }
        least[to.index()].take()
    };
    let around = |order: &Vec<usize>| -> Option<Rational> {
        let next = order.iter().cycle().skip(1);
        order
            .iter()
            .zip(next)
            .map(|(&from, &to)| hop(gpus[from], gpus[to]))
            .sum()
    };
    let worth: Rational = prices
        .iter()
        .map(|(one, price)| price * whole(one.capacity(platform)))
        .sum();
    let cheapest = permutations(gpus.len())
        .iter()
        .filter(|order| order[0] == 0)
        .filter_map(around)
        .min()?;
    (!cheapest.is_zero()).then(|| worth / cheapest)
}

#[test]
fn bounds_are_those_of_all_orders() {
    let (mut some, mut none) = (0, 0);
    for seed in 0..240 {
        let mut dice = Dice(seed);
        let (count, switches) = (2 + dice.below(4), dice.below(4));
        let build = |dice: &mut Dice, factor: &Rational| {
            let mut builder = Platform::builder();
            builder.model(
                [
                    PortModel::FullDuplex,
                    PortModel::Multiport,
                    PortModel::Links,
                ][seed as usize % 3],
            );
            for node in 0..count + switches {
                let node = Node::processor(format!("n{node}"), ratio(1, 1));
                builder
                    .node(Node {
                        ports: Some(2),
                        ..node
                    })
                    .unwrap();
            }
            // Later links first, so that paths through switches are found backwards.
            for from in (0..count + switches).rev() {
                for to in (0..count + switches).rev().filter(|&to| to != from) {
                    if (from + 1) % (count + switches) == to || dice.one_in(3) {
                        builder
                            .link(
                                NodeId::new(from),
                                NodeId::new(to),
                                dice.fraction(9) * factor,
                            )
                            .unwrap();
                    }
                }
            }
            builder.build().unwrap()
        };
        let gpus: Vec<NodeId> = (switches..count + switches).map(NodeId::new).collect();
        // Also hops of 90 to 140 bits, on both sides of the width of machine integers.
        for bits in [0, 88 + seed % 50] {
            let factor = Rational::from_integer(BigInt::from(1) << bits);
            let platform = build(&mut Dice(seed), &factor);
            let resources = Resource::of_platform(&platform).into_iter();
            let mut priced = Dice(seed);
            let prices: Vec<(Resource, Rational)> = resources
                .map(|resource| (resource, priced.fraction(7)))
                .filter(|_| !dice.one_in(4))
                .collect();
            let certificate = Certificate::of_prices(prices.clone());
            let found = ring_bound(&platform, &gpus, &certificate, &Watch::unlimited());
            let expected = naive_bound(&platform, &gpus, &prices);
            *(if expected.is_some() {
                &mut some
            } else {
                &mut none
            }) += 1;
            assert_eq!(found.clone().ok(), expected, "{seed} {bits}: {found:?}");
        }
    }
    assert!(some > 200 && none > 2, "{some} {none}");
}
