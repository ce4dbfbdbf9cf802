//! Platforms made of Tiers networks.

use std::collections::BTreeSet;

use num_traits::Signed;
use oneport_platform::generate::tiers::*;
use oneport_platform::{Platform, PlatformError, Rational, ratio, whole};

use crate::common::{connected, duplex_edges, refused};

fn large() -> TiersTopology {
    generate(&TiersParameters::LARGE, 1).unwrap()
}

fn with_probability(numerator: i64, denominator: i64) -> TiersInstance {
    let host_probability = ratio(numerator, denominator);
    TiersInstance {
        host_probability,
        ..TiersInstance::default()
    }
}

fn hosts(platform: &Platform) -> Vec<usize> {
    platform.processors().map(|node| node.index()).collect()
}

#[test]
fn a_platform_keeps_nodes_and_edges() {
    let topology = large();
    let platform = instantiate(&topology, &TiersInstance::default()).unwrap();
    let edges: BTreeSet<_> = topology
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    assert_eq!(duplex_edges(&platform), edges);
    assert!(connected(185, &edges));
    for id in platform.node_ids() {
        assert_eq!(
            Some(platform.name(id)),
            topology.parameters.node_name(id.index()).as_deref()
        );
    }
    let links: Vec<_> = platform.links().iter().collect();
    for (edge, pair) in topology.edges.iter().zip(links.chunks(2)) {
        assert_eq!(
            (pair[0].from.index(), pair[0].to.index()),
            (edge.from, edge.to)
        );
        assert_eq!(
            (pair[1].from.index(), pair[1].to.index()),
            (edge.to, edge.from)
        );
    }
}

#[test]
fn costs_are_reciprocals_of_the_tables_of_each_class() {
    let topology = large();
    let tables = TiersTables::default();
    let mut seen: [BTreeSet<Rational>; 4] = Default::default();
    for seed in 0..20 {
        let platform = instantiate(
            &topology,
            &TiersInstance {
                seed,
                ..TiersInstance::default()
            },
        )
        .unwrap();
        for (edge, link) in topology
            .edges
            .iter()
            .zip(platform.links().iter().step_by(2))
        {
            seen[edge.class as usize].insert(link.cost.recip());
        }
        seen[3].extend(
            platform
                .nodes()
                .iter()
                .filter_map(|node| Some(node.compute.as_ref()?.recip())),
        );
    }
    // Exactly the entries of the table are drawn.
    for (seen, table) in seen
        .iter()
        .zip([&tables.wan, &tables.man, &tables.lan, &tables.speeds])
    {
        assert_eq!(seen, &table.iter().cloned().collect());
    }
}

#[test]
fn default_tables_lie_in_the_measured_ranges() {
    let TiersTables {
        speeds,
        wan,
        man,
        lan,
    } = TiersTables::default();
    assert_eq!(
        (speeds.len(), speeds.iter().collect::<BTreeSet<_>>().len()),
        (12, 11)
    );
    // Smallest, median, largest of the measurements, in thousandths of MB/s. The median is within a fifth.
    for (table, [least, median, most]) in [
        (wan, [34_300, 118_700, 255_200]),
        (man, [8_000, 11_800, 41_300]),
        (lan, [117, 2_230, 7_530]),
    ] {
        let thousandths = |value: i64| ratio(value, 1000);
        assert!(table.is_sorted());
        assert!(
            table
                .iter()
                .all(|entry| (thousandths(least)..=thousandths(most)).contains(entry))
        );
        assert!(
            (&table[table.len() / 2] - thousandths(median)).abs() * whole(5) < thousandths(median)
        );
    }
}

#[test]
fn hosts_are_lan_nodes_of_the_given_probability() {
    let topology = large();
    let count = |instance: &TiersInstance| hosts(&instantiate(&topology, instance).unwrap()).len();
    assert_eq!(count(&with_probability(0, 1)), 0);
    assert_eq!(count(&with_probability(1, 1)), 125);
    // 40 x 125 draws of 7/10: mean 3500, standard deviation 32.4. The range is five of them on either side.
    let total: usize = (0..40)
        .map(|seed| {
            count(&TiersInstance {
                seed,
                ..TiersInstance::default()
            })
        })
        .sum();
    assert!((3338..=3662).contains(&total), "{total}");
    let platform = instantiate(&topology, &TiersInstance::default()).unwrap();
    assert!(
        hosts(&platform)
            .into_iter()
            .all(|id| topology.nodes[id].tier == Tier::Lan)
    );
}

#[test]
fn the_seed_decides_the_platform() {
    let topology = large();
    let build = |seed| {
        instantiate(
            &topology,
            &TiersInstance {
                seed,
                ..TiersInstance::default()
            },
        )
        .unwrap()
    };
    assert_eq!(build(5), build(5));
    assert_ne!(hosts(&build(5)), hosts(&build(6)));
    assert_ne!(build(5).links(), build(6).links());
}

#[test]
fn other_tables_leave_the_hosts_and_the_other_costs_alone() {
    let topology = large();
    let mut instance = TiersInstance::default();
    let before = instantiate(&topology, &instance).unwrap();
    instance.tables.speeds = vec![whole(1)];
    let after = instantiate(&topology, &instance).unwrap();
    assert_eq!(hosts(&before), hosts(&after));
    assert_eq!(before.links(), after.links());
    assert_ne!(before.nodes(), after.nodes());
}

#[test]
fn impossible_instances_are_refused_by_name() {
    let topology = large();
    let refuse = |instance: &TiersInstance| refused(instantiate(&topology, instance));
    for (numerator, denominator) in [(-1, 2), (3, 2), (-1, 1)] {
        assert_eq!(
            refuse(&with_probability(numerator, denominator)),
            "host_probability"
        );
    }
    let mut tiny = with_probability(1, i64::MAX);
    tiny.host_probability = &tiny.host_probability * &tiny.host_probability;
    assert_eq!(refuse(&tiny), "host_probability");
    type Pick = fn(&mut TiersTables) -> &mut Vec<Rational>;
    let picks: [(&str, Pick); 4] = [
        ("tables.speeds", |tables| &mut tables.speeds),
        ("tables.wan", |tables| &mut tables.wan),
        ("tables.man", |tables| &mut tables.man),
        ("tables.lan", |tables| &mut tables.lan),
    ];
    for (name, pick) in picks {
        let mut instance = TiersInstance::default();
        pick(&mut instance.tables)[1] = whole(0);
        assert_eq!(refuse(&instance), name);
        pick(&mut instance.tables).clear();
        assert_eq!(refuse(&instance), name);
    }
}

#[test]
fn impossible_topologies_are_refused() {
    let instance = TiersInstance::default();
    let spoil = |change: &dyn Fn(&mut TiersTopology)| {
        let mut topology = large();
        change(&mut topology);
        instantiate(&topology, &instance)
    };
    assert_eq!(refused(spoil(&|t| t.nodes.truncate(184))), "topology");
    assert_eq!(refused(spoil(&|t| t.parameters.lan_nodes = 6)), "topology");
    assert_eq!(
        refused(spoil(&|t| t.parameters.lan_nodes = usize::MAX)),
        "topology"
    );
    assert_eq!(
        refused(spoil(
            &|t| (t.parameters.wans, t.parameters.wan_nodes) = (5, 2)
        )),
        "topology"
    );
    assert!(matches!(
        spoil(&|t| t.edges[0].to = 185),
        Err(PlatformError::UnknownNodeId { .. })
    ));
    assert!(matches!(
        spoil(&|t| t.edges[0].to = usize::MAX),
        Err(PlatformError::UnknownNodeId { .. })
    ));
    assert!(matches!(
        spoil(&|t| t.edges[0].to = t.edges[0].from),
        Err(PlatformError::SelfLoop { .. })
    ));
    assert!(matches!(
        spoil(&|t| t.edges.push(t.edges[0])),
        Err(PlatformError::DuplicateLink { .. })
    ));
}
