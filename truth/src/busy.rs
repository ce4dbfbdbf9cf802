//! Which transfers are possible at the same time: straight from the definition of the port models and of shared
//! capacities, without any theorem about matchings.

use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational, whole};

/// Whether a link takes part in a shared capacity. Its ends have no ports, so that it hinders no other link but through
/// these capacities, and it transfers at any part of its full rate, 1 / cost.
pub fn is_fluid(platform: &Platform, link: LinkId) -> bool {
    platform
        .shared()
        .iter()
        .any(|shared| shared.weights.contains_key(&link))
}

/// The limits of fluid links that transfer at the same time, at parts of their full rates. In each row, the sum of
/// factors times parts is at most 1: a row per link for its own rate, then a row per shared capacity, with weight times
/// full rate over the capacity's rate as factors.
pub fn fluid_rows(platform: &Platform) -> Vec<Vec<(LinkId, Rational)>> {
    let mut rows = Vec::new();
    for link in platform.link_ids().filter(|&link| is_fluid(platform, link)) {
        let full = platform.link(link).cost.recip();
        rows.push(vec![(link, full * platform.own_cost(link))]);
    }
    for shared in platform.shared() {
        let factor = |(&link, &weight): (&LinkId, &u32)| {
            let full = platform.link(link).cost.recip();
            let weight = whole(weight);
            (link, full * weight / &shared.rate)
        };
        rows.push(shared.weights.iter().map(factor).collect());
    }
    rows
}

/// Every maximal set of links that can be busy at the same time, each ascending. Fluid links left out. A link serves
/// one transfer at a time. `allows` is the condition of the nodes. `O(2^links)`: for tiny platforms.
pub fn maximal_sets(platform: &Platform) -> Vec<Vec<LinkId>> {
    let links = platform.links().len();
    let fluid = platform
        .link_ids()
        .filter(|&link| is_fluid(platform, link))
        .fold(0_u32, |all, link| all | 1 << link.index());
    let fits = |set: u32| {
        if set & fluid != 0 {
            return false;
        }
        let busy: Vec<LinkId> = platform
            .link_ids()
            .filter(|link| set & (1 << link.index()) != 0)
            .collect();
        platform
            .node_ids()
            .all(|node| allows(platform, node, &busy))
    };
    let mut possible = vec![false; 1 << links];
    for set in 0..1_u32 << links {
        // If a set is possible, each part of it is.
        let lowest = set & set.wrapping_neg();
        possible[set as usize] = set == 0 || (possible[(set ^ lowest) as usize] && fits(set));
    }
    let maximal = |&set: &u32| {
        let more = (0..links)
            .filter(|link| set & (1 << link) == 0)
            .any(|link| possible[(set | 1 << link) as usize]);
        possible[set as usize] && !more
    };
    let list = |set: u32| {
        platform
            .link_ids()
            .filter(move |link| set & (1 << link.index()) != 0)
            .collect()
    };
    (0..1_u32 << links).filter(maximal).map(list).collect()
}

/// Whether a node can take part in these transfers at the same time.
fn allows(platform: &Platform, node: NodeId, busy: &[LinkId]) -> bool {
    let sends = busy
        .iter()
        .filter(|&&link| platform.link(link).from == node)
        .count();
    let receives = busy
        .iter()
        .filter(|&&link| platform.link(link).to == node)
        .count();
    match platform.model_of(node) {
        PortModel::FullDuplex => sends <= 1 && receives <= 1,
        PortModel::HalfDuplex => sends + receives <= 1,
        PortModel::Multiport => {
            let ports = platform.node(node).ports.unwrap_or(1) as usize;
            sends <= ports && receives <= ports
        }
        PortModel::Links => true,
    }
}
