//! The rules of Tiers networks, written down a second time, as a checker for generated networks and for files.

use std::collections::{BTreeMap, BTreeSet};

use oneport_platform::generate::tiers::{EdgeState, Tier, TiersNode, TiersTopology};

use crate::common::connected;

type Edge = (usize, usize);

/// The points at which the original program departs from the rules, without an explanation.
#[derive(Clone, Copy, PartialEq)]
pub enum Origin {
    Ours,
    File,
}

/// One network: its tier, its number among those of its tier, its nodes.
struct Network {
    tier: Tier,
    number: usize,
    ids: Vec<usize>,
}

macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(format!($($message)*));
        }
    };
}

/// Checks all rules. Returns the first one broken.
pub fn check(topology: &TiersTopology, origin: Origin) -> Result<(), String> {
    let networks = networks(topology);
    check_layout(topology, &networks)?;
    check_edges(topology, &networks)?;
    for network in &networks {
        check_shape(topology, network)?;
        if network.tier != Tier::Wan {
            check_tie(topology, network, &networks, origin)?;
        }
        let [inner, tree, redundant] = inside(topology, network);
        ensure!(
            inner.len() == tree.len() + redundant.len(),
            "a state of the wrong kind inside a network"
        );
        let strange = origin == Origin::File && network.tier == Tier::Man && network.number == 0;
        if strange {
            check_strange_edges(topology, &tree, &redundant)?;
        } else {
            let expected = redundant_by_rule(topology, network, &tree);
            ensure!(
                redundant == expected,
                "redundant {redundant:?}, by the rule {expected:?}"
            );
        }
    }
    Ok(())
}

/// `floor(euclidean distance / unit)` by search.
pub fn naive_length(a: TiersNode, b: TiersNode, unit: i64) -> i64 {
    let squared = squared(a, b);
    (0..)
        .take_while(|q| q * q * unit * unit <= squared)
        .last()
        .unwrap()
}

fn squared(a: TiersNode, b: TiersNode) -> i64 {
    let (x, y) = (
        i64::from(a.x) - i64::from(b.x),
        i64::from(a.y) - i64::from(b.y),
    );
    x * x + y * y
}

fn unit(tier: Tier) -> i64 {
    [40, 8, 2][tier as usize]
}

fn networks(topology: &TiersTopology) -> Vec<Network> {
    let [nw, nm, nl, sw, sm, sl, ..]: [usize; 11] = topology.parameters.into();
    let mut first = 0;
    let mut networks = Vec::new();
    for (tier, count, size) in [
        (Tier::Wan, nw, sw),
        (Tier::Man, nw * nm, sm),
        (Tier::Lan, nw * nm * nl, sl),
    ] {
        for number in 0..count {
            networks.push(Network {
                tier,
                number,
                ids: (first..first + size).collect(),
            });
            first += size;
        }
    }
    networks
}

fn check_layout(topology: &TiersTopology, networks: &[Network]) -> Result<(), String> {
    let nodes = &topology.nodes;
    let expected: usize = networks.iter().map(|network| network.ids.len()).sum();
    ensure!(
        nodes.len() == expected,
        "{} nodes, not {expected}",
        nodes.len()
    );
    ensure!(
        topology.parameters.node_count() == Some(expected),
        "the parameters' own count"
    );
    for network in networks {
        for &id in &network.ids {
            ensure!(nodes[id].tier == network.tier, "the tier of node {id}");
        }
    }
    let positions: BTreeSet<_> = nodes.iter().map(|node| (node.x, node.y)).collect();
    ensure!(positions.len() == nodes.len(), "two nodes on one place");
    Ok(())
}

fn check_edges(topology: &TiersTopology, networks: &[Network]) -> Result<(), String> {
    let all: BTreeSet<Edge> = topology
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    ensure!(all.len() == topology.edges.len(), "an edge is given twice");
    ensure!(
        all.iter().all(|&(from, to)| from < to),
        "an edge whose ends are not in order"
    );
    ensure!(connected(topology.nodes.len(), &all), "not connected");
    let bridges = topology
        .edges
        .iter()
        .filter(|e| matches!(e.state, EdgeState::Tree | EdgeState::Internetwork));
    ensure!(
        bridges.count() + 1 == topology.nodes.len(),
        "tree and internetwork edges are no spanning tree"
    );
    for edge in &topology.edges {
        let tiers = [edge.from, edge.to].map(|id| topology.nodes[id].tier);
        ensure!(
            edge.class == tiers[0].min(tiers[1]),
            "the class of edge {}-{}",
            edge.from,
            edge.to
        );
        let ends = networks
            .iter()
            .filter(|n| n.ids.contains(&edge.from) || n.ids.contains(&edge.to))
            .count();
        let inner = matches!(edge.state, EdgeState::Tree | EdgeState::Redundant);
        ensure!(
            inner == (ends == 1),
            "edge {}-{} of state {:?} touches {ends} networks",
            edge.from,
            edge.to,
            edge.state
        );
    }
    Ok(())
}

/// Edges with both ends in the network: all, those of the tree, the redundant ones.
fn inside(topology: &TiersTopology, network: &Network) -> [BTreeSet<Edge>; 3] {
    let select = |states: &[EdgeState]| {
        let edges = topology
            .edges
            .iter()
            .filter(|edge| states.contains(&edge.state));
        let inner =
            edges.filter(|edge| network.ids.contains(&edge.from) && network.ids.contains(&edge.to));
        inner.map(|edge| (edge.from, edge.to)).collect()
    };
    [
        select(&EdgeState::ALL),
        select(&[EdgeState::Tree]),
        select(&[EdgeState::Redundant]),
    ]
}

/// Positions on the grid. The tree has Kruskal's weight, and the LAN is a star.
fn check_shape(topology: &TiersTopology, network: &Network) -> Result<(), String> {
    let (nodes, unit) = (&topology.nodes, unit(network.tier));
    let [_, tree, _] = inside(topology, network);
    let hub = network.ids[0];
    ensure!(
        tree.len() + 1 == network.ids.len(),
        "{} tree edges",
        tree.len()
    );
    if network.tier == Tier::Lan {
        ensure!(
            tree.iter().all(|&(from, _)| from == hub),
            "LAN {} is no star",
            network.number
        );
    } else {
        let weight = |edges: &mut dyn Iterator<Item = Edge>| -> i64 {
            edges
                .map(|(a, b)| naive_length(nodes[a], nodes[b], unit))
                .sum()
        };
        let (found, least) = (
            weight(&mut tree.iter().copied()),
            weight(&mut kruskal(topology, network).into_iter()),
        );
        ensure!(
            found == least,
            "{:?} {}: tree of {found}, minimum {least}",
            network.tier,
            network.number
        );
    }
    if network.tier == Tier::Wan {
        let on_grid = |value: i32| value % 40 == 0 && (0..4000).contains(&value);
        ensure!(
            network
                .ids
                .iter()
                .all(|&id| on_grid(nodes[id].x) && on_grid(nodes[id].y)),
            "the WAN's grid"
        );
    }
    Ok(())
}

/// Edges in the order of their lengths, kept if they join two components. Components are plain labels.
fn kruskal(topology: &TiersTopology, network: &Network) -> Vec<Edge> {
    let ids = &network.ids;
    let mut pairs: Vec<Edge> = ids
        .iter()
        .flat_map(|&a| ids.iter().map(move |&b| (a, b)))
        .filter(|(a, b)| a < b)
        .collect();
    pairs.sort_by_key(|&(a, b)| {
        naive_length(topology.nodes[a], topology.nodes[b], unit(network.tier))
    });
    let mut label: BTreeMap<usize, usize> = ids.iter().map(|&id| (id, id)).collect();
    pairs.retain(|&(a, b)| {
        let (old, new) = (label[&a], label[&b]);
        for value in label.values_mut().filter(|value| **value == old) {
            *value = new;
        }
        old != new
    });
    pairs
}

/// The edges to the tier above and, relative to the parent, the positions of a MAN's or LAN's nodes.
fn check_tie(
    topology: &TiersTopology,
    network: &Network,
    all: &[Network],
    origin: Origin,
) -> Result<(), String> {
    let (nodes, parameters) = (&topology.nodes, topology.parameters);
    let (upper, redundancy) = match network.tier {
        Tier::Man => (&all[0], parameters.man_wan_redundancy),
        _ => (
            &all[1 + network.number / parameters.lans_per_man],
            parameters.lan_man_redundancy,
        ),
    };
    let with_state = |state| {
        let leaving = topology
            .edges
            .iter()
            .filter(move |e| e.state == state && network.ids.contains(&e.to));
        leaving
            .map(|edge| (edge.from, edge.to))
            .collect::<Vec<Edge>>()
    };
    let (first, further) = (
        with_state(EdgeState::Internetwork),
        with_state(EdgeState::RedundantInternetwork),
    );
    ensure!(
        first.len() == 1 && further.len() + 1 == redundancy,
        "{} and {} edges up",
        first.len(),
        further.len()
    );
    let (parent, gateway) = first[0];
    ensure!(
        upper.ids.contains(&parent),
        "the parent is in another network"
    );
    ensure!(
        network.tier == Tier::Man || gateway == network.ids[0],
        "a LAN is tied by its first node"
    );
    let mut near = upper.ids.clone();
    near.sort_by_key(|&id| (squared(nodes[id], nodes[parent]), id));
    let expected: BTreeSet<usize> = near[1..redundancy].iter().copied().collect();
    ensure!(
        further.iter().map(|edge| edge.0).collect::<BTreeSet<_>>() == expected,
        "not the nodes nearest the parent"
    );
    if origin == Origin::Ours {
        ensure!(
            further.iter().all(|edge| edge.1 == gateway),
            "a redundant edge from another gateway"
        );
    }
    let offsets = |pick: fn(&TiersNode) -> i32| -> Vec<i32> {
        network
            .ids
            .iter()
            .map(|&id| pick(&nodes[id]) - pick(&nodes[parent]))
            .collect()
    };
    [offsets(|node| node.x), offsets(|node| node.y)]
        .iter()
        .try_for_each(|offsets| check_offsets(network.tier, offsets))
}

fn check_offsets(tier: Tier, offsets: &[i32]) -> Result<(), String> {
    let (least, most) = (
        *offsets.iter().min().unwrap(),
        *offsets.iter().max().unwrap(),
    );
    let fits = match tier {
        Tier::Man => {
            offsets.iter().all(|o| o % 8 == 0)
                && least >= -40
                && most <= 792 + 40
                && most - least <= 792
        }
        _ => offsets.iter().all(|o| o % 2 != 0) && least >= 1 && most <= 199,
    };
    if fits {
        Ok(())
    } else {
        Err(format!(
            "{tier:?} nodes at {least}..{most} from their parent: {offsets:?}"
        ))
    }
}

fn degree(edges: &BTreeSet<Edge>, node: usize) -> usize {
    edges
        .iter()
        .filter(|&&(a, b)| a == node || b == node)
        .count()
}

/// The nearest node of the network that is not linked to `node`.
fn nearest_stranger(
    topology: &TiersTopology,
    ids: &[usize],
    edges: &BTreeSet<Edge>,
    node: usize,
) -> Option<usize> {
    let linked = |other: usize| edges.contains(&(node.min(other), node.max(other)));
    let strangers = ids
        .iter()
        .copied()
        .filter(|&other| other != node && !linked(other));
    strangers.min_by_key(|&other| (squared(topology.nodes[node], topology.nodes[other]), other))
}

fn redundant_by_rule(
    topology: &TiersTopology,
    network: &Network,
    tree: &BTreeSet<Edge>,
) -> BTreeSet<Edge> {
    let parameters = topology.parameters;
    let wanted = [
        parameters.wan_redundancy,
        parameters.man_redundancy,
        parameters.lan_redundancy,
    ][network.tier as usize];
    let mut edges = tree.clone();
    for &node in &network.ids {
        for _ in degree(&edges, node)..wanted {
            let Some(partner) = nearest_stranger(topology, &network.ids, &edges, node) else {
                break;
            };
            if degree(&edges, partner) > wanted {
                break;
            }
            edges.insert((node.min(partner), node.max(partner)));
        }
    }
    edges.difference(tree).copied().collect()
}

/// Deviation 6 of the module page: in the first MAN of the files with cycles.
fn check_strange_edges(
    topology: &TiersTopology,
    tree: &BTreeSet<Edge>,
    strange: &BTreeSet<Edge>,
) -> Result<(), String> {
    let ids: Vec<usize> = tree
        .iter()
        .flat_map(|&(a, b)| [a, b])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let distance = |a: usize, b: usize| squared(topology.nodes[a], topology.nodes[b]);
    for &(a, b) in strange {
        let from_leaf = |leaf, other| {
            degree(tree, leaf) == 1 && nearest_stranger(topology, &ids, tree, leaf) == Some(other)
        };
        ensure!(
            from_leaf(a, b) || from_leaf(b, a),
            "{a}-{b} leads to no leaf's nearest stranger"
        );
        ensure!(distance(a, b) >= (44 * 8) * (44 * 8), "{a}-{b} is short");
    }
    if strange.is_empty() {
        return Ok(());
    }
    for &leaf in ids
        .iter()
        .filter(|&&id| degree(tree, id) == 1 && degree(strange, id) == 0)
    {
        let near = nearest_stranger(topology, &ids, tree, leaf);
        ensure!(
            near.is_some_and(|near| distance(leaf, near) < (39 * 8) * (39 * 8)),
            "leaf {leaf} has none"
        );
    }
    Ok(())
}
