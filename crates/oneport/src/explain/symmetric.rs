//! Prices averaged over the symmetries of a question.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::Zero;
use oneport_plan::{Amount, Certificate, Problem, Resource};
use oneport_platform::{LinkId, NodeId, Rational, orbits, whole};

/// The prices of a certificate's resources, averaged over the symmetries of the question, as far as they are found:
/// renamings of nodes that keep the platform and every role. A renaming takes a certificate to one of the same bound,
/// and so does the average: if one of four equal links proves a bound, each of the four has a quarter of its price.
/// Prices of 0 are left out. For the cost see [`orbits`].
pub fn averaged(problem: &Problem, certificate: &Certificate) -> BTreeMap<Resource, Rational> {
    let own: BTreeMap<Resource, Rational> = certificate
        .prices()
        .filter(|(_, price)| !price.is_zero())
        .map(|(resource, price)| (resource, price.clone()))
        .collect();
    let Some(roles) = roles(problem) else {
        return own;
    };
    let platform = problem.platform();
    let mark = |node: NodeId| {
        let plays = |role: &Vec<NodeId>| role.binary_search(&node).is_ok();
        roles.iter().map(plays).collect::<Vec<bool>>()
    };
    let nodes: BTreeSet<NodeId> = own.keys().filter_map(|resource| resource.node()).collect();
    let nodes: Vec<NodeId> = nodes.into_iter().collect();
    let link = |resource: &Resource| match resource {
        Resource::Link(link) => Some(*link),
        _ => None,
    };
    let links: Vec<LinkId> = own.keys().filter_map(link).collect();
    let found = orbits(platform, mark, &nodes, &links);
    let mut orbit_of = BTreeMap::new();
    for (index, (nodes, links)) in found.iter().enumerate() {
        orbit_of.extend(nodes.iter().map(|&node| (Of::Node(node), index)));
        orbit_of.extend(links.iter().map(|&link| (Of::Link(link), index)));
    }
    let mut prices = BTreeMap::new();
    for &resource in own.keys() {
        if prices.contains_key(&resource) {
            continue;
        }
        let of = match (resource, resource.node()) {
            (Resource::Link(link), _) => Some(Of::Link(link)),
            (_, node) => node.map(Of::Node),
        };
        let orbit = of.and_then(|of| found.get(*orbit_of.get(&of)?));
        let alike: Vec<Resource> = match (resource, orbit) {
            (_, None) => vec![resource],
            (Resource::Link(_), Some((_, links))) => {
                links.iter().copied().map(Resource::Link).collect()
            }
            (_, Some((nodes, _))) => nodes.iter().map(|&node| at(resource, node)).collect(),
        };
        let sum: Rational = alike.iter().filter_map(|one| own.get(one)).sum();
        let each = sum / whole(alike.len());
        prices.extend(alike.into_iter().map(|one| (one, each.clone())));
    }
    prices
}

/// The node or link of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Node(NodeId),
    Link(LinkId),
}

/// Returns this port or processor at another node. Other resources stay as they are.
fn at(resource: Resource, node: NodeId) -> Resource {
    match resource {
        Resource::Send(_) => Resource::Send(node),
        Resource::Receive(_) => Resource::Receive(node),
        Resource::Compute(_) => Resource::Compute(node),
        Resource::Port(_) => Resource::Port(node),
        other => other,
    }
}

/// The nodes of each role, ascending. `None` if a renaming that keeps the roles may change the question: groups,
/// demands and counts one by one, an order of operands, tables of sizes, shared capacities.
fn roles(problem: &Problem) -> Option<Vec<Vec<NodeId>>> {
    let (collective, volumes) = (problem.collective(), problem.volumes());
    // A renaming of nodes may take links of a shared capacity to links of another.
    if !problem.platform().shared().is_empty() {
        return None;
    }
    let named = collective.named().filter(|_| collective.is_uniform())?;
    let form = named.form();
    let ordered = form.combines && !(form.commutes() && named.is_commutative());
    let tabled = [&volumes.size, &volumes.work]
        .iter()
        .any(|it| matches!(it, Amount::Table(_) | Amount::Tasks(_)));
    if ordered || tabled {
        return None;
    }
    let sorted = |role: &&[NodeId]| {
        let mut nodes = role.to_vec();
        nodes.sort_unstable();
        nodes
    };
    Some(collective.cast().iter().map(sorted).collect())
}
