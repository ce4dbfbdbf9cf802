//! A feasible basis of the aggregated program to start from: shortest paths.
//!
//! With every message on a shortest path, each group uses a tree. Its links are basic, and so are `T` and all port rows
//! but the row of the busiest port. From this basis the simplex only has to move load away from the busiest ports,
//! instead of finding ten thousand routes first.

use std::collections::BTreeMap;

use num_traits::{Signed, ToPrimitive};
use oneport_exact::{Column, Row};
use oneport_plan::Resource;
use oneport_platform::{LinkId, NodeId, Rational};
use petgraph::visit::{EdgeRef, Reversed};

use crate::Question;
use crate::flow::{Flow, Group, Side};
use crate::resources::Resources;

/// The basic members other than `T`.
pub(crate) struct Start {
    /// One link per group and node other than the root.
    pub tree: Vec<Column>,
    /// All port rows but the busiest port's.
    pub idle_ports: Vec<Row>,
}

/// The basis, if every node of the platform is reachable in every group.
pub(crate) fn shortest_paths(
    question: &Question,
    groups: &[Group],
    flows: &[Flow],
    ports: &[(Resource, Row)],
) -> Option<Start> {
    let platform = question.platform();
    let columns: BTreeMap<(usize, LinkId), Column> = flows
        .iter()
        .map(|flow| ((flow.group, flow.link), flow.column))
        .collect();
    let times = rounded(
        &platform
            .link_ids()
            .map(|link| question.time(link))
            .collect::<Vec<_>>(),
    );
    let resources = Resources::new(platform, false);
    let mut loads = vec![0u128; resources.count()];
    let mut tree = Vec::with_capacity(groups.len() * platform.nodes().len());
    for (index, group) in groups.iter().enumerate() {
        let (by, order) = search(question, group, &times);
        if order.len() != platform.nodes().len() {
            return None;
        }
        let mut messages = platform.per_node(0u64);
        for leaf in &group.leaves {
            let sum = &mut messages[leaf.node];
            *sum = sum.saturating_add(leaf.rate);
        }
        // From the far end towards the root, so that the amount that a node passes on is known.
        for &node in order.iter().rev() {
            let Some(link) = by[node] else { continue };
            tree.push(*columns.get(&(index, link))?);
            let passed = messages[NodeId::new(node)];
            if passed > 0 {
                let busy = times[link.index()].saturating_mul(passed.into());
                for used in resources.uses(link) {
                    let load = &mut loads[used.row];
                    *load = load.saturating_add(used.of_whole(busy));
                }
                let sum = &mut messages[towards_root(question, group, link)];
                *sum = sum.saturating_add(passed);
            }
        }
    }
    let per_port = |resource: Resource| u128::from(resource.capacity(platform)).max(1);
    let compare = |a: &(Resource, u128), b: &(Resource, u128)| {
        let sides = [
            a.1.saturating_mul(per_port(b.0)),
            b.1.saturating_mul(per_port(a.0)),
        ];
        sides[0].cmp(&sides[1]).then(b.0.cmp(&a.0))
    };
    let loads = resources.list().zip(loads);
    let busiest = loads.filter(|(_, load)| *load > 0).max_by(compare)?.0;
    let idle_ports = ports
        .iter()
        .filter(|(resource, _)| *resource != busiest)
        .map(|&(_, row)| row)
        .collect();
    Some(Start { tree, idle_ports })
}

/// Times as integers, the longest of about 90 bits: long rationals would grow with every link of a path, and a start
/// may be wrong.
fn rounded(times: &[Rational]) -> Vec<u128> {
    // Fact: sums of `2^37` times fit 128 bits. A start may be rounded.
    const BITS: i64 = 90;
    let exponent = |time: &Rational| time.numer().bits() as i64 - time.denom().bits() as i64;
    let longest = times
        .iter()
        .filter(|time| time.is_positive())
        .map(exponent)
        .max()
        .unwrap_or(0);
    let shift = BITS - longest;
    let (up, down) = (shift.max(0).unsigned_abs(), (-shift).max(0).unsigned_abs());
    let integer = |time: &Rational| {
        ((time.numer() << up) / (time.denom() << down))
            .to_u128()
            .unwrap_or(0)
    };
    times.iter().map(integer).collect()
}

/// The end of a link that is nearer to the group's root.
fn towards_root(question: &Question, group: &Group, link: LinkId) -> NodeId {
    let link = question.platform().link(link);
    if group.side == Side::Source {
        link.from
    } else {
        link.to
    }
}

/// Shortest paths from the root, or to it: each node's link towards it, and the nodes in order of distance.
fn search(question: &Question, group: &Group, times: &[u128]) -> (Vec<Option<LinkId>>, Vec<usize>) {
    let (graph, start) = (question.platform().graph(), [(group.root.into(), 0)]);
    let paths = match group.side {
        Side::Source => {
            oneport_graph::shortest_paths(graph, start, |link| times[link.id().index()], |_| true)
        }
        Side::Target => oneport_graph::shortest_paths(
            Reversed(graph),
            start,
            |link| times[link.id().index()],
            |_| true,
        ),
    };
    let by = paths
        .last
        .into_iter()
        .map(|last| last.map(|(link, _)| link.into()))
        .collect();
    (by, paths.settled)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use oneport_numbers::{ratio, whole};

    use super::*;

    /// Long times keep their order and their proportions. Times far shorter than the longest become 0.
    #[test]
    fn rounded_times_keep_proportions() {
        let long = BigInt::from(10).pow(199);
        let times: Vec<Rational> = (1..=50u32)
            .map(|n| ratio(&long * n, &long + 7u32))
            .collect();
        let integers = rounded(&times);
        for (n, &time) in (1u128..).zip(&integers) {
            assert!(
                time.abs_diff(n * integers[0]) <= n && time >> 80 > 0,
                "{n}: {time}"
            );
        }
        let uneven = [whole(long.clone()), whole(1)];
        assert_eq!(rounded(&uneven)[1], 0);
        assert!((88..=91).contains(&rounded(&[ratio(1, long)])[0].ilog2()));
    }
}
