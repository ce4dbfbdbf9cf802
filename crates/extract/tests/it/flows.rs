//! Flows are paths and circulations, within the lemma's number of paths.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use oneport_extract::paths::route;
use oneport_platform::{LinkId, Node, NodeId, Platform, Rational};
use oneport_testkit::{number, ratio};
use proptest::prelude::*;

/// Random walks between two nodes, cycles and all, and circulations through a node.
fn flow(
    platform: &Platform,
    ends: (NodeId, NodeId),
    walks: &[(Vec<u32>, i64)],
) -> (Rational, BTreeMap<LinkId, Rational>) {
    let mut sends: BTreeMap<LinkId, Rational> = BTreeMap::new();
    let mut throughput = Rational::zero();
    for (index, (steps, weight)) in walks.iter().enumerate() {
        let weight = ratio(*weight, 6);
        let cycle = index % 3 == 2;
        let (start, end) = if cycle { (ends.1, ends.1) } else { ends };
        let mut at = start;
        let mut links = Vec::new();
        let mut steps = steps.iter().cycle();
        loop {
            let out = platform.outgoing(at);
            let link = out[*steps.next().unwrap() as usize % out.len()];
            links.push(link);
            at = platform.link(link).to;
            if at == end || links.len() > 400 {
                break;
            }
        }
        if at == end {
            for link in links {
                *sends.entry(link).or_default() += &weight;
            }
            throughput += if cycle { Rational::zero() } else { weight };
        }
    }
    (throughput, sends)
}

fn platform(seed: u64) -> Platform {
    let mut builder = Platform::builder();
    let nodes: Vec<NodeId> = (0..6)
        .map(|node| {
            builder
                .node(Node::processor(format!("P{node}"), number("1")))
                .unwrap()
        })
        .collect();
    for (index, &from) in nodes.iter().enumerate() {
        // A ring, and two chords of each node.
        let far = [
            1,
            2 + (seed >> index) as usize % 2,
            4 + (seed >> (index + 3)) as usize % 2,
        ];
        for to in far {
            builder
                .link(from, nodes[(index + to) % 6], number("1"))
                .unwrap();
        }
    }
    builder.build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 75, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_flow_is_paths_and_circulations(
        seed in 0..512u64,
        walks in prop::collection::vec((prop::collection::vec(any::<u32>(), 7..40), 1..9i64), 0..6),
    ) {
        let platform = platform(seed);
        let ends = (NodeId::new(0), NodeId::new(3));
        let (throughput, sends) = flow(&platform, ends, &walks);
        let found = route(&platform, 4, ends.0, ends.1, &throughput, &sends).unwrap();
        let mut sum = found.left_over.clone();
        let mut gain = vec![Rational::zero(); platform.nodes().len()];
        for (&link, rate) in &found.left_over {
            prop_assert!(*rate > Rational::zero());
            gain[platform.link(link).to.index()] += rate;
            gain[platform.link(link).from.index()] -= rate;
        }
        prop_assert!(gain.iter().all(Zero::is_zero), "what is left goes round");
        let mut total = Rational::zero();
        let mut used = BTreeSet::new();
        for (path, weight) in &found.paths {
            let nodes: Vec<NodeId> = path.links().map(|link| platform.link(link).to).collect();
            prop_assert_eq!(path.demand, 4);
            prop_assert_eq!(platform.link(path.links().next().unwrap()).from, ends.0);
            prop_assert!(path.links().zip(path.links().skip(1)).all(|(one, two)| platform.link(one).to == platform.link(two).from));
            prop_assert_eq!(nodes.last(), Some(&ends.1));
            prop_assert_eq!(nodes.iter().collect::<BTreeSet<_>>().len(), nodes.len(), "simple");
            for link in path.links() {
                *sum.entry(link).or_default() += weight;
                used.insert(link);
            }
            total += weight;
        }
        prop_assert_eq!(total, throughput);
        prop_assert_eq!(sum, sends);
        // The lemma: links less conservation laws. After cancelling, exactly these links are left.
        let inner: BTreeSet<NodeId> = used.iter().map(|&link| platform.link(link).to).filter(|&node| node != ends.1).collect();
        prop_assert!(found.paths.len() <= used.len() - inner.len());
    }
}

#[test]
fn what_is_no_flow_is_refused_by_place_and_amount() {
    let platform = platform(0);
    let name = |node: usize| platform.name(NodeId::new(node)).to_string();
    let ends = (NodeId::new(0), NodeId::new(3));
    let (throughput, sends) = flow(&platform, ends, &[(vec![0], 3), (vec![1, 0], 3)]);
    assert_eq!(throughput, number("1"));
    let refused = |throughput: &str, change: &dyn Fn(&mut BTreeMap<LinkId, Rational>)| {
        let mut sends = sends.clone();
        change(&mut sends);
        route(&platform, 0, ends.0, ends.1, &number(throughput), &sends)
            .unwrap_err()
            .to_string()
    };
    let message = refused("8/7", &|_| ());
    assert_eq!(
        message,
        format!("'{}' gains 1 messages; the throughput says 8/7", name(3))
    );
    let message = refused("-1", &|_| ());
    assert_eq!(message, "throughput: rate -1; a rate is 0 or more");
    let message = refused("1", &|sends| {
        drop(sends.insert(LinkId::new(99), number("1")))
    });
    assert!(
        message.starts_with("link id 99 does not exist"),
        "{message}"
    );
    // Off by very little between source and target.
    let tiny = ratio(1, num_bigint::BigInt::from(10).pow(400));
    let inner = |link: LinkId| ![ends.0, ends.1].contains(&platform.link(link).to);
    let link = *sends
        .keys()
        .find(|&&link| inner(link))
        .expect("a path of two hops");
    let message = refused("1", &|sends| *sends.get_mut(&link).unwrap() += &tiny);
    let node = platform.name(platform.link(link).to);
    assert!(
        message.starts_with(&format!("'{node}' receives ")) && message.contains("1/1000000"),
        "{message}"
    );
    let message = refused("1", &|sends| drop(sends.insert(link, number("-1/3"))));
    assert_eq!(
        message,
        format!(
            "send({}): rate -1/3; a rate is 0 or more",
            platform.link_name(link)
        )
    );
    // No value is made without inputs.
    assert_eq!(
        route(&platform, 0, ends.0, ends.1, &number("0"), &BTreeMap::new()),
        Ok(Default::default())
    );
}
