//! Free groups of automorphisms: every element against the definition, orders against brute force and published groups.

use std::collections::{BTreeMap, BTreeSet};

use oneport_platform::generate::{
    Costs, Options, SwitchedBoxes, complete, dgx_a100, dgx_h100, dgx1, dragonfly, fat_tree, grid,
    mi250, ndv2, random_connected, switched_boxes, torus,
};
use oneport_platform::{
    Automorphism, Node, NodeId, PerNode, Platform, PlatformError, PortModel, Rational,
    free_automorphisms, whole,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

fn one() -> Rational {
    whole(1)
}

fn equal_costs() -> Options {
    Options {
        seed: 1,
        link_cost: Costs::Constant(one()),
        compute: Costs::Constant(one()),
    }
}

/// The definition, element by element and link by link. Returns the order.
#[track_caller]
fn check(platform: &Platform, participants: &[NodeId]) -> usize {
    let group = free_automorphisms(platform, participants);
    assert_eq!(
        group,
        free_automorphisms(platform, participants),
        "the same again"
    );
    let chosen: BTreeSet<NodeId> = participants.iter().copied().collect();
    let (nodes, links) = (platform.nodes().len(), platform.links().len());
    assert!(
        platform.node_ids().eq(group[0].nodes.iter().copied()),
        "the identity first"
    );
    let mut ranks = Vec::new();
    for (
        index,
        Automorphism {
            nodes: node_map,
            links: link_map,
            shared,
        },
    ) in group.iter().enumerate()
    {
        assert_eq!(node_map.iter().collect::<BTreeSet<_>>().len(), nodes);
        assert_eq!(link_map.iter().collect::<BTreeSet<_>>().len(), links);
        assert_eq!((node_map.len(), link_map.len()), (nodes, links));
        assert_eq!(shared.len(), platform.shared().len());
        for id in platform.node_ids() {
            let image = node_map[id];
            let (node, other) = (platform.node(id), platform.node(image));
            assert_eq!(
                (&node.compute, node.replicates, &node.reduces),
                (&other.compute, other.replicates, &other.reduces)
            );
            assert_eq!(platform.model_of(id), platform.model_of(image));
            assert_eq!(node.ports.unwrap_or(1), other.ports.unwrap_or(1));
            assert_eq!(chosen.contains(&id), chosen.contains(&image));
            assert!(
                index == 0 || !chosen.contains(&id) || image != id,
                "element {index} fixes a participant"
            );
        }
        for id in platform.link_ids() {
            let (link, image) = (platform.link(id), platform.link(link_map[id]));
            assert_eq!(node_map[link.from], image.from);
            assert_eq!(node_map[link.to], image.to);
            assert_eq!(link.cost, image.cost);
        }
        if let Some(&first) = participants.first() {
            ranks.push(participants.iter().position(|&p| p == node_map[first]));
        }
    }
    assert!(
        ranks.is_sorted_by(|a, b| a < b),
        "in the order of the images of the first participant"
    );
    let all: BTreeSet<&PerNode<NodeId>> = group.iter().map(|element| &element.nodes).collect();
    assert_eq!(all.len(), group.len());
    // All products for small groups, a sample for large ones.
    let stride = group.len().div_ceil(24);
    for one in &group {
        for other in group.iter().step_by(stride) {
            let product: PerNode<NodeId> =
                one.nodes.iter().map(|image| other.nodes[*image]).collect();
            assert!(all.contains(&product), "closed under composition");
        }
    }
    if !chosen.is_empty() {
        assert_eq!(chosen.len() % group.len(), 0);
    }
    group.len()
}

fn all_processors(platform: &Platform) -> Vec<NodeId> {
    platform.processors().collect()
}

/// The platform with nodes and links in another order.
fn shuffled(platform: &Platform, seed: u64) -> Platform {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut shuffle = |count: usize| {
        let mut order: Vec<usize> = (0..count).collect();
        for index in (1..count).rev() {
            order.swap(index, (rng.next_u64() % (index as u64 + 1)) as usize);
        }
        order
    };
    let (nodes, links) = (
        shuffle(platform.nodes().len()),
        shuffle(platform.links().len()),
    );
    let mut builder = Platform::builder();
    builder.model(platform.model());
    let mut new_id = BTreeMap::new();
    for node in nodes {
        new_id.insert(
            NodeId::new(node),
            builder.node(platform.nodes()[node].clone()).unwrap(),
        );
    }
    for link in links {
        let link = &platform.links()[link];
        builder
            .link(new_id[&link.from], new_id[&link.to], link.cost.clone())
            .unwrap();
    }
    builder.build().unwrap()
}

/// At least this order, as generated and with other numbers.
#[track_caller]
fn reaches(platform: Result<Platform, PlatformError>, order: usize) {
    let platform = platform.unwrap();
    assert!(check(&platform, &all_processors(&platform)) >= order);
    for seed in 1..3 {
        let other = shuffled(&platform, seed);
        assert!(
            free_automorphisms(&other, &all_processors(&other)).len() >= order,
            "seed {seed}"
        );
    }
}

/// All automorphisms, as images of nodes, by trying every image of every node.
fn brute_force(platform: &Platform) -> Vec<Vec<usize>> {
    fn extend(
        platform: &Platform,
        costs: &BTreeMap<(usize, usize), &Rational>,
        map: &mut Vec<usize>,
        out: &mut Vec<Vec<usize>>,
    ) {
        let node = map.len();
        if node == platform.nodes().len() {
            out.push(map.clone());
            return;
        }
        for image in 0..platform.nodes().len() {
            let fits = (0..node).all(|other| {
                let same = |a: usize, b: usize, c: usize, d: usize| {
                    costs.get(&(a, b)) == costs.get(&(c, d))
                };
                same(node, other, image, map[other]) && same(other, node, map[other], image)
            });
            let alike = platform.nodes()[node].compute == platform.nodes()[image].compute;
            if alike && fits && !map.contains(&image) {
                map.push(image);
                extend(platform, costs, map, out);
                map.pop();
            }
        }
    }
    let costs = platform
        .links()
        .iter()
        .map(|link| ((link.from.index(), link.to.index()), &link.cost))
        .collect();
    let mut all = Vec::new();
    extend(platform, &costs, &mut Vec::new(), &mut all);
    all
}

/// The order of the largest group of at most two generators that acts freely on all nodes, from the list of all
/// automorphisms.
fn largest_free(all: &[Vec<usize>]) -> usize {
    let product =
        |a: &[usize], b: &[usize]| -> Vec<usize> { a.iter().map(|&image| b[image]).collect() };
    let free = |a: &[usize]| a.iter().enumerate().all(|(node, &image)| node != image);
    let closure = |generators: [&Vec<usize>; 2]| -> Option<usize> {
        let identity: Vec<usize> = (0..generators[0].len()).collect();
        let mut group = BTreeSet::from([identity.clone()]);
        let mut queue = vec![identity.clone()];
        while let Some(element) = queue.pop() {
            for generator in generators {
                let next = product(&element, generator);
                if next != identity && !free(&next) {
                    return None;
                }
                if group.insert(next.clone()) {
                    queue.push(next);
                }
            }
        }
        Some(group.len())
    };
    let candidates: Vec<&Vec<usize>> = all.iter().filter(|a| closure([a, a]).is_some()).collect();
    let pairs = candidates
        .iter()
        .flat_map(|a| candidates.iter().map(move |b| [*a, *b]));
    pairs.filter_map(closure).max().unwrap_or(1)
}

/// `n` processors and these duplex links of cost 1.
fn undirected(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> Platform {
    let mut builder = Platform::builder();
    for node in 0..n {
        builder
            .node(Node::processor(format!("P{node}"), one()))
            .unwrap();
    }
    for (from, to) in edges {
        builder
            .duplex(NodeId::new(from), NodeId::new(to), one())
            .unwrap();
    }
    builder.build().unwrap()
}

/// Every graph of 2 to 5 nodes, a part of the graphs of 6 nodes and of the directed graphs of 4: the group has the
/// largest possible order.
#[test]
fn small_graphs_reach_the_largest_free_group() {
    let mut orders: BTreeMap<usize, usize> = BTreeMap::new();
    let mut compare = |platform: &Platform, label: String| {
        let order = check(platform, &all_processors(platform));
        assert_eq!(order, largest_free(&brute_force(platform)), "{label}");
        *orders.entry(order).or_insert(0) += 1;
    };
    for (n, stride) in [(2, 1), (3, 1), (4, 1), (5, 1), (6, 37)] {
        let pairs: Vec<(usize, usize)> = (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
            .collect();
        for mask in (0_u32..1 << pairs.len()).rev().step_by(stride) {
            let edges = pairs
                .iter()
                .enumerate()
                .filter(|(bit, _)| mask >> bit & 1 == 1)
                .map(|(_, &pair)| pair);
            compare(&undirected(n, edges), format!("n = {n}, mask = {mask}"));
        }
    }
    let ordered: Vec<(usize, usize)> = (0..4)
        .flat_map(|a| (0..4).map(move |b| (a, b)))
        .filter(|(a, b)| a != b)
        .collect();
    for mask in (0_u32..1 << 12).step_by(3) {
        let mut builder = Platform::builder();
        for node in 0..4 {
            builder
                .node(Node::processor(format!("P{node}"), one()))
                .unwrap();
        }
        for (bit, &(from, to)) in ordered.iter().enumerate() {
            if mask >> bit & 1 == 1 {
                builder
                    .link(NodeId::new(from), NodeId::new(to), one())
                    .unwrap();
            }
        }
        compare(
            &builder.build().unwrap(),
            format!("directed, mask = {mask}"),
        );
    }
    assert!(
        [1, 2, 3, 4, 5, 6]
            .iter()
            .all(|order| orders.contains_key(order)),
        "{orders:?}"
    );
}

#[test]
fn one_box() {
    let dgx = dgx1().unwrap();
    assert_eq!(largest_free(&brute_force(&dgx)), 4);
    assert_eq!(check(&dgx, &all_processors(&dgx)), 4);
    let mi = mi250(1).unwrap();
    assert_eq!(largest_free(&brute_force(&mi)), 4);
    assert_eq!(check(&mi, &all_processors(&mi)), 4);
    reaches(dgx_a100(1), 8);
}

#[test]
fn clusters() {
    let rails = |boxes, rails| {
        switched_boxes(SwitchedBoxes {
            boxes,
            accelerators: 8,
            inside: 300,
            network: 25,
            rails,
            sharp: false,
        })
    };
    for boxes in [2, 3, 4, 6] {
        reaches(dgx_a100(boxes), 8 * boxes);
        reaches(dgx_h100(boxes), 8 * boxes);
        reaches(rails(boxes, 8), 8 * boxes);
        reaches(rails(boxes, 4), 8 * boxes);
        reaches(mi250(boxes), 4 * boxes);
        reaches(ndv2(boxes), boxes);
    }
}

#[test]
fn a_thousand_accelerators() {
    reaches(dgx_a100(128), 1024);
    reaches(mi250(16), 64);
    let rails = SwitchedBoxes {
        boxes: 128,
        accelerators: 8,
        inside: 300,
        network: 25,
        rails: 8,
        sharp: false,
    };
    let platform = switched_boxes(rails).unwrap();
    assert_eq!(
        free_automorphisms(&platform, &all_processors(&platform)).len(),
        1024
    );
}

#[test]
fn networks_of_hosts() {
    for sides in [
        &[4, 4][..],
        &[16],
        &[3, 5],
        &[2, 2, 2, 2],
        &[6, 4],
        &[4, 4, 4],
        &[31],
    ] {
        reaches(torus(sides), sides.iter().product());
    }
    for k in [2, 4, 6, 8] {
        reaches(fat_tree(k), k * k * k / 4);
    }
    // The affine group of the field of five elements, on pairs of groups.
    reaches(dragonfly(5, 4, 1), 20);
    reaches(dragonfly(5, 4, 2), 40);
    reaches(complete(12, &equal_costs()), 12);
    reaches(grid(4, 4, &equal_costs()), 4);
}

#[test]
fn only_the_participants_must_move() {
    let platform = dgx_a100(2).unwrap();
    let gpus = all_processors(&platform);
    assert_eq!(check(&platform, &gpus[..8]), 8);
    // Numbers 0, 1 and 2 of a box: two on one network switch, one on the other.
    assert_eq!(check(&platform, &gpus[..3]), 1);
    assert_eq!(check(&platform, &gpus[..2]), 2);
    assert_eq!(check(&platform, &[gpus[3]]), 1);
    assert_eq!(check(&platform, &[]), 1);
    // One number of every box, in the caller's order.
    assert_eq!(check(&platform, &[gpus[11], gpus[3]]), 2);
    // Repeated participants count once.
    let twice = [gpus[3], gpus[11], gpus[3]];
    assert_eq!(
        free_automorphisms(&platform, &twice),
        free_automorphisms(&platform, &twice[..2])
    );
}

#[test]
fn asymmetric_platforms_have_the_identity_alone() {
    for seed in 1..20 {
        let options = Options {
            seed,
            ..Options::default()
        };
        let platform = random_connected(60, 3, &options).unwrap();
        assert_eq!(check(&platform, &all_processors(&platform)), 1);
    }
    let large = random_connected(2000, 4, &Options::default()).unwrap();
    assert_eq!(check(&large, &all_processors(&large)), 1);
}

/// A ring of four nodes, one of them changed. `None` leaves it unchanged.
fn ring_with(change: impl Fn(&mut Node), slow_link: bool) -> usize {
    let mut builder = Platform::builder();
    let ids: Vec<NodeId> = (0..4)
        .map(|index| {
            let mut node = Node::processor(format!("P{index}"), one());
            if index == 0 {
                change(&mut node);
            }
            builder.node(node).unwrap()
        })
        .collect();
    for (index, &id) in ids.iter().enumerate() {
        let cost = if slow_link && index == 0 {
            one() + one()
        } else {
            one()
        };
        builder.link(id, ids[(index + 1) % 4], cost).unwrap();
        builder.link(ids[(index + 1) % 4], id, one()).unwrap();
    }
    let platform = builder.build().unwrap();
    check(&platform, &ids)
}

#[test]
fn every_property_counts() {
    assert_eq!(ring_with(|_| (), false), 4);
    assert_eq!(ring_with(|_| (), true), 1);
    assert_eq!(
        ring_with(|node| node.compute = Some(one() + one()), false),
        1
    );
    assert_eq!(ring_with(|node| node.replicates = false, false), 1);
    let reducing = |time: Rational| {
        move |node: &mut Node| (node.compute, node.reduces) = (None, Some(time.clone()))
    };
    assert_eq!(ring_with(reducing(one()), false), 1);
    assert_eq!(ring_with(reducing(one() - one()), false), 1);
    assert_eq!(ring_with(|node| node.ports = Some(2), false), 1);
    assert_eq!(
        ring_with(|node| node.model = Some(PortModel::Links), false),
        1
    );
    // Stated or not, the result is the same.
    assert_eq!(ring_with(|node| node.ports = Some(1), false), 4);
    assert_eq!(
        ring_with(|node| node.model = Some(PortModel::FullDuplex), false),
        4
    );
}
