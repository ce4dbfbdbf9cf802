//! Copies, cuts and odd sets of realistic size, with answers in closed form.

use crate::common;

use crate::common::ask::{bound, check_steady_state};
use common::*;
use oneport_plan::{
    Certificate, Collective, OddSet, Pattern, Resource, SteadyState, Volumes, WeightedPattern,
};
use oneport_platform::{LinkId, Node, NodeId, Platform, PortModel};

/// Nodes `0..count` of one model, and links from each to some others.
fn network(count: usize, model: PortModel, steps: &[usize]) -> Platform {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = (0..count)
        .map(|i| {
            builder
                .node(Node::processor(format!("n{i}"), ratio(1, 1)))
                .unwrap()
        })
        .collect();
    for i in 0..count {
        for step in steps {
            let _ = builder.link(ids[i], ids[(i + step) % count], ratio(1, 1));
        }
    }
    builder.build().unwrap().with_model(model)
}

fn uniform(platform: &Platform) -> Certificate {
    let prices = Resource::of_platform(platform)
        .into_iter()
        .map(|resource| (resource, ratio(1, 1)))
        .collect();
    Certificate::of_prices(prices)
}

/// A thousand participants. Every node alone is a cut, which all other participants' messages enter: one list of cuts
/// for a thousand demands.
#[test]
fn a_thousand_demands_share_their_cuts() {
    let count = 1024;
    let platform = network(count, PortModel::Links, &[1, 3, 9, 27]);
    let collective = Collective::all_gather(platform.node_ids().collect());
    let mut certificate = uniform(&platform);
    // All but one node: a message from any other leaves them over the 4 links into it.
    let all_but = |out: usize| {
        platform
            .node_ids()
            .filter(|node| node.index() != out)
            .collect()
    };
    certificate.needs = (0..64)
        .map(|out| cut(None, all_but(out), ratio(1, 1)))
        .collect();
    certificate.needs.sort();
    let volumes = Volumes::of_size(ratio(1, 1));
    // 4096 links. 64 cuts for all but the 64 nodes that are outside of one, which have 63.
    let total = 64 * (count - 64) + 63 * 64;
    assert_eq!(
        bound(&platform, &collective, &volumes, &certificate),
        Ok(whole(4 * count) / whole(total))
    );
}

/// An arborescence for each of 60 participants that all replicate, and for the same behind a switch that does not.
#[test]
fn arborescences_of_all_participants() {
    let platform = network(60, PortModel::FullDuplex, &(1..60).collect::<Vec<_>>());
    let collective = Collective::all_gather(platform.node_ids().collect());
    let volumes = Volumes::of_size(ratio(1, 1));
    // Each arborescence has 59 arcs of price 2.
    assert_eq!(
        bound(&platform, &collective, &volumes, &uniform(&platform)),
        Ok(ratio(120, 60 * 59 * 2))
    );
    let mut builder = Platform::builder();
    let switch = builder
        .node(Node {
            replicates: false,
            ..Node::router("switch")
        })
        .unwrap();
    let participants: Vec<NodeId> = (0..60)
        .map(|i| {
            let node = builder
                .node(Node::processor(format!("n{i}"), ratio(1, 1)))
                .unwrap();
            builder.duplex(node, switch, ratio(1, 1)).unwrap();
            node
        })
        .collect();
    let platform = builder.build().unwrap().with_model(PortModel::Links);
    let collective = Collective::all_gather(participants);
    // 59 routes of two links.
    assert_eq!(
        bound(&platform, &collective, &volumes, &uniform(&platform)),
        Ok(ratio(120, 60 * 59 * 2))
    );
}

/// Many targets, many routers that replicate: the dual ascent finds the only tree.
#[test]
fn a_tree_of_routers_is_priced_exactly_from_below() {
    let mut builder = Platform::builder();
    let root = builder.node(Node::processor("root", ratio(1, 1))).unwrap();
    let (mut level, mut targets, mut links) = (vec![root], Vec::new(), 0);
    for depth in 1..=8 {
        let mut next = Vec::new();
        for (i, &above) in level.iter().enumerate() {
            for side in 0..2 {
                let name = format!("{depth}.{i}.{side}");
                let node = if depth < 8 {
                    Node::router(name)
                } else {
                    Node::processor(name, ratio(1, 1))
                };
                let node = builder.node(node).unwrap();
                builder.duplex(above, node, ratio(1, 1)).unwrap();
                links += 1;
                next.push(node);
            }
        }
        level = next;
        targets.clone_from(&level);
    }
    let platform = builder.build().unwrap().with_model(PortModel::Links);
    let collective = Collective::broadcast(root, targets);
    let certificate = uniform(&platform);
    // Both directions of every link are priced, one is used.
    assert_eq!(
        bound(
            &platform,
            &collective,
            &Volumes::of_size(ratio(1, 1)),
            &certificate
        ),
        Ok(ratio(2 * links, links))
    );
}

/// A ring of half-duplex nodes, odd in number, each sending to the next for almost half of the time.
#[test]
fn a_long_odd_ring_of_half_duplex_nodes() {
    let count = 101;
    let platform = network(count, PortModel::HalfDuplex, &[1]);
    let ids: Vec<NodeId> = platform.node_ids().collect();
    let volumes = Volumes::of_size(ratio(1, 1));
    let collective = Collective::all_to_all(ids.clone());
    let patterns: Vec<Pattern> = (0..collective.demands())
        .map(|index| {
            let commodity = collective.demand(index).unwrap();
            let (from, to) = (
                commodity.operands[0].index(),
                commodity.goals()[0].0.index(),
            );
            let hops = (to + count - from) % count;
            Pattern::path(
                index,
                (0..hops).map(|hop| LinkId::new((from + hop) % count)),
            )
        })
        .collect();
    // A link carries 5050 messages per instance. 50 links can be busy at a time.
    let most = ratio(50, 101 * 5050);
    let state = |throughput: &oneport_platform::Rational| SteadyState {
        throughput: throughput.clone(),
        patterns: patterns
            .iter()
            .map(|pattern| WeightedPattern {
                pattern: pattern.clone(),
                weight: throughput.clone(),
            })
            .collect(),
    };
    check_steady_state(&platform, &collective, &volumes, &state(&most)).unwrap();
    let above = &most * ratio(1001, 1000);
    assert!(check_steady_state(&platform, &collective, &volumes, &state(&above)).is_err());
    let ports = platform.node_ids().map(Resource::Port).collect();
    let odd_sets = vec![(
        OddSet {
            ports,
            links: Vec::new(),
        },
        ratio(1, 1),
    )];
    let certificate = Certificate::new([], odd_sets, []);
    assert_eq!(
        bound(&platform, &collective, &volumes, &certificate),
        Ok(most)
    );
}
