//! The platform graph and its validated builder.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_traits::{Signed, Zero};
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::{
    EdgeRef, GraphProp, IntoEdgeReferences, IntoNodeReferences, NodeIndexable, NodeRef,
};

use crate::lists::{Links, Nodes};
use crate::nodes::{Delays, Link, LinkId, Node, NodeId, SharedId};
use crate::per_id::{PerLink, PerNode};
use crate::shared::{self, Groups, Shared};
use crate::{PlatformError, PortModel, Rational, Units};

/// Limit: nodes, and links, of a platform. Ids have 32 bits.
const LIMIT: usize = 1 << 24;
/// Limit: characters of a node's name.
const MAX_NAME: usize = 200;

/// A validated platform graph. Immutable. Built by [`PlatformBuilder`] or [from a graph](Platform::from_graph).
#[derive(Debug, Clone)]
pub struct Platform {
    model: PortModel,
    units: Option<Units>,
    graph: DiGraph<Node, Link>,
    outgoing: PerNode<Vec<LinkId>>,
    incoming: PerNode<Vec<LinkId>>,
    by_name: BTreeMap<String, NodeId>,
    pub(crate) groups: Groups,
    by_alias: BTreeMap<String, NodeId>,
}

impl PartialEq for Platform {
    fn eq(&self, other: &Platform) -> bool {
        self.model == other.model
            && self.units == other.units
            && self.nodes() == other.nodes()
            && self.links() == other.links()
            && self.groups == other.groups
    }
}

impl Eq for Platform {}

/// Clones, for owners that share a platform.
impl From<&Platform> for Arc<Platform> {
    fn from(platform: &Platform) -> Self {
        Arc::new(platform.clone())
    }
}

impl Platform {
    /// Starts an empty platform under the default port model.
    pub fn builder() -> PlatformBuilder {
        PlatformBuilder::default()
    }

    /// A platform from the caller's graph: `node` returns the node, `cost` the time per unit of message on each edge.
    /// Ids follow the order of the graph's nodes and edges. An edge of an undirected graph becomes a link in each
    /// direction. The port model is the default. See [`with_model`](Self::with_model).
    ///
    /// ```
    /// use oneport_platform::{Node, Platform, parse_rational};
    /// use petgraph::graph::UnGraph;
    /// let mut wires = UnGraph::new_undirected();
    /// let [a, switch] = [("a", true), ("switch", false)].map(|node| wires.add_node(node));
    /// wires.add_edge(a, switch, "2/3");
    /// let one = parse_rational("1")?;
    /// let node = |(_, &(name, computes)): (_, &(&str, bool))| {
    ///     if computes { Node::processor(name, one.clone()) } else { Node::router(name) }
    /// };
    /// let platform = Platform::from_graph(&wires, node, |wire| parse_rational(wire.weight()).unwrap_or_default())?;
    /// assert_eq!(platform.links().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As the builder's [`node`](PlatformBuilder::node), [`link`](PlatformBuilder::link) and
    /// [`build`](PlatformBuilder::build).
    pub fn from_graph<G>(
        graph: G,
        mut node: impl FnMut(G::NodeRef) -> Node,
        mut cost: impl FnMut(G::EdgeRef) -> Rational,
    ) -> Result<Platform, PlatformError>
    where
        G: IntoNodeReferences + IntoEdgeReferences + NodeIndexable + GraphProp,
    {
        let mut builder = Platform::builder();
        // Indices of nodes have gaps if nodes were removed.
        let mut ids = vec![NodeId::new(usize::MAX); graph.node_bound()];
        for own in graph.node_references() {
            ids[graph.to_index(own.id())] = builder.node(node(own))?;
        }
        for edge in graph.edge_references() {
            let [from, to] = [edge.source(), edge.target()].map(|end| ids[graph.to_index(end)]);
            let cost = cost(edge);
            if graph.is_directed() {
                builder.link(from, to, cost)?;
            } else {
                builder.duplex(from, to, cost)?;
            }
        }
        builder.build()
    }

    /// The platform's default port model.
    pub fn model(&self) -> PortModel {
        self.model
    }

    /// Replaces the default port model. Nodes with a separate model keep it. Shared capacities may not fit the new
    /// ports: see [`check_shared`](Self::check_shared).
    pub fn with_model(mut self, model: PortModel) -> Self {
        self.model = model;
        self
    }

    /// The meaning of 1 of message and 1 of time, if it was given. No algorithm uses it.
    pub fn units(&self) -> Option<Units> {
        self.units
    }

    /// Replaces or removes the units. The numbers stay as they are.
    pub fn with_units(mut self, units: Option<Units>) -> Self {
        self.units = units;
        self
    }

    /// Replaces latencies: `of(link)` is the new latency, and `None` keeps the old one. Overheads stay.
    ///
    /// # Errors
    /// A latency below 0.
    pub fn with_latencies(
        mut self,
        of: impl Fn(LinkId) -> Option<Rational>,
    ) -> Result<Self, PlatformError> {
        for id in self.link_ids() {
            let Some(latency) = of(id) else { continue };
            let overhead = self.link(id).overhead();
            let delays = Delays { latency, overhead };
            set_delays(&mut self.graph, id, delays)?;
        }
        Ok(self)
    }

    /// The port model of one node: its own, else the platform's.
    pub fn model_of(&self, node: NodeId) -> PortModel {
        self.node(node).model.unwrap_or(self.model)
    }

    /// Whether only single links are limited: no node has a port, and no capacity is shared. The links that leave a set
    /// of nodes can then all be busy at a time.
    pub fn only_links(&self) -> bool {
        self.shared().is_empty()
            && self
                .node_ids()
                .all(|node| self.model_of(node) == PortModel::Links)
    }

    /// The first half-duplex node. If there is none, the graph of send and receive ports is bipartite, so that no
    /// odd set of ports needs longer than each port and link does.
    pub fn half_duplex(&self) -> Option<NodeId> {
        self.node_ids()
            .find(|&node| self.model_of(node) == PortModel::HalfDuplex)
    }

    /// How many transfers a port of this node serves at a time: 1, or the ports of a multiport node. `None` if no
    /// port limits it.
    pub fn ports(&self, node: NodeId) -> Option<u32> {
        match self.model_of(node) {
            PortModel::FullDuplex | PortModel::HalfDuplex => Some(1),
            PortModel::Multiport => Some(self.node(node).ports.unwrap_or(1).max(1)),
            PortModel::Links => None,
        }
    }

    /// The network as a petgraph graph, for the algorithms of petgraph and `oneport-graph`: node and edge indices are
    /// the numbers of the ids (`NodeIndex::from(id)`, `NodeId::from(index)`).
    ///
    /// ```
    /// use oneport_platform::generate::torus;
    /// use petgraph::algo::tarjan_scc;
    /// let platform = torus(&[3, 3])?;
    /// assert_eq!(tarjan_scc(platform.graph()).len(), 1);
    /// # Ok::<(), oneport_platform::PlatformError>(())
    /// ```
    pub fn graph(&self) -> &DiGraph<Node, Link> {
        &self.graph
    }

    /// All nodes, by id.
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes::of(&self.graph)
    }

    /// All links, by id.
    pub fn links(&self) -> Links<'_> {
        Links::of(&self.graph)
    }

    /// One node.
    ///
    /// # Panics
    /// If the id is not of this platform. [`nodes`](Self::nodes)`().get(id.index())` does not panic.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.graph[NodeIndex::from(id)]
    }

    /// One link.
    ///
    /// # Panics
    /// If the id is not of this platform. [`links`](Self::links)`().get(id.index())` does not panic.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.graph[EdgeIndex::from(id)]
    }

    /// The node's name.
    pub fn name(&self, id: NodeId) -> &str {
        &self.node(id).name
    }

    /// The first link over which messages take no time, if there is one.
    pub fn free_link(&self) -> Option<LinkId> {
        self.link_ids().find(|&link| self.link(link).cost.is_zero())
    }

    /// `from -> to`, by names, for messages.
    pub fn link_name(&self, id: LinkId) -> String {
        let link = self.link(id);
        format!("{} -> {}", self.name(link.from), self.name(link.to))
    }

    /// Every node id, in order.
    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.graph.node_count()).map(NodeId::new)
    }

    /// Every link id, in order.
    pub fn link_ids(&self) -> impl Iterator<Item = LinkId> + use<> {
        (0..self.graph.edge_count()).map(LinkId::new)
    }

    /// The nodes that compute, in platform order.
    pub fn processors(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(|&id| self.node(id).is_processor())
    }

    /// The nodes that may take part, in platform order: the processors, or on a platform without processors all nodes
    /// that replicate, for a switch keeps nothing.
    pub fn participants(&self) -> Vec<NodeId> {
        let processors: Vec<NodeId> = self.processors().collect();
        if processors.is_empty() {
            let keeps = |&node: &NodeId| self.node(node).replicates;
            self.node_ids().filter(keeps).collect()
        } else {
            processors
        }
    }

    /// The nodes that merge, in platform order: processors, and routers that reduce.
    pub fn mergers(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.node_ids().filter(|&id| self.node(id).merges())
    }

    /// Links leaving a node.
    pub fn outgoing(&self, node: NodeId) -> &[LinkId] {
        &self.outgoing[node]
    }

    /// Links entering a node.
    pub fn incoming(&self, node: NodeId) -> &[LinkId] {
        &self.incoming[node]
    }

    /// Every link that enters or leaves one of the nodes, once, ascending.
    pub fn links_at(&self, nodes: &[NodeId]) -> Vec<LinkId> {
        let all = nodes.iter().flat_map(|&node| {
            self.outgoing(node)
                .iter()
                .chain(self.incoming(node))
                .copied()
        });
        let mut links: Vec<LinkId> = all.collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    /// The node with this name, else with this alias.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let aliased = || self.by_alias.get(name).copied();
        self.by_name.get(name).copied().or_else(aliased)
    }

    /// The link between two nodes.
    pub fn link_between(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        let (out, into) = (self.outgoing(from), self.incoming(to));
        let shorter = if into.len() < out.len() { into } else { out };
        shorter
            .iter()
            .copied()
            .find(|&link| self.link(link).from == from && self.link(link).to == to)
    }

    /// `value` for each node.
    pub fn per_node<T: Clone>(&self, value: T) -> PerNode<T> {
        vec![value; self.nodes().len()].into()
    }

    /// `value` for each link.
    pub fn per_link<T: Clone>(&self, value: T) -> PerLink<T> {
        vec![value; self.links().len()].into()
    }
}

/// Collects nodes and links, and validates each when it is added.
#[derive(Debug, Clone, Default)]
pub struct PlatformBuilder {
    model: PortModel,
    units: Option<Units>,
    graph: DiGraph<Node, Link>,
    by_name: BTreeMap<String, NodeId>,
    by_alias: BTreeMap<String, NodeId>,
    by_ends: BTreeMap<(NodeId, NodeId), LinkId>,
    shared: Vec<Shared>,
    shared_names: BTreeSet<String>,
    members: BTreeSet<LinkId>,
}

impl PlatformBuilder {
    /// Sets the default port model.
    pub fn model(&mut self, model: PortModel) -> &mut Self {
        self.model = model;
        self
    }

    /// Sets the units of data and time.
    pub fn units(&mut self, units: Units) -> &mut Self {
        self.units = Some(units);
        self
    }

    /// Adds a node.
    ///
    /// # Errors
    /// A name or alias that another node has, or that is empty, longer than 200 characters or with control characters.
    /// A compute cost that is not positive. A processor that also reduces as a router. A time of merges below 0. Zero
    /// ports.
    pub fn node(&mut self, node: Node) -> Result<NodeId, PlatformError> {
        if self.graph.node_count() == LIMIT {
            return Err(PlatformError::TooMany {
                what: "nodes",
                limit: LIMIT,
            });
        }
        for name in [Some(&node.name), node.alias.as_ref()]
            .into_iter()
            .flatten()
        {
            let length = name.chars().count();
            if length == 0 || length > MAX_NAME || name.chars().any(char::is_control) {
                let name = name.chars().take(40).collect();
                return Err(PlatformError::BadName { name });
            }
        }
        if self.by_name.contains_key(&node.name) {
            return Err(PlatformError::DuplicateNode { name: node.name });
        }
        if let Some(alias) = &node.alias
            && self.by_alias.contains_key(alias)
        {
            let name = alias.clone();
            return Err(PlatformError::DuplicateNode { name });
        }
        if let Some(compute) = &node.compute
            && !compute.is_positive()
        {
            return Err(PlatformError::BadCompute {
                value: Box::new(compute.clone()),
                node: node.name,
            });
        }
        if let Some(reduces) = &node.reduces {
            if node.is_processor() {
                return Err(PlatformError::MergesTwice { node: node.name });
            }
            if reduces.is_negative() {
                return Err(PlatformError::BadReduces {
                    value: Box::new(reduces.clone()),
                    node: node.name,
                });
            }
        }
        if node.ports == Some(0) {
            return Err(PlatformError::NoPorts { node: node.name });
        }
        let (name, alias) = (node.name.clone(), node.alias.clone());
        let id = NodeId::from(self.graph.add_node(node));
        self.by_name.insert(name, id);
        self.by_alias.extend(alias.map(|alias| (alias, id)));
        Ok(id)
    }

    /// Adds a directed link of the given cost (time per unit of message). 0 if only [shared](Self::share) capacities
    /// limit it.
    ///
    /// # Errors
    /// Unknown ends, a link from a node to itself, a pair linked twice, a cost below 0.
    pub fn link(
        &mut self,
        from: NodeId,
        to: NodeId,
        cost: Rational,
    ) -> Result<LinkId, PlatformError> {
        if self.graph.edge_count() == LIMIT {
            return Err(PlatformError::TooMany {
                what: "links",
                limit: LIMIT,
            });
        }
        for id in [from, to] {
            if id.index() >= self.graph.node_count() {
                return Err(PlatformError::UnknownNodeId {
                    id: id.index(),
                    nodes: self.graph.node_count(),
                });
            }
        }
        let name = |id: NodeId| self.graph[NodeIndex::from(id)].name.clone();
        if from == to {
            return Err(PlatformError::SelfLoop { node: name(from) });
        }
        if cost.is_negative() || !cost.denom().is_positive() {
            return Err(PlatformError::BadCost {
                from: name(from),
                to: name(to),
                cost: Box::new(cost),
            });
        }
        if let Some(first) = self.by_ends.get(&(from, to)) {
            let first = Box::new(self.graph[EdgeIndex::from(*first)].cost.clone());
            return Err(PlatformError::DuplicateLink {
                from: name(from),
                to: name(to),
                first,
                second: Box::new(cost),
            });
        }
        let id = LinkId::from(self.graph.add_edge(
            from.into(),
            to.into(),
            Link {
                from,
                to,
                cost,
                delays: None,
            },
        ));
        self.by_ends.insert((from, to), id);
        Ok(id)
    }

    /// Adds both directions at the same cost. Returns the link `from -> to`, then the reverse.
    ///
    /// # Errors
    /// Those of [`link`](Self::link).
    pub fn duplex(
        &mut self,
        from: NodeId,
        to: NodeId,
        cost: Rational,
    ) -> Result<(LinkId, LinkId), PlatformError> {
        Ok((
            self.link(from, to, cost.clone())?,
            self.link(to, from, cost)?,
        ))
    }

    /// Gives a link latency and overhead.
    ///
    /// # Errors
    /// An unknown link, or a time below 0.
    pub fn delays(&mut self, link: LinkId, delays: Delays) -> Result<(), PlatformError> {
        set_delays(&mut self.graph, link, delays)
    }

    /// Adds a capacity that links share.
    ///
    /// # Errors
    /// A name that another capacity has, a rate that is not positive, no links, a link that was not added, or a weight
    /// of 0.
    pub fn share(&mut self, shared: Shared) -> Result<SharedId, PlatformError> {
        if self.shared.len() == LIMIT {
            return Err(PlatformError::TooMany {
                what: "shared capacities",
                limit: LIMIT,
            });
        }
        shared::check(&shared, &self.shared_names, self.graph.edge_count())?;
        self.shared_names.insert(shared.name.clone());
        self.members.extend(shared.weights.keys());
        self.shared.push(shared);
        Ok(SharedId::new(self.shared.len() - 1))
    }

    /// Whether the link takes part in a shared capacity.
    pub fn is_shared(&self, link: LinkId) -> bool {
        self.members.contains(&link)
    }

    /// The link between two nodes, if it was added.
    pub fn find_link(&self, from: NodeId, to: NodeId) -> Option<LinkId> {
        self.by_ends.get(&(from, to)).copied()
    }

    /// The node of this name, if it was added.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// Finishes the platform.
    ///
    /// # Errors
    /// A platform without nodes, or a link with a shared capacity that ends at a node with ports.
    pub fn build(self) -> Result<Platform, PlatformError> {
        let platform = self.build_with_any_ports()?;
        platform.check_shared()?;
        Ok(platform)
    }

    /// [`build`](Self::build) for a platform whose port model is about to change: links with shared capacities may
    /// end at nodes with ports. Problems refuse it until [`check_shared`](Platform::check_shared) holds.
    ///
    /// # Errors
    /// A platform without nodes.
    pub fn build_with_any_ports(self) -> Result<Platform, PlatformError> {
        if self.graph.node_count() == 0 {
            return Err(PlatformError::Empty);
        }
        let mut outgoing: PerNode<Vec<LinkId>> = vec![Vec::new(); self.graph.node_count()].into();
        let mut incoming = outgoing.clone();
        for (index, link) in self.graph.edge_weights().enumerate() {
            outgoing[link.from].push(LinkId::new(index));
            incoming[link.to].push(LinkId::new(index));
        }
        let PlatformBuilder {
            model,
            units,
            mut graph,
            by_name,
            shared,
            by_alias,
            ..
        } = self;
        let links = graph.edge_count();
        let costs = graph.edge_weights_mut().map(|link| &mut link.cost);
        let groups = Groups::new(shared, links, costs);
        Ok(Platform {
            model,
            units,
            graph,
            outgoing,
            incoming,
            by_name,
            by_alias,
            groups,
        })
    }
}

/// Gives a link of the graph these delays.
fn set_delays(
    graph: &mut DiGraph<Node, Link>,
    link: LinkId,
    delays: Delays,
) -> Result<(), PlatformError> {
    let links = graph.edge_count();
    let unknown = || PlatformError::UnknownLinkId {
        id: link.index(),
        links,
    };
    let found = graph.edge_weight(link.into()).ok_or_else(unknown)?;
    let wrong = [("latency", &delays.latency), ("overhead", &delays.overhead)];
    if let Some((what, value)) = wrong.into_iter().find(|(_, value)| value.is_negative()) {
        let [from, to] =
            [found.from, found.to].map(|node| graph[NodeIndex::from(node)].name.clone());
        return Err(PlatformError::BadDelay {
            from,
            to,
            what,
            value: Box::new(value.clone()),
        });
    }
    let none = delays == Delays::default();
    if let Some(found) = graph.edge_weight_mut(link.into()) {
        found.delays = (!none).then(|| Box::new(delays));
    }
    Ok(())
}
