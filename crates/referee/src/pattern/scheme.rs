//! A scheme: tasks whose inputs are named, so that a value may be used several times.

use std::collections::BTreeMap;

use oneport_plan::{Goals, Interval, Scheme, SchemeTask};
use oneport_platform::NodeId;

use super::{Review, check_merge, check_part, owners};
use crate::{CopyFault, ReductionFault, Violation};

/// An input: the task that made or brought it, or the operand at its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Input {
    Task(usize),
    Operand(usize),
}

struct Reviewed<'r> {
    review: Review<'r>,
    owners: Vec<NodeId>,
    /// By task: where its result is, and what it is.
    results: Vec<(NodeId, Interval)>,
    /// By input at a node that does not replicate: the task that uses it.
    used: BTreeMap<Input, usize>,
}

/// Checks every task, then that every goal is reached. O(T log T) for T tasks.
///
/// What a task makes or brings is what it says: by induction `v[k,m]` combines the operands `k` to `m` in their order,
/// each once.
pub(super) fn check(scheme: &Scheme, review: Review<'_>) -> Result<(), Violation> {
    let order = scheme.order.as_deref();
    if order.is_some() && review.demand.goals == Goals::Prefixes {
        return Err(review.fault(None, ReductionFault::Reordered));
    }
    let owners = owners(review.demand, order).map_err(|fault| review.fault(None, fault))?;
    let mut this = Reviewed { review, owners, results: Vec::with_capacity(scheme.tasks.len()), used: BTreeMap::new() };
    for (place, &task) in scheme.tasks.iter().enumerate() {
        let result = this.task(place, task)?;
        this.results.push(result);
    }
    let mut results = this.results;
    results.extend(this.owners.iter().enumerate().map(|(i, &owner)| (owner, Interval { first: i, last: i })));
    results.sort_unstable();
    match review.demand.goals().into_iter().find(|goal| results.binary_search(goal).is_err()) {
        Some((node, part)) => Err(review.copy_fault(None, CopyFault::NoResult { part, node: review.case.name(node) })),
        None => Ok(()),
    }
}

impl Reviewed<'_> {
    fn task(&mut self, place: usize, task: SchemeTask) -> Result<(NodeId, Interval), Violation> {
        let Review { case, demand, name, .. } = self.review;
        let fault = |fault| self.review.fault(Some(place), fault);
        match task {
            SchemeTask::Transfer { link, part, after } => {
                check_part(demand, part).map_err(fault)?;
                let link = case.link(link, || format!("{}, task {place}", name()))?;
                self.require(place, after, part, link.from)?;
                Ok((link.to, part))
            }
            SchemeTask::Merge { node, part, split, left, right } => {
                let operands = check_merge(case, demand, node, part, split).map_err(fault)?;
                self.require(place, left, operands[0], node)?;
                self.require(place, right, operands[1], node)?;
                Ok((node, part))
            }
        }
    }

    /// The input is the part, and at the node; where copies are not kept, nothing else has used it.
    fn require(&mut self, task: usize, input: Option<usize>, part: Interval, node: NodeId) -> Result<(), Violation> {
        let case = self.review.case;
        let (input, holder) = match input {
            None if part.first == part.last => {
                let owner = self.owners.get(part.first).copied().unwrap_or(node);
                (Input::Operand(part.first), owner)
            }
            None => return Err(self.review.fault(Some(task), ReductionFault::NotMade { part })),
            Some(input) => match self.results.get(input) {
                None => return Err(self.review.copy_fault(Some(task), CopyFault::LaterTask { input })),
                Some(&(_, found)) if found != part => {
                    return Err(self.review.copy_fault(Some(task), CopyFault::OtherPart { input, found, part }));
                }
                Some(&(holder, _)) => (Input::Task(input), holder),
            },
        };
        if holder != node {
            let (node, holder) = (case.name(node), case.name(holder));
            return Err(self.review.fault(Some(task), ReductionFault::Elsewhere { part, node, holder }));
        }
        if !case.replicates(node)
            && let Some(first) = self.used.insert(input, task)
        {
            let node = case.name(node);
            let fault = CopyFault::Duplicated { what: "tasks", first, second: task, node };
            return Err(self.review.copy_fault(None, fault));
        }
        Ok(())
    }
}
