//! Generated networks obey the rules, and the checker of the rules can fail.

use std::collections::BTreeSet;

use oneport_platform::PlatformError;
use oneport_platform::generate::tiers::*;
use proptest::prelude::*;

use super::rules::{Origin, check, naive_length};
use crate::common::refused;

fn parameters() -> impl Strategy<Value = TiersParameters> {
    let networks = (0_usize..4, 0_usize..4);
    let sizes = (1_usize..14, 1_usize..10, 1_usize..7);
    let inner = (1_usize..5, 1_usize..4, 1_usize..4);
    let outer = (0_usize..4, 0_usize..4);
    (networks, sizes, inner, outer).prop_map(|((nm, nl), (sw, sm, sl), (rw, rm, rl), (a, b))| {
        TiersParameters::from([1, nm, nl, sw, sm, sl, rw, rm, rl, 1 + a % sw, 1 + b % sm])
    })
}

proptest! {
    #[test]
    fn networks_obey_the_rules(parameters in parameters(), seed: u64) {
        let topology = generate(&parameters, seed).unwrap();
        prop_assert_eq!(topology.parameters, parameters);
        prop_assert_eq!(check(&topology, Origin::Ours), Ok(()));
        prop_assert_eq!(&topology, &generate(&parameters, seed).unwrap());
    }

    #[test]
    fn lengths_are_exact(x in -5000_i32..5000, y in -5000_i32..5000, dx in -5000_i32..5000, dy in -5000_i32..5000) {
        for tier in Tier::ALL {
            let (a, b) = (TiersNode { x, y, tier }, TiersNode { x: x + dx, y: y + dy, tier });
            prop_assert_eq!(length(a, b, tier) as i64, naive_length(a, b, i64::from(tier.unit())));
        }
    }
}

#[test]
fn the_longest_length_does_not_overflow() {
    let [a, b] = [i32::MIN, i32::MAX].map(|z| TiersNode {
        x: z,
        y: z,
        tier: Tier::Lan,
    });
    // sqrt(2) (2^32 - 1) / 2, from the first digits of sqrt(2).
    assert_eq!(length(a, b, Tier::Lan), 3_037_000_499);
}

#[test]
fn the_named_sets_have_the_sizes_of_the_files() {
    for seed in 0..50 {
        for (parameters, nodes, edges) in [
            (TiersParameters::SMALL, 27, 26),
            (TiersParameters::MEDIUM, 45, 44),
        ] {
            let topology = generate(&parameters, seed).unwrap();
            assert_eq!((topology.nodes.len(), topology.edges.len()), (nodes, edges));
        }
        // A tree of 184, a further edge per MAN, and redundant WAN edges: each serves a leaf of a tree of 10 nodes, the
        // first of 9 leaves serves two. All leaves can be refused.
        let topology = generate(&TiersParameters::LARGE, seed).unwrap();
        assert_eq!(topology.nodes.len(), 185);
        assert!(
            (189..=197).contains(&topology.edges.len()),
            "{} edges",
            topology.edges.len()
        );
    }
}

#[test]
fn the_seed_decides_the_network() {
    let [a, b] = [1, 2].map(|seed| generate(&TiersParameters::LARGE, seed).unwrap());
    assert_ne!(a.nodes, b.nodes);
    let pairs = |topology: &TiersTopology| -> BTreeSet<_> {
        topology.edges.iter().map(|e| (e.from, e.to)).collect()
    };
    assert_ne!(pairs(&a), pairs(&b));
}

#[test]
fn names_follow_the_layout() {
    let parameters = TiersParameters::SMALL;
    let names: Vec<_> = [0, 2, 3, 5, 6, 8, 9, 11, 12, 26]
        .map(|id| parameters.node_name(id).unwrap())
        .into();
    let expected = [
        "wan0", "wan2", "man0-0", "man0-2", "man1-0", "man1-2", "lan0-0", "lan0-2", "lan1-0",
        "lan5-2",
    ];
    assert_eq!(names, expected);
    assert_eq!(parameters.node_name(27), None);
    assert_eq!(parameters.node_name(usize::MAX), None);
    assert_eq!(
        TiersParameters {
            wans: 2,
            ..parameters
        }
        .node_name(0),
        None
    );
}

#[test]
fn parameters_go_by_the_order_of_the_command_line() {
    let values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let parameters = TiersParameters::from(values);
    assert_eq!(
        (
            parameters.lans_per_man,
            parameters.man_nodes,
            parameters.lan_man_redundancy
        ),
        (3, 5, 11)
    );
    assert_eq!(<[usize; 11]>::from(parameters), values);
}

#[test]
fn a_full_square_uses_every_cell_once() {
    // LAN coordinates are odd relative to those of the other tiers, so no other node is in the LAN's square.
    let parameters = TiersParameters {
        mans_per_wan: 1,
        lans_per_man: 1,
        lan_nodes: 10_000,
        ..TiersParameters::SMALL
    };
    let topology = generate(&parameters, 1).unwrap();
    let positions: BTreeSet<_> = topology.nodes[6..]
        .iter()
        .map(|node| (node.x, node.y))
        .collect();
    let (x, y) = *positions.first().unwrap();
    assert_eq!(
        positions,
        (0..10_000)
            .map(|cell| (x + 2 * (cell / 100), y + 2 * (cell % 100)))
            .collect()
    );
}

#[test]
fn places_are_spread_over_the_whole_square() {
    let mut columns = BTreeSet::new();
    let mut shifts = BTreeSet::new();
    for seed in 0..40 {
        let topology = generate(
            &TiersParameters {
                wan_nodes: 30,
                man_nodes: 400,
                ..TiersParameters::SMALL
            },
            seed,
        )
        .unwrap();
        columns.extend(topology.nodes[..30].iter().map(|node| node.x / 40));
        for edge in topology
            .edges
            .iter()
            .filter(|e| e.state == EdgeState::Internetwork && e.class == Tier::Wan)
        {
            let first = 30 + (edge.to - 30) / 400 * 400;
            // With 400 nodes the square's first column is nearly always used.
            let least = topology.nodes[first..first + 400]
                .iter()
                .map(|node| node.x)
                .min()
                .unwrap();
            shifts.insert((least - topology.nodes[edge.from].x) / 8);
        }
    }
    assert_eq!(columns.len(), 100);
    assert!((-5..=5).all(|shift| shifts.contains(&shift)), "{shifts:?}");
}

#[test]
fn tiers_without_networks_need_no_sizes() {
    // The two examples of Tiers' README without LANs, and a WAN of one node.
    for values in [
        [1, 0, 0, 30, 0, 0, 3, 1, 1, 1, 1],
        [1, 3, 0, 20, 10, 0, 3, 2, 1, 1, 1],
        [1, 0, 5, 1, 0, 0, 1, 0, 0, 0, 0],
    ] {
        let topology = generate(&values.into(), 1).unwrap();
        assert_eq!(check(&topology, Origin::Ours), Ok(()), "{values:?}");
    }
}

#[test]
fn a_large_redundancy_gives_the_complete_network() {
    let parameters = TiersParameters {
        wan_redundancy: usize::MAX,
        lan_redundancy: 5,
        ..TiersParameters::SMALL
    };
    let topology = generate(&parameters, 1).unwrap();
    let inside = |tier| {
        topology
            .edges
            .iter()
            .filter(|e| e.class == tier && (e.state as u8) < 3)
            .count()
    };
    assert_eq!(
        [inside(Tier::Wan), inside(Tier::Man), inside(Tier::Lan)],
        [3, 4, 18]
    );
}

#[test]
fn impossible_parameters_are_refused_by_name() {
    let base = TiersParameters::SMALL;
    let cases = [
        ("wans", TiersParameters { wans: 0, ..base }),
        ("wans", TiersParameters { wans: 2, ..base }),
        (
            "wan_nodes",
            TiersParameters {
                wan_nodes: 0,
                ..base
            },
        ),
        (
            "wan_nodes",
            TiersParameters {
                wan_nodes: 10_001,
                ..base
            },
        ),
        (
            "man_nodes",
            TiersParameters {
                man_nodes: 0,
                ..base
            },
        ),
        (
            "lan_nodes",
            TiersParameters {
                lan_nodes: 0,
                ..base
            },
        ),
        (
            "wan_redundancy",
            TiersParameters {
                wan_redundancy: 0,
                ..base
            },
        ),
        (
            "man_redundancy",
            TiersParameters {
                man_redundancy: 0,
                ..base
            },
        ),
        (
            "lan_redundancy",
            TiersParameters {
                lan_redundancy: 0,
                ..base
            },
        ),
        (
            "man_wan_redundancy",
            TiersParameters {
                man_wan_redundancy: 0,
                ..base
            },
        ),
        (
            "man_wan_redundancy",
            TiersParameters {
                man_wan_redundancy: 4,
                ..base
            },
        ),
        (
            "lan_man_redundancy",
            TiersParameters {
                lan_man_redundancy: 0,
                ..base
            },
        ),
        (
            "lan_man_redundancy",
            TiersParameters {
                lan_man_redundancy: 4,
                ..base
            },
        ),
        // Two MANs of 6000 on squares of 10000 cells that overlap by 8100 at least.
        (
            "nodes",
            TiersParameters {
                wan_nodes: 1,
                man_nodes: 6_000,
                ..base
            },
        ),
    ];
    for (name, parameters) in cases {
        assert_eq!(refused(generate(&parameters, 1)), name, "{parameters:?}");
    }
    for parameters in [
        TiersParameters {
            mans_per_wan: usize::MAX,
            ..base
        },
        TiersParameters {
            mans_per_wan: 1 << 40,
            lans_per_man: 1 << 40,
            ..base
        },
        TiersParameters {
            mans_per_wan: 1 << 20,
            man_nodes: 10_000,
            ..base
        },
    ] {
        assert!(
            matches!(generate(&parameters, 1), Err(PlatformError::TooMany { .. })),
            "{parameters:?}"
        );
    }
}

/// Each broken rule is found by the checker. Otherwise the other tests here would mean little.
#[test]
fn the_checker_can_fail() {
    let good = generate(&TiersParameters::LARGE, 3).unwrap();
    let expect = |what: &str, spoil: &dyn Fn(&mut TiersTopology)| {
        let mut bad = good.clone();
        spoil(&mut bad);
        let message = check(&bad, Origin::Ours).expect_err(what);
        assert!(message.contains(what), "{what}: {message}");
    };
    let find = |topology: &TiersTopology, state, class| {
        topology
            .edges
            .iter()
            .position(|e| e.state == state && e.class == class)
            .unwrap()
    };
    let remove = |topology: &mut TiersTopology, state, class| {
        topology.edges.remove(find(topology, state, class));
    };
    expect("nodes, not", &|t| t.nodes.truncate(184));
    expect("the tier of node 0", &|t| t.nodes[0].tier = Tier::Man);
    expect("on one place", &|t| t.nodes[1] = t.nodes[0]);
    expect("given twice", &|t| t.edges.push(t.edges[0]));
    expect("not connected", &|t| remove(t, EdgeState::Tree, Tier::Lan));
    expect("the class of edge", &|t| t.edges[0].class = Tier::Lan);
    expect("the WAN's grid", &|t| t.nodes[0].x += 1);
    expect("is no star", &|t| {
        let last = t
            .edges
            .iter()
            .rposition(|e| e.state == EdgeState::Tree)
            .unwrap();
        t.edges[last].from += 1;
    });
    expect("from their parent", &|t| t.nodes[184].x += 1000);
    expect("redundant {", &|t| {
        remove(t, EdgeState::Redundant, Tier::Wan)
    });
    expect("edges up", &|t| {
        remove(t, EdgeState::RedundantInternetwork, Tier::Wan)
    });
    expect("nearest the parent", &|t| {
        let at = find(t, EdgeState::RedundantInternetwork, Tier::Wan);
        let used: Vec<_> = t
            .edges
            .iter()
            .filter(|e| e.to == t.edges[at].to)
            .map(|e| e.from)
            .collect();
        t.edges[at].from = (0..10).find(|node| !used.contains(node)).unwrap();
    });
    expect("minimum", &|t| {
        // Another edge across the same cut, longer than the one it replaces.
        let man: Vec<usize> = (10..20).collect();
        let leaf = *man.iter().find(|&&id| inner_degree(t, id) == 1).unwrap();
        let at = t
            .edges
            .iter()
            .position(|e| e.state == EdgeState::Tree && (e.from == leaf || e.to == leaf))
            .unwrap();
        let far = |&&other: &&usize| (length(t.nodes[leaf], t.nodes[other], Tier::Man), other);
        let other = *man
            .iter()
            .filter(|&&id| id != leaf)
            .max_by_key(far)
            .unwrap();
        (t.edges[at].from, t.edges[at].to) = (leaf.min(other), leaf.max(other));
    });
}

fn inner_degree(topology: &TiersTopology, node: usize) -> usize {
    let tree = topology
        .edges
        .iter()
        .filter(|edge| edge.state == EdgeState::Tree);
    tree.filter(|edge| edge.from == node || edge.to == node)
        .count()
}
