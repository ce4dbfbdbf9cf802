//! Section 5: nodes with two or more ports as half-duplex nodes and links that take no time.

use anyhow::{Result, ensure};
use num_traits::Zero;
use oneport::platform::Node;
use oneport::{Collective, NodeId, Platform, PortModel, Rational};

use super::program::{self, Arc, Net};
use super::{broadcast, figure_1, figure_2, plan, random_platforms, throughput};
use crate::cases;
use crate::numbers::{short, whole};
use crate::rows::{Check, Finding};

pub const CHECKS: &[(&str, Check)] = &[
    ("gadget-full-duplex", |_| agrees(PortModel::FullDuplex)),
    ("gadget-delta-port", |_| agrees(PortModel::Multiport)),
    ("gadget-mixed", |_| mixed()),
    ("gadget-back-links", |_| back_links()),
];

/// A platform of half-duplex nodes that does what another platform does.
pub struct Gadget {
    net: Net,
    /// By node of the platform, the half-duplex node at its heart.
    cores: Vec<usize>,
    collective: Collective,
}

/// Where the links of a node end.
struct Ends {
    /// By incoming link.
    receiving: Vec<Option<usize>>,
    /// By outgoing link.
    sending: Vec<usize>,
}

impl Gadget {
    /// The platform with every full-duplex node `P` in three parts (`P_in -> P -> P_out`, figure 7), and every node
    /// with more ports, or none, in one part per link and its heart (figure 8). `source_receives` keeps the in-node of
    /// a source that is full-duplex; `back_links` adds the links that let the heart serve its own in-nodes.
    fn new(platform: &Platform, collective: Collective, source_receives: bool, back_links: bool) -> Gadget {
        let mut net = Net { nodes: platform.nodes().len(), arcs: Vec::new() };
        let cores: Vec<usize> = (0..net.nodes).collect();
        let source = match &collective {
            Collective::Broadcast { source, .. } if !source_receives => Some(*source),
            _ => None,
        };
        let ends: Vec<Ends> =
            platform.node_ids().map(|node| net.split(platform, node, source == Some(node), back_links)).collect();
        for link in platform.link_ids() {
            let arc = platform.link(link);
            let place = |links: &[oneport::platform::LinkId]| links.iter().position(|other| *other == link);
            let from = place(platform.outgoing(arc.from)).and_then(|place| ends[arc.from.index()].sending.get(place));
            let to = place(platform.incoming(arc.to)).and_then(|place| ends[arc.to.index()].receiving.get(place));
            if let (Some(&from), Some(&Some(to))) = (from, to) {
                net.arcs.push(Arc { from, to, cost: arc.cost.clone() });
            }
        }
        Gadget { net, cores, collective }
    }

    /// For a broadcast from the first node.
    pub fn of_broadcast(platform: &Platform, source_receives: bool, back_links: bool) -> Gadget {
        Gadget::new(platform, broadcast(platform), source_receives, back_links)
    }

    /// (P) on the transformed platform. Links without a cost need no matching.
    pub fn optimum(&self) -> Result<Rational> {
        let patterns = match &self.collective {
            Collective::Broadcast { source, .. } => self.net.products(&[self.net.trees(self.cores[source.index()])])?,
            other => {
                let paths = other.commodities();
                let paths = paths
                    .iter()
                    .map(|one| self.net.paths(self.cores[one.source.index()], self.cores[one.target.index()]));
                self.net.products(&paths.collect::<Vec<_>>())?
            }
        };
        Ok(program::primal(&self.net, &self.net.matchings(), &patterns)?.value)
    }
}

impl Net {
    /// Adds the fictitious nodes of one node and the links between them, which cost nothing.
    fn split(&mut self, platform: &Platform, node: NodeId, silent: bool, back_links: bool) -> Ends {
        let core = node.index();
        let (incoming, outgoing) = (platform.incoming(node).len(), platform.outgoing(node).len());
        match platform.model_of(node) {
            PortModel::HalfDuplex => Ends { receiving: vec![Some(core); incoming], sending: vec![core; outgoing] },
            PortModel::FullDuplex => {
                let output = self.fictitious();
                self.free(core, output);
                let input = (!silent).then(|| self.fictitious());
                input.into_iter().for_each(|input| self.free(input, core));
                Ends { receiving: vec![input; incoming], sending: vec![output; outgoing] }
            }
            PortModel::Multiport | PortModel::Links => {
                let inputs: Vec<usize> = (0..incoming).map(|_| self.fictitious()).collect();
                let sending: Vec<usize> = (0..outgoing).map(|_| self.fictitious()).collect();
                for &input in &inputs {
                    self.free(input, core);
                    if back_links {
                        self.free(core, input);
                    }
                }
                sending.iter().for_each(|&output| self.free(core, output));
                Ends { receiving: inputs.into_iter().map(Some).collect(), sending }
            }
        }
    }

    fn fictitious(&mut self) -> usize {
        self.nodes += 1;
        self.nodes - 1
    }

    fn free(&mut self, from: usize, to: usize) {
        self.arcs.push(Arc { from, to, cost: Rational::zero() });
    }
}

/// The platform with other port models, node by node; a node with several ports has one per link.
fn modelled(platform: &Platform, model: impl Fn(usize) -> PortModel) -> Result<Platform> {
    let mut builder = Platform::builder();
    for id in platform.node_ids() {
        let model = model(id.index());
        let ports = platform.incoming(id).len().max(platform.outgoing(id).len());
        let ports = (model == PortModel::Multiport).then_some(ports as u32);
        builder.node(Node { model: Some(model), ports, ..platform.node(id).clone() })?;
    }
    for link in platform.links() {
        builder.link(link.from, link.to, link.cost.clone())?;
    }
    Ok(builder.build()?)
}

/// Figures 1 and 2 and random platforms, as they are.
fn platforms() -> Result<Vec<Platform>> {
    let mut platforms = vec![figure_1()?, figure_2()?];
    platforms.extend(random_platforms(&[(3, 2), (4, 2)], 4)?);
    Ok(platforms)
}

/// On every platform and with both collectives the transformed platform achieves what the models themselves do.
fn compare(model: impl Fn(usize, usize) -> PortModel) -> Result<Finding> {
    let platforms = platforms()?;
    let (mut tried, mut better) = (0usize, 0usize);
    for (place, plain) in platforms.iter().enumerate() {
        let platform = modelled(plain, |node| model(place, node))?;
        let scatter = Collective::Scatter { source: NodeId::new(0), targets: platform.node_ids().skip(1).collect() };
        for collective in [broadcast(&platform), scatter] {
            let ours = throughput(&platform, &collective)?;
            let gadget = Gadget::new(&platform, collective.clone(), false, true).optimum()?;
            ensure!(ours == gadget, "platform {place}: {} ours, {gadget} transformed", short(&ours));
            better += usize::from(ours > plan(plain, &collective)?.steady_state.throughput);
            tried += 1;
        }
    }
    // Ports must have mattered, or nothing has been compared.
    let holds = better > 0;
    Ok(Finding::claim(holds, format!("{tried} cases; in {better} the ports matter")))
}

fn agrees(model: PortModel) -> Result<Finding> {
    compare(|_, _| model)
}

fn mixed() -> Result<Finding> {
    let models = [PortModel::HalfDuplex, PortModel::FullDuplex, PortModel::Multiport];
    compare(|place, node| models[(place + 2 * node + node / 2) % 3])
}

/// Without the links from the heart to its in-nodes each of these needs a message of its own.
fn back_links() -> Result<Finding> {
    let links = [("s", "a", "1"), ("s", "b", "1"), ("a", "b", "2")];
    let platform = modelled(&cases::platform("s a b", &links)?, |_| PortModel::Multiport)?;
    let with = Gadget::of_broadcast(&platform, false, true).optimum()?;
    let without = Gadget::of_broadcast(&platform, false, false).optimum()?;
    ensure!(with == throughput(&platform, &broadcast(&platform))?, "with the links it is wrong too");
    let holds = without < with && with == whole(1);
    Ok(Finding::claim(
        holds,
        format!("s -> a: 1, s -> b: 1, a -> b: 2, a port per link: {with} with, {without} without"),
    ))
}
