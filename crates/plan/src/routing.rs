//! Routings: steady states given by loads of links, without patterns.
//!
//! A steady state among a thousand participants is a million paths. If only its throughput is asked for, the loads of
//! the links are enough, and these follow from a ring or from one flow for each source.

use oneport_platform::{LinkId, NodeId, Rational};

/// The loads of links, without a list of patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Routing {
    /// Around a ring. A message goes on from its owner until all its receivers have it. Values that are combined go
    /// once around to their target and, if all receive the result, as often towards every owner.
    Ring(Around),
    /// Messages that travel alone on a platform on which each pair of nodes has one path, as in a tree.
    OnlyWay,
    /// Messages that travel alone: one flow for each source, or for each target.
    Flows(Vec<SharedFlow>),
    /// Trees that exist by Edmonds' theorem: how often per unit of time each message could be copied, and each
    /// reduction be performed, if nothing else happened. All-reduces take turns.
    Branchings {
        /// Copies of each message, or of each participant's result. Ignored by reductions.
        copied: Rational,
        /// Reductions to each target, or to each participant. Ignored by copies.
        combined: Rational,
    },
}

/// Nodes in the order of a ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Around {
    /// The nodes, each once.
    pub order: Vec<NodeId>,
    /// The links from each node of the order to the next one. The last leads to the first.
    pub ways: Vec<Vec<LinkId>>,
}

/// The flow of all messages that share an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFlow {
    /// The shared end.
    pub root: NodeId,
    /// Whether the shared end is the source of the messages.
    pub is_source: bool,
    /// The amount of flow per message. Positive.
    pub unit: u64,
    /// The flow of each link, in these units. At every other end as much arrives (or leaves) as it has messages.
    pub amounts: Vec<u64>,
}
