//! A reduction tree: where each value is, task after task.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Interval, ReductionTree, Task};
use oneport_platform::{LinkId, NodeId};

use super::{Review, check_merge, check_part, owners};
use crate::{ReductionFault, Violation};

/// A reduction tree under review.
///
/// The values that exist partition the operands: at first they are single, and a merge replaces two of them by their
/// union. So `[0, N]` is made only if nothing is left over.
pub(super) struct Tree<'r> {
    tree: &'r ReductionTree,
    review: Review<'r>,
    /// Where each value is; `None` once it has been merged into another.
    holders: BTreeMap<Interval, Option<NodeId>>,
    /// Where each value has been.
    visited: BTreeSet<(Interval, NodeId)>,
}

impl<'r> Tree<'r> {
    /// The values at their owners.
    pub(super) fn new(tree: &'r ReductionTree, review: Review<'r>) -> Result<Tree<'r>, Violation> {
        let mut this = Tree { tree, review, holders: BTreeMap::new(), visited: BTreeSet::new() };
        let owners = owners(review.demand, tree.order.as_deref()).map_err(|fault| review.fault(None, fault))?;
        for (operand, owner) in owners.into_iter().enumerate() {
            this.put(Interval { first: operand, last: operand }, owner);
        }
        Ok(this)
    }

    fn put(&mut self, part: Interval, node: NodeId) -> bool {
        self.holders.insert(part, Some(node));
        self.visited.insert((part, node))
    }

    pub(super) fn check(mut self, target: NodeId) -> Result<(), Violation> {
        for (place, &task) in self.tree.tasks.iter().enumerate() {
            match task {
                Task::Transfer { link, part } => self.transfer(place, link, part)?,
                Task::Merge { node, part, split } => self.merge(place, node, part, split)?,
            }
        }
        let (case, whole) = (self.review.case, self.review.demand.whole());
        match self.holders.get(&whole) {
            Some(&Some(node)) if node == target => Ok(()),
            Some(&Some(node)) => Err(Violation::WrongEnd {
                pattern: (self.review.name)(),
                commodity: case.commodity_name(self.tree.commodity),
                node: case.name(node),
            }),
            _ => {
                let left = self.holders.iter().find_map(|(part, node)| Some((*part, (*node)?)));
                let (part, node) = left.unwrap_or((whole, target));
                Err(self.review.fault(None, ReductionFault::Unfinished { part, node: case.name(node) }))
            }
        }
    }

    /// The value exists and is at the node.
    fn require(&self, task: usize, part: Interval, node: NodeId) -> Result<(), Violation> {
        let fault = |fault| Err(self.review.fault(Some(task), fault));
        match self.holders.get(&part) {
            None => fault(ReductionFault::NotMade { part }),
            Some(None) => fault(ReductionFault::UsedAgain { part }),
            Some(Some(holder)) if *holder != node => {
                let (node, holder) = (self.review.case.name(node), self.review.case.name(*holder));
                fault(ReductionFault::Elsewhere { part, node, holder })
            }
            Some(Some(_)) => Ok(()),
        }
    }

    fn transfer(&mut self, task: usize, link: LinkId, part: Interval) -> Result<(), Violation> {
        let Review { case, demand, .. } = self.review;
        check_part(demand, part).map_err(|fault| self.review.fault(Some(task), fault))?;
        let link = case.link(link, || format!("{}, task {task}", (self.review.name)()))?;
        self.require(task, part, link.from)?;
        if !self.put(part, link.to) {
            let node = case.name(link.to);
            return Err(self.review.fault(Some(task), ReductionFault::Returned { part, node }));
        }
        Ok(())
    }

    fn merge(&mut self, task: usize, node: NodeId, part: Interval, split: usize) -> Result<(), Violation> {
        let Review { case, demand, .. } = self.review;
        let operands =
            check_merge(case, demand, node, part, split).map_err(|fault| self.review.fault(Some(task), fault))?;
        if self.holders.contains_key(&part) {
            return Err(self.review.fault(Some(task), ReductionFault::MadeTwice { part }));
        }
        for operand in operands {
            self.require(task, operand, node)?;
            self.holders.insert(operand, None);
        }
        self.put(part, node);
        Ok(())
    }
}
