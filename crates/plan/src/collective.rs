//! Collectives: what one instance of the operation has to bring where.

use std::borrow::Cow;
use std::collections::BTreeSet;

use oneport_platform::{NodeId, Platform};

use crate::Interval;

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
    /// The source's message is copied to all targets (papers/004 section 3).
    Broadcast {
        /// Owner of the message.
        source: NodeId,
        /// Where copies have to arrive.
        targets: Vec<NodeId>,
    },
    /// Each participant's message is copied to all others: the "total exchange" of papers/004 section 4.2.
    AllGather {
        /// Owners and receivers.
        participants: Vec<NodeId>,
    },
    /// The participants' values are combined into one, which every participant receives.
    AllReduce {
        /// Owners of the values, in operand order, and receivers.
        participants: Vec<NodeId>,
        /// Whether operands may be combined in any order.
        commutative: bool,
    },
    /// Parallel prefix: participant `i` receives the combination of the values `0..=i`.
    Scan {
        /// Owners of the values, in operand order, and receivers.
        participants: Vec<NodeId>,
    },
    /// Several collectives at once on one platform (process groups); none of them is itself a list of groups.
    Groups {
        /// What runs side by side, and how often per instance of the whole.
        members: Vec<Member>,
    },
}

/// One of several collectives that run side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What is carried out.
    pub collective: Collective,
    /// How often per instance of the whole; positive.
    pub rate: u64,
}

/// What one pattern carries out: a single value moved or copied, or the values of several owners combined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand<'a> {
    /// The owners of the values to be combined, in operand order; a single one owns a message.
    pub operands: Cow<'a, [NodeId]>,
    /// What is wanted where.
    pub goals: Goals<'a>,
    /// Whether operands may be combined in any order.
    pub commutative: bool,
}

/// Where the combination of which operands is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goals<'a> {
    /// All operands combined, at one node.
    At(NodeId),
    /// All operands combined, at each of these. The owner of a single operand has it already.
    Everywhere(&'a [NodeId]),
    /// Operands `0..=i` combined, at the owner of operand `i`.
    Prefixes,
}

impl Demand<'_> {
    /// All operands.
    pub fn whole(&self) -> Interval {
        Interval { first: 0, last: self.operands.len().saturating_sub(1) }
    }

    /// Every node at which something is wanted, and what.
    pub fn goals(&self) -> Vec<(NodeId, Interval)> {
        match self.goals {
            Goals::At(node) => vec![(node, self.whole())],
            Goals::Everywhere(nodes) => nodes.iter().map(|&node| (node, self.whole())).collect(),
            Goals::Prefixes => {
                let prefix = |(last, &node)| (node, Interval { first: 0, last });
                self.operands.iter().enumerate().map(prefix).collect()
            }
        }
    }
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
    /// A switch that would have to keep what it passes on.
    #[error(
        "{collective}: '{node}' has replicates = false, so it cannot both keep and pass on a message; choose another \
             {role} or let it replicate"
    )]
    CannotCopy {
        /// The collective's name.
        collective: &'static str,
        /// "source", "target" or "participant".
        role: &'static str,
        /// The node's name.
        node: String,
    },
    /// A list of groups without a group.
    #[error("no group is given; list the participants of at least one")]
    NoGroups,
    /// Groups within groups.
    #[error("group {group} (counted from 0) is itself a list of groups; list its groups beside the others")]
    Nested {
        /// The place in the list.
        group: usize,
    },
    /// A group that is never carried out.
    #[error("group {group} (counted from 0) has rate 0; give a whole number from 1, or leave the group out")]
    NoRate {
        /// The place in the list.
        group: usize,
    },
    /// A member that does not fit.
    #[error("group {group} (counted from 0): {error}")]
    InGroup {
        /// The place in the list.
        group: usize,
        /// What is wrong with it.
        error: Box<CollectiveError>,
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
            Collective::Broadcast { .. } => "broadcast",
            Collective::AllGather { .. } => "all-gather",
            Collective::AllReduce { .. } => "all-reduce",
            Collective::Scan { .. } => "scan",
            Collective::Groups { .. } => "groups",
        }
    }

    /// How many patterns one instance consists of. They are not listed: an all-to-all among ten thousand has 10^8.
    pub fn demands(&self) -> usize {
        match self {
            Collective::Scatter { targets, .. } => targets.len(),
            Collective::Gather { participants, .. }
            | Collective::ReduceScatter { participants, .. }
            | Collective::AllGather { participants } => participants.len(),
            Collective::AllToAll { participants } => {
                participants.len().saturating_mul(participants.len().saturating_sub(1))
            }
            Collective::Reduce { .. }
            | Collective::Broadcast { .. }
            | Collective::AllReduce { .. }
            | Collective::Scan { .. } => 1,
            Collective::Groups { members } => {
                members.iter().fold(0, |all, member| all.saturating_add(member.collective.demands()))
            }
        }
    }

    /// The demand at this place, from 0; `None` beyond the last. Patterns name their demand by this place.
    pub fn demand(&self, place: usize) -> Option<Demand<'_>> {
        let message = |source: NodeId, goals| Demand { operands: vec![source].into(), goals, commutative: false };
        let first = place == 0;
        match self {
            Collective::Scatter { source, targets } => Some(message(*source, Goals::At(*targets.get(place)?))),
            Collective::Gather { target, participants } => Some(message(*participants.get(place)?, Goals::At(*target))),
            Collective::AllToAll { participants } => {
                let others = participants.len().checked_sub(1).filter(|&others| others > 0)?;
                let (source, target) = (place / others, place % others);
                // The source is skipped in the list of targets.
                let target = target + usize::from(target >= source);
                Some(message(*participants.get(source)?, Goals::At(*participants.get(target)?)))
            }
            Collective::Reduce { target, participants, commutative } => first.then(|| Demand {
                operands: participants.as_slice().into(),
                goals: Goals::At(*target),
                commutative: *commutative,
            }),
            Collective::ReduceScatter { participants, commutative } => Some(Demand {
                operands: participants.as_slice().into(),
                goals: Goals::At(*participants.get(place)?),
                commutative: *commutative,
            }),
            Collective::Broadcast { source, targets } => first.then(|| message(*source, Goals::Everywhere(targets))),
            Collective::AllGather { participants } => {
                Some(message(*participants.get(place)?, Goals::Everywhere(participants)))
            }
            Collective::AllReduce { participants, commutative } => first.then(|| Demand {
                operands: participants.as_slice().into(),
                goals: Goals::Everywhere(participants),
                commutative: *commutative,
            }),
            Collective::Scan { participants } => {
                let operands = participants.as_slice().into();
                first.then_some(Demand { operands, goals: Goals::Prefixes, commutative: false })
            }
            Collective::Groups { .. } => {
                let (member, place) = self.member(place)?;
                member.collective.demand(place)
            }
        }
    }

    /// How often the demand at this place is carried out per instance: 1, or the rate of its group.
    pub fn rate(&self, place: usize) -> u64 {
        self.member(place).map_or(1, |(member, _)| member.rate)
    }

    /// The group that a demand belongs to, and its place there; `None` where there are no groups.
    pub fn member(&self, mut place: usize) -> Option<(&Member, usize)> {
        let Collective::Groups { members } = self else { return None };
        for member in members {
            let demands = member.collective.demands();
            if place < demands {
                return Some((member, place));
            }
            place -= demands;
        }
        None
    }

    /// Where nothing is combined or copied, the distinct messages of one instance, in the order of the demands; else empty.
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
            _ => Vec::new(),
        }
    }

    /// The targets of the reductions of one instance, in the order of the demands; empty for other collectives.
    pub fn reductions(&self) -> &[NodeId] {
        match self {
            Collective::Reduce { target, .. } => std::slice::from_ref(target),
            Collective::ReduceScatter { participants, .. } => participants,
            _ => &[],
        }
    }

    /// The owners of a reduction's values, in operand order; `None` for other collectives than reduce and
    /// reduce-scatter.
    pub fn operands(&self) -> Option<&[NodeId]> {
        match self {
            Collective::Reduce { participants, .. } | Collective::ReduceScatter { participants, .. } => {
                Some(participants)
            }
            _ => None,
        }
    }

    /// Whether values are combined, so that work matters and sizes may depend on what is combined.
    pub fn combines(&self) -> bool {
        match self {
            Collective::Groups { members } => members.iter().any(|member| member.collective.combines()),
            _ => self.values().is_some(),
        }
    }

    /// The owners of values to be combined, in operand order; `None` where nothing is, and for groups.
    pub fn values(&self) -> Option<&[NodeId]> {
        match self {
            Collective::AllReduce { participants, .. } | Collective::Scan { participants } => Some(participants),
            _ => self.operands(),
        }
    }

    /// Whether operands may be combined in any order.
    pub fn is_commutative(&self) -> bool {
        match self {
            Collective::Reduce { commutative, .. }
            | Collective::ReduceScatter { commutative, .. }
            | Collective::AllReduce { commutative, .. } => *commutative,
            Collective::Groups { members } => members.iter().any(|member| member.collective.is_commutative()),
            _ => false,
        }
    }

    /// Checks that every participant exists, computes, and is listed once.
    ///
    /// # Errors
    /// The first participant that does not fit, by name.
    pub fn validate(&self, platform: &Platform) -> Result<(), CollectiveError> {
        let (centre, role, members, least) = match self {
            Collective::Scatter { source, targets } | Collective::Broadcast { source, targets } => {
                (Some(("source", *source)), "target", targets, 1)
            }
            Collective::Gather { target, participants } => (Some(("target", *target)), "participant", participants, 1),
            Collective::AllToAll { participants }
            | Collective::ReduceScatter { participants, .. }
            | Collective::AllGather { participants }
            | Collective::AllReduce { participants, .. }
            | Collective::Scan { participants } => (None, "participant", participants, 2),
            Collective::Reduce { target, participants, .. } => {
                (Some(("target", *target)), "participant", participants, 2)
            }
            Collective::Groups { members } => return validate_groups(members, platform),
        };
        let collective = self.name();
        let copies = self.copies();
        let check = |role, id: NodeId| {
            let nodes = platform.nodes().len();
            if id.index() >= nodes {
                return Err(CollectiveError::UnknownNode { collective, id: id.index(), nodes });
            }
            let node = || platform.name(id).to_string();
            if !platform.node(id).is_processor() {
                return Err(CollectiveError::Router { collective, role, node: node() });
            }
            if copies && !platform.node(id).replicates {
                return Err(CollectiveError::CannotCopy { collective, role, node: node() });
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
            if self.values().is_none() && centre.is_some_and(|(_, centre)| centre == id) {
                return Err(CollectiveError::ToItself { collective, role, node: node() });
            }
        }
        if self.values().is_some_and(|operands| operands.len() == 1) {
            return Err(CollectiveError::OwnResult { collective });
        }
        if members.len() < least {
            return Err(CollectiveError::TooFew { collective, role, count: members.len(), least });
        }
        Ok(())
    }

    /// Whether a value may have to be kept and passed on by the same node.
    fn copies(&self) -> bool {
        matches!(
            self,
            Collective::Broadcast { .. }
                | Collective::AllGather { .. }
                | Collective::AllReduce { .. }
                | Collective::Scan { .. }
        )
    }
}

fn validate_groups(members: &[Member], platform: &Platform) -> Result<(), CollectiveError> {
    if members.is_empty() {
        return Err(CollectiveError::NoGroups);
    }
    for (group, Member { collective, rate }) in members.iter().enumerate() {
        if matches!(collective, Collective::Groups { .. }) {
            return Err(CollectiveError::Nested { group });
        }
        if *rate == 0 {
            return Err(CollectiveError::NoRate { group });
        }
        let in_group = |error| CollectiveError::InGroup { group, error: Box::new(error) };
        collective.validate(platform).map_err(in_group)?;
    }
    Ok(())
}
