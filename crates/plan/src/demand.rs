//! Demands: what has to be brought where, whatever the collective is called.

use oneport_platform::NodeId;

use crate::{Collective, Interval};

/// What one pattern carries out: a single value moved or copied, or the values of several owners combined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand<'a> {
    /// The owners of the values to be combined, in operand order; a single one owns a message.
    pub operands: &'a [NodeId],
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

/// By what kind of pattern a demand is carried out. Everything that depends on what a collective is depends on this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// One value for one node (scatter, gather, all-to-all): a path.
    Route,
    /// One value for several nodes (broadcast, all-gather): an arborescence.
    Copy,
    /// Several values combined for one node (reduce, reduce-scatter): a reduction tree.
    Combine,
    /// Several values combined for several nodes (all-reduce): a scheme, for instance a reduction tree and an
    /// arborescence.
    CombineCopy,
    /// All prefixes of several values combined, each for the owner of its last one (scan): a scheme.
    Prefix,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] = [Kind::Route, Kind::Copy, Kind::Combine, Kind::CombineCopy, Kind::Prefix];

    /// Whether values are combined, so that work matters and sizes may depend on what is combined.
    pub fn combines(self) -> bool {
        match self {
            Kind::Route | Kind::Copy => false,
            Kind::Combine | Kind::CombineCopy | Kind::Prefix => true,
        }
    }

    /// Whether a value may have to be kept and passed on by the same node.
    pub fn copies(self) -> bool {
        match self {
            Kind::Route | Kind::Combine => false,
            Kind::Copy | Kind::CombineCopy | Kind::Prefix => true,
        }
    }
}

impl Demand<'_> {
    /// By what kind of pattern it is carried out.
    pub fn kind(&self) -> Kind {
        let single = self.operands.len() < 2;
        match self.goals {
            Goals::At(_) if single => Kind::Route,
            Goals::At(_) => Kind::Combine,
            Goals::Everywhere(_) | Goals::Prefixes if single => Kind::Copy,
            Goals::Everywhere(_) => Kind::CombineCopy,
            Goals::Prefixes => Kind::Prefix,
        }
    }

    /// All operands.
    pub fn whole(&self) -> Interval {
        Interval { first: 0, last: self.operands.len().saturating_sub(1) }
    }

    /// The nodes at which all operands combined are wanted: of prefixes, the owner of the last operand.
    pub fn targets(&self) -> &[NodeId] {
        match &self.goals {
            Goals::At(node) => std::slice::from_ref(node),
            Goals::Everywhere(nodes) => nodes,
            Goals::Prefixes => self.operands.last().map_or(&[], std::slice::from_ref),
        }
    }

    /// Whether those who own values are those who want something, as in an all-gather or all-reduce.
    /// `O(n log n)` for `n` owners and targets.
    pub fn is_mutual(&self) -> bool {
        let sorted = |nodes: &[NodeId]| {
            let mut nodes = nodes.to_vec();
            nodes.sort_unstable();
            nodes
        };
        match self.goals {
            Goals::At(node) => self.operands == [node],
            Goals::Everywhere(nodes) => self.operands == nodes || sorted(self.operands) == sorted(nodes),
            Goals::Prefixes => true,
        }
    }

    /// Whether some value has to leave a set of nodes: one is inside whose owner's value is wanted outside.
    pub fn crosses(&self, inside: impl Fn(NodeId) -> bool) -> bool {
        let first = self.operands.iter().position(|&owner| inside(owner));
        let outside = |nodes: &[NodeId]| nodes.iter().any(|&node| !inside(node));
        match (first, self.goals) {
            (None, _) => false,
            // Operand `i` is wanted wherever a later one is.
            (Some(first), Goals::Prefixes) => outside(&self.operands[first..]),
            (Some(_), _) => outside(self.targets()),
        }
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

/// One distinct message of each instance: `m_{k,l}` of RR-4872 section 3.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Commodity {
    /// Where the message starts.
    pub source: NodeId,
    /// Where the message has to arrive.
    pub target: NodeId,
}

/// A demand of a collective without a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomDemand {
    /// The owners of the values, in operand order; a single one owns a message.
    pub owners: Vec<NodeId>,
    /// What is wanted where.
    pub wanted: Wanted,
    /// Whether operands may be combined in any order.
    pub commutative: bool,
    /// How often per instance of the whole; positive.
    pub rate: u64,
}

/// What a custom demand wants where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All values combined, at each of these nodes.
    At(Vec<NodeId>),
    /// Values `0..=i` combined, at the owner of value `i`.
    Prefixes,
}

impl CustomDemand {
    /// The demand.
    pub fn demand(&self) -> Demand<'_> {
        let goals = match &self.wanted {
            Wanted::Prefixes => Goals::Prefixes,
            Wanted::At(nodes) => match nodes.as_slice() {
                [node] => Goals::At(*node),
                nodes => Goals::Everywhere(nodes),
            },
        };
        Demand { operands: &self.owners, goals, commutative: self.commutative }
    }
}

/// Consecutive demands of one kind that can be priced together: they are carried out equally often, and where values
/// are combined, these are the same operands of the same operator.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// Where its demands stand, from this place on: in a named collective, a member of a list of groups, or a custom
    /// list.
    pub(crate) collective: &'a Collective,
    pub(crate) offset: usize,
    /// The kind of its demands.
    pub kind: Kind,
    /// Place of its first demand among those of the collective.
    pub first: usize,
    /// How many demands it has; at least 1.
    pub count: usize,
    /// How often its demands are carried out per instance.
    pub rate: u64,
    /// What the collective that asks for them is called.
    pub name: &'static str,
}

impl<'a> Block<'a> {
    /// The demand at this place of the block, from 0.
    pub fn demand(&self, place: usize) -> Option<Demand<'a>> {
        if place < self.count { self.collective.demand(self.offset.checked_add(place)?) } else { None }
    }

    /// All demands, in order.
    pub fn demands(&self) -> impl Iterator<Item = Demand<'a>> + use<'a> {
        let block = *self;
        (0..block.count).map_while(move |place| block.demand(place))
    }

    /// The owners of the values to be combined, in operand order; none where nothing is.
    pub fn operands(&self) -> &'a [NodeId] {
        self.demand(0).filter(|_| self.kind.combines()).map_or(&[], |demand| demand.operands)
    }

    /// If its demands are one message from each of some nodes to each other, these nodes.
    pub fn exchanged(&self) -> Option<&'a [NodeId]> {
        self.collective.exchanged()
    }

    /// Whether operands may be combined in any order.
    pub fn is_commutative(&self) -> bool {
        self.kind.combines() && self.demand(0).is_some_and(|demand| demand.commutative)
    }

    /// Where messages that travel alone start and end, in the order of the demands; nothing for other kinds.
    /// `O(demands)`.
    pub fn commodities(&self) -> Vec<Commodity> {
        let ends = |demand: Demand<'_>| match demand.goals {
            Goals::At(target) => Some(Commodity { source: *demand.operands.first()?, target }),
            Goals::Everywhere(_) | Goals::Prefixes => None,
        };
        if self.kind == Kind::Route { self.demands().filter_map(ends).collect() } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition, over all sets of four nodes.
    #[test]
    fn what_crosses_is_owned_inside_and_wanted_outside() {
        let nodes: Vec<NodeId> = [2, 0, 3].map(NodeId::new).to_vec();
        let (one, two) = ([nodes[0]], [nodes[1], NodeId::new(1)]);
        for goals in [Goals::At(nodes[1]), Goals::Everywhere(&two), Goals::Everywhere(&nodes), Goals::Prefixes] {
            for operands in [&nodes[..], &one[..]] {
                let demand = Demand { operands, goals, commutative: false };
                for set in 0..16_usize {
                    let inside = |node: NodeId| set >> node.index() & 1 == 1;
                    let crosses = demand.goals().into_iter().any(|(goal, part)| {
                        !inside(goal) && operands[part.first..=part.last].iter().any(|&owner| inside(owner))
                    });
                    assert_eq!(demand.crosses(inside), crosses, "{demand:?} {set:b}");
                }
            }
        }
    }
}
