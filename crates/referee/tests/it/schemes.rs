//! All-reduce and scan: bounds of prices and cuts against the cheapest scheme of all, groups, and allowed contents of
//! certificates.

use crate::common;

use std::collections::BTreeSet;

use crate::common::ask::bound;
use common::scheme::{case, least};
use common::*;
use oneport_plan::inequality::Need;
use oneport_plan::{Amount, Certificate, Collective, Member, OddSet, Resource, Volumes};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel, Rational};
use oneport_referee::Rule;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Never above the cheapest scheme, without cuts and with them. Cuts only add.
    #[test]
    fn schemes_are_priced_from_below(seed: u64) {
        let mut dice = Dice(seed);
        let mut case = case(&mut dice);
        let price = whole(case.price as usize);
        let without = least(&case);
        prop_assert!(without.as_ref().is_none_or(|least| *least <= price));
        let mut rest: Vec<u64> =
            case.platform.links().iter().zip(&case.links).map(|(link, unit)| {
                unit * u64::try_from(link.cost.to_integer()).unwrap() * case.size
            }).collect();
        for _ in 0..3 {
            let nodes: Vec<NodeId> = case.platform.node_ids().filter(|_| dice.one_in(2)).collect();
            let leaving = |link: &usize| {
                let link = &case.platform.links()[*link];
                nodes.contains(&link.from) && !nodes.contains(&link.to)
            };
            let leaving: Vec<usize> = (0..rest.len()).filter(leaving).collect();
            let weight = leaving.iter().map(|&link| rest[link]).min().unwrap_or(0);
            if weight > 0 && !nodes.is_empty() {
                for &link in &leaving { rest[link] -= weight; }
                case.certificate.needs.push(cut(None, nodes, whole(weight as usize)));
            }
        }
        case.certificate.needs.sort();
        let with = least(&case);
        prop_assert!(with.as_ref().is_none_or(|least| *least <= price), "{:?} {}", with, price);
        prop_assert!(with >= without);
    }
}

/// The bounds are not empty: often they are the price of the cheapest scheme, sometimes only due to cuts.
#[test]
fn bounds_of_schemes_are_often_tight() {
    let (mut tight, mut cases) = (0, 0);
    for seed in 0..150 {
        let case = case(&mut Dice(seed));
        if case.price > 0 {
            cases += 1;
            tight += usize::from(least(&case) == Some(whole(case.price as usize)));
        }
    }
    assert!(cases > 100 && tight > 20, "{tight} of {cases}");
    // A ring of three, all prices 1. An all-reduce takes a value two links far, and then two more transfers.
    let one = || ratio(1, 1);
    let platform = platform(
        &["A", "B", "C"],
        &[("A", "B", one()), ("B", "C", one()), ("C", "A", one())],
    );
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let collective = Collective::all_reduce(ids.clone());
    let volumes = Volumes {
        size: Amount::Constant(one()),
        work: Amount::Constant(one()),
    };
    let prices = platform
        .link_ids()
        .map(|link| (Resource::Link(link), one()))
        .collect();
    let mut certificate = Certificate::of_prices(prices);
    assert_eq!(
        bound(&platform, &collective, &volumes, &certificate),
        Ok(ratio(3, 4))
    );
    // Either tree of the scan of A, C, B costs 2, but a message leaves A, C, and both A and B.
    let scan = Collective::scan(vec![ids[0], ids[2], ids[1]]);
    assert_eq!(
        bound(&platform, &scan, &volumes, &certificate),
        Ok(ratio(3, 2))
    );
    certificate.needs = [&ids[..1], &ids[..2], &ids[2..]]
        .map(|nodes| cut(None, nodes.to_vec(), one()))
        .to_vec();
    assert_eq!(
        bound(&platform, &scan, &volumes, &certificate),
        Ok(ratio(1, 1))
    );
}

/// A list of groups costs the sum of its groups' costs, times their rates.
#[test]
fn groups_add_up() {
    for seed in 0..100 {
        let mut dice = Dice(seed);
        let platform = every::platform(&mut dice, false);
        let certificate = every::prices(&mut dice, &platform);
        let members: Vec<Member> = (0..3)
            .map(|_| Member {
                collective: every::collective(&mut dice, &platform),
                rate: 1 + dice.below(3) as u64,
            })
            .filter(|member| member.collective.members().is_empty())
            .collect();
        if members.is_empty() {
            continue;
        }
        let volumes = Volumes::of_size(dice.fraction(3));
        let inverse =
            |collective: &Collective| match bound(&platform, collective, &volumes, &certificate) {
                Ok(bound) => ratio(1, 1) / bound,
                Err(violation) if violation.rule() == Rule::NoBound => ratio(0, 1),
                Err(violation) => panic!("{violation}"),
            };
        let sum: Rational = members
            .iter()
            .map(|member| inverse(&member.collective) * whole(member.rate as usize))
            .sum();
        assert_eq!(inverse(&Collective::Groups(members)), sum);
    }
}

/// Half-duplex A, full-duplex B, multiport C with two ports, D without limits. All are linked both ways.
fn mixed() -> Platform {
    let mut builder = Platform::builder();
    let models = [
        PortModel::HalfDuplex,
        PortModel::FullDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ];
    let ids: Vec<NodeId> = models
        .iter()
        .zip(["A", "B", "C", "D"])
        .map(|(&model, name)| {
            let node = Node {
                model: Some(model),
                ports: Some(2),
                ..Node::processor(name, ratio(1, 1))
            };
            builder.node(node).unwrap()
        })
        .collect();
    builder.node(Node::router("r")).unwrap();
    for i in 0..4 {
        for j in (0..4).filter(|&j| j != i) {
            builder.link(ids[i], ids[j], ratio(1, 1)).unwrap();
        }
    }
    builder.build().unwrap()
}

#[test]
fn malformed_certificates_are_refused_by_name() {
    let platform = mixed();
    let [a, b, c, d, r] = [0, 1, 2, 3, 4].map(NodeId::new);
    let link = |from, to| platform.link_between(from, to).unwrap();
    let collective = Collective::broadcast(a, vec![b, c, d]);
    let volumes = Volumes::of_size(ratio(1, 1));
    let one = || ratio(1, 1);
    let say = |certificate: &Certificate| match bound(&platform, &collective, &volumes, certificate)
    {
        Ok(bound) => bound.to_string(),
        Err(violation) => violation.to_string(),
    };
    let priced = |resource| Certificate::of_prices(vec![(resource, one())]);
    for (resource, words) in [
        (
            Resource::Port(b),
            "price of the port of 'B' does not exist; under the full-duplex model a node has send and receive ports",
        ),
        (
            Resource::Port(d),
            "price of the port of 'D' does not exist; under the links model only links are limited",
        ),
        (
            Resource::Send(a),
            "price of the send port of 'A' does not exist; under the half-duplex model a node has one port for sends and receives together",
        ),
        (
            Resource::Receive(d),
            "price of the receive port of 'D' does not exist; under the links model only links are limited",
        ),
        (
            Resource::Link(LinkId::new(12)),
            "price of the link id 12 does not exist; the platform has 12 links, numbered from 0",
        ),
        (
            Resource::Link(LinkId::new(99)),
            "price of the link id 99 does not exist; the platform has 12 links, numbered from 0",
        ),
        (
            Resource::Port(NodeId::new(7)),
            "price of the port of node id 7: no such node; the platform has 5 nodes, numbered from 0",
        ),
        (
            Resource::Compute(r),
            "price of the processor of 'r': the node is a router, which merges nothing; leave the price out",
        ),
        (Resource::Port(a), "1"),
        // The source serves one link. Two links into C can be busy.
        (Resource::Receive(c), "2"),
    ] {
        assert_eq!(say(&priced(resource)), words);
    }
    let set = |ports: &[Resource], links: &[LinkId]| {
        let set = OddSet {
            ports: ports.to_vec(),
            links: links.to_vec(),
        };
        Certificate::new([(Resource::Port(a), one())], [(set, one())], [])
    };
    let (port, send) = (Resource::Port(a), Resource::Send(c));
    for (certificate, words) in [
        // 1 for the port, and of 3 that the set offers 1 can be used. The broadcast pays 1 at A.
        (set(&[send, port], &[]), "2"),
        (
            set(&[port, send], &[]),
            "odd set 0: its ports are out of order; list them ascending, each once",
        ),
        (
            set(&[send, send], &[]),
            "odd set 0: its ports are out of order; list them ascending, each once",
        ),
        (
            set(&[Resource::Compute(c)], &[]),
            "odd set 0: the processor of node 2 is not a port; list ports of nodes, and further links among the links",
        ),
        (
            set(&[Resource::Link(link(a, b))], &[]),
            "odd set 0: the link is not a port; list ports of nodes, and further links among the links",
        ),
        (
            set(&[Resource::Send(d)], &[]),
            "odd set 0: the send port of 'D' does not exist; under the links model only links are limited",
        ),
        (
            set(&[send], &[link(c, b), link(c, b)]),
            "odd set 0: its links are out of order; list them ascending, each once",
        ),
        (
            set(&[send], &[link(a, b)]),
            "odd set 0: 0 ends of link 'A -> B' are among its ports; a further link has exactly one there",
        ),
        (
            set(&[send, port], &[link(c, a)]),
            "odd set 0: 2 ends of link 'C -> A' are among its ports; a further link has exactly one there",
        ),
        (
            set(&[send], &[LinkId::new(50)]),
            "odd set 0: the link id 50 does not exist; the platform has 12 links, numbered from 0",
        ),
    ] {
        assert_eq!(say(&certificate), words);
    }
    let mut twice = set(&[send], &[]);
    twice.rows.push(twice.rows[1].clone());
    assert_eq!(
        say(&twice),
        "certificate: the odd sets are out of order; list them ascending, each once"
    );
    let mut free = set(&[send], &[]);
    free.rows[1].1 = ratio(0, 1);
    assert_eq!(
        say(&free),
        "price of odd set 0 is 0; a price must be positive (leave out what costs nothing)"
    );
    let mut mixed = set(&[send], &[]);
    mixed.rows.swap(0, 1);
    assert_eq!(
        say(&mixed),
        "certificate: the rows are out of order; list them ascending, each once"
    );
    let with = |needs: Vec<Need>| Certificate {
        needs,
        ..priced(Resource::Port(a))
    };
    let cut =
        |demand, nodes: &[NodeId], weight| with(vec![common::cut(demand, nodes.to_vec(), weight)]);
    for (certificate, words) in [
        (cut(None, &[a], one()), "1"),
        (cut(Some(0), &[a], ratio(1, 2)), "2"),
        (
            cut(None, &[a], ratio(3, 2)),
            "the needs of A=>all charge 3/2 for a message over link 'A -> B'; it costs 1",
        ),
        // No demand crosses it, so it is not used.
        (cut(None, &[b], one()), "1"),
        (
            cut(Some(1), &[a], one()),
            "need 0 (cut): demand 1 does not exist; an instance has 1, numbered from 0",
        ),
        (
            cut(None, &[], one()),
            "need 0 (cut): it has no nodes; list those that something has to leave",
        ),
        (
            cut(None, &[NodeId::new(9)], one()),
            "need 0 (cut): the member of node id 9: no such node; the platform has 5 nodes, numbered from 0",
        ),
        (
            cut(None, &[a, a], one()),
            "need 0 (cut): its nodes are out of order; list them ascending, each once",
        ),
        (
            cut(None, &[b, a], one()),
            "need 0 (cut): its nodes are out of order; list them ascending, each once",
        ),
        (
            cut(None, &[a], ratio(0, 1)),
            "price of need 0 (cut) is 0; a price must be positive (leave out what costs nothing)",
        ),
    ] {
        assert_eq!(say(&certificate), words);
    }
    let disordered = with(vec![
        common::cut(None, vec![b], one()),
        common::cut(None, vec![a], ratio(1, 2)),
    ]);
    let refusal = bound(&platform, &collective, &volumes, &disordered);
    assert_eq!(
        told(&refusal),
        "certificate: the needs are out of order; list them ascending, each once"
    );
}

/// A cut may charge at most the cost of a message of this size.
#[test]
fn cuts_are_charged_by_size() {
    let platform = mixed();
    let [a, b, c, d] = [0, 1, 2, 3].map(NodeId::new);
    let collective = Collective::broadcast(a, vec![b, c, d]);
    for size in [ratio(2, 3), ratio(3, 2), ratio(5, 1), ratio(1, 7)] {
        let volumes = Volumes::of_size(size.clone());
        let with = |weight: Rational| {
            let certificate = Certificate::new(
                [(Resource::Port(a), ratio(3, 1))],
                [],
                [cut(None, vec![a], weight)],
            );
            bound(&platform, &collective, &volumes, &certificate)
        };
        // Links out of A cost 3 for a unit of message.
        let full = &size * ratio(3, 1);
        assert_eq!(with(full.clone()), Ok(ratio(3, 1) / &full));
        let over = &full + ratio(1, 1_000_000);
        match with(over.clone()) {
            Err(violation) if violation.rule() == Rule::Overcharge => {
                let told = violation.to_string();
                assert!(
                    told.contains(&format!(" charge {over} for a message over link ")),
                    "{told}"
                );
                assert!(told.ends_with(&format!("; it costs {full}")), "{told}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A demand for one node crosses a cut if an operand is inside and the node is not: both.
#[test]
fn cuts_count_for_those_who_have_to_leave() {
    let one = || ratio(1, 1);
    let links = [
        ("A", "B", one()),
        ("B", "C", one()),
        ("C", "D", one()),
        ("D", "A", one()),
    ];
    let platform = platform(&["A", "B", "C", "D"], &links);
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let volumes = Volumes {
        size: Amount::Constant(one()),
        work: Amount::Constant(ratio(0, 1)),
    };
    let collective = Collective::reduce(ids[2], vec![ids[0], ids[1]]).in_order();
    let least = |cuts: &[&[NodeId]]| {
        let prices = ids.iter().map(|&node| (Resource::Send(node), one()));
        let cuts = cuts.iter().map(|nodes| cut(None, nodes.to_vec(), one()));
        let certificate = Certificate::new(prices, [], cuts);
        ratio(4, 1) / bound(&platform, &collective, &volumes, &certificate).unwrap()
    };
    // The cheapest tree takes A's operand to B, and the result to C.
    assert_eq!(least(&[]), ratio(2, 1));
    assert_eq!(least(&[&ids[..1], &ids[..2]]), ratio(2, 1));
    // The target is inside, or no operand is. A cut that no message crosses proves nothing, and does no harm.
    let idle: [&[NodeId]; 3] = [&[ids[0], ids[2]], &[ids[1], ids[2]], &ids[3..]];
    assert_eq!(
        least(&[&ids[..1], &ids[..2], idle[0], idle[1], idle[2]]),
        ratio(2, 1)
    );
    assert_eq!(least(&idle), ratio(2, 1));
}

/// The inequality of an odd set holds for all sets of busy links, of all small platforms: none uses more than it
/// offers.
#[test]
fn odd_sets_hold_for_all_slots() {
    let platform = mixed();
    let ports: Vec<Resource> = Resource::of_platform(&platform)
        .into_iter()
        .filter(|port| !matches!(port, Resource::Link(_)))
        .collect();
    let slots: Vec<Vec<LinkId>> = (0..1usize << 12)
        .map(|set| {
            platform
                .link_ids()
                .filter(|link| set >> link.index() & 1 == 1)
                .collect::<Vec<_>>()
        })
        .filter(|links| every::fits(&platform, links))
        .collect();
    let mut met = BTreeSet::new();
    for set in 1usize..1 << ports.len() {
        let ports: Vec<Resource> = (0..ports.len())
            .filter(|i| set >> i & 1 == 1)
            .map(|i| ports[i])
            .collect();
        let ends = |link: &LinkId| {
            let ends = Resource::ends(&platform, *link).into_iter().flatten();
            ends.filter(|end| ports.contains(end)).count()
        };
        let leaving: Vec<LinkId> = platform.link_ids().filter(|link| ends(link) == 1).collect();
        for links in [
            Vec::new(),
            leaving.clone(),
            leaving.iter().copied().step_by(2).collect(),
        ] {
            let odd = OddSet {
                ports: ports.clone(),
                links,
            };
            let members = odd.members(&platform);
            let most = slots
                .iter()
                .map(|slot| slot.iter().filter(|link| members.contains(link)).count())
                .max();
            assert!(most.unwrap() as u64 <= odd.capacity(&platform), "{odd:?}");
            met.insert(most.unwrap() as u64 == odd.capacity(&platform));
        }
    }
    assert_eq!(met.len(), 2);
}
