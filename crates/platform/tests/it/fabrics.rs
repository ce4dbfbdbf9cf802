//! Accelerator fabrics and networks of hosts: against public facts, against definitions.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use common::{connected, duplex_edges, refused};
use oneport_platform::generate::{
    SwitchedBoxes, dgx_a100, dgx_b200, dgx_h100, dgx1, dragonfly, fat_tree, gb200_nvl72, mi250,
    mi300x, ndv2, switched_boxes, torus,
};
use oneport_platform::{
    NodeId, Platform, PlatformError, PortModel, Rational, parse_rational, ratio,
};
use oneport_testkit::data;

/// Bandwidths by names of sender and receiver.
type Bandwidths = BTreeMap<(String, String), Rational>;

fn bandwidths(platform: &Platform) -> Bandwidths {
    let name = |node| platform.name(node).to_string();
    platform
        .links()
        .iter()
        .map(|link| ((name(link.from), name(link.to)), link.cost.recip()))
        .collect()
}

/// `nXgY` and `gY` as `boxX.gpuY`, `swX` as `boxX.nvswitch`. `None` for a network card.
fn our_name(theirs: &str) -> Option<String> {
    if theirs.contains("nic") {
        return None;
    }
    if let Some(number) = theirs.strip_prefix("sw") {
        return Some(format!("box{number}.nvswitch"));
    }
    if let Some(number) = theirs.strip_prefix('g') {
        let number: usize = number.parse().unwrap();
        return Some(format!("box{}.gpu{}", number / 8, number % 8));
    }
    match theirs
        .strip_prefix('n')
        .and_then(|rest| rest.split_once('g'))
    {
        Some((number, gpu)) => Some(format!("box{number}.gpu{gpu}")),
        None => Some(theirs.to_string()),
    }
}

/// Names and bandwidths of a file of public facts, network cards contracted.
fn facts(file: &str) -> (BTreeSet<String>, Bandwidths) {
    let text = fs::read_to_string(data("accelerator_topologies").join(file)).unwrap();
    let (_, lists) = text.split_once("\"nodes\":").unwrap();
    let (nodes, edges) = lists.split_once("\"edges\":").unwrap();
    let quoted: Vec<&str> = nodes.split('"').skip(1).step_by(2).collect();
    // "id", the id, "kind", the kind.
    let names: Vec<&str> = quoted.chunks(4).map(|node| node[1]).collect();
    let mut links: BTreeMap<(String, String), Rational> = BTreeMap::new();
    for edge in edges.split(']') {
        let words: Vec<&str> = edge
            .split(|c: char| c == ',' || c == '[' || c == '}' || c.is_whitespace())
            .filter(|w| !w.is_empty())
            .collect();
        if let [from, to, bandwidth, ..] = words.as_slice() {
            let end = |name: &str| name.trim_matches('"').to_string();
            links.insert((end(from), end(to)), parse_rational(bandwidth).unwrap());
        }
    }
    // A card in series: the link is as fast as the slower half.
    let mut contracted = Bandwidths::new();
    for ((from, to), bandwidth) in &links {
        match (our_name(from), our_name(to)) {
            (Some(from), Some(to)) => {
                contracted.insert((from, to), bandwidth.clone());
            }
            (Some(start), None) => {
                let onwards: Vec<_> = links
                    .iter()
                    .filter(|((card, end), _)| card == to && end != from)
                    .collect();
                let [((_, end), second)] = onwards.as_slice() else {
                    panic!("{to} is no relay")
                };
                contracted.insert(
                    (start, our_name(end).unwrap()),
                    bandwidth.min(second).clone(),
                );
            }
            (None, _) => {}
        }
    }
    (names.into_iter().filter_map(our_name).collect(), contracted)
}

/// Only links are exclusive, switches cannot duplicate, accelerators have compute 1.
#[track_caller]
fn is_fabric(platform: &Platform) {
    assert_eq!(platform.model(), PortModel::Links);
    for node in platform.nodes() {
        assert!(node.model.is_none() && node.ports.is_none());
        let is_host =
            node.name.contains("gpu") || node.name.contains("host") || node.name.starts_with('P');
        assert_eq!(node.replicates, is_host, "{}", node.name);
        assert_eq!(node.compute, is_host.then(|| ratio(1, 1)), "{}", node.name);
    }
}

#[test]
fn switches_of_sharp_boxes_combine_and_copy() {
    let plain = dgx_h100(2).unwrap();
    let sharp = switched_boxes(SwitchedBoxes {
        sharp: true,
        ..SwitchedBoxes::dgx_h100(2)
    })
    .unwrap();
    assert_eq!(plain.mergers().count(), 16);
    let reducing = sharp
        .mergers()
        .filter(|&node| !sharp.node(node).is_processor());
    let names: Vec<&str> = reducing.map(|node| sharp.name(node)).collect();
    assert_eq!(names, ["box0.nvswitch", "box1.nvswitch"]);
    for (node, other) in sharp.nodes().iter().zip(plain.nodes()) {
        let in_box = node.name.ends_with("nvswitch");
        assert_eq!(node.replicates, other.replicates || in_box, "{}", node.name);
    }
    assert_eq!(sharp.links(), plain.links());
}

#[test]
fn machines_are_fabrics() {
    for platform in [dgx1(), ndv2(2), dgx_a100(2), mi250(2)] {
        is_fabric(&platform.unwrap());
    }
}

#[test]
#[ignore = "needs data accelerator_topologies"]
fn machines_agree_with_the_public_facts() {
    for (file, platform) in [
        ("dgx1_1box.json", dgx1()),
        ("ndv2_1box.json", ndv2(1)),
        ("ndv2_2box.json", ndv2(2)),
        ("dgx_a100_1box.json", dgx_a100(1)),
        ("dgx_a100_2box.json", dgx_a100(2)),
        ("mi250_1box.json", mi250(1)),
        ("mi250_2box.json", mi250(2)),
    ] {
        let platform = platform.unwrap();
        let (names, links) = facts(file);
        assert_eq!(
            platform
                .nodes()
                .iter()
                .map(|node| node.name.clone())
                .collect::<BTreeSet<_>>(),
            names,
            "{file}"
        );
        assert!(links.len() >= 16, "{file} was read");
        assert_eq!(bandwidths(&platform), links, "{file}");
    }
}

/// Out-degree of every node whose name contains `part`.
fn degrees(platform: &Platform, part: &str) -> BTreeSet<usize> {
    let chosen = platform
        .node_ids()
        .filter(|&node| platform.name(node).contains(part));
    chosen.map(|node| platform.outgoing(node).len()).collect()
}

/// Hops from one node to every other, by breadth-first search.
fn hops(platform: &Platform, from: NodeId) -> Vec<usize> {
    let mut far = vec![usize::MAX; platform.nodes().len()];
    far[from.index()] = 0;
    let mut queue = vec![from];
    for position in 0.. {
        let Some(&node) = queue.get(position) else {
            break;
        };
        for &link in platform.outgoing(node) {
            let next = platform.link(link).to;
            if far[next.index()] == usize::MAX {
                far[next.index()] = far[node.index()] + 1;
                queue.push(next);
            }
        }
    }
    far
}

/// The sums in the data sheets: GB/s in both directions together inside a box, and in each direction to the network.
#[test]
fn machines_carry_what_the_data_sheets_say() {
    for (platform, accelerators, inside, network) in [
        (dgx_h100(2), 8, 900, 400),
        (dgx_b200(2), 8, 1800, 400),
        (gb200_nvl72(2), 72, 1800, 3600),
        (mi300x(3), 8, 896, 400),
    ] {
        let platform = platform.unwrap();
        is_fabric(&platform);
        let boxes = platform.processors().count() / accelerators;
        let mut own = ratio(0, 1);
        let mut away = own.clone();
        for ((from, to), bandwidth) in bandwidths(&platform) {
            match (from.split_once('.'), to.split_once('.')) {
                (Some((one, _)), Some((other, _))) => {
                    assert_eq!(one, other);
                    // Between two accelerators it counts for either.
                    let ends = [&from, &to]
                        .into_iter()
                        .filter(|end| end.contains("gpu"))
                        .count();
                    own += bandwidth * ratio(ends, 1);
                }
                (Some(_), None) => away += bandwidth,
                _ => {}
            }
        }
        let whole = |value: usize| ratio(value, 1);
        assert_eq!(own, whole(inside * accelerators * boxes));
        assert_eq!(away, whole(network * boxes));
    }
}

#[test]
fn many_boxes() {
    for boxes in [3, 16, 128] {
        for (platform, gpus, nodes, links) in [
            (dgx_a100(boxes), 8, 9 * boxes + 2, 32 * boxes),
            (dgx_h100(boxes), 8, 9 * boxes + 1, 32 * boxes),
            (ndv2(boxes), 8, 8 * boxes + 1, 34 * boxes),
            (mi250(boxes), 16, 16 * boxes + 1, 88 * boxes),
        ] {
            let platform = platform.unwrap();
            is_fabric(&platform);
            assert_eq!(platform.processors().count(), gpus * boxes);
            assert_eq!(
                (platform.nodes().len(), platform.links().len()),
                (nodes, links)
            );
        }
    }
    let rails = switched_boxes(SwitchedBoxes {
        boxes: 5,
        accelerators: 4,
        inside: 7,
        network: 3,
        rails: 4,
        sharp: false,
    })
    .unwrap();
    is_fabric(&rails);
    let ours = bandwidths(&rails);
    for box_number in 0..5 {
        for gpu in 0..4 {
            let gpu_name = format!("box{box_number}.gpu{gpu}");
            for (peer, bandwidth) in [
                (format!("box{box_number}.nvswitch"), 7),
                (format!("ib{gpu}"), 3),
            ] {
                let bandwidth = ratio(bandwidth, 1);
                assert_eq!(
                    ours.get(&(gpu_name.clone(), peer.clone())),
                    Some(&bandwidth)
                );
                assert_eq!(ours.get(&(peer, gpu_name.clone())), Some(&bandwidth));
            }
        }
    }
    assert_eq!(ours.len(), 5 * 4 * 4);
}

#[test]
fn fat_trees_use_every_port_and_join_every_pair_within_six_hops() {
    for k in [2, 4, 6, 8] {
        let platform = fat_tree(k).unwrap();
        is_fabric(&platform);
        assert!(connected(platform.nodes().len(), &duplex_edges(&platform)));
        assert_eq!(platform.processors().count(), k * k * k / 4);
        let switches = platform.nodes().len() - k * k * k / 4;
        assert_eq!(switches, 5 * k * k / 4);
        assert_eq!(degrees(&platform, "core"), BTreeSet::from([k]));
        assert_eq!(degrees(&platform, "aggregation"), BTreeSet::from([k]));
        assert_eq!(degrees(&platform, "host"), BTreeSet::from([1]));
        let hosts: Vec<_> = platform.processors().collect();
        for &from in &hosts {
            let far = hops(&platform, from);
            for &to in &hosts {
                let (a, b) = (platform.name(from), platform.name(to));
                let same = |parts: usize| a.split('.').take(parts).eq(b.split('.').take(parts));
                let expected = if from == to {
                    0
                } else if same(2) {
                    2
                } else if same(1) {
                    4
                } else {
                    6
                };
                assert_eq!(far[to.index()], expected, "k = {k}, {a} to {b}");
            }
        }
        // Every core switch reaches every pod, and by one aggregation switch.
        for core in platform
            .node_ids()
            .filter(|&node| platform.name(node).starts_with("core"))
        {
            let pods = platform
                .outgoing(core)
                .iter()
                .map(|&link| platform.name(platform.link(link).to).split('.').next());
            assert_eq!(pods.collect::<BTreeSet<_>>().len(), k);
        }
    }
}

#[test]
fn tori_link_the_nodes_at_distance_one() {
    for sides in [
        &[4, 4][..],
        &[2, 3],
        &[1, 5],
        &[2, 2, 2],
        &[3, 1, 4],
        &[7],
        &[1],
    ] {
        let platform = torus(sides).unwrap();
        is_fabric(&platform);
        let nodes = platform.nodes().len();
        let coordinates = |mut node: usize| {
            let mut index = Vec::new();
            for side in sides.iter().rev() {
                index.push(node % side);
                node /= side;
            }
            index
        };
        let around = |a: usize, b: usize, side: usize| a.abs_diff(b).min(side - a.abs_diff(b));
        let near = |a: usize, b: usize| {
            let (a, b) = (coordinates(a), coordinates(b));
            (0..sides.len())
                .map(|d| around(a[d], b[d], sides[sides.len() - 1 - d]))
                .sum::<usize>()
                == 1
        };
        let expected: BTreeSet<_> = (0..nodes)
            .flat_map(|a| (a + 1..nodes).map(move |b| (a, b)))
            .filter(|&(a, b)| near(a, b))
            .collect();
        assert_eq!(duplex_edges(&platform), expected, "{sides:?}");
        assert_eq!(platform.links().len(), 2 * expected.len(), "{sides:?}");
    }
}

#[test]
fn dragonflies_join_every_pair_of_groups_once() {
    for (groups, routers, hosts) in [
        (5, 4, 1),
        (9, 4, 2),
        (4, 4, 1),
        (7, 2, 3),
        (1, 3, 1),
        (2, 1, 1),
        (6, 2, 1),
    ] {
        let platform = dragonfly(groups, routers, hosts).unwrap();
        is_fabric(&platform);
        let edges = duplex_edges(&platform);
        assert!(connected(platform.nodes().len(), &edges));
        assert_eq!(platform.processors().count(), groups * routers * hosts);
        let name = |node: usize| {
            platform
                .name(NodeId::new(node))
                .split('.')
                .collect::<Vec<_>>()
        };
        let (mut between, mut local) = (BTreeMap::new(), 0);
        let mut global: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
        for &(a, b) in &edges {
            let (a, b) = (name(a), name(b));
            if a[0] != b[0] {
                *between.entry(BTreeSet::from([a[0], b[0]])).or_insert(0) += 1;
                *global.entry(a).or_insert(0) += 1;
                *global.entry(b).or_insert(0) += 1;
            } else if a.len() == 2 && b.len() == 2 {
                local += 1;
            } else {
                assert_eq!(
                    (a[1], a.len() + b.len()),
                    (b[1], 5),
                    "a host and its switch"
                );
            }
        }
        assert_eq!(between.len(), groups * (groups - 1) / 2);
        assert!(between.values().all(|&links| links == 1));
        assert_eq!(local, groups * routers * (routers - 1) / 2);
        assert!(
            global
                .values()
                .all(|&links| links <= (groups - 1).div_ceil(routers))
        );
    }
}

#[test]
fn impossible_sizes_are_refused() {
    for (result, parameter) in [
        (dgx_a100(0), "boxes"),
        (ndv2(0), "boxes"),
        (mi250(0), "boxes"),
        (fat_tree(0), "k"),
        (fat_tree(3), "k"),
        (torus(&[]), "sides"),
        (torus(&[3, 0]), "sides"),
        (dragonfly(0, 1, 1), "groups"),
        (dragonfly(1, 0, 1), "routers"),
        (dragonfly(1, 1, 0), "hosts"),
    ] {
        assert_eq!(refused(result), parameter);
    }
    let shape = SwitchedBoxes {
        boxes: 2,
        accelerators: 2,
        inside: 1,
        network: 1,
        rails: 1,
        sharp: false,
    };
    for (shape, parameter) in [
        (
            SwitchedBoxes {
                accelerators: 0,
                ..shape
            },
            "accelerators",
        ),
        (SwitchedBoxes { inside: 0, ..shape }, "inside"),
        (
            SwitchedBoxes {
                network: 0,
                ..shape
            },
            "network",
        ),
        (SwitchedBoxes { rails: 0, ..shape }, "rails"),
        (SwitchedBoxes { rails: 3, ..shape }, "rails"),
        (SwitchedBoxes { boxes: 0, ..shape }, "boxes"),
    ] {
        assert_eq!(refused(switched_boxes(shape)), parameter);
    }
    let huge = usize::MAX & !1;
    for result in [
        dgx_a100(huge),
        ndv2(huge),
        mi250(huge),
        fat_tree(huge),
        torus(&[huge, huge]),
        torus(&[1 << 12, 1 << 12, 2]),
        dragonfly(huge, 2, 2),
        dragonfly(2, huge, 2),
        dragonfly(2, 2, huge),
        switched_boxes(SwitchedBoxes {
            accelerators: huge,
            ..shape
        }),
    ] {
        assert!(
            matches!(result, Err(PlatformError::TooMany { .. })),
            "{result:?}"
        );
    }
}
