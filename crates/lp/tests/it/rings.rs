//! Rings: the packing against a program over all cycles and all their routes, equal rings against all choices, boxes
//! with published rings, and invalid rings.

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use oneport_exact::{self as exact, LinearProgram, Outcome, Relation, Sense, Solver};
use oneport_lp::{RingError, Watch, equal_rings, ring_of_order, rings};
use oneport_plan::{EqualRings, Resource, Ring, RingPacking};
use oneport_platform::generate::{Costs, Options, complete, dgx_a100, dgx1, torus};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational, Shared, whole};
use proptest::prelude::*;

use crate::common::ratio;

fn all(platform: &Platform) -> Vec<NodeId> {
    platform.processors().collect()
}

fn packed(platform: &Platform) -> RingPacking {
    rings(platform, &all(platform), &Watch::unlimited()).expect("there are rings")
}

fn equal(platform: &Platform, packing: &RingPacking, most: u32) -> EqualRings {
    equal_rings(platform, &all(platform), packing, most, &Watch::unlimited())
        .expect("there are rings")
}

/// A box of processors and routers, every pair linked or not. If only links are limited, some share a capacity.
fn boxes() -> impl Strategy<Value = Platform> {
    let costs = prop::collection::vec(prop::option::weighted(0.75, (1..5i64, 1..3i64)), 25);
    let model = prop::sample::select(vec![
        PortModel::Links,
        PortModel::FullDuplex,
        PortModel::Multiport,
    ]);
    let shared = prop::collection::vec(0..3u32, 25);
    (2..5usize, 0..2usize, costs, model, shared).prop_map(
        |(gpus, routers, costs, model, shared)| {
            let mut builder = Platform::builder();
            builder.model(model);
            for index in 0..gpus {
                builder
                    .node(Node {
                        ports: Some(2),
                        ..Node::processor(format!("g{index}"), Rational::one())
                    })
                    .unwrap();
            }
            for index in 0..routers {
                builder.node(Node::router(format!("r{index}"))).unwrap();
            }
            let nodes = gpus + routers;
            let mut members = Vec::new();
            for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
                if let Some((numerator, denominator)) = costs[5 * from + to].filter(|_| from != to)
                {
                    let link = builder
                        .link(
                            NodeId::new(from),
                            NodeId::new(to),
                            ratio(numerator, denominator),
                        )
                        .unwrap();
                    members.extend((0..shared[5 * from + to]).map(|_| link));
                }
            }
            if model == PortModel::Links && shared[0] > 0 && !members.is_empty() {
                let rate = ratio(shared[0], 2);
                builder.share(Shared::new("bus", rate, members)).unwrap();
            }
            builder.build().unwrap()
        },
    )
}

/// All paths from a node to a processor through routers, by trying every link.
fn ways(platform: &Platform, from: NodeId, to: NodeId, seen: &mut Vec<NodeId>) -> Vec<Vec<LinkId>> {
    let mut found = Vec::new();
    for &link in platform.outgoing(from) {
        let next = platform.link(link).to;
        if next == to {
            found.push(vec![link]);
        } else if !platform.node(next).is_processor() && !seen.contains(&next) {
            seen.push(next);
            for rest in ways(platform, next, to, seen) {
                found.push([vec![link], rest].concat());
            }
            seen.pop();
        }
    }
    found
}

/// All rings, by extending orders hop by hop.
fn all_rings(platform: &Platform) -> Vec<Ring> {
    let gpus = all(platform);
    let mut partial = vec![(vec![gpus[0]], Vec::new())];
    for step in 1..=gpus.len() {
        let mut longer = Vec::new();
        for (order, hops) in partial {
            let free = gpus.iter().copied().filter(|gpu| !order.contains(gpu));
            let next: Vec<NodeId> = if step == gpus.len() {
                vec![gpus[0]]
            } else {
                free.collect()
            };
            for to in next {
                for way in ways(platform, order[step - 1], to, &mut Vec::new()) {
                    let longer_hops = [hops.clone(), vec![way]].concat();
                    longer.push(([order.clone(), vec![to]].concat(), longer_hops));
                }
            }
        }
        partial = longer;
    }
    partial.into_iter().map(|(_, hops)| Ring { hops }).collect()
}

/// The optimum over a list of rings, by exact pivots.
fn optimum(platform: &Platform, rings: &[Ring]) -> Rational {
    let mut program = LinearProgram::new(Sense::Maximize);
    let rows: BTreeMap<Resource, exact::Row> = Resource::of_platform(platform)
        .into_iter()
        .map(|one| {
            (
                one,
                program.add_row(Relation::AtMost, whole(one.capacity(platform))),
            )
        })
        .collect();
    for ring in rings {
        let entries = ring
            .loads(platform)
            .into_iter()
            .map(|(resource, time)| (rows[&resource], time));
        program.add_column(Rational::one(), entries).unwrap();
    }
    let options = exact::Options {
        method: exact::Method::ExactPivots,
        ..exact::Options::default()
    };
    match Solver::new(program).solve(&options).unwrap() {
        Outcome::Optimal(optimum) => optimum.objective,
        other => panic!("{other:?}"),
    }
}

/// The greatest throughput of equal rings out of a list, at most `most` of them, by trying all choices.
fn best_equal(platform: &Platform, rings: &[Ring], most: u32) -> Rational {
    let loads: Vec<_> = rings.iter().map(|ring| ring.loads(platform)).collect();
    let mut best = Rational::zero();
    let mut choices: Vec<(usize, u32, BTreeMap<Resource, Rational>)> =
        vec![(0, 0, BTreeMap::new())];
    while let Some((first, count, busy)) = choices.pop() {
        let capacity = |one: Resource| whole(one.capacity(platform));
        if let Some(share) = busy.iter().map(|(one, time)| capacity(*one) / time).min() {
            best = best.max(share * whole(count));
        }
        for index in (first..rings.len()).filter(|_| count < most) {
            let mut busy = busy.clone();
            for (one, time) in &loads[index] {
                *busy.entry(*one).or_default() += time;
            }
            choices.push((index, count + 1, busy));
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Over all rings with all their routes nothing is better, and if no ring exists, the error reports that.
    #[test]
    fn packing_is_the_optimum_over_all_rings(platform in boxes()) {
        let every = all_rings(&platform);
        match rings(&platform, &all(&platform), &Watch::unlimited()) {
            Err(RingError::NoRing { .. } | RingError::DeadEnd { .. }) => prop_assert!(every.is_empty()),
            Err(other) => prop_assert!(false, "{}", other),
            Ok(packing) => {
                let best = optimum(&platform, &every);
                prop_assert_eq!(&packing.total, &best);
                prop_assert_eq!(&packing.upper_bound, &best);
                prop_assert_eq!(packing.rings.iter().map(|(_, weight)| weight).sum::<Rational>(), best);
                prop_assert!(packing.rings.iter().all(|(ring, _)| every.contains(ring)));
            }
        }
    }

    /// Equal rings are at most as good as the best choice of all, and that is within their bound.
    #[test]
    fn equal_rings_and_their_bound_enclose_the_best_choice(platform in boxes(), most in 1..4u32) {
        let every = all_rings(&platform);
        prop_assume!(!every.is_empty() && every.len() <= 12);
        let found = equal(&platform, &packed(&platform), most);
        let best = best_equal(&platform, &every, most);
        prop_assert!(found.count() <= most);
        prop_assert!(found.total() <= best, "{} of {}", found.total(), best);
        prop_assert!(best <= found.upper_bound, "{} within {}", best, found.upper_bound);
    }
}

/// Eight V100: six links of 25 GB/s at every GPU, and rings that use all of them. Four with a pair of links between
/// every two have equally many.
#[test]
fn boxes_of_v100_have_six_rings() {
    let four = complete(
        4,
        &Options {
            link_cost: Costs::Constant(ratio(1, 50)),
            ..Options::default()
        },
    )
    .unwrap();
    for platform in [dgx1().unwrap(), four.with_model(PortModel::Links)] {
        let packing = packed(&platform);
        assert_eq!(
            (&packing.total, &packing.upper_bound),
            (&ratio(150, 1), &ratio(150, 1))
        );
        let equal = equal(&platform, &packing, 32);
        assert_eq!(
            (equal.total(), &equal.upper_bound),
            (ratio(150, 1), &ratio(150, 1))
        );
        // The fewest rings: a pair of links may serve one.
        assert!(equal.count() <= 6, "{equal:?}");
    }
}

/// Around a switch one ring uses everything, for every order. Three processors have links of rate 1, with those of one
/// direction on a bus of rate 1. A ring in this direction loads the bus three times and carries 1/3, one in the other
/// carries 1. Equal rings: one in this direction for three in the other, 1/3 each. If both directions are on the bus,
/// all rings together carry 1/3.
#[test]
fn rings_over_a_bus() {
    for (both, total) in [(false, ratio(4, 3)), (true, ratio(1, 3))] {
        let mut builder = Platform::builder();
        builder.model(PortModel::Links);
        for name in ["a", "b", "c"] {
            builder
                .node(Node::processor(name, Rational::one()))
                .unwrap();
        }
        let mut members = Vec::new();
        for (from, to) in [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)] {
            let ends = [from, to].map(NodeId::new);
            let link = builder.link(ends[0], ends[1], Rational::one()).unwrap();
            members.extend((both || (from + 1) % 3 == to).then_some(link));
        }
        builder
            .share(Shared::new("bus", Rational::one(), members))
            .unwrap();
        let platform = builder.build().unwrap();
        let packing = packed(&platform);
        assert_eq!((&packing.total, &packing.upper_bound), (&total, &total));
        let equal = equal(&platform, &packing, 4);
        assert_eq!((equal.total(), &equal.upper_bound), (total.clone(), &total));
        let watch = Watch::unlimited();
        oneport_referee::check_rings(&platform, &all(&platform), &packing, &watch).unwrap();
        oneport_referee::check_equal_rings(&platform, &all(&platform), &equal).unwrap();
        // A slightly higher rate in every ring is too much for the bus, and a lower bound is not proved.
        let mut more = equal.clone();
        more.share *= ratio(1001, 1000);
        let refused = oneport_referee::check_equal_rings(&platform, &all(&platform), &more);
        assert!(refused.unwrap_err().to_string().contains("bus"));
        let mut less = packing.clone();
        less.upper_bound *= ratio(999, 1000);
        let refused = oneport_referee::check_rings(&platform, &all(&platform), &less, &watch);
        assert!(refused.is_err());
    }
}

#[test]
fn a_switch_needs_one_ring() {
    let platform = dgx_a100(1).unwrap();
    let packing = packed(&platform);
    let port = platform.links()[0].cost.recip();
    assert_eq!((&packing.total, &packing.upper_bound), (&port, &port));
    let equal = equal(&platform, &packing, 32);
    assert_eq!((equal.count(), equal.total()), (1, port));
    assert!(
        equal
            .rings
            .iter()
            .all(|(ring, _)| ring.hops.iter().all(|hop| hop.len() == 2))
    );
}

/// Two rings, one in each direction, of three boxes with a cable between every two. Of unequal cables the thinnest
/// counts.
#[test]
fn three_boxes_with_cables() {
    let cables = |last: Rational| {
        let mut builder = Platform::builder();
        builder.model(PortModel::Links);
        let nodes = ["a", "b", "c"].map(|name| {
            builder
                .node(Node::processor(name, Rational::one()))
                .unwrap()
        });
        for (from, to, cost) in [(0, 1, ratio(1, 25)), (1, 2, ratio(1, 25)), (2, 0, last)] {
            builder.duplex(nodes[from], nodes[to], cost).unwrap();
        }
        (builder.build().unwrap(), nodes)
    };
    // A cable that is never full does not affect the rings' shares.
    let (wide, _) = cables(ratio(1, 1_000_000_007));
    let packing = packed(&wide);
    assert_eq!(
        (packing.total.clone(), equal(&wide, &packing, 32).total()),
        (ratio(50, 1), ratio(50, 1))
    );
    let (platform, nodes) = cables(ratio(1, 10));
    let packing = packed(&platform);
    assert_eq!(
        (packing.total.clone(), packing.rings.len()),
        (ratio(20, 1), 2)
    );
    let one = ring_of_order(&platform, &nodes).unwrap();
    assert_eq!(one.order(&platform), nodes);
    assert!(packing.rings.iter().any(|(ring, _)| *ring == one));
}

#[test]
fn what_is_no_ring_is_refused() {
    let ask = |platform: &Platform, gpus: &[NodeId]| {
        rings(platform, gpus, &Watch::unlimited()).unwrap_err()
    };
    let chain = |both: bool| {
        let mut builder = Platform::builder();
        builder.model(PortModel::Links);
        let nodes = ["a", "b", "c"].map(|name| {
            builder
                .node(Node::processor(name, Rational::one()))
                .unwrap()
        });
        for pair in nodes.windows(2) {
            builder.link(pair[0], pair[1], Rational::one()).unwrap();
            if both {
                builder.link(pair[1], pair[0], Rational::one()).unwrap();
            }
        }
        builder.build().unwrap()
    };
    let (open, one_way) = (chain(true), chain(false));
    assert_eq!(ask(&open, &all(&open)), RingError::NoRing { count: 3 });
    let dead = RingError::DeadEnd {
        count: 3,
        what: "no route leads to",
        node: "a".to_string(),
    };
    assert_eq!(ask(&one_way, &all(&one_way)), dead);
    let [a, b, _] = [0, 1, 2].map(NodeId::new);
    assert_eq!(ask(&open, &[a]), RingError::TooFew { count: 1 });
    assert_eq!(ask(&open, &[]), RingError::TooFew { count: 0 });
    assert_eq!(
        ask(&open, &[a, b, a]),
        RingError::Twice {
            node: "a".to_string()
        }
    );
    let half = open.clone().with_model(PortModel::HalfDuplex);
    assert_eq!(
        ask(&half, &[a, b]),
        RingError::HalfDuplex {
            node: "a".to_string()
        }
    );
    let mut builder = Platform::builder();
    let forgetful = Node {
        replicates: false,
        ..Node::processor("b", Rational::one())
    };
    let ends =
        [Node::processor("a", Rational::one()), forgetful].map(|node| builder.node(node).unwrap());
    builder.duplex(ends[0], ends[1], Rational::one()).unwrap();
    let pair = builder.build().unwrap();
    assert_eq!(
        ask(&pair, &all(&pair)),
        RingError::KeepsNothing {
            node: "b".to_string()
        }
    );
    let large = torus(&[17]).unwrap();
    assert_eq!(ask(&large, &all(&large)), RingError::TooMany { count: 17 });
    let order = ring_of_order(&open, &all(&open)).unwrap_err();
    assert_eq!(
        order,
        RingError::NoHop {
            from: "c".to_string(),
            to: "a".to_string()
        }
    );
}
