//! Several equal rings at once, and paths that senders take in rotation.

use oneport_baselines::{
    Comparison, Forwarders, RankHints, Routes, Ties, known, named, of_equal_rings, on_rings, ranks,
};
use oneport_plan::{
    Amount, Collective, EqualRings, LinkId, NodeId, Platform, Problem, Rational, Ring, Volumes,
};
use oneport_platform::generate;
use oneport_platform::{Node, PortModel, parse_rational};
use oneport_watch::Watch;

use crate::named::{check, collectives, routes, uniform};

fn q(text: &str) -> Rational {
    parse_rational(text).expect("a number")
}

/// The ring that visits the nodes in this order over direct links.
fn direct(platform: &Platform, order: &[NodeId]) -> Ring {
    let hop = |(from, to): (&NodeId, &NodeId)| -> Vec<LinkId> {
        let link = platform
            .outgoing(*from)
            .iter()
            .find(|link| platform.link(**link).to == *to);
        vec![*link.expect("a link")]
    };
    Ring {
        hops: order
            .iter()
            .zip(order.iter().cycle().skip(1))
            .map(hop)
            .collect(),
    }
}

/// Equal rings with the largest share that capacities allow.
fn equal(platform: &Platform, rings: Vec<(Ring, u32)>) -> EqualRings {
    let mut busy = std::collections::BTreeMap::new();
    for (ring, times) in &rings {
        for (resource, time) in ring.loads(platform) {
            *busy.entry(resource).or_insert_with(Rational::default) +=
                time * Rational::from_integer((*times).into());
        }
    }
    let share = |(resource, time): (&oneport_plan::Resource, &Rational)| {
        Rational::from_integer(resource.capacity(platform).into()) / time
    };
    let share = busy.iter().map(share).min().expect("a ring");
    EqualRings {
        upper_bound: share.clone(),
        rings,
        share,
    }
}

/// Two processors more than two switches, each joined to all: the rings go in one order, over a switch each.
fn two_switches() -> Platform {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let gpus = ["a", "b", "c", "d"].map(|name| {
        builder
            .node(Node::processor(name, q("1")))
            .expect("a processor")
    });
    for name in ["s", "t"] {
        let switch = builder.node(Node::router(name)).expect("a switch");
        for gpu in gpus {
            builder.duplex(gpu, switch, q("1")).expect("a cable");
        }
    }
    builder.build().expect("a platform")
}

/// The patterns of rings are accepted by the referee with the throughput that was counted.
#[test]
fn the_referee_accepts_equal_rings() {
    let mut checked = 0;
    for (seed, model) in (1..).zip([
        PortModel::FullDuplex,
        PortModel::Multiport,
        PortModel::Links,
    ]) {
        for nodes in [2, 3, 5] {
            let platform = generate::complete(nodes, &uniform(seed))
                .expect("a platform")
                .with_model(model);
            let all: Vec<NodeId> = platform.processors().collect();
            let mut turned = all.clone();
            turned.reverse();
            let rings = vec![
                (direct(&platform, &all), 2),
                (direct(&platform, &turned), 1),
            ];
            let rings = equal(&platform, rings);
            let volumes = Volumes::of_size(q("3/2"));
            for collective in collectives(&platform) {
                let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
                if ranks(&problem).len() != nodes || !on_rings(&problem) {
                    continue;
                }
                let algorithm = of_equal_rings(&problem, "rings", &rings).expect("rings");
                let routes = routes(&problem);
                check(&problem, &algorithm, &routes);
                checked += 1;
            }
        }
    }
    assert!(checked >= 40, "{checked}");
}

/// Rings of one order over two switches have twice the throughput of one switch. `w` together attain `w / (n - 1)`
/// all-gathers and reduce-scatters, `w n / (2 (n - 1))` all-reduces, and `w` broadcasts and reductions.
#[test]
fn rings_keep_their_own_ways() {
    let platform = two_switches();
    let all: Vec<NodeId> = platform.processors().collect();
    let over = |switch: &str| {
        let switch = platform.find(switch).expect("a switch");
        let between = |from: NodeId, to: NodeId| {
            *platform
                .outgoing(from)
                .iter()
                .find(|link| platform.link(**link).to == to)
                .expect("a cable")
        };
        let hop =
            |(from, to): (&NodeId, &NodeId)| vec![between(*from, switch), between(switch, *to)];
        Ring {
            hops: all
                .iter()
                .zip(all.iter().cycle().skip(1))
                .map(hop)
                .collect(),
        }
    };
    let rings = equal(&platform, vec![(over("s"), 1), (over("t"), 1)]);
    assert_eq!(rings.total(), q("2"));
    let volumes = Volumes {
        size: Amount::Constant(q("1")),
        work: Amount::Constant(q("0")),
    };
    let (participants, others) = (all.clone(), all[1..].to_vec());
    for (collective, expected) in [
        (Collective::all_gather(participants.clone()), "2/3"),
        (Collective::reduce_scatter(participants.clone()), "2/3"),
        (Collective::all_reduce(participants.clone()), "4/3"),
        (Collective::broadcast(all[0], others), "2"),
        (Collective::reduce(all[0], participants), "2"),
    ] {
        let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
        let mut comparison = Comparison::of(&problem, &Watch::unlimited()).expect("a comparison");
        comparison.add_rings(&problem, &rings).expect("rings");
        let row = comparison
            .rows
            .iter()
            .find(|row| row.algorithm.name == "equal rings at once")
            .expect("the row");
        assert_eq!(row.sustained.throughput, q(expected), "{collective}");
        assert!(!row.listed, "{collective}");
        check(&problem, &row.algorithm, &row.routes);
    }
}

/// A ring that leaves a node out, and collectives that no ring does, are refused.
#[test]
fn what_is_no_ring_of_all_is_refused() {
    let platform = generate::complete(4, &uniform(3)).expect("a platform");
    let all: Vec<NodeId> = platform.processors().collect();
    let volumes = Volumes::default();
    let gather = Collective::all_gather(all.clone());
    let problem = Problem::new(&platform, &gather, &volumes).expect("a question");
    let short = equal(&platform, vec![(direct(&platform, &all[1..]), 1)]);
    let error = of_equal_rings(&problem, "rings", &short)
        .expect_err("a node is missing")
        .to_string();
    assert!(error.contains(platform.name(all[0])), "{error}");
    let exchange = Collective::all_to_all(all.clone());
    let problem = Problem::new(&platform, &exchange, &volumes).expect("a question");
    assert!(!on_rings(&problem));
    let rings = equal(&platform, vec![(direct(&platform, &all), 1)]);
    assert!(of_equal_rings(&problem, "rings", &rings).is_err());
    let mut comparison = Comparison::of(&problem, &Watch::unlimited()).expect("a comparison");
    let rows = comparison.rows.len();
    comparison
        .add_rings(&problem, &rings)
        .expect("nothing is added");
    assert_eq!(comparison.rows.len(), rows);
}

/// Two boxes of two GPUs behind one PCI switch with two network cards: each GPU takes one card, so one ring per member
/// attains the rate of both cards.
#[test]
fn senders_take_equal_ways_by_turns() {
    let mut builder = Platform::builder();
    builder.model(PortModel::Links);
    let rails = ["r0", "r1"].map(|name| builder.node(Node::router(name)).expect("a rail"));
    for machine in 0..2 {
        let pci = builder
            .node(Node::router(format!("m{machine}.pci")))
            .expect("a switch");
        for (number, rail) in rails.into_iter().enumerate() {
            let gpu = builder
                .node(Node::processor(format!("m{machine}.gpu{number}"), q("1")))
                .expect("a GPU");
            let card = builder
                .node(Node::router(format!("m{machine}.nic{number}")))
                .expect("a card");
            for (from, to, cost) in [(gpu, pci, "1/100"), (pci, card, "1"), (card, rail, "1")] {
                builder.duplex(from, to, q(cost)).expect("a cable");
            }
        }
    }
    let platform = builder.build().expect("a platform");
    let all: Vec<NodeId> = platform.processors().collect();
    let volumes = Volumes::default();
    let gather = Collective::all_gather(all);
    let problem = Problem::new(&platform, &gather, &volumes).expect("a question");
    let routes = routes(&problem);
    let shape = RankHints {
        order: Vec::new(),
        groups: vec![vec![0, 1], vec![2, 3]],
        ..RankHints::default()
    };
    let ring = named(&problem, &shape)
        .into_iter()
        .find(|one| one.name.starts_with("rings, one per"))
        .expect("rings");
    let found = ring
        .loads(&problem, &routes, &Watch::unlimited())
        .and_then(|loads| loads.throughput(&problem))
        .expect("loads");
    // Three messages enter every box over two cards that carry 1 each.
    assert_eq!(found.throughput, q("2/3"));
    check(&problem, &ring, &routes);
    // From every node, each node is reached over links that join.
    for &from in &ranks(&problem) {
        for to in platform.node_ids() {
            let path = routes.path(from, to).expect("a path");
            let ends = path.iter().fold(from, |at, &link| {
                assert_eq!(platform.link(link).from, at);
                platform.link(link).to
            });
            assert_eq!(ends, to);
        }
    }
}

/// Each row of a comparison has the throughput of its algorithm under the better rule for equal paths, and on some
/// platform each rule is the better one.
#[test]
fn each_algorithm_has_its_better_rule_for_equal_ways() {
    let mut better = [0, 0];
    for sides in [[4, 3], [3, 3], [4, 4], [5, 3]] {
        let platform = generate::torus(&sides).expect("a torus");
        for collective in collectives(&platform) {
            let volumes = Volumes::default();
            let problem = Problem::new(&platform, &collective, &volumes).expect("a question");
            let comparison = Comparison::of(&problem, &Watch::unlimited()).expect("a comparison");
            let rows: Vec<_> = comparison
                .rows
                .iter()
                .chain(&comparison.out_of_order)
                .collect();
            let sustained = [Ties::Turns, Ties::First].map(|ties| {
                let (from, unlimited) = (ranks(&problem), Watch::unlimited());
                let over = Forwarders::Anything;
                let routes =
                    Routes::new(&platform, &from, over, ties, &unlimited).expect("no limit");
                let rate = |algorithm: &oneport_baselines::Algorithm| {
                    algorithm
                        .loads(&problem, &routes, &Watch::unlimited())
                        .and_then(|loads| loads.throughput(&problem))
                        .ok()
                };
                let all = known(&problem, &routes, &Watch::unlimited());
                all.iter()
                    .filter_map(|one| Some((one.name.clone(), rate(one)?.throughput)))
                    .collect::<Vec<_>>()
            });
            for row in rows {
                let of = |rule: usize| {
                    let mut own = sustained[rule]
                        .iter()
                        .filter(|(name, _)| *name == row.algorithm.name);
                    own.next().map(|(_, throughput)| throughput)
                };
                assert_eq!(
                    Some(&row.sustained.throughput),
                    of(0).max(of(1)),
                    "{}",
                    row.algorithm.name
                );
                for (rule, count) in better.iter_mut().enumerate() {
                    *count += usize::from(of(rule) > of(1 - rule));
                }
            }
        }
    }
    assert!(better.iter().all(|&count| count > 0), "{better:?}");
}
