//! The question under review, checked once: platform, collective and size; and the paths that answer it.

use oneport_plan::{Collective, Commodity, Pattern};
use oneport_platform::{Link, LinkId, NodeId, Platform, PortModel, Rational};

use crate::Violation;
use crate::arithmetic::is_positive;

/// A valid question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) platform: &'a Platform,
    pub(crate) collective: &'a Collective,
    pub(crate) size: &'a Rational,
}

impl<'a> Case<'a> {
    /// Checks port models, participants and size.
    pub(crate) fn new(
        platform: &'a Platform,
        collective: &'a Collective,
        size: &'a Rational,
    ) -> Result<Case<'a>, Violation> {
        let foreign = platform.node_ids().find(|&node| platform.model_of(node) != PortModel::FullDuplex);
        if let Some(node) = foreign {
            return Err(Violation::UnknownModel {
                node: platform.name(node).to_string(),
                model: platform.model_of(node),
            });
        }
        collective.validate(platform)?;
        if !is_positive(size) {
            return Err(Violation::BadSize { found: Box::new(size.clone()) });
        }
        Ok(Case { platform, collective, size })
    }

    /// How many commodities an instance has. They are not listed: an all-to-all among ten thousand has 10^8.
    pub(crate) fn commodities(&self) -> usize {
        match self.collective {
            Collective::Scatter { targets, .. } => targets.len(),
            Collective::Gather { participants, .. } => participants.len(),
            Collective::AllToAll { participants } => {
                participants.len().saturating_mul(participants.len().saturating_sub(1))
            }
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
        }
    }

    /// `A=>B` for messages.
    pub(crate) fn commodity_name(&self, place: usize) -> String {
        match self.commodity(place) {
            Some(commodity) => format!("{}=>{}", self.name(commodity.source), self.name(commodity.target)),
            None => format!("commodity {place}"),
        }
    }

    /// `message A=>B of instance 7` for messages.
    pub(crate) fn message_name(&self, instance: u64, commodity: usize) -> String {
        format!("message {} of instance {instance}", self.commodity_name(commodity))
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
}

/// Checks that patterns are simple paths from the source of their commodity to its target.
#[derive(Debug)]
pub(crate) struct PathChecker<'a> {
    case: Case<'a>,
    /// "steady-state" or "schedule", for messages.
    owner: &'static str,
    /// The last path through each node.
    last_path: Vec<usize>,
    /// Paths checked so far, so that the marks need no clearing.
    paths: usize,
}

impl<'a> PathChecker<'a> {
    pub(crate) fn new(case: Case<'a>, owner: &'static str) -> PathChecker<'a> {
        PathChecker { case, owner, last_path: vec![0; case.platform.nodes().len()], paths: 0 }
    }

    /// Checks the next pattern of the list; linear in its length.
    pub(crate) fn check(&mut self, pattern: &Pattern) -> Result<(), Violation> {
        let Self { case, owner, .. } = *self;
        let place = self.paths;
        self.paths += 1;
        let named = || format!("{owner} pattern {place}");
        let Some(commodity) = case.commodity(pattern.commodity) else {
            return Err(Violation::UnknownCommodity {
                place: named(),
                commodity: pattern.commodity,
                commodities: case.commodities(),
            });
        };
        let mut at = commodity.source;
        self.visit(at);
        for (hop, &id) in pattern.links.iter().enumerate() {
            let link = case.link(id, || format!("{}, hop {hop}", named()))?;
            if link.from != at {
                return Err(Violation::BrokenPath {
                    pattern: named(),
                    commodity: case.commodity_name(pattern.commodity),
                    hop,
                    link: case.platform.link_name(id),
                    node: case.name(at),
                });
            }
            at = link.to;
            if !self.visit(at) {
                return Err(Violation::RepeatedNode {
                    pattern: named(),
                    commodity: case.commodity_name(pattern.commodity),
                    node: case.name(at),
                });
            }
        }
        if at != commodity.target {
            return Err(Violation::WrongEnd {
                pattern: named(),
                commodity: case.commodity_name(pattern.commodity),
                node: case.name(at),
            });
        }
        Ok(())
    }

    /// Marks a node of the current path; false if it was on the path before.
    fn visit(&mut self, node: NodeId) -> bool {
        self.last_path.get_mut(node.index()).is_some_and(|last| std::mem::replace(last, self.paths) != self.paths)
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
        for collective in [
            Collective::Scatter { source: ids[2], targets: vec![ids[3], ids[0]] },
            Collective::Gather { target: ids[1], participants: vec![ids[3], ids[0], ids[2]] },
            Collective::AllToAll { participants: ids.clone() },
            Collective::AllToAll { participants: vec![ids[3], ids[1]] },
        ] {
            let case = Case::new(&platform, &collective, &one).unwrap();
            let listed: Vec<Commodity> = (0..case.commodities()).filter_map(|place| case.commodity(place)).collect();
            assert_eq!(listed, collective.commodities());
            assert_eq!(case.commodity(listed.len()), None);
        }
    }
}
