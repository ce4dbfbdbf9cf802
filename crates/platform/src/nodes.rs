//! Nodes and links of a platform, with their ids.

use std::fmt;

use petgraph::graph::{EdgeIndex, NodeIndex};

use crate::{PortModel, Rational};

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

            /// The index in the platform's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> usize {
                id.index()
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
id! {
    /// A [shared capacity](crate::Shared) of one platform.
    SharedId
}

impl From<NodeId> for NodeIndex {
    fn from(id: NodeId) -> NodeIndex {
        NodeIndex::new(id.index())
    }
}

impl From<NodeIndex> for NodeId {
    fn from(index: NodeIndex) -> NodeId {
        NodeId::new(index.index())
    }
}

impl From<LinkId> for EdgeIndex {
    fn from(id: LinkId) -> EdgeIndex {
        EdgeIndex::new(id.index())
    }
}

impl From<EdgeIndex> for LinkId {
    fn from(index: EdgeIndex) -> LinkId {
        LinkId::new(index.index())
    }
}

/// A processor or a router.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// Time for one unit of work. `None` for a router, which only forwards.
    pub compute: Option<Rational>,
    /// This node's port model, if it differs from the platform's.
    pub model: Option<PortModel>,
    /// Simultaneous sends, and receives, under [`PortModel::Multiport`]. 1 when absent.
    pub ports: Option<u32>,
    /// `false` marks a switch that cannot duplicate a message.
    pub replicates: bool,
    /// `true` marks a device that forwards and merges only if a process of the job runs on it, as a GPU does: without a
    /// rank it is idle. Algorithms do not read it. A caller decides whether idle devices are on the platform.
    pub accelerator: bool,
    /// A second name, by which the node is found, too: `mlx5_3` for `nic3`.
    pub alias: Option<String>,
    /// Time for one unit of work of a router that combines the values that pass through it (in-network reduction: NVLS,
    /// SHARP), 0 or more. `None` for any other node. A router has no process, so it is no participant.
    pub reduces: Option<Rational>,
}

impl Node {
    /// A node that computes, `compute` time units per unit of work.
    pub fn processor(name: impl Into<String>, compute: Rational) -> Self {
        Node {
            name: name.into(),
            compute: Some(compute),
            model: None,
            ports: None,
            replicates: true,
            accelerator: false,
            alias: None,
            reduces: None,
        }
    }

    /// A processor that is idle unless a rank runs on it. See [`accelerator`](Self::accelerator).
    pub fn accelerator(name: impl Into<String>, compute: Rational) -> Self {
        Node {
            accelerator: true,
            ..Node::processor(name, compute)
        }
    }

    /// A node that only forwards.
    pub fn router(name: impl Into<String>) -> Self {
        Node {
            name: name.into(),
            compute: None,
            model: None,
            ports: None,
            replicates: true,
            accelerator: false,
            alias: None,
            reduces: None,
        }
    }

    /// Whether this node has a process: it computes, and may take part.
    pub fn is_processor(&self) -> bool {
        self.compute.is_some()
    }

    /// Whether this node combines two messages into one: a processor, or a router that reduces.
    pub fn merges(&self) -> bool {
        self.merge_time().is_some()
    }

    /// Time for one unit of work, if this node merges. 0 for a router whose merges take no time.
    pub fn merge_time(&self) -> Option<&Rational> {
        self.compute.as_ref().or(self.reduces.as_ref())
    }
}

/// A directed link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The sending node.
    pub from: NodeId,
    /// The receiving node.
    pub to: NodeId,
    /// `c(from, to)`: time to transfer one unit of message. On a link with [shared capacities](crate::Shared): if no
    /// other message uses them.
    pub cost: Rational,
    /// Latency and overhead. `None` for zero.
    pub delays: Option<Box<Delays>>,
}

/// Time of a message on a link besides size times cost. The distinction is that of LogGP: a latency only delays, an
/// overhead occupies. Steady states have neither: they are the limit of large messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delays {
    /// Time between the end of a transfer and its arrival, in which neither link nor ports are occupied. 0 or more.
    pub latency: Rational,
    /// Time for which every message occupies the link and the ports at its ends, however small it is. 0 or more.
    pub overhead: Rational,
}

impl Link {
    /// The latency. 0 by default.
    pub fn latency(&self) -> Rational {
        self.delays
            .as_ref()
            .map(|delays| delays.latency.clone())
            .unwrap_or_default()
    }

    /// The overhead. 0 by default.
    pub fn overhead(&self) -> Rational {
        self.delays
            .as_ref()
            .map(|delays| delays.overhead.clone())
            .unwrap_or_default()
    }
}
