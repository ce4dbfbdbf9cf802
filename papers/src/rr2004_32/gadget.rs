//! Section 5: nodes with two or more ports as half-duplex nodes and links that take no time.

use anyhow::{Result, ensure};
use oneport::plan::{Demand, Goals};
use oneport::platform::Node;
use oneport::{Collective, NodeId, Platform, PortModel, Rational};
use oneport_separation::gadget::{Gadget, GadgetLink, Part, gadget};

use oneport_lp::Watch;
use oneport_separation::Instance;

use super::platforms::{self, broadcast, figure_1, figure_2, random_platforms, throughput};
use super::program::{self, Arc, Links, Net};
use crate::cases;
use crate::numbers::{short, whole};
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("gadget-full-duplex", |_| agrees(PortModel::FullDuplex)),
    ("gadget-delta-port", |_| agrees(PortModel::Multiport)),
    ("gadget-mixed", |_| mixed()),
    ("gadget-relays", |_| relays()),
    ("gadget-back-links", |_| back_links()),
];

impl Net {
    /// The gadget's graph.
    pub fn of_gadget(gadget: &Gadget) -> Net {
        let arc = |link: &GadgetLink| Arc {
            from: link.from,
            to: link.to,
            cost: link.cost.clone(),
        };
        Net {
            nodes: gadget.nodes.len(),
            arcs: gadget.links.iter().map(arc).collect(),
        }
    }
}

/// The gadget without the links from hearts to in-nodes: figure 7 as printed, figure 8 if nothing is broadcast.
pub fn without_back_links(mut gadget: Gadget) -> Gadget {
    let parts: Vec<Part> = gadget.nodes.iter().map(|(_, part)| *part).collect();
    gadget
        .links
        .retain(|link| link.of.is_some() || parts[link.to] != Part::In);
    gadget
}

/// (P) on a gadget of at most a few nodes, everything enumerated. Links without a cost need no matching. 0 if some node
/// of the gadget cannot be reached.
pub fn optimum(gadget: &Gadget, collective: &Collective) -> Result<Rational> {
    let net = Net::of_gadget(gadget);
    let core = |node: NodeId| gadget.cores[node.index()];
    let part = |demand: Demand<'_>| match demand.goals {
        Goals::At(target) => net.paths(core(demand.operands[0]), core(target)),
        Goals::Everywhere(_) | Goals::Prefixes => net.trees(core(demand.operands[0])),
    };
    let parts: Vec<Vec<Links>> = (0..collective.demands())
        .map_while(|index| collective.demand(index))
        .map(part)
        .collect();
    Ok(program::primal(&net, &net.matchings(), &net.products(&parts)?)?.value)
}

/// The platform with other port models, node by node. A node with several ports has one per link.
pub fn modelled(platform: &Platform, model: impl Fn(usize) -> PortModel) -> Result<Platform> {
    let mut builder = Platform::builder();
    for id in platform.node_ids() {
        let model = model(id.index());
        let ports = platform.incoming(id).len().max(platform.outgoing(id).len());
        let ports = (model == PortModel::Multiport).then_some(ports as u32);
        builder.node(Node {
            model: Some(model),
            ports,
            ..platform.node(id).clone()
        })?;
    }
    for link in platform.links() {
        builder.link(link.from, link.to, link.cost.clone())?;
    }
    Ok(builder.build()?)
}

/// Figures 1 and 2 and random platforms, unchanged.
fn platforms() -> Result<Vec<Platform>> {
    let mut platforms = vec![figure_1()?, figure_2()?];
    platforms.extend(random_platforms(&[(3, 2), (4, 2)], 4)?);
    Ok(platforms)
}

/// On every platform and with both collectives the transformed platform achieves the throughput of the models
/// themselves.
fn compare(model: impl Fn(usize, usize) -> PortModel) -> Result<Finding> {
    let platforms = platforms()?;
    let (mut tried, mut better) = (0usize, 0usize);
    for (index, plain) in platforms.iter().enumerate() {
        let platform = modelled(plain, |node| model(index, node))?;
        let scatter = Collective::scatter(NodeId::new(0), platform.node_ids().skip(1).collect());
        for collective in [broadcast(&platform), scatter] {
            let ours = throughput(&platform, &collective)?;
            let gadget = optimum(&gadget(&platform)?, &collective)?;
            ensure!(
                ours == gadget,
                "platform {index}: {} ours, {gadget} transformed",
                short(&ours)
            );
            better += usize::from(ours > platforms::optimum(plain, &collective)?);
            tried += 1;
        }
    }
    // Ports must have an effect. Otherwise the comparison is empty.
    let holds = better > 0;
    Ok(Finding::claim(
        holds,
        format!("{tried} cases; in {better} the ports matter"),
    ))
}

fn agrees(model: PortModel) -> Result<Finding> {
    compare(|_, _| model)
}

fn mixed() -> Result<Finding> {
    let models = [
        PortModel::HalfDuplex,
        PortModel::FullDuplex,
        PortModel::Multiport,
    ];
    compare(|index, node| models[(index + 2 * node + node / 2) % 3])
}

/// Three nodes of two ports and a full-duplex one, each joined to all others: the gadget's optimum by the oracle of
/// section 3.5, whose graphs are too large to be enumerated, and the platform's by our solver and by (P).
fn relays() -> Result<Finding> {
    let (mut tried, mut relays, mut slower) = (0usize, 0usize, 0usize);
    for plain in random_platforms(&[(4, 3)], 2)? {
        let mut builder = Platform::builder();
        for id in plain.node_ids() {
            let full = id.index() == 3;
            builder.node(Node {
                model: Some(if full {
                    PortModel::FullDuplex
                } else {
                    PortModel::Multiport
                }),
                ports: Some(2),
                ..plain.node(id).clone()
            })?;
        }
        for link in plain.links() {
            builder.link(link.from, link.to, link.cost.clone())?;
        }
        let platform = builder.build()?;
        let gadget = gadget(&platform)?;
        let of_relays = |part: &&(NodeId, Part)| matches!(part.1, Part::Relay { .. });
        let here = gadget.nodes.iter().filter(of_relays).count();
        if here == 0 {
            continue;
        }
        let scatter = Collective::scatter(NodeId::new(0), platform.node_ids().skip(1).collect());
        for collective in [broadcast(&platform), scatter] {
            let ours = throughput(&platform, &collective)?;
            let instance = Instance::of_gadget(&platform, &gadget, &collective)?;
            let found = instance.optimum(&Watch::unlimited())?;
            found.check(&instance)?;
            let theirs = found.weighted.value;
            ensure!(ours == theirs, "{ours} ours, {theirs} with relays");
            let free = modelled(&platform, |_| PortModel::Links)?;
            slower += usize::from(ours < platforms::optimum(&free, &collective)?);
            tried += 1;
        }
        relays = relays.max(here);
    }
    Ok(Finding::claim(
        tried > 0 && slower > 0,
        format!("{tried} questions, up to {relays} relays; in {slower} the ports matter"),
    ))
}

/// Without the links from the heart to its in-nodes each of these needs a separate message.
fn back_links() -> Result<Finding> {
    let links = [("s", "a", "1"), ("s", "b", "1"), ("a", "b", "2")];
    let platform = modelled(&cases::platform("s a b", &links)?, |_| PortModel::Multiport)?;
    let (gadget, collective) = (gadget(&platform)?, broadcast(&platform));
    let with = optimum(&gadget, &collective)?;
    let without = optimum(&without_back_links(gadget), &collective)?;
    ensure!(
        with == throughput(&platform, &broadcast(&platform))?,
        "with the links it is wrong too"
    );
    let holds = without < with && with == whole(1);
    Ok(Finding::claim(
        holds,
        format!("s -> a: 1, s -> b: 1, a -> b: 2, a port per link: {with} with, {without} without"),
    ))
}
