//! Rings: what the referee accepts, and the lies it does not.

use oneport_plan::{Certificate, EqualRings, Resource, Ring, RingPacking};
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational};
use oneport_referee::{Rule, Watch, check_equal_rings, check_rings, ring_bound};

use crate::common::{platform, ratio};

/// Three processors in a triangle, linked both ways.
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
    Ring { hops: hops.iter().map(|hop| hop.iter().map(|&link| LinkId::new(link)).collect()).collect() }
}

/// Either way around, each as much as a link bears: nothing is left.
fn best() -> RingPacking {
    RingPacking {
        rings: vec![(ring(&[&[0], &[1], &[2]]), ratio(1, 1)), (ring(&[&[3], &[5], &[4]]), ratio(1, 1))],
        others: Vec::new(),
        total: ratio(2, 1),
        certificate: Certificate {
            prices: (0..6).map(|link| (Resource::Link(LinkId::new(link)), ratio(1, 1))).collect(),
            ..Certificate::default()
        },
        upper_bound: ratio(2, 1),
    }
}

#[test]
fn the_best_rings_of_a_triangle_are_accepted() {
    let (platform, gpus) = triangle();
    assert_eq!(check_rings(&platform, &gpus, &best(), &Watch::unlimited()), Ok(()));
    assert_eq!(ring_bound(&platform, &gpus, &best().certificate, &Watch::unlimited()), Ok(ratio(2, 1)));
    let equal = EqualRings {
        rings: best().rings.into_iter().map(|(ring, _)| (ring, 1)).collect(),
        share: ratio(1, 1),
        upper_bound: ratio(2, 1),
    };
    assert_eq!(check_equal_rings(&platform, &gpus, &equal), Ok(()));
    let twice = EqualRings { rings: equal.rings.iter().map(|(ring, _)| (ring.clone(), 2)).collect(), ..equal };
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
    lie(&|packing| packing.rings[0].1 = ratio(2, 1), Rule::SteadyState);
    lie(&|packing| packing.rings[0].1 = ratio(0, 1), Rule::SteadyState);
    lie(&|packing| packing.rings[0].1 = ratio(1, 2), Rule::Claim);
    lie(&|packing| packing.total = ratio(3, 1), Rule::Claim);
    // Rings that are none: too short, another order, a hop through a processor, a link that does not exist, no hop.
    for wrong in [
        ring(&[&[0], &[3]]),
        ring(&[&[0], &[2], &[1]]),
        ring(&[&[0, 1], &[2]]),
        ring(&[&[0], &[1], &[]]),
        ring(&[&[0], &[1]]),
        ring(&[]),
    ] {
        lie(&|packing| packing.rings[0].0 = wrong.clone(), Rule::Task);
    }
    lie(&|packing| packing.rings[0].0 = ring(&[&[0], &[1], &[9]]), Rule::Unknown);
    // Prices that prove less than is claimed, or nothing.
    lie(&|packing| packing.upper_bound = ratio(1, 1), Rule::Claim);
    lie(&|packing| packing.certificate.prices[0].1 = ratio(2, 1), Rule::Claim);
    lie(&|packing| packing.certificate.prices.truncate(3), Rule::NoBound);
    lie(&|packing| packing.certificate.prices[0].1 = ratio(-1, 1), Rule::Certificate);
}

/// What a hop costs is the cheapest route through nodes that take no part; a route through one that does is none.
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
    let prices = |of: &[(usize, i64)]| Certificate {
        prices: of.iter().map(|&(link, price)| (Resource::Link(LinkId::new(link)), ratio(price, 1))).collect(),
        ..Certificate::default()
    };
    let bound = |gpus: &[usize], of: &[(usize, i64)]| -> Result<Rational, Rule> {
        let gpus: Vec<NodeId> = gpus.iter().map(|&node| NodeId::new(node)).collect();
        ring_bound(&platform, &gpus, &prices(of), &Watch::unlimited()).map_err(|violation| violation.rule())
    };
    // Over the switch: 2/2 + 3/3 + 1 + 1 of 7; directly it would be dearer.
    assert_eq!(bound(&[0, 1, 2], &[(0, 2), (1, 3), (2, 1), (3, 1), (4, 1)]), Ok(ratio(8, 4)));
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
