//! Collectives: what one instance of the operation has to bring where.

use std::collections::BTreeSet;

use oneport_platform::{NodeId, Platform};

/// A collective operation on named participants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collective {
    /// The source sends a distinct message to each target (papers/000 section 3).
    Scatter {
        /// Owner of all messages.
        source: NodeId,
        /// Receivers, one message each.
        targets: Vec<NodeId>,
    },
    /// Each participant sends a distinct message to the target; scatter on the reversed graph.
    Gather {
        /// Receiver of all messages.
        target: NodeId,
        /// The senders.
        participants: Vec<NodeId>,
    },
    /// Personalised all-to-all, the "gossip" of papers/000 section 3.5: each participant sends a distinct
    /// message to each other participant.
    AllToAll {
        /// Senders and receivers.
        participants: Vec<NodeId>,
    },
    /// The participants' values are combined into one at the target (papers/000 section 4).
    Reduce {
        /// Receiver of the result; a participant or not.
        target: NodeId,
        /// Owners of the values, in operand order.
        participants: Vec<NodeId>,
        /// Whether operands may be combined in any order; otherwise the operator is only associative.
        commutative: bool,
    },
    /// One reduction per participant, each of values of its own, with the result at that participant.
    ReduceScatter {
        /// Owners of the values of every reduction, in operand order.
        participants: Vec<NodeId>,
        /// Whether operands may be combined in any order.
        commutative: bool,
    },
}

/// One distinct message of each instance: `m_{k,l}` of papers/000 section 3.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commodity {
    /// Where the message starts.
    pub source: NodeId,
    /// Where the message has to arrive.
    pub target: NodeId,
}

/// Why a collective does not fit its platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CollectiveError {
    /// A participant id outside the platform.
    #[error("{collective}: node id {id} does not exist; the platform has {nodes} nodes, numbered from 0")]
    UnknownNode {
        /// The collective's name.
        collective: &'static str,
        /// The id's number.
        id: usize,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A router cannot own or keep a message.
    #[error("{collective}: {role} '{node}' is a router; only processors take part (give the node a compute cost)")]
    Router {
        /// The collective's name.
        collective: &'static str,
        /// "source", "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// A participant listed twice.
    #[error("{collective}: {role} '{node}' is listed twice; list every node once")]
    Twice {
        /// The collective's name.
        collective: &'static str,
        /// "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// The source among the targets, or the target among the senders.
    #[error("{collective}: '{node}' would send a message to itself; leave it out of the {role}s")]
    ToItself {
        /// The collective's name.
        collective: &'static str,
        /// "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// A reduction of one value.
    #[error(
        "{collective}: a single participant is its own result, so the throughput would be unbounded; at least 2 \
             participants needed (gather moves a single value)"
    )]
    OwnResult {
        /// The collective's name.
        collective: &'static str,
    },
    /// Too few participants for anything to be sent.
    #[error("{collective}: {count} {role}s; at least {least} needed")]
    TooFew {
        /// The collective's name.
        collective: &'static str,
        /// "target" or "participant".
        role: &'static str,
        /// How many there are.
        count: usize,
        /// How many there should be.
        least: usize,
    },
}

impl Collective {
    /// The name used on the command line and in files.
    pub fn name(&self) -> &'static str {
        match self {
            Collective::Scatter { .. } => "scatter",
            Collective::Gather { .. } => "gather",
            Collective::AllToAll { .. } => "all-to-all",
            Collective::Reduce { .. } => "reduce",
            Collective::ReduceScatter { .. } => "reduce-scatter",
        }
    }

    /// The distinct messages of one instance. Patterns name them by their place in this list, which is empty for
    /// reductions.
    pub fn commodities(&self) -> Vec<Commodity> {
        match self {
            Collective::Scatter { source, targets } => {
                targets.iter().map(|&target| Commodity { source: *source, target }).collect()
            }
            Collective::Gather { target, participants } => {
                participants.iter().map(|&source| Commodity { source, target: *target }).collect()
            }
            Collective::AllToAll { participants } => participants
                .iter()
                .flat_map(|&source| participants.iter().map(move |&target| Commodity { source, target }))
                .filter(|commodity| commodity.source != commodity.target)
                .collect(),
            Collective::Reduce { .. } | Collective::ReduceScatter { .. } => Vec::new(),
        }
    }

    /// The targets of the reductions of one instance. Patterns name the reductions by their place in this list, which
    /// is empty for collectives that combine nothing.
    pub fn reductions(&self) -> &[NodeId] {
        match self {
            Collective::Reduce { target, .. } => std::slice::from_ref(target),
            Collective::ReduceScatter { participants, .. } => participants,
            Collective::Scatter { .. } | Collective::Gather { .. } | Collective::AllToAll { .. } => &[],
        }
    }

    /// The owners of a reduction's values, in operand order; `None` where nothing is combined.
    pub fn operands(&self) -> Option<&[NodeId]> {
        match self {
            Collective::Reduce { participants, .. } | Collective::ReduceScatter { participants, .. } => {
                Some(participants)
            }
            Collective::Scatter { .. } | Collective::Gather { .. } | Collective::AllToAll { .. } => None,
        }
    }

    /// Whether operands may be combined in any order.
    pub fn is_commutative(&self) -> bool {
        match self {
            Collective::Reduce { commutative, .. } | Collective::ReduceScatter { commutative, .. } => *commutative,
            Collective::Scatter { .. } | Collective::Gather { .. } | Collective::AllToAll { .. } => false,
        }
    }

    /// Checks that every participant exists, computes, and is listed once.
    ///
    /// # Errors
    /// The first participant that does not fit, by name.
    pub fn validate(&self, platform: &Platform) -> Result<(), CollectiveError> {
        let (centre, role, members, least) = match self {
            Collective::Scatter { source, targets } => (Some(("source", *source)), "target", targets, 1),
            Collective::Gather { target, participants } => (Some(("target", *target)), "participant", participants, 1),
            Collective::AllToAll { participants } | Collective::ReduceScatter { participants, .. } => {
                (None, "participant", participants, 2)
            }
            Collective::Reduce { target, participants, .. } => {
                (Some(("target", *target)), "participant", participants, 2)
            }
        };
        let collective = self.name();
        let check = |role, id: NodeId| {
            let nodes = platform.nodes().len();
            if id.index() >= nodes {
                return Err(CollectiveError::UnknownNode { collective, id: id.index(), nodes });
            }
            if !platform.node(id).is_processor() {
                return Err(CollectiveError::Router { collective, role, node: platform.name(id).to_string() });
            }
            Ok(())
        };
        if let Some((role, id)) = centre {
            check(role, id)?;
        }
        let mut seen = BTreeSet::new();
        for &id in members {
            check(role, id)?;
            let node = || platform.name(id).to_string();
            if !seen.insert(id) {
                return Err(CollectiveError::Twice { collective, role, node: node() });
            }
            if self.operands().is_none() && centre.is_some_and(|(_, centre)| centre == id) {
                return Err(CollectiveError::ToItself { collective, role, node: node() });
            }
        }
        if self.operands().is_some_and(|operands| operands.len() == 1) {
            return Err(CollectiveError::OwnResult { collective });
        }
        if members.len() < least {
            return Err(CollectiveError::TooFew { collective, role, count: members.len(), least });
        }
        Ok(())
    }
}
