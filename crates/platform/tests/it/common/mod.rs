//! Shared by the tests of several generators.

use std::collections::{BTreeMap, BTreeSet};

use oneport_platform::{Platform, PlatformError, Rational};

/// Whether the undirected graph on `0..nodes` is connected, by breadth-first search.
pub fn connected(nodes: usize, edges: &BTreeSet<(usize, usize)>) -> bool {
    let mut neighbours: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(a, b) in edges {
        neighbours.entry(a).or_default().push(b);
        neighbours.entry(b).or_default().push(a);
    }
    let (mut seen, mut queue) = (BTreeSet::from([0]), std::collections::VecDeque::from([0]));
    while let Some(node) = queue.pop_front() {
        for &next in neighbours.get(&node).into_iter().flatten() {
            if seen.insert(next) {
                queue.push_back(next);
            }
        }
    }
    seen.len() == nodes
}

/// The undirected edges, after checking that every link has a reverse of the same cost.
pub fn duplex_edges(platform: &Platform) -> BTreeSet<(usize, usize)> {
    let costs: BTreeMap<(usize, usize), &Rational> = platform
        .links()
        .iter()
        .map(|link| ((link.from.index(), link.to.index()), &link.cost))
        .collect();
    for (&(from, to), cost) in &costs {
        assert_eq!(
            costs.get(&(to, from)),
            Some(cost),
            "the reverse of {from} -> {to}"
        );
    }
    costs.into_keys().filter(|(from, to)| from < to).collect()
}

/// The parameter that a generator refused.
#[track_caller]
pub fn refused<T: std::fmt::Debug>(result: Result<T, PlatformError>) -> &'static str {
    match result {
        Err(PlatformError::BadParameter {
            parameter,
            expected,
            value,
            ..
        }) => {
            assert!(!expected.is_empty() && !value.is_empty(), "{parameter}");
            parameter
        }
        other => panic!("not refused for a parameter: {other:?}"),
    }
}
