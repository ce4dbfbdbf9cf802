//! Collectives: what one instance of the operation has to bring where.
//!
//! This file alone matches on the named collectives. All other code asks for [demands](Collective::demand), for
//! [blocks](Collective::blocks) of demands of one [`Kind`](crate::Kind), or for the [roles](crate::Form::roles) that
//! nodes play. A new collective is a variant, a [`Form`](crate::Form) that says what files and options call its roles,
//! and its arms below.

use std::fmt;

use oneport_platform::NodeId;

use crate::demand::{CustomDemand, Demand, Goals};
use crate::pairs;

/// A collective operation on named participants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collective {
    /// The source sends a distinct message to each target (RR-4872 section 3).
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
    /// Personalised all-to-all, the "gossip" of RR-4872 section 3.5: each participant sends a distinct
    /// message to each other participant.
    AllToAll {
        /// Senders and receivers.
        participants: Vec<NodeId>,
    },
    /// Personalised all-to-all of sources and targets (RR-4872 section 3.5 with `S` and `T`; RR-2004-32, definition 8):
    /// each source sends a distinct message to each target but itself. Nodes that are both stand first in both lists,
    /// in the same order; [`Form::build`](crate::Form::build) puts them there.
    SourcesToTargets {
        /// Senders.
        sources: Vec<NodeId>,
        /// Receivers.
        targets: Vec<NodeId>,
    },
    /// The participants' values are combined into one at the target (RR-4872 section 4).
    Reduce {
        /// Receiver of the result; a participant or not.
        target: NodeId,
        /// Owners of the values, in operand order.
        participants: Vec<NodeId>,
        /// Whether operands may be combined in any order; otherwise the operator is only associative.
        commutative: bool,
    },
    /// One reduction per participant, each of separate values, with the result at that participant.
    ReduceScatter {
        /// Owners of the values of every reduction, in operand order.
        participants: Vec<NodeId>,
        /// Whether operands may be combined in any order.
        commutative: bool,
    },
    /// The source's message is copied to all targets (RR-2004-32 section 3).
    Broadcast {
        /// Owner of the message.
        source: NodeId,
        /// Where copies have to arrive.
        targets: Vec<NodeId>,
    },
    /// Each participant's message is copied to all others: the "total exchange" of RR-2004-32 section 4.2.
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
    /// The participants' values are combined into one, which every target receives.
    ReduceToSeveral {
        /// Receivers of the result; participants or not.
        targets: Vec<NodeId>,
        /// Owners of the values, in operand order.
        participants: Vec<NodeId>,
        /// Whether operands may be combined in any order.
        commutative: bool,
    },
    /// Several collectives at once on one platform (process groups); none of them is itself a list of groups.
    Groups {
        /// The groups that run side by side, with their rates.
        members: Vec<Member>,
    },
    /// Any list of demands.
    Custom {
        /// The demands, in the order in which patterns name them.
        demands: Vec<CustomDemand>,
    },
}

/// One of several collectives that run side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The collective of the group.
    pub collective: Collective,
    /// Instances per instance of the whole; positive.
    pub rate: u64,
}

impl fmt::Display for Collective {
    /// Its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Collective {
    /// The name used on the command line and in files.
    pub fn name(&self) -> &'static str {
        match self {
            Collective::Scatter { .. } => "scatter",
            Collective::Gather { .. } => "gather",
            Collective::AllToAll { .. } => "all-to-all",
            Collective::SourcesToTargets { .. } => "sources-to-targets",
            Collective::Reduce { .. } => "reduce",
            Collective::ReduceScatter { .. } => "reduce-scatter",
            Collective::Broadcast { .. } => "broadcast",
            Collective::AllGather { .. } => "all-gather",
            Collective::AllReduce { .. } => "all-reduce",
            Collective::Scan { .. } => "scan",
            Collective::ReduceToSeveral { .. } => "reduce-to-several",
            Collective::Groups { .. } => "groups",
            Collective::Custom { .. } => "custom",
        }
    }

    /// The nodes of each role of the [form](Collective::form), in its order; empty for groups and custom demands.
    pub fn cast(&self) -> Vec<&[NodeId]> {
        match self {
            Collective::Scatter { source: centre, targets: list }
            | Collective::Broadcast { source: centre, targets: list }
            | Collective::Gather { target: centre, participants: list }
            | Collective::Reduce { target: centre, participants: list, .. } => {
                vec![std::slice::from_ref(centre), list.as_slice()]
            }
            Collective::AllToAll { participants }
            | Collective::ReduceScatter { participants, .. }
            | Collective::AllGather { participants }
            | Collective::AllReduce { participants, .. }
            | Collective::Scan { participants } => vec![participants.as_slice()],
            Collective::ReduceToSeveral { targets, participants, .. } => {
                vec![targets.as_slice(), participants.as_slice()]
            }
            Collective::SourcesToTargets { sources, targets } => vec![sources.as_slice(), targets.as_slice()],
            Collective::Groups { .. } | Collective::Custom { .. } => Vec::new(),
        }
    }

    /// The groups; none for other collectives.
    pub fn members(&self) -> &[Member] {
        if let Collective::Groups { members } = self { members } else { &[] }
    }

    /// The custom demands; none for other collectives.
    pub fn custom(&self) -> &[CustomDemand] {
        if let Collective::Custom { demands } = self { demands } else { &[] }
    }

    /// Whether demands are known by their places only, and not by their ends: groups and custom demands may have equal
    /// ones.
    pub fn is_listed(&self) -> bool {
        matches!(self, Collective::Groups { .. } | Collective::Custom { .. })
    }

    /// The sources and the targets, if each of the former sends to each of the latter but itself.
    pub(crate) fn pairs(&self) -> Option<(&[NodeId], &[NodeId])> {
        if let Collective::SourcesToTargets { sources, targets } = self { Some((sources, targets)) } else { None }
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
            Collective::SourcesToTargets { sources, targets } => {
                sources.len().saturating_mul(targets.len()).saturating_sub(pairs::shared(sources, targets))
            }
            Collective::Reduce { .. }
            | Collective::Broadcast { .. }
            | Collective::AllReduce { .. }
            | Collective::Scan { .. }
            | Collective::ReduceToSeveral { .. } => 1,
            Collective::Groups { members } => {
                members.iter().fold(0, |all, member| all.saturating_add(member.collective.demands()))
            }
            Collective::Custom { demands } => demands.len(),
        }
    }

    /// The demand at this place, from 0; `None` beyond the last. Patterns name their demand by this place.
    pub fn demand(&self, place: usize) -> Option<Demand<'_>> {
        let message = |operands, goals| Demand { operands, goals, commutative: false };
        let one = std::slice::from_ref::<NodeId>;
        let first = place == 0;
        match self {
            Collective::Scatter { source, targets } => Some(message(one(source), Goals::At(*targets.get(place)?))),
            Collective::Gather { target, participants } => {
                Some(message(one(participants.get(place)?), Goals::At(*target)))
            }
            Collective::AllToAll { participants } => {
                let others = participants.len().checked_sub(1).filter(|&others| others > 0)?;
                let (source, target) = (place / others, place % others);
                // The source is skipped in the list of targets.
                let target = target + usize::from(target >= source);
                Some(message(one(participants.get(source)?), Goals::At(*participants.get(target)?)))
            }
            Collective::SourcesToTargets { sources, targets } => {
                let (source, target) = pairs::pair(place, pairs::shared(sources, targets), targets.len())?;
                Some(message(one(sources.get(source)?), Goals::At(*targets.get(target)?)))
            }
            Collective::Reduce { target, participants, commutative } => {
                first.then(|| Demand { operands: participants, goals: Goals::At(*target), commutative: *commutative })
            }
            Collective::ReduceScatter { participants, commutative } => Some(Demand {
                operands: participants,
                goals: Goals::At(*participants.get(place)?),
                commutative: *commutative,
            }),
            Collective::Broadcast { source, targets } => {
                first.then(|| message(one(source), Goals::Everywhere(targets)))
            }
            Collective::AllGather { participants } => {
                Some(message(one(participants.get(place)?), Goals::Everywhere(participants)))
            }
            Collective::AllReduce { participants, commutative } => first.then(|| Demand {
                operands: participants,
                goals: Goals::Everywhere(participants),
                commutative: *commutative,
            }),
            Collective::ReduceToSeveral { targets, participants, commutative } => first.then(|| Demand {
                operands: participants,
                goals: if let &[target] = &targets[..] { Goals::At(target) } else { Goals::Everywhere(targets) },
                commutative: *commutative,
            }),
            Collective::Scan { participants } => {
                let operands = participants.as_slice();
                first.then_some(Demand { operands, goals: Goals::Prefixes, commutative: false })
            }
            Collective::Groups { .. } => {
                let (member, place) = self.member(place)?;
                member.collective.demand(place)
            }
            Collective::Custom { demands } => demands.get(place).map(CustomDemand::demand),
        }
    }

    /// Instances of this demand per instance of the collective: 1, or the rate of its group, or its own.
    pub fn rate(&self, place: usize) -> u64 {
        match self.custom().get(place) {
            Some(demand) => demand.rate,
            None => self.member(place).map_or(1, |(member, _)| member.rate),
        }
    }

    /// The group of a demand, and its index there; `None` if there are no groups.
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
}
