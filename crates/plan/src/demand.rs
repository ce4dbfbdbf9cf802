//! Demands: values and the nodes that must receive them, independent of the collective's name.

use oneport_platform::NodeId;

use crate::pattern::Interval;

/// The task of one pattern: a single value is moved or copied, or the values of several owners are combined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand<'a> {
    /// The owners of the values to be combined, in operand order. A single one owns a message.
    pub operands: &'a [NodeId],
    /// The values that are wanted, and where.
    pub goals: Goals<'a>,
    /// Whether operands may be combined in any order.
    pub commutative: bool,
}

/// The combinations of operands that are wanted, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goals<'a> {
    /// All operands combined, at one node.
    At(NodeId),
    /// All operands combined, at each of these. The owner of a single operand has it already.
    Everywhere(&'a [NodeId]),
    /// Operands `0..=i` combined, at the owner of operand `i`.
    Prefixes,
}

/// The kind of pattern that a demand needs. All code that distinguishes collectives distinguishes kinds only.
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
    pub const ALL: [Kind; 5] = [
        Kind::Route,
        Kind::Copy,
        Kind::Combine,
        Kind::CombineCopy,
        Kind::Prefix,
    ];

    /// Whether values are combined. If so, work matters, and sizes may depend on the combined operands.
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
    /// The kind of pattern that it needs.
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
        Interval {
            first: 0,
            last: self.operands.len().saturating_sub(1),
        }
    }

    /// The nodes at which all operands combined are wanted: of prefixes, the owner of the last operand.
    pub fn targets(&self) -> &[NodeId] {
        match &self.goals {
            Goals::At(node) => std::slice::from_ref(node),
            Goals::Everywhere(nodes) => nodes,
            Goals::Prefixes => self.operands.last().map_or(&[], std::slice::from_ref),
        }
    }

    /// Whether owners and receivers are the same nodes, as in an all-gather or all-reduce. `O(n log n)` for `n` owners
    /// and targets.
    pub fn is_mutual(&self) -> bool {
        let sorted = |nodes: &[NodeId]| {
            let mut nodes = nodes.to_vec();
            nodes.sort_unstable();
            nodes
        };
        match self.goals {
            Goals::At(node) => self.operands == [node],
            Goals::Everywhere(nodes) => {
                self.operands == nodes || sorted(self.operands) == sorted(nodes)
            }
            Goals::Prefixes => true,
        }
    }

    /// Whether some value has to leave a set of nodes: one is inside whose owner's value is wanted outside.
    pub fn crosses(&self, inside: impl Fn(NodeId) -> bool) -> bool {
        let first = self.operands.iter().position(|&owner| inside(owner));
        let outside = |nodes: &[NodeId]| nodes.iter().any(|&node| !inside(node));
        match (first, self.goals) {
            (None, _) => false,
            // The owners of later operands need operand `i`.
            (Some(first), Goals::Prefixes) => outside(&self.operands[first..]),
            (Some(_), _) => outside(self.targets()),
        }
    }

    /// Every node that receives a value, and the value's operands.
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
    /// The owners of the values, in operand order. A single one owns a message.
    pub owners: Vec<NodeId>,
    /// The values that are wanted, and where.
    pub wanted: Wanted,
    /// Whether operands may be combined in any order. Ignored for a single value.
    pub commutative: bool,
    /// How often per instance of the whole. Positive.
    pub rate: u64,
}

/// The goals of a custom demand.
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
        Demand {
            operands: &self.owners,
            goals,
            commutative: self.commutative && self.owners.len() > 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compared with the definition, over all sets of four nodes.
    #[test]
    fn what_crosses_is_owned_inside_and_wanted_outside() {
        let nodes: Vec<NodeId> = [2, 0, 3].map(NodeId::new).to_vec();
        let (one, two) = ([nodes[0]], [nodes[1], NodeId::new(1)]);
        for goals in [
            Goals::At(nodes[1]),
            Goals::Everywhere(&two),
            Goals::Everywhere(&nodes),
            Goals::Prefixes,
        ] {
            for operands in [&nodes[..], &one[..]] {
                let demand = Demand {
                    operands,
                    goals,
                    commutative: false,
                };
                for set in 0..16_usize {
                    let inside = |node: NodeId| set >> node.index() & 1 == 1;
                    let crosses = demand.goals().into_iter().any(|(goal, part)| {
                        !inside(goal)
                            && operands[part.first..=part.last]
                                .iter()
                                .any(|&owner| inside(owner))
                    });
                    assert_eq!(demand.crosses(inside), crosses, "{demand:?} {set:b}");
                }
            }
        }
    }
}
