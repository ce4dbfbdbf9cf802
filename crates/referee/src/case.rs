//! The question under review, checked once: platform, collective and volumes.

use oneport_plan::{
    Amount, Block, Collective, Demand, Goals, Interval, Kind, Message, Problem, Volumes,
};
use oneport_platform::{Link, LinkId, NodeId, Platform, Rational};
use oneport_watch::Watch;

use crate::Violation;

use crate::violation::{fault, part_name};

/// A valid question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) platform: &'a Platform,
    pub(crate) collective: &'a Collective,
    pub(crate) volumes: &'a Volumes,
    /// For a group: its demands. `None` for the whole collective.
    block: Option<Block<'a>>,
    /// Checked by long computations. After it ended, their results are meaningless.
    watch: Option<&'a Watch>,
}

/// Demands of one kind that are executed equally often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    pub(crate) case: Case<'a>,
    /// The kind of all its demands.
    pub(crate) kind: Kind,
    /// Executions per instance of the whole.
    pub(crate) rate: u64,
    /// Index of its first demand in the whole.
    pub(crate) first: usize,
}

impl Group<'_> {
    /// Whether its demands are all-reduces.
    pub(crate) fn is_all_reduce(&self) -> bool {
        self.case
            .demand(0)
            .is_some_and(|demand| is_all_reduce(&demand))
    }
}

/// Whether values are combined for exactly the nodes that own them. The theorems on all-reduces hold only then.
pub(crate) fn is_all_reduce(demand: &Demand<'_>) -> bool {
    let sets = |nodes: &[NodeId]| {
        nodes
            .iter()
            .copied()
            .collect::<std::collections::BTreeSet<NodeId>>()
    };
    match demand.goals {
        Goals::Everywhere(targets) => {
            demand.operands.len() > 1 && sets(demand.operands) == sets(targets)
        }
        Goals::At(_) | Goals::Prefixes => false,
    }
}

impl<'a> Case<'a> {
    /// This case under a watch.
    pub(crate) fn watched(self, watch: &'a Watch) -> Case<'a> {
        Case {
            watch: Some(watch),
            ..self
        }
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// [`Rule::Stopped`](crate::Rule::Stopped) if the watch has ended.
    pub(crate) fn ask(&self) -> Result<(), Violation> {
        self.watch.map_or(Ok(()), |watch| Ok(watch.ask()?))
    }

    /// Whether there is room for a table.
    ///
    /// # Errors
    /// [`Rule::Stopped`](crate::Rule::Stopped) if the watch leaves no room, or has ended.
    pub(crate) fn room_for(&self, bytes: u64) -> Result<(), Violation> {
        self.watch
            .map_or(Ok(()), |watch| Ok(watch.room_for(bytes)?))
    }

    /// The problem, without a watch.
    pub(crate) fn new(problem: &'a Problem) -> Case<'a> {
        let (platform, collective, volumes) =
            (problem.platform(), problem.collective(), problem.volumes());
        Case {
            platform,
            collective,
            volumes,
            block: None,
            watch: None,
        }
    }

    /// How often the demand at this index is executed per instance.
    pub(crate) fn rate(&self, index: usize) -> u64 {
        self.block
            .map_or_else(|| self.collective.rate(index), |block| block.rate)
    }

    /// Per demand: its executions per instance. Empty if all are executed once.
    pub(crate) fn rates(&self) -> Vec<u64> {
        if !self.collective.is_uniform() {
            (0..self.demands()).map(|index| self.rate(index)).collect()
        } else {
            Vec::new()
        }
    }

    /// The demands by groups of one kind.
    pub(crate) fn groups(&self) -> Vec<Group<'a>> {
        let group = |block: Block<'a>| Group {
            case: Case {
                block: Some(block),
                ..*self
            },
            kind: block.kind,
            rate: block.rate,
            first: block.first,
        };
        self.collective.blocks().into_iter().map(group).collect()
    }

    /// How many demands an instance has. They are not listed: an all-to-all among ten thousand has 10^8.
    pub(crate) fn demands(&self) -> usize {
        self.block
            .map_or_else(|| self.collective.demands(), |block| block.count)
    }

    /// The demand of this index.
    pub(crate) fn demand(&self, index: usize) -> Option<Demand<'a>> {
        self.block.map_or_else(
            || self.collective.demand(index),
            |block| block.demand(index),
        )
    }

    /// Per demand: its goals, each as the last operand of the wanted prefix and the node that wants it. A goal of a
    /// single operand holds already at the operand's owner.
    pub(crate) fn goals(&self) -> Vec<Vec<(usize, NodeId)>> {
        let of_demand = |index: usize| {
            let demand = self.demand(index)?;
            let last = demand.operands.len().saturating_sub(1);
            Some(match demand.goals {
                Goals::At(target) => vec![(last, target)],
                Goals::Everywhere(nodes) => nodes.iter().map(|&node| (last, node)).collect(),
                Goals::Prefixes => demand
                    .operands
                    .iter()
                    .copied()
                    .enumerate()
                    .skip(1)
                    .collect(),
            })
        };
        (0..self.demands()).filter_map(of_demand).collect()
    }

    /// For a group: owners and receivers that do not merge, each once.
    pub(crate) fn bystanders(&self) -> Vec<NodeId> {
        let goals = self.goals().into_iter().flatten().map(|(_, node)| node);
        let mut nodes: Vec<NodeId> = self.operands().iter().copied().chain(goals).collect();
        nodes.retain(|&node| !self.platform.node(node).merges());
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// For a group of one message from each of some nodes to each other: these nodes.
    pub(crate) fn exchanged(&self) -> Option<&'a [NodeId]> {
        self.block.and_then(|block| block.exchanged())
    }

    /// For a group: the owners of the values to be combined. Empty if nothing is combined.
    pub(crate) fn operands(&self) -> &'a [NodeId] {
        self.block.map_or(&[], |block| block.operands())
    }

    /// For a group: whether operands may be combined in any order.
    pub(crate) fn is_commutative(&self) -> bool {
        self.block.is_some_and(|block| block.is_commutative())
    }

    /// The size of a message, or of a partial result.
    pub(crate) fn size(&self, part: Interval) -> Rational {
        self.volumes.size_of(Message { demand: 0, part })
    }

    /// `A=>B`, `A=>all`, `reduction=>B`, `all-reduce` or `scan`, for messages.
    pub(crate) fn demand_name(&self, index: usize) -> String {
        let Some(demand) = self.demand(index) else {
            return format!("demand {index}");
        };
        let whole = match (demand.goals, demand.operands) {
            (Goals::At(target), &[source]) => {
                format!("{}=>{}", self.name(source), self.name(target))
            }
            (Goals::At(target), _) => format!("reduction=>{}", self.name(target)),
            (_, &[source]) => format!("{}=>all", self.name(source)),
            (Goals::Everywhere(_), _) => "all-reduce".to_string(),
            (Goals::Prefixes, _) => "scan".to_string(),
        };
        let groups = self.collective.members();
        match self.groups().iter().rposition(|group| group.first <= index) {
            Some(group) if !groups.is_empty() => format!("{whole} of group {}", group + 1),
            _ if self.collective.is_listed() => format!("demand {index} ({whole})"),
            _ => whole,
        }
    }

    /// `message A=>B of instance 7`, or `v[0,2] of reduction=>B of instance 7`, for messages.
    pub(crate) fn message_name(&self, instance: u64, message: Message) -> String {
        let demand = self.demand_name(message.demand);
        if self
            .demand(message.demand)
            .is_some_and(|demand| demand.operands.len() > 1)
        {
            format!(
                "{} of {demand} of instance {instance}",
                part_name(&message.part)
            )
        } else {
            format!("message {demand} of instance {instance}")
        }
    }

    /// The node's name. The id exists.
    pub(crate) fn name(&self, node: NodeId) -> String {
        self.platform.name(node).to_string()
    }

    /// Whether the node keeps the values that it passes on. The id must exist.
    pub(crate) fn replicates(&self, node: NodeId) -> bool {
        self.platform.node(node).replicates
    }

    /// The link of this id, if it exists.
    pub(crate) fn link(
        &self,
        id: LinkId,
        location: impl FnOnce() -> String,
    ) -> Result<&'a Link, Violation> {
        let links = self.platform.links();
        links.get(id.index()).ok_or_else(|| {
            let (id, links) = (id.index(), links.len());
            fault!(Unknown, "link id {id} does not exist"; "the platform has {links} links, numbered from 0")
                .at(location())
        })
    }

    /// There is no bound, because no schedule exists.
    pub(crate) fn unreachable(&self, from: NodeId, target: NodeId) -> Violation {
        let (from, target) = (self.name(from), self.name(target));
        fault!(Unreachable, "no path leads from '{from}' to '{target}'"; "every source must reach its targets")
    }

    /// A demand's number outside the collective.
    pub(crate) fn unknown_demand(&self, location: String, commodity: usize) -> Violation {
        let commodities = self.demands();
        fault!(Unknown, "demand {commodity} does not exist"; "an instance has {commodities}, numbered from 0").at(location)
    }
}

/// Whether the partial result of a demand exists.
pub(crate) fn has_part(demand: &Demand<'_>, part: Interval) -> bool {
    part.first <= part.last && part.last < demand.operands.len()
}

/// The least amount of all parts with at least `fewest` operands.
pub(crate) fn least(amount: &Amount, operands: usize, fewest: usize) -> Rational {
    let amount_of = |operands: usize| {
        amount
            .of(Interval {
                first: 0,
                last: operands.saturating_sub(1),
            })
            .unwrap_or_default()
    };
    match amount {
        Amount::Constant(amount) => amount.clone(),
        // Linear in the number of operands.
        Amount::Affine { .. } => amount_of(fewest).min(amount_of(operands)),
        Amount::Table(rows) => {
            let entries = rows.iter().flat_map(|row| row.iter().skip(fewest - 1));
            entries.min().cloned().unwrap_or_default()
        }
        Amount::Tasks(table) => table.numbers().min().cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_plan::Member;
    use oneport_platform::whole;

    #[test]
    fn groups_are_placed_one_after_the_other() {
        let mut builder = Platform::builder();
        let one = whole(1);
        let ids: Vec<NodeId> = ["a", "b", "c", "d"]
            .map(|name| {
                builder
                    .node(oneport_platform::Node::processor(name, one.clone()))
                    .unwrap()
            })
            .to_vec();
        for pair in ids.windows(2) {
            builder.duplex(pair[0], pair[1], one.clone()).unwrap();
        }
        let platform = builder.build().unwrap();
        let volumes = Volumes::of_size(one);
        let scatter = Collective::scatter(ids[2], vec![ids[3], ids[0]]);
        let reduce = Collective::reduce(ids[1], ids.clone()).in_order();
        let gossip = Collective::all_gather(ids[1..].to_vec());
        let all = Collective::all_reduce(ids.clone());
        let members = [scatter, reduce, gossip, all]
            .map(|collective| Member {
                collective,
                rate: 3,
            })
            .to_vec();
        let collective = Collective::Groups(members);
        let problem = Problem::new(&platform, &collective, &volumes).unwrap();
        let case = Case::new(&problem);
        let firsts: Vec<usize> = case.groups().iter().map(|group| group.first).collect();
        assert_eq!((firsts, case.demands()), (vec![0, 2, 3, 6], 7));
        let kinds = (0..7)
            .map(|index| case.demand(index).unwrap().kind())
            .collect::<Vec<_>>();
        use Kind::*;
        assert_eq!(
            kinds,
            [Route, Route, Combine, Copy, Copy, Copy, CombineCopy]
        );
        for group in case.groups() {
            for index in 0..group.case.demands() {
                assert_eq!(group.case.demand(index), case.demand(group.first + index));
            }
        }
        assert_eq!(case.demand_name(4), "c=>all of group 3");
        assert_eq!(case.demand(7), None);
    }
}
