//! Whether a plan is for a platform: nodes go by name, links by their ends, in any order.

use std::collections::BTreeMap;

use oneport_platform::{LinkId, Node, NodeId, Platform, Rational, Shared};

use crate::violation::{Violation, fault, shown};

/// Checks that the platform of a plan and another one differ in the order of their nodes, links and shared capacities
/// at most. Delays are not compared: no throughput depends on them. `O((n + m + w) log (n + m + w))` for `n` nodes, `m`
/// links, and `w` links in shared capacities.
///
/// # Errors
/// The first difference, by name.
pub fn check_same_platform(plan: &Platform, platform: &Platform) -> Result<(), Violation> {
    if plan == platform {
        return Ok(());
    }
    nodes(plan, platform)?;
    links(plan, platform)?;
    let units = |of: &Platform| {
        of.units()
            .map_or("none".to_string(), |units| units.to_string())
    };
    if plan.units() != platform.units() {
        let [own, other] = [plan, platform].map(units);
        return Err(
            fault!(Claim, "the units of the plan are {own}"; "those of the platform are {other}"),
        );
    }
    capacities(plan, platform)?;
    if plan.model() != platform.model() {
        let [own, other] = [plan, platform].map(Platform::model);
        return Err(
            fault!(Claim, "the port model of the plan is {own}"; "that of the platform is {other}"),
        );
    }
    Ok(())
}

/// The node of this name, not of this alias.
fn named(platform: &Platform, name: &str) -> Option<NodeId> {
    platform
        .find(name)
        .filter(|&node| platform.name(node) == name)
}

fn nodes(plan: &Platform, platform: &Platform) -> Result<(), Violation> {
    for own in plan.nodes() {
        let name = &own.name;
        let Some(other) = named(platform, name) else {
            return Err(fault!(
                Claim,
                "node '{name}' of the plan is not on the platform"
            ));
        };
        let other = platform.node(other);
        if own != other {
            let what = attribute(own, other);
            return Err(fault!(
                Claim,
                "node '{name}' has another {what} in the plan than on the platform"
            ));
        }
    }
    match platform
        .nodes()
        .iter()
        .find(|other| named(plan, &other.name).is_none())
    {
        Some(other) => Err(fault!(
            Claim,
            "node '{}' of the platform is not in the plan",
            other.name
        )),
        None => Ok(()),
    }
}

/// The name of the first attribute in which two nodes differ.
fn attribute(one: &Node, other: &Node) -> &'static str {
    [
        ("compute", one.compute != other.compute),
        ("model", one.model != other.model),
        ("ports", one.ports != other.ports),
        ("replicates", one.replicates != other.replicates),
        ("accelerator", one.accelerator != other.accelerator),
        ("reduces", one.reduces != other.reduces),
    ]
    .into_iter()
    .find_map(|(name, differs)| differs.then_some(name))
    .unwrap_or("alias")
}

/// The link on another platform between the nodes of the same names.
fn counterpart(of: &Platform, link: LinkId, other: &Platform) -> Option<LinkId> {
    let link = of.link(link);
    let [from, to] = [link.from, link.to].map(|end| named(other, of.name(end)));
    other.link_between(from?, to?)
}

fn links(plan: &Platform, platform: &Platform) -> Result<(), Violation> {
    for id in plan.link_ids() {
        let name = plan.link_name(id);
        let Some(other) = counterpart(plan, id, platform) else {
            return Err(fault!(
                Claim,
                "link '{name}' of the plan is not on the platform"
            ));
        };
        let [own, other] = [&plan.link(id).cost, &platform.link(other).cost];
        if own != other {
            let [own, other] = [own, other].map(shown);
            return Err(fault!(
                Claim,
                "link '{name}' costs {own} in the plan and {other} on the platform"
            ));
        }
    }
    match platform
        .link_ids()
        .find(|&id| counterpart(platform, id, plan).is_none())
    {
        Some(id) => {
            let name = platform.link_name(id);
            Err(fault!(
                Claim,
                "link '{name}' of the platform is not in the plan"
            ))
        }
        None => Ok(()),
    }
}

/// Rates and weights of the shared capacities, by names.
type Capacities<'p> = BTreeMap<&'p str, (&'p Rational, BTreeMap<String, u32>)>;

fn capacities(plan: &Platform, platform: &Platform) -> Result<(), Violation> {
    fn of(platform: &Platform) -> Capacities<'_> {
        let weights = |shared: &Shared| {
            let weights = shared.weights.iter();
            weights
                .map(|(&link, &weight)| (platform.link_name(link), weight))
                .collect()
        };
        let all = platform.shared().iter();
        all.map(|shared| (shared.name.as_str(), (&shared.rate, weights(shared))))
            .collect()
    }
    let (own, others) = (of(plan), of(platform));
    for (name, (rate, weights)) in &own {
        let Some((other_rate, other_weights)) = others.get(name) else {
            return Err(fault!(
                Claim,
                "shared capacity '{name}' of the plan is not on the platform"
            ));
        };
        if rate != other_rate {
            let [rate, other] = [*rate, *other_rate].map(shown);
            return Err(fault!(
                Claim,
                "shared capacity '{name}' has rate {rate} in the plan and {other} on the platform"
            ));
        }
        if weights != other_weights {
            return Err(fault!(
                Claim,
                "shared capacity '{name}' has other links in the plan than on the platform"
            ));
        }
    }
    match others.keys().find(|name| !own.contains_key(**name)) {
        Some(name) => Err(fault!(
            Claim,
            "shared capacity '{name}' of the platform is not in the plan"
        )),
        None => Ok(()),
    }
}
