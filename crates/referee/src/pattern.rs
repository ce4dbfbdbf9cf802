//! The ways to carry out a commodity: simple paths, and reduction trees.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Interval, Path, Pattern, ReductionTree, Task};
use oneport_platform::{LinkId, NodeId};

use crate::case::Case;
use crate::{ReductionFault, Violation};

/// Checks that patterns are simple paths from the source of their commodity to its target, or reduction trees.
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

impl<'a> PatternChecker<'a> {
    pub(crate) fn new(case: Case<'a>, owner: &'static str) -> PatternChecker<'a> {
        PatternChecker { case, owner, last_path: vec![0; case.platform.nodes().len()], patterns: 0 }
    }

    /// Checks the next pattern of the list. Linear in the length of a path; O(T log T) for a tree of T tasks.
    pub(crate) fn check(&mut self, pattern: &Pattern) -> Result<(), Violation> {
        let (owner, place) = (self.owner, self.patterns);
        self.patterns += 1;
        let name = || format!("{owner} pattern {place}");
        if pattern.commodity() >= self.case.commodities() {
            return Err(self.case.unknown_commodity(name(), pattern.commodity()));
        }
        match pattern {
            Pattern::Path(path) => self.check_path(path, &name),
            Pattern::Reduction(tree) => {
                let Some(target) = self.case.reduction(tree.commodity) else {
                    return Err(self.wrong_kind(name(), "paths, not reduction trees"));
                };
                Tree::new(self.case, tree, &name)?.check(target)
            }
        }
    }

    fn wrong_kind(&self, pattern: String, right: &'static str) -> Violation {
        Violation::WrongPattern { pattern, collective: self.case.collective.name(), right }
    }

    fn check_path(&mut self, path: &Path, name: &dyn Fn() -> String) -> Result<(), Violation> {
        let case = self.case;
        let Some(commodity) = case.commodity(path.commodity) else {
            return Err(self.wrong_kind(name(), "reduction trees, not paths"));
        };
        let mut at = commodity.source;
        self.visit(at);
        for (hop, &id) in path.links.iter().enumerate() {
            let link = case.link(id, || format!("{}, hop {hop}", name()))?;
            if link.from != at {
                return Err(Violation::BrokenPath {
                    pattern: name(),
                    commodity: case.commodity_name(path.commodity),
                    hop,
                    link: case.platform.link_name(id),
                    node: case.name(at),
                });
            }
            at = link.to;
            if !self.visit(at) {
                return Err(Violation::RepeatedNode {
                    pattern: name(),
                    commodity: case.commodity_name(path.commodity),
                    node: case.name(at),
                });
            }
        }
        if at != commodity.target {
            return Err(Violation::WrongEnd {
                pattern: name(),
                commodity: case.commodity_name(path.commodity),
                node: case.name(at),
            });
        }
        Ok(())
    }

    /// Marks a node of the current path; false if it was on the path before.
    fn visit(&mut self, node: NodeId) -> bool {
        self.last_path.get_mut(node.index()).is_some_and(|last| std::mem::replace(last, self.patterns) != self.patterns)
    }
}

/// A reduction tree under review: where each value is, task after task.
///
/// The values that exist partition the operands: at first they are single, and a merge replaces two of them by their
/// union. So `[0, N]` is made only if nothing is left over.
struct Tree<'a> {
    case: Case<'a>,
    tree: &'a ReductionTree,
    name: &'a dyn Fn() -> String,
    /// Where each value is; `None` once it has been merged into another.
    holders: BTreeMap<Interval, Option<NodeId>>,
    /// Where each value has been.
    visited: BTreeSet<(Interval, NodeId)>,
}

impl<'a> Tree<'a> {
    /// The values at their owners.
    fn new(case: Case<'a>, tree: &'a ReductionTree, name: &'a dyn Fn() -> String) -> Result<Tree<'a>, Violation> {
        let mut this = Tree { case, tree, name, holders: BTreeMap::new(), visited: BTreeSet::new() };
        let owners = match &tree.order {
            None => case.operands().to_vec(),
            Some(_) if !case.collective.is_commutative() => {
                return Err(this.fault(None, ReductionFault::Reordered));
            }
            Some(order) => this.ordered(order)?,
        };
        for (operand, owner) in owners.into_iter().enumerate() {
            this.put(Interval { first: operand, last: operand }, owner);
        }
        Ok(this)
    }

    /// The owners in the tree's own order, which names every participant once.
    fn ordered(&self, order: &[usize]) -> Result<Vec<NodeId>, Violation> {
        let operands = self.case.operands();
        if order.len() != operands.len() {
            let (found, operands) = (order.len(), operands.len());
            return Err(self.fault(None, ReductionFault::OrderLength { found, operands }));
        }
        let mut named = BTreeSet::new();
        let mut owners = Vec::with_capacity(order.len());
        for (place, &participant) in order.iter().enumerate() {
            match operands.get(participant).filter(|_| named.insert(participant)) {
                Some(&owner) => owners.push(owner),
                None => {
                    let operands = operands.len();
                    return Err(self.fault(None, ReductionFault::OrderEntry { place, participant, operands }));
                }
            }
        }
        Ok(owners)
    }

    fn fault(&self, task: Option<usize>, fault: ReductionFault) -> Violation {
        let commodity = self.case.commodity_name(self.tree.commodity);
        let task = task.map(|task| format!(", task {task}")).unwrap_or_default();
        Violation::Reduction { place: format!("{} ({commodity}){task}", (self.name)()), fault }
    }

    fn put(&mut self, part: Interval, node: NodeId) -> bool {
        self.holders.insert(part, Some(node));
        self.visited.insert((part, node))
    }

    fn check(mut self, target: NodeId) -> Result<(), Violation> {
        for (place, &task) in self.tree.tasks.iter().enumerate() {
            match task {
                Task::Transfer { link, part } => self.transfer(place, link, part)?,
                Task::Merge { node, part, split } => self.merge(place, node, part, split)?,
            }
        }
        match self.holders.get(&self.case.result()) {
            Some(&Some(node)) if node == target => Ok(()),
            Some(&Some(node)) => Err(Violation::WrongEnd {
                pattern: (self.name)(),
                commodity: self.case.commodity_name(self.tree.commodity),
                node: self.case.name(node),
            }),
            _ => {
                let left = self.holders.iter().find_map(|(part, node)| Some((*part, (*node)?)));
                let (part, node) = left.unwrap_or((self.case.result(), target));
                Err(self.fault(None, ReductionFault::Unfinished { part, node: self.case.name(node) }))
            }
        }
    }

    /// The value exists and is at the node.
    fn require(&self, task: usize, part: Interval, node: NodeId) -> Result<(), Violation> {
        match self.holders.get(&part) {
            None => Err(self.fault(Some(task), ReductionFault::NotMade { part })),
            Some(None) => Err(self.fault(Some(task), ReductionFault::UsedAgain { part })),
            Some(Some(holder)) if *holder != node => {
                let (node, holder) = (self.case.name(node), self.case.name(*holder));
                Err(self.fault(Some(task), ReductionFault::Elsewhere { part, node, holder }))
            }
            Some(Some(_)) => Ok(()),
        }
    }

    fn transfer(&mut self, task: usize, link: LinkId, part: Interval) -> Result<(), Violation> {
        check_part(&self.case, part).map_err(|fault| self.fault(Some(task), fault))?;
        let link = self.case.link(link, || format!("{}, task {task}", (self.name)()))?;
        self.require(task, part, link.from)?;
        if !self.put(part, link.to) {
            let node = self.case.name(link.to);
            return Err(self.fault(Some(task), ReductionFault::Returned { part, node }));
        }
        Ok(())
    }

    fn merge(&mut self, task: usize, node: NodeId, part: Interval, split: usize) -> Result<(), Violation> {
        let operands = check_merge(&self.case, node, part, split).map_err(|fault| self.fault(Some(task), fault))?;
        if self.holders.contains_key(&part) {
            return Err(self.fault(Some(task), ReductionFault::MadeTwice { part }));
        }
        for operand in operands {
            self.require(task, operand, node)?;
            self.holders.insert(operand, None);
        }
        self.put(part, node);
        Ok(())
    }
}

/// The partial result exists.
pub(crate) fn check_part(case: &Case<'_>, part: Interval) -> Result<(), ReductionFault> {
    if case.has_part(part) {
        return Ok(());
    }
    Err(ReductionFault::PartRange { part, last: case.result().last })
}

/// The node computes, the result exists, and the split is within it; returns the left and the right operand.
pub(crate) fn check_merge(
    case: &Case<'_>,
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
    check_part(case, part)?;
    if split < part.first || split >= part.last {
        return Err(ReductionFault::SplitRange { part, split });
    }
    Ok([Interval { first: part.first, last: split }, Interval { first: split + 1, last: part.last }])
}
