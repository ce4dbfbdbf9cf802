//! A feasible basis of the aggregated program to start from: shortest paths.
//!
//! With every message on a shortest path, each group uses a tree; its links are basic, and so are `T` and all port rows
//! but the busiest port's. From there the simplex only has to take load off the busiest ports, instead of finding ten
//! thousand routes first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use num_traits::Zero;
use oneport_exact::{Column, Row};
use oneport_plan::Resource;
use oneport_platform::{LinkId, NodeId, Rational};

use crate::Question;
use crate::flow::{Flow, Group, Side};

/// The basic members other than `T`.
pub struct Start {
    /// One link per group and node other than the root.
    pub tree: Vec<Column>,
    /// All port rows but the busiest port's.
    pub idle_ports: Vec<Row>,
}

/// The basis, if every node of the platform is reachable in every group.
pub fn shortest_paths(
    question: &Question<'_>,
    groups: &[Group],
    flows: &[Flow],
    ports: &[(Resource, Row)],
) -> Option<Start> {
    let platform = question.platform();
    let columns: BTreeMap<(usize, LinkId), Column> =
        flows.iter().map(|flow| ((flow.group, flow.link), flow.column)).collect();
    let times: Vec<Rational> = platform.link_ids().map(|link| question.time(link)).collect();
    let mut loads: BTreeMap<Resource, Rational> = BTreeMap::new();
    let mut tree = Vec::with_capacity(groups.len() * platform.nodes().len());
    for (place, group) in groups.iter().enumerate() {
        let (by, order) = search(question, group, &times);
        if order.len() != platform.nodes().len() {
            return None;
        }
        let mut messages = vec![0u64; platform.nodes().len()];
        group.leaves.iter().for_each(|(leaf, _)| messages[leaf.index()] += 1);
        // From the far end towards the root, so that every node knows what it passes on.
        for &node in order.iter().rev() {
            let Some(link) = by[node.index()] else { continue };
            tree.push(*columns.get(&(place, link))?);
            let passed = messages[node.index()];
            if passed > 0 {
                let busy = &times[link.index()] * Rational::from_integer(passed.into());
                for resource in Resource::of_link(platform, link) {
                    *loads.entry(resource).or_insert_with(Rational::zero) += &busy;
                }
                messages[towards_root(question, group, link).index()] += passed;
            }
        }
    }
    let share = |(resource, time): (Resource, Rational)| {
        (resource, time / Rational::from_integer(resource.capacity(platform).into()))
    };
    let busiest = loads.into_iter().map(share).max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?.0;
    let idle_ports = ports.iter().filter(|(resource, _)| *resource != busiest).map(|&(_, row)| row).collect();
    Some(Start { tree, idle_ports })
}

/// The end of a link that is nearer to the group's root.
fn towards_root(question: &Question<'_>, group: &Group, link: LinkId) -> NodeId {
    let link = question.platform().link(link);
    if group.side == Side::Source { link.from } else { link.to }
}

/// Dijkstra from the root: each node's link towards it, and the nodes in order of distance.
fn search(question: &Question<'_>, group: &Group, times: &[Rational]) -> (Vec<Option<LinkId>>, Vec<NodeId>) {
    let platform = question.platform();
    let mut distance: Vec<Option<Rational>> = vec![None; platform.nodes().len()];
    let mut done = vec![false; platform.nodes().len()];
    let mut by = vec![None; platform.nodes().len()];
    let mut order = Vec::with_capacity(platform.nodes().len());
    distance[group.root.index()] = Some(Rational::zero());
    let mut heap = BinaryHeap::from([Reverse((Rational::zero(), group.root))]);
    while let Some(Reverse((near, node))) = heap.pop() {
        if std::mem::replace(&mut done[node.index()], true) {
            continue;
        }
        order.push(node);
        let links = if group.side == Side::Source { platform.outgoing(node) } else { platform.incoming(node) };
        for &link in links {
            let next = if group.side == Side::Source { platform.link(link).to } else { platform.link(link).from };
            let far = &near + &times[link.index()];
            if distance[next.index()].as_ref().is_none_or(|known| far < *known) {
                distance[next.index()] = Some(far.clone());
                by[next.index()] = Some(link);
                heap.push(Reverse((far, next)));
            }
        }
    }
    (by, order)
}
