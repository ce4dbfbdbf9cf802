//! The ways to carry out a demand: simple paths, arborescences, reduction trees and schemes.

mod copies;
mod scheme;
mod tree;

use std::collections::BTreeSet;

use oneport_plan::{Demand, Goals, Interval, Path, Pattern};
use oneport_platform::NodeId;

use crate::case::{Case, Kind, has_part};
use crate::{CopyFault, ReductionFault, Violation};
use tree::Tree;

/// Checks that patterns carry out their demands: each kind of demand has its kind of pattern.
#[derive(Debug)]
pub(crate) struct PatternChecker<'a> {
    case: Case<'a>,
    /// "steady-state" or "schedule", for messages.
    owner: &'static str,
    /// The last path through each node.
    last_path: Vec<usize>,
    /// Patterns checked so far, so that the marks need no clearing.
    patterns: usize,
}

/// A pattern under review, with its name for messages.
#[derive(Clone, Copy)]
struct Review<'r> {
    case: &'r Case<'r>,
    demand: &'r Demand<'r>,
    commodity: usize,
    name: &'r dyn Fn() -> String,
}

impl Review<'_> {
    /// `schedule pattern 3 (A=>B), task 5`.
    fn place(&self, task: Option<usize>) -> String {
        let commodity = self.case.commodity_name(self.commodity);
        let task = task.map(|task| format!(", task {task}")).unwrap_or_default();
        format!("{} ({commodity}){task}", (self.name)())
    }

    fn fault(&self, task: Option<usize>, fault: ReductionFault) -> Violation {
        Violation::Reduction { place: self.place(task), fault }
    }

    fn copy_fault(&self, task: Option<usize>, fault: CopyFault) -> Violation {
        Violation::Copy { place: self.place(task), fault: Box::new(fault) }
    }
}

impl<'a> PatternChecker<'a> {
    pub(crate) fn new(case: Case<'a>, owner: &'static str) -> PatternChecker<'a> {
        PatternChecker { case, owner, last_path: vec![0; case.platform.nodes().len()], patterns: 0 }
    }

    /// Checks the next pattern of the list. Linear in the length of a path; O(T log T) for T tasks.
    pub(crate) fn check(&mut self, pattern: &Pattern) -> Result<(), Violation> {
        let (owner, place, case, commodity) = (self.owner, self.patterns, self.case, pattern.commodity());
        self.patterns += 1;
        let name = || format!("{owner} pattern {place}");
        let Some(demand) = case.demand(commodity) else {
            return Err(case.unknown_commodity(name(), commodity));
        };
        let review = Review { case: &case, demand: &demand, commodity, name: &name };
        let kind = Kind::of(&demand);
        match (kind, pattern, demand.goals) {
            (Kind::Path, Pattern::Path(path), Goals::At(target)) => self.check_path(path, target, review),
            (Kind::Copies, Pattern::Arborescence(tree), Goals::Everywhere(targets)) => {
                copies::check(tree, targets, review)
            }
            (Kind::Tree, Pattern::Reduction(tree), Goals::At(target)) => Tree::new(tree, review)?.check(target),
            (Kind::Scheme, Pattern::Scheme(scheme), _) => scheme::check(scheme, review),
            _ => Err(Violation::WrongPattern {
                pattern: name(),
                collective: case.collective.name(),
                right: kind.patterns(),
                found: kind_of(pattern).patterns(),
            }),
        }
    }

    fn check_path(&mut self, path: &Path, target: NodeId, review: Review<'_>) -> Result<(), Violation> {
        let case = self.case;
        let commodity = || case.commodity_name(path.commodity);
        let mut at = review.demand.operands.first().copied().unwrap_or(target);
        self.visit(at);
        for (hop, &id) in path.links.iter().enumerate() {
            let link = case.link(id, || format!("{}, hop {hop}", (review.name)()))?;
            if link.from != at {
                return Err(Violation::BrokenPath {
                    pattern: (review.name)(),
                    commodity: commodity(),
                    hop,
                    link: case.platform.link_name(id),
                    node: case.name(at),
                });
            }
            at = link.to;
            if !self.visit(at) {
                return Err(Violation::RepeatedNode {
                    pattern: (review.name)(),
                    commodity: commodity(),
                    node: case.name(at),
                });
            }
        }
        if at != target {
            let pattern = (review.name)();
            return Err(Violation::WrongEnd { pattern, commodity: commodity(), node: case.name(at) });
        }
        Ok(())
    }

    /// Marks a node of the current path; false if it was on the path before.
    fn visit(&mut self, node: NodeId) -> bool {
        self.last_path.get_mut(node.index()).is_some_and(|last| std::mem::replace(last, self.patterns) != self.patterns)
    }
}

fn kind_of(pattern: &Pattern) -> Kind {
    match pattern {
        Pattern::Path(_) => Kind::Path,
        Pattern::Arborescence(_) => Kind::Copies,
        Pattern::Reduction(_) => Kind::Tree,
        Pattern::Scheme(_) => Kind::Scheme,
    }
}

/// The owners of the operands, in the pattern's own order if it has one: that names every participant once.
fn owners(demand: &Demand<'_>, order: Option<&[usize]>) -> Result<Vec<NodeId>, ReductionFault> {
    let participants = &demand.operands;
    let Some(order) = order else { return Ok(participants.to_vec()) };
    if !demand.commutative {
        return Err(ReductionFault::Reordered);
    }
    let operands = participants.len();
    if order.len() != operands {
        return Err(ReductionFault::OrderLength { found: order.len(), operands });
    }
    let mut named = BTreeSet::new();
    let owner = |(place, &participant): (usize, &usize)| {
        let owner = participants.get(participant).filter(|_| named.insert(participant));
        owner.copied().ok_or(ReductionFault::OrderEntry { place, participant, operands })
    };
    order.iter().enumerate().map(owner).collect()
}

/// The partial result exists.
pub(crate) fn check_part(demand: &Demand<'_>, part: Interval) -> Result<(), ReductionFault> {
    if has_part(demand, part) {
        return Ok(());
    }
    Err(ReductionFault::PartRange { part, last: demand.whole().last })
}

/// The node computes, the result exists, and the split is within it; returns the left and the right operand.
pub(crate) fn check_merge(
    case: &Case<'_>,
    demand: &Demand<'_>,
    node: NodeId,
    part: Interval,
    split: usize,
) -> Result<[Interval; 2], ReductionFault> {
    let Some(processor) = case.platform.nodes().get(node.index()) else {
        return Err(ReductionFault::UnknownNode { id: node.index(), nodes: case.platform.nodes().len() });
    };
    if !processor.is_processor() {
        return Err(ReductionFault::Router { node: case.name(node) });
    }
    check_part(demand, part)?;
    if split < part.first || split >= part.last {
        return Err(ReductionFault::SplitRange { part, split });
    }
    Ok([Interval { first: part.first, last: split }, Interval { first: split + 1, last: part.last }])
}
