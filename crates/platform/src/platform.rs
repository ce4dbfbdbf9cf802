//! The platform graph and its validated builder.

use std::collections::BTreeMap;
use std::fmt;

use num_traits::Signed;

use crate::{PlatformError, PortModel, Rational};

/// Most nodes, and most links, of one platform; ids are 32 bits wide.
const LIMIT: usize = 1 << 24;
/// Longest node name.
const MAX_NAME: usize = 200;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id with this index. Ids are dense: they run from 0 in the order of building.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// The place in the platform's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id! {
    /// A node of one platform.
    NodeId
}
id! {
    /// A directed link of one platform.
    LinkId
}

/// A processor or a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// Time for one unit of work; `None` for a router, which only forwards.
    pub compute: Option<Rational>,
    /// This node's port model where it differs from the platform's.
    pub model: Option<PortModel>,
    /// Simultaneous sends, and receives, under [`PortModel::Multiport`]; 1 when absent.
    pub ports: Option<u32>,
    /// `false` marks a switch that cannot duplicate a message.
    pub replicates: bool,
}

impl Node {
    /// A node that computes, `compute` time units per unit of work.
    pub fn processor(name: impl Into<String>, compute: Rational) -> Self {
        Node { name: name.into(), compute: Some(compute), model: None, ports: None, replicates: true }
    }

    /// A node that only forwards.
    pub fn router(name: impl Into<String>) -> Self {
        Node { name: name.into(), compute: None, model: None, ports: None, replicates: true }
    }

    /// Whether this node computes.
    pub fn is_processor(&self) -> bool {
        self.compute.is_some()
    }
}

/// A directed link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The sending node.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// `c(from, to)`: time to transfer one unit of message.
    pub cost: Rational,
}

/// A validated platform graph. Immutable; built by [`PlatformBuilder`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    model: PortModel,
    nodes: Vec<Node>,
    links: Vec<Link>,
    outgoing: Vec<Vec<LinkId>>,
    incoming: Vec<Vec<LinkId>>,
    by_name: BTreeMap<String, NodeId>,
}

impl Platform {
    /// Starts an empty platform under the default port model.
    pub fn builder() -> PlatformBuilder {
        PlatformBuilder::default()
    }

    /// The platform's default port model.
    pub fn model(&self) -> PortModel {
        self.model
    }

    /// The same platform under another default port model; nodes with a model of their own keep it.
    pub fn with_model(mut self, model: PortModel) -> Self {
        self.model = model;
        self
    }

    /// The port model of one node: its own, else the platform's.
    pub fn model_of(&self, node: NodeId) -> PortModel {
        self.node(node).model.unwrap_or(self.model)
    }

    /// All nodes, by id.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All links, by id.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// One node. The id must come from this platform.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// One link. The id must come from this platform.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.index()]
    }

    /// The node's name.
    pub fn name(&self, id: NodeId) -> &str {
        &self.node(id).name
    }

    /// `from -> to`, by names, for messages.
    pub fn link_name(&self, id: LinkId) -> String {
        let link = self.link(id);
        format!("{} -> {}", self.name(link.from), self.name(link.to))
    }

    /// Every node id, in order.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    /// Every link id, in order.
    pub fn link_ids(&self) -> impl Iterator<Item = LinkId> + use<> {
        (0..self.links.len()).map(LinkId::new)
    }

    /// The nodes that compute, in platform order.
    pub fn processors(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(|&id| self.node(id).is_processor())
    }

    /// Links leaving a node.
    pub fn outgoing(&self, node: NodeId) -> &[LinkId] {
        &self.outgoing[node.index()]
    }

    /// Links entering a node.
    pub fn incoming(&self, node: NodeId) -> &[LinkId] {
        &self.incoming[node.index()]
    }

    /// The node with this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// The link between two nodes.
    pub fn link_between(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        self.outgoing(from).iter().copied().find(|&link| self.link(link).to == to)
    }
}

/// Collects nodes and links and validates each where it is given.
#[derive(Debug, Clone, Default)]
pub struct PlatformBuilder {
    model: PortModel,
    nodes: Vec<Node>,
    links: Vec<Link>,
    by_name: BTreeMap<String, NodeId>,
    by_ends: BTreeMap<(NodeId, NodeId), LinkId>,
}

impl PlatformBuilder {
    /// Sets the default port model.
    pub fn model(&mut self, model: PortModel) -> &mut Self {
        self.model = model;
        self
    }

    /// Adds a node.
    ///
    /// # Errors
    /// A name that is taken, empty, longer than 200 characters or with control characters; a compute
    /// cost that is not positive; zero ports.
    pub fn node(&mut self, node: Node) -> Result<NodeId, PlatformError> {
        if self.nodes.len() == LIMIT {
            return Err(PlatformError::TooMany { what: "nodes", limit: LIMIT });
        }
        let length = node.name.chars().count();
        if length == 0 || length > MAX_NAME || node.name.chars().any(char::is_control) {
            let name = node.name.chars().take(40).collect();
            return Err(PlatformError::BadName { name });
        }
        if self.by_name.contains_key(&node.name) {
            return Err(PlatformError::DuplicateNode { name: node.name });
        }
        if let Some(compute) = &node.compute
            && !compute.is_positive()
        {
            return Err(PlatformError::BadCompute { value: Box::new(compute.clone()), node: node.name });
        }
        if node.ports == Some(0) {
            return Err(PlatformError::NoPorts { node: node.name });
        }
        let id = NodeId::new(self.nodes.len());
        self.by_name.insert(node.name.clone(), id);
        self.nodes.push(node);
        Ok(id)
    }

    /// Adds a directed link of the given cost (time per unit of message).
    ///
    /// # Errors
    /// Unknown ends, a link from a node to itself, a pair linked twice, a cost that is not positive.
    pub fn link(&mut self, from: NodeId, to: NodeId, cost: Rational) -> Result<LinkId, PlatformError> {
        if self.links.len() == LIMIT {
            return Err(PlatformError::TooMany { what: "links", limit: LIMIT });
        }
        for id in [from, to] {
            if id.index() >= self.nodes.len() {
                return Err(PlatformError::UnknownNodeId { id: id.index(), nodes: self.nodes.len() });
            }
        }
        let name = |id: NodeId| self.nodes[id.index()].name.clone();
        if from == to {
            return Err(PlatformError::SelfLoop { node: name(from) });
        }
        if !cost.is_positive() {
            return Err(PlatformError::BadCost { from: name(from), to: name(to), cost: Box::new(cost) });
        }
        if let Some(first) = self.by_ends.get(&(from, to)) {
            let first = Box::new(self.links[first.index()].cost.clone());
            return Err(PlatformError::DuplicateLink { from: name(from), to: name(to), first, second: Box::new(cost) });
        }
        let id = LinkId::new(self.links.len());
        self.by_ends.insert((from, to), id);
        self.links.push(Link { from, to, cost });
        Ok(id)
    }

    /// Adds both directions at the same cost; returns the link `from -> to`, then the reverse.
    ///
    /// # Errors
    /// As [`link`](Self::link).
    pub fn duplex(&mut self, from: NodeId, to: NodeId, cost: Rational) -> Result<(LinkId, LinkId), PlatformError> {
        Ok((self.link(from, to, cost.clone())?, self.link(to, from, cost)?))
    }

    /// The node of this name, if it was added.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// Finishes the platform.
    ///
    /// # Errors
    /// A platform without nodes.
    pub fn build(self) -> Result<Platform, PlatformError> {
        if self.nodes.is_empty() {
            return Err(PlatformError::Empty);
        }
        let mut outgoing = vec![Vec::new(); self.nodes.len()];
        let mut incoming = vec![Vec::new(); self.nodes.len()];
        for (index, link) in self.links.iter().enumerate() {
            outgoing[link.from.index()].push(LinkId::new(index));
            incoming[link.to.index()].push(LinkId::new(index));
        }
        Ok(Platform {
            model: self.model,
            nodes: self.nodes,
            links: self.links,
            outgoing,
            incoming,
            by_name: self.by_name,
        })
    }
}
