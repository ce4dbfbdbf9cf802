//! Names of nodes that the CPLEX LP format allows within names of variables.
//!
//! A node's name is kept if it consists of letters, digits and `_ . # $ % & @ ~ '` of ASCII, and has at most 40 of
//! them. Commas and parentheses divide `send(Pi,Pj,m)` and are not kept. Every other node is called after its index,
//! and a comment of the file lists both names.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use oneport_plan::{Commodity, Interval, Resource};
use oneport_platform::{LinkId, NodeId, Platform};

use crate::linear::{Act, Equation, Port, Quantity};

/// Fact: characters of a node's name. Three names and the letters around them fit the 255 of a variable.
const LONGEST: usize = 40;

/// The papers' letters for quantities of several programs, and the index that distinguishes a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Letters {
    /// `TP`, `s`. A message is named by its target, `m_l`.
    OneSource(Vec<Commodity>),
    /// `TP`, `s`. A message is named by its source and its target, `m_k,l`.
    Both(Vec<Commodity>),
    /// `TP`, `s`: partial results.
    Reduce,
    /// `a`, `t`: copies for these targets.
    Broadcast(Vec<NodeId>),
    /// Patterns and matchings.
    Matchings,
}

/// Names of nodes, links, variables and rows in the file.
pub(crate) struct Names<'a> {
    platform: &'a Platform,
    nodes: Vec<String>,
    letters: Letters,
}

impl<'a> Names<'a> {
    /// Names the nodes.
    pub(crate) fn new(platform: &'a Platform, letters: Letters) -> Names<'a> {
        let kept: BTreeSet<&str> = platform
            .nodes()
            .iter()
            .map(|node| node.name.as_str())
            .filter(|name| fits(name))
            .collect();
        let name = |(index, node): (usize, &oneport_platform::Node)| {
            if fits(&node.name) {
                return node.name.clone();
            }
            let mut name = format!("node{index}");
            while kept.contains(name.as_str()) {
                name.push('_');
            }
            name
        };
        Names {
            platform,
            nodes: platform.nodes().iter().enumerate().map(name).collect(),
            letters,
        }
    }

    /// A sentence for each node whose name is not the platform's.
    pub(crate) fn replaced(&self) -> impl Iterator<Item = String> {
        let nodes = self.platform.nodes().iter().zip(&self.nodes);
        nodes
            .filter(|(node, name)| node.name != **name)
            .map(|(node, name)| format!("{name} is the node {:?}.", node.name))
    }

    /// The name of a node.
    pub(crate) fn node(&self, node: NodeId) -> &str {
        self.nodes.get(node.index()).map_or("", String::as_str)
    }

    /// The two ends of a link: `Pi,Pj`.
    pub(crate) fn link(&self, link: LinkId) -> String {
        let ends = self.platform.link(link);
        format!("{},{}", self.node(ends.from), self.node(ends.to))
    }

    /// `m_l`, or `m_k,l`.
    fn message(&self, message: usize) -> String {
        match &self.letters {
            Letters::OneSource(all) => all
                .get(message)
                .map(|one| format!("m_{}", self.node(one.target))),
            Letters::Both(all) => all
                .get(message)
                .map(|one| format!("m_{},{}", self.node(one.source), self.node(one.target))),
            Letters::Reduce | Letters::Broadcast(_) | Letters::Matchings => None,
        }
        .unwrap_or_default()
    }

    /// The name of a target of a broadcast.
    fn target(&self, target: usize) -> &str {
        match &self.letters {
            Letters::Broadcast(targets) => targets.get(target).map_or("", |&node| self.node(node)),
            Letters::OneSource(_) | Letters::Both(_) | Letters::Reduce | Letters::Matchings => "",
        }
    }

    /// Writes the name of a variable.
    pub(crate) fn quantity(&self, quantity: Quantity, text: &mut String) {
        let [throughput, busy] = match self.letters {
            Letters::Broadcast(_) => ["a", "t"],
            _ => ["TP", "s"],
        };
        // Writing to a string does not fail.
        let _ = match quantity {
            Quantity::Throughput => write!(text, "{throughput}"),
            Quantity::Busy(link) => write!(text, "{busy}({})", self.link(link)),
            Quantity::Computing(node) => write!(text, "alpha({})", self.node(node)),
            Quantity::PortBusy(node, port) => {
                let time = match port {
                    Port::In => "t_in",
                    Port::Out => "t_out",
                    Port::Both => "t",
                };
                write!(text, "{time}({})", self.node(node))
            }
            Quantity::Message { message, link } => {
                write!(text, "send({},{})", self.link(link), self.message(message))
            }
            Quantity::Task { part, act, .. } => match act {
                Act::Send(link) => write!(text, "send({},{})", self.link(link), value(part)),
                Act::Merge(node, split) => {
                    let Interval { first, last } = part;
                    write!(text, "cons({},T_{first}_{split}_{last})", self.node(node))
                }
            },
            Quantity::Copies { target, link, .. } => {
                let target = target.map_or("", |target| self.target(target));
                write!(text, "x({target},{})", self.link(link))
            }
            Quantity::Matching(index) => write!(text, "x_{}", index + 1),
            Quantity::Pattern(index) => write!(text, "y_{}", index + 1),
            Quantity::TimePrice => write!(text, "u"),
            Quantity::LinkPrice(index) => write!(text, "v({})", self.link(LinkId::new(index))),
        };
    }

    /// Writes the name of a row.
    pub(crate) fn equation(&self, equation: Equation, text: &mut String) {
        let _ = match equation {
            Equation::Capacity(Resource::Shared(id)) => write!(text, "shared({})", id.index()),
            Equation::Capacity(resource) => write!(text, "{}", resource.kind()),
            Equation::Link(link) => match self.letters {
                Letters::Broadcast(_) => write!(text, "link({})", self.link(link)),
                _ => write!(text, "busy({})", self.link(link)),
            },
            Equation::Port(node, port) => {
                write!(text, "{}({})", self.limit(port), self.node(node))
            }
            Equation::Time(link) => write!(text, "time({})", self.link(link)),
            Equation::Compute(node) => write!(text, "compute({})", self.node(node)),
            Equation::Processor(node) => write!(text, "processor({})", self.node(node)),
            Equation::Conserve { message, node } => {
                let (node, message) = (self.node(node), self.message(message));
                write!(text, "conserve({node},{message})")
            }
            Equation::Receive(message) => write!(text, "receive({})", self.message(message)),
            Equation::Part { node, part, .. } => {
                write!(text, "conserve({},{})", self.node(node), value(part))
            }
            Equation::Result(_) => write!(text, "throughput"),
            Equation::Leave(target) => write!(text, "leave({})", self.target(target)),
            Equation::Flow { target, node, .. } => self.flow(target, node, text),
            Equation::Cover { target, link, .. } => {
                write!(text, "time({},{})", self.target(target), self.link(link))
            }
            Equation::PortTime(node, port) => {
                let busy = match port {
                    Port::In => "in",
                    Port::Out => "out",
                    Port::Both => "busy",
                };
                write!(text, "{busy}({})", self.node(node))
            }
            Equation::Comm => write!(text, "comm"),
            Equation::Edge(index) => write!(text, "edge({})", self.link(LinkId::new(index))),
            Equation::Matching(index) => write!(text, "M_{}", index + 1),
            Equation::Pattern(index) => write!(text, "T_{}", index + 1),
            Equation::Bound(index) => write!(text, "bound_{}", index + 1),
        };
    }

    /// The name of a row that limits a port.
    fn limit(&self, port: Port) -> &'static str {
        let papers = !matches!(self.letters, Letters::Broadcast(_));
        match (port, papers) {
            (Port::In, true) => "in",
            (Port::Out, true) => "out",
            (Port::In, false) => "port_in",
            (Port::Out, false) => "port_out",
            (Port::Both, _) => "port",
        }
    }

    fn flow(&self, target: usize, node: NodeId, text: &mut String) -> std::fmt::Result {
        let reached = match &self.letters {
            Letters::Broadcast(targets) => targets.get(target) == Some(&node),
            _ => false,
        };
        let name = self.target(target);
        if reached {
            write!(text, "reach({name})")
        } else {
            write!(text, "conserve({name},{})", self.node(node))
        }
    }
}

/// `v[k,m]`.
fn value(part: Interval) -> String {
    format!("v_{}_{}", part.first, part.last)
}

fn fits(name: &str) -> bool {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "_.#$%&@~'".contains(letter);
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use oneport_platform::{Node, Platform, whole};

    use super::*;

    #[test]
    fn names_that_the_format_forbids_are_replaced_by_new_ones() {
        let mut builder = Platform::builder();
        let names = [
            "gpu 0",
            "a,b",
            "node0",
            "e1",
            "x:y",
            "+",
            "é",
            "node1",
            "node1_",
            &"n".repeat(41),
        ];
        for name in names {
            builder.node(Node::processor(name, whole(1))).unwrap();
        }
        let platform = builder.build().unwrap();
        let named = Names::new(&platform, Letters::Matchings);
        let written: Vec<&str> = platform.node_ids().map(|node| named.node(node)).collect();
        assert_eq!(
            written,
            [
                "node0_", "node1__", "node0", "e1", "node4", "node5", "node6", "node1", "node1_",
                "node9"
            ]
        );
        assert_eq!(written.iter().collect::<BTreeSet<_>>().len(), names.len());
        let text: Vec<String> = named.replaced().collect();
        for (name, written) in names.iter().zip(written).filter(|(name, _)| !fits(name)) {
            assert!(
                text.contains(&format!("{written} is the node {name:?}.")),
                "{text:?}"
            );
        }
    }
}
