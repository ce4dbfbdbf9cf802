//! Resources of a platform, and the resources that a transfer occupies under each port model.

use num_traits::One;
use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational, SharedId};

/// A resource that a transfer or a merge occupies for its whole duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// The send port of a node (full-duplex), or its send ports (multiport).
    Send(NodeId),
    /// The receive port of a node (full-duplex), or its receive ports (multiport).
    Receive(NodeId),
    /// The processor of a node.
    Compute(NodeId),
    /// The only port of a half-duplex node.
    Port(NodeId),
    /// A link, which serves one transfer at a time.
    Link(LinkId),
    /// A capacity that several links share, each taking up a part of it.
    Shared(SharedId),
}

/// A resource that a transfer over a link occupies, and to which part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use<'p> {
    /// The resource.
    pub resource: Resource,
    /// The part of a shared capacity that the link takes up while it transfers at full rate, 1 / cost. `None` for one
    /// unit of a port or of the link itself.
    pub part: Option<&'p Rational>,
}

impl Use<'_> {
    /// How long the resource is busy while the link is busy for this time at full rate.
    pub fn of(&self, time: &Rational) -> Rational {
        self.part.map_or_else(|| time.clone(), |part| part * time)
    }
}

impl Resource {
    /// The ports at the two ends of a link, sender first. `None` if the port model sets no limit.
    pub fn ends(platform: &Platform, link: LinkId) -> [Option<Resource>; 2] {
        let port_of = |node: NodeId, port: fn(NodeId) -> Resource| match platform.model_of(node) {
            PortModel::FullDuplex | PortModel::Multiport => Some(port(node)),
            PortModel::HalfDuplex => Some(Resource::Port(node)),
            PortModel::Links => None,
        };
        let link = platform.link(link);
        [
            port_of(link.from, Resource::Send),
            port_of(link.to, Resource::Receive),
        ]
    }

    /// The resources that a transfer over this link occupies: the ports at its ends, the link itself, and its shared
    /// capacities. The link is left out if a port already limits it to one transfer at a time, or if a transfer uses up
    /// a shared capacity. A message of time `t` (its size times the cost of the link) keeps each busy for [its
    /// part](Use::of) of `t`.
    pub fn uses(platform: &Platform, link: LinkId) -> impl Iterator<Item = Use<'_>> {
        let ends = Resource::ends(platform, link);
        let shared = platform.shared_by(link);
        let single = ends.iter().flatten().any(|end| end.capacity(platform) == 1);
        let used_up = shared.iter().any(|(_, part)| part.is_one());
        let whole = ends
            .into_iter()
            .flatten()
            .chain((!single && !used_up).then_some(Resource::Link(link)));
        whole
            .map(|resource| Use {
                resource,
                part: None,
            })
            .chain(shared.iter().map(|(id, part)| Use {
                resource: Resource::Shared(*id),
                part: Some(part),
            }))
    }

    /// How many transfers (or merges) it serves at a time: 1, or the ports of a multiport node.
    pub fn capacity(self, platform: &Platform) -> u32 {
        match self {
            Resource::Send(node) | Resource::Receive(node) => platform.ports(node).unwrap_or(1),
            Resource::Compute(_) | Resource::Port(_) | Resource::Link(_) | Resource::Shared(_) => 1,
        }
    }

    /// Every port, link and shared capacity that transfers on this platform can occupy, ascending, without processors.
    pub fn of_platform(platform: &Platform) -> Vec<Resource> {
        let mut all: Vec<Resource> = platform
            .link_ids()
            .flat_map(|link| Resource::uses(platform, link))
            .map(|used| used.resource)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The node of the resource. `None` for a link and a shared capacity.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Resource::Send(node)
            | Resource::Receive(node)
            | Resource::Compute(node)
            | Resource::Port(node) => Some(node),
            Resource::Link(_) | Resource::Shared(_) => None,
        }
    }

    /// "send", "receive", "compute", "port", "link" or "shared".
    pub fn kind(self) -> &'static str {
        match self {
            Resource::Send(_) => "send",
            Resource::Receive(_) => "receive",
            Resource::Compute(_) => "compute",
            Resource::Port(_) => "port",
            Resource::Link(_) => "link",
            Resource::Shared(_) => "shared",
        }
    }

    /// For messages: `send port of 'a'`, `link 'a -> b'`, `shared 'bus'`. The resource is one of this platform.
    pub fn describe(self, platform: &Platform) -> String {
        let named = |what: &str, node: NodeId| format!("{what} of '{}'", platform.name(node));
        match self {
            Resource::Send(node) => named("send port", node),
            Resource::Receive(node) => named("receive port", node),
            Resource::Compute(node) if !platform.node(node).is_processor() => named("merges", node),
            Resource::Compute(node) => named("processor", node),
            Resource::Port(node) => named("port", node),
            Resource::Link(link) => format!("link '{}'", platform.link_name(link)),
            Resource::Shared(id) => {
                let shared = platform.shared().get(id.index());
                shared.map_or_else(
                    || format!("shared capacity {id}"),
                    |shared| format!("shared '{}'", shared.name),
                )
            }
        }
    }
}
