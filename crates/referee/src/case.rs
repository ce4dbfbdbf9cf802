//! The question under review, checked once: platform, collective and volumes.

use oneport_plan::{Amount, Collective, Commodity, Interval, Message, Pattern, ReductionTree, Task, Volumes};
use oneport_platform::{Link, LinkId, NodeId, Platform, PortModel, Rational};

use crate::Violation;
use crate::arithmetic::is_sound;
use crate::violation::part_name;

/// A valid question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) platform: &'a Platform,
    pub(crate) collective: &'a Collective,
    pub(crate) volumes: &'a Volumes,
}

/// What one task of a pattern occupies.
pub(crate) enum Use {
    /// A link, for a message of this part.
    Link(LinkId, Option<Interval>),
    /// A processor, for a merge with this result.
    Compute(NodeId, Interval),
}

impl<'a> Case<'a> {
    /// Checks port models, participants, sizes and work.
    pub(crate) fn new(
        platform: &'a Platform,
        collective: &'a Collective,
        volumes: &'a Volumes,
    ) -> Result<Case<'a>, Violation> {
        let foreign = platform.node_ids().find(|&node| platform.model_of(node) != PortModel::FullDuplex);
        if let Some(node) = foreign {
            return Err(Violation::UnknownModel {
                node: platform.name(node).to_string(),
                model: platform.model_of(node),
            });
        }
        collective.validate(platform)?;
        for (what, amount) in [("size", &volumes.size), ("work", &volumes.work)] {
            if let Some(found) = numbers(amount).into_iter().find(|number| !is_sound(number)) {
                return Err(Violation::NoNumber { what, found: Box::new(found.clone()) });
            }
        }
        volumes.validate(collective)?;
        Ok(Case { platform, collective, volumes })
    }

    /// How many commodities (or reductions) an instance has. They are not listed: an all-to-all among ten thousand
    /// has 10^8.
    pub(crate) fn commodities(&self) -> usize {
        match self.collective {
            Collective::Scatter { targets, .. } => targets.len(),
            Collective::Gather { participants, .. } => participants.len(),
            Collective::AllToAll { participants } => {
                participants.len().saturating_mul(participants.len().saturating_sub(1))
            }
            Collective::Reduce { .. } | Collective::ReduceScatter { .. } => self.collective.reductions().len(),
        }
    }

    /// The commodity at this place of [`Collective::commodities`], without making the list.
    pub(crate) fn commodity(&self, place: usize) -> Option<Commodity> {
        match self.collective {
            Collective::Scatter { source, targets } => {
                targets.get(place).map(|&target| Commodity { source: *source, target })
            }
            Collective::Gather { target, participants } => {
                participants.get(place).map(|&source| Commodity { source, target: *target })
            }
            Collective::AllToAll { participants } => {
                let others = participants.len().checked_sub(1).filter(|&others| others > 0)?;
                let (source, target) = (place / others, place % others);
                // The source is skipped in the list of targets.
                let target = target + usize::from(target >= source);
                Some(Commodity { source: *participants.get(source)?, target: *participants.get(target)? })
            }
            Collective::Reduce { .. } | Collective::ReduceScatter { .. } => None,
        }
    }

    /// The target of the reduction at this place of [`Collective::reductions`].
    pub(crate) fn reduction(&self, place: usize) -> Option<NodeId> {
        self.collective.reductions().get(place).copied()
    }

    /// The owners of the values to be combined; none where nothing is.
    pub(crate) fn operands(&self) -> &'a [NodeId] {
        self.collective.operands().unwrap_or_default()
    }

    /// The whole result of a reduction: `[0, N]`.
    pub(crate) fn result(&self) -> Interval {
        Interval { first: 0, last: self.operands().len().saturating_sub(1) }
    }

    /// Whether the partial result exists.
    pub(crate) fn has_part(&self, part: Interval) -> bool {
        part.first <= part.last && part.last < self.operands().len()
    }

    /// `A=>B`, or `reduction=>B`, for messages.
    pub(crate) fn commodity_name(&self, place: usize) -> String {
        if let Some(target) = self.reduction(place) {
            return format!("reduction=>{}", self.name(target));
        }
        match self.commodity(place) {
            Some(commodity) => format!("{}=>{}", self.name(commodity.source), self.name(commodity.target)),
            None => format!("commodity {place}"),
        }
    }

    /// `message A=>B of instance 7`, or `v[0,2] of reduction=>B of instance 7`, for messages.
    pub(crate) fn message_name(&self, instance: u64, message: Message) -> String {
        let commodity = self.commodity_name(message.commodity);
        match message.part {
            Some(part) => format!("{} of {commodity} of instance {instance}", part_name(&part)),
            None => format!("message {commodity} of instance {instance}"),
        }
    }

    /// The node's name; the id exists.
    pub(crate) fn name(&self, node: NodeId) -> String {
        self.platform.name(node).to_string()
    }

    /// The link of this id, if it exists.
    pub(crate) fn link(&self, id: LinkId, place: impl FnOnce() -> String) -> Result<&'a Link, Violation> {
        let links = self.platform.links();
        links.get(id.index()).ok_or_else(|| Violation::UnknownLink {
            place: place(),
            id: id.index(),
            links: links.len(),
        })
    }

    /// A commodity or reduction number outside the collective.
    pub(crate) fn unknown_commodity(&self, place: String, commodity: usize) -> Violation {
        Violation::UnknownCommodity { place, commodity, commodities: self.commodities() }
    }
}

/// What the tasks of a pattern occupy, in their order.
pub(crate) fn uses(pattern: &Pattern) -> impl Iterator<Item = Use> + '_ {
    let (links, tasks) = match pattern {
        Pattern::Path(path) => (path.links.as_slice(), [].as_slice()),
        Pattern::Reduction(ReductionTree { tasks, .. }) => ([].as_slice(), tasks.as_slice()),
    };
    let of_task = |task: &Task| match *task {
        Task::Transfer { link, part } => Use::Link(link, Some(part)),
        Task::Merge { node, part, .. } => Use::Compute(node, part),
    };
    links.iter().map(|&link| Use::Link(link, None)).chain(tasks.iter().map(of_task))
}

/// Every number of an amount.
fn numbers(amount: &Amount) -> Vec<&Rational> {
    match amount {
        Amount::Constant(constant) => vec![constant],
        Amount::Affine { fixed, per_operand } => vec![fixed, per_operand],
        Amount::Table(rows) => rows.iter().flatten().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commodities_are_those_of_the_vocabulary() {
        let mut builder = Platform::builder();
        let one = Rational::from_integer(1.into());
        let ids: Vec<NodeId> = ["a", "b", "c", "d"]
            .map(|name| builder.node(oneport_platform::Node::processor(name, one.clone())).unwrap())
            .to_vec();
        let platform = builder.build().unwrap();
        let volumes = Volumes::of_size(one);
        for collective in [
            Collective::Scatter { source: ids[2], targets: vec![ids[3], ids[0]] },
            Collective::Gather { target: ids[1], participants: vec![ids[3], ids[0], ids[2]] },
            Collective::AllToAll { participants: ids.clone() },
            Collective::AllToAll { participants: vec![ids[3], ids[1]] },
        ] {
            let case = Case::new(&platform, &collective, &volumes).unwrap();
            let listed: Vec<Commodity> = (0..case.commodities()).filter_map(|place| case.commodity(place)).collect();
            assert_eq!(listed, collective.commodities());
            assert_eq!(case.commodity(listed.len()), None);
        }
        let scattered = Collective::ReduceScatter { participants: vec![ids[3], ids[1]], commutative: false };
        let case = Case::new(&platform, &scattered, &volumes).unwrap();
        assert_eq!((case.commodities(), case.reduction(0), case.reduction(2)), (2, Some(ids[3]), None));
        assert_eq!(case.commodity(0), None);
    }
}
