//! Collectives: what one instance of the operation has to bring where.
//!
//! All matches on [`Collective`] stand in this file. Everybody else asks for [demands](Collective::demand), for
//! [blocks](Collective::blocks) of demands of one [`Kind`], or for the [roles](Form::roles) that nodes play. A new
//! collective is a variant, a [`Form`] that says what files and options call its roles, and its arms below.

use std::fmt;

use std::collections::BTreeSet;

use oneport_platform::{NodeId, Platform};

use crate::collective_error::CollectiveError;
use crate::demand::{Block, Commodity, CustomDemand, Demand, Goals, Kind, Wanted};
use crate::form::{FORMS, Form};
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
    /// in the same order; [`Form::build`] puts them there.
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
    /// One reduction per participant, each of values of its own, with the result at that participant.
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
        /// What runs side by side, and how often per instance of the whole.
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
    /// What is carried out.
    pub collective: Collective,
    /// How often per instance of the whole; positive.
    pub rate: u64,
}

impl fmt::Display for Collective {
    /// Its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Collective {
    /// What the named collectives take.
    pub fn forms() -> &'static [Form] {
        &FORMS
    }

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

    /// What a named collective takes; `None` for groups and custom demands.
    pub fn form(&self) -> Option<&'static Form> {
        Form::find(self.name())
    }

    /// Who plays the roles of the [form](Collective::form), in its order; nothing for groups and custom demands.
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
        self.form().is_none()
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

    /// How often the demand at this place is carried out per instance: 1, or the rate of its group, or its own.
    pub fn rate(&self, place: usize) -> u64 {
        match self.custom().get(place) {
            Some(demand) => demand.rate,
            None => self.member(place).map_or(1, |(member, _)| member.rate),
        }
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

    /// The demands by blocks that can be priced together: one for a named collective, those of every group, and of
    /// custom demands as long as one is like the one before.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        match self {
            Collective::Groups { members } => {
                let mut first = 0_usize;
                for member in members {
                    blocks.extend(Collective::named_block(&member.collective, first, member.rate));
                    first = first.saturating_add(member.collective.demands());
                }
            }
            Collective::Custom { demands } => self.custom_blocks(demands, &mut blocks),
            named => blocks.extend(Collective::named_block(named, 0, 1)),
        }
        blocks
    }

    /// The demands of a named collective, which begin at this place of the whole.
    fn named_block<'a>(named: &'a Collective, first: usize, rate: u64) -> Option<Block<'a>> {
        let kind = named.demand(0)?.kind();
        Some(Block { collective: named, offset: 0, kind, first, count: named.demands(), rate, name: named.name() })
    }

    fn custom_blocks<'a>(&'a self, demands: &[CustomDemand], blocks: &mut Vec<Block<'a>>) {
        for (place, demand) in demands.iter().enumerate() {
            let kind = demand.demand().kind();
            let joins = |block: &Block<'_>| {
                let before = &demands[block.first];
                let shares = match kind {
                    Kind::Route | Kind::Copy => true,
                    Kind::Combine => (&before.owners, before.commutative) == (&demand.owners, demand.commutative),
                    Kind::CombineCopy | Kind::Prefix => false,
                };
                (block.kind, block.rate) == (kind, demand.rate) && shares
            };
            match blocks.last_mut() {
                Some(block) if joins(block) => block.count += 1,
                _ => blocks.push(Block {
                    collective: self,
                    offset: place,
                    kind,
                    first: place,
                    count: 1,
                    rate: demand.rate,
                    name: self.name(),
                }),
            }
        }
    }

    /// If all demands are messages that travel alone, these in the order of the demands; else nothing.
    pub fn commodities(&self) -> Vec<Commodity> {
        let blocks = self.blocks();
        let travel_alone = blocks.iter().all(|block| block.kind == Kind::Route);
        let listed = self.is_listed();
        // The rates of a list would have to be those of flows.
        if travel_alone && !listed { blocks.iter().flat_map(Block::commodities).collect() } else { Vec::new() }
    }

    /// The participants, if a message goes from each to each other.
    pub(crate) fn exchanged(&self) -> Option<&[NodeId]> {
        if let Collective::AllToAll { participants } = self { Some(participants) } else { None }
    }

    /// Whether values are combined, so that work matters and sizes may depend on what is combined.
    pub fn combines(&self) -> bool {
        self.blocks().iter().any(|block| block.kind.combines())
    }

    /// The most operands that are combined at once; 1 where nothing is.
    pub fn most_operands(&self) -> usize {
        self.blocks().iter().map(|block| block.operands().len()).max().unwrap_or(0).max(1)
    }

    /// Whether some operands may be combined in any order.
    pub fn is_commutative(&self) -> bool {
        self.blocks().iter().any(Block::is_commutative)
    }

    /// Checks that every participant exists and is listed once, that it computes where values are combined, and that it
    /// is no switch where they only move.
    ///
    /// # Errors
    /// The first participant that does not fit, by name.
    pub fn validate(&self, platform: &Platform) -> Result<(), CollectiveError> {
        match self {
            Collective::Groups { members } => validate_groups(members, platform),
            Collective::Custom { demands } => validate_demands(demands, platform),
            Collective::SourcesToTargets { sources, targets } => {
                self.validate_named(platform)?;
                validate_pairs(sources, targets, platform)
            }
            named => named.validate_named(platform),
        }
    }

    fn validate_named(&self, platform: &Platform) -> Result<(), CollectiveError> {
        let Some(form) = self.form() else { return Ok(()) };
        let collective = form.name;
        // A collective whose lists are too short has no demand, and then nothing is wanted that a switch could not
        // keep.
        let copies = self.copies();
        let mut centre: Option<NodeId> = None;
        for (role, nodes) in form.roles.iter().zip(self.cast()) {
            let check = Check { collective, role: role.one, copies, combines: form.combines, platform };
            check.distinct(nodes)?;
            let itself = centre.filter(|centre| !form.overlaps() && nodes.contains(centre));
            if let Some(node) = itself {
                return Err(CollectiveError::ToItself { collective, role: role.one, node: platform.name(node).into() });
            }
            // The last role is that of those who own values, or receive messages.
            let last = form.roles.last() == Some(role);
            if form.combines && last && nodes.len() == 1 {
                return Err(CollectiveError::OwnResult { collective });
            }
            let alone = form.roles.len() == 1;
            let least = if last && (alone || form.combines) { 2 } else { 1 };
            if role.many && nodes.len() < least {
                return Err(CollectiveError::TooFew { collective, role: role.one, count: nodes.len(), least });
            }
            centre = nodes.first().copied().filter(|_| !role.many).or(centre);
        }
        Ok(())
    }

    /// Whether a value may have to be kept and passed on by the same node.
    fn copies(&self) -> bool {
        match self {
            Collective::Broadcast { .. }
            | Collective::AllGather { .. }
            | Collective::AllReduce { .. }
            | Collective::Scan { .. } => true,
            Collective::ReduceToSeveral { targets, .. } => targets.len() > 1,
            Collective::Scatter { .. }
            | Collective::Gather { .. }
            | Collective::AllToAll { .. }
            | Collective::SourcesToTargets { .. }
            | Collective::Reduce { .. }
            | Collective::ReduceScatter { .. } => false,
            Collective::Groups { .. } | Collective::Custom { .. } => {
                self.blocks().iter().any(|block| block.kind.copies())
            }
        }
    }
}

/// Nodes that are source and target stand first in both lists, in the same order, and something is sent.
fn validate_pairs(sources: &[NodeId], targets: &[NodeId], platform: &Platform) -> Result<(), CollectiveError> {
    let (collective, name) = ("sources-to-targets", |node| platform.name(node).to_string());
    if let Some(node) = pairs::misplaced(sources, targets) {
        return Err(CollectiveError::OutOfOrder { collective, node: name(node) });
    }
    match (sources, targets) {
        (&[source], [target]) if source == *target => {
            Err(CollectiveError::ToItself { collective, role: "target", node: name(source) })
        }
        _ => Ok(()),
    }
}

/// Checks the nodes that play a role.
struct Check<'a> {
    collective: &'static str,
    role: &'static str,
    /// Whether they have to keep what they pass on.
    copies: bool,
    /// Whether values are combined, so that they have to compute.
    combines: bool,
    platform: &'a Platform,
}

impl Check<'_> {
    fn distinct(&self, nodes: &[NodeId]) -> Result<(), CollectiveError> {
        let mut seen = BTreeSet::new();
        for &id in nodes {
            self.node(id)?;
            if !seen.insert(id) {
                let (collective, role) = (self.collective, self.role);
                return Err(CollectiveError::Twice { collective, role, node: self.platform.name(id).to_string() });
            }
        }
        Ok(())
    }

    fn node(&self, id: NodeId) -> Result<(), CollectiveError> {
        let &Check { collective, role, copies, combines, platform } = self;
        let nodes = platform.nodes().len();
        if id.index() >= nodes {
            return Err(CollectiveError::UnknownNode { collective, id: id.index(), nodes });
        }
        let node = || platform.name(id).to_string();
        match platform.node(id) {
            own if own.is_processor() => {}
            _ if combines => return Err(CollectiveError::Router { collective, role, node: node() }),
            own if !own.replicates => return Err(CollectiveError::Switch { collective, role, node: node() }),
            _ => {}
        }
        if copies && !platform.node(id).replicates {
            return Err(CollectiveError::CannotCopy { collective, role, node: node() });
        }
        Ok(())
    }
}

fn validate_groups(members: &[Member], platform: &Platform) -> Result<(), CollectiveError> {
    if members.is_empty() {
        return Err(CollectiveError::NoGroups);
    }
    for (group, Member { collective, rate }) in members.iter().enumerate() {
        if collective.is_listed() {
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

fn validate_demands(demands: &[CustomDemand], platform: &Platform) -> Result<(), CollectiveError> {
    if demands.is_empty() {
        return Err(CollectiveError::NoDemands);
    }
    for (place, demand) in demands.iter().enumerate() {
        if demand.rate == 0 {
            return Err(CollectiveError::NoRateOfDemand { demand: place });
        }
        let in_demand = |error| CollectiveError::InDemand { demand: place, error: Box::new(error) };
        validate_demand(demand, platform).map_err(in_demand)?;
    }
    Ok(())
}

fn validate_demand(custom: &CustomDemand, platform: &Platform) -> Result<(), CollectiveError> {
    let collective = "custom";
    let demand = custom.demand();
    let kind = demand.kind();
    let check = |role| Check { collective, role, copies: kind.copies(), combines: kind.combines(), platform };
    if custom.owners.is_empty() {
        return Err(CollectiveError::TooFew { collective, role: "owner", count: 0, least: 1 });
    }
    check("owner").distinct(&custom.owners)?;
    let nodes: &[NodeId] = match &custom.wanted {
        Wanted::At(nodes) => nodes,
        // A single value is its own prefix.
        Wanted::Prefixes if custom.owners.len() == 1 => return Err(CollectiveError::OwnResult { collective }),
        Wanted::Prefixes => return Ok(()),
    };
    check("target").distinct(nodes)?;
    if nodes.is_empty() {
        return Err(CollectiveError::TooFew { collective, role: "target", count: 0, least: 1 });
    }
    // Beside others, the owner of a message has it already.
    if custom.owners == nodes && nodes.len() == 1 {
        let node = platform.name(nodes[0]).to_string();
        return Err(CollectiveError::ToItself { collective, role: "target", node });
    }
    Ok(())
}
