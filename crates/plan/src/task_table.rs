//! Work of merges by task and processor: `w(P_i, T[k,l,m])` of RR-4872 in full.

use std::collections::BTreeMap;

use oneport_platform::{NodeId, Platform, Rational};

use crate::Interval;

/// A merge at any processor, `T[k,l,m]`: `v[k,l]` and `v[l+1,m]` are combined to `v[k,m]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MergeTask {
    /// The result, `[k,m]`.
    pub part: Interval,
    /// The last operand of the left part, `l`: `first <= split < last`.
    pub split: usize,
}

impl MergeTask {
    /// `T[k,l,m]`.
    pub fn new(part: Interval, split: usize) -> Self {
        MergeTask { part, split }
    }

    /// All tasks over this number of operands, ascending: `(n^3 - n) / 6` of them.
    pub fn all(operands: usize) -> impl Iterator<Item = MergeTask> {
        let parts = (0..operands)
            .flat_map(move |first| (first + 1..operands).map(move |last| Interval { first, last }));
        parts.flat_map(|part| (part.first..part.last).map(move |split| MergeTask { part, split }))
    }

    /// Whether a reduction of this number of operands has this task.
    pub fn is_over(self, operands: usize) -> bool {
        self.part.first <= self.split && self.split < self.part.last && self.part.last < operands
    }
}

impl std::fmt::Display for MergeTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "T[{},{},{}]",
            self.part.first, self.split, self.part.last
        )
    }
}

/// The work of every task, at every processor or at some of them. Node `i` takes `work x compute_i`.
///
/// An entry of a task at a processor goes before the entry of the task at every processor. Without either, or with an
/// entry of `None`, that processor cannot do the task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskTable {
    /// For each task: its work at every processor.
    pub everywhere: BTreeMap<MergeTask, Rational>,
    /// For each task and processor: the work there. `None` if the processor cannot do the task.
    pub at: BTreeMap<(MergeTask, NodeId), Option<Rational>>,
}

impl TaskTable {
    /// The work of a task at a node. `None` if it cannot be done there. `O(log n)` for `n` entries.
    pub fn of(&self, node: NodeId, task: MergeTask) -> Option<&Rational> {
        match self.at.get(&(task, node)) {
            Some(work) => work.as_ref(),
            None => self.everywhere.get(&task),
        }
    }

    /// The entries (task, processor, work), ascending, entries for all processors first. The processor is `None` for
    /// all. The work is `None` if the task cannot be done.
    pub fn entries(&self) -> impl Iterator<Item = (MergeTask, Option<NodeId>, Option<&Rational>)> {
        let everywhere = self
            .everywhere
            .iter()
            .map(|(&task, work)| (task, None, Some(work)));
        everywhere.chain(
            self.at
                .iter()
                .map(|(&(task, node), work)| (task, Some(node), work.as_ref())),
        )
    }

    /// All amounts of work in the table.
    pub fn numbers(&self) -> impl Iterator<Item = &Rational> {
        self.entries().filter_map(|(_, _, work)| work)
    }

    /// The least work of all tasks at all processors that have an entry. 0 without any.
    pub fn least(&self) -> Rational {
        self.numbers().min().cloned().unwrap_or_default()
    }

    /// Every amount times a factor.
    pub fn times(&self, factor: &Rational) -> TaskTable {
        TaskTable {
            everywhere: self
                .everywhere
                .iter()
                .map(|(&task, work)| (task, work * factor))
                .collect(),
            at: self
                .at
                .iter()
                .map(|(&key, work)| (key, work.as_ref().map(|work| work * factor)))
                .collect(),
        }
    }

    /// The first task over this number of operands without any entry.
    pub(crate) fn missing(&self, operands: usize) -> Option<MergeTask> {
        let named = |task: &MergeTask| {
            let from = (*task, NodeId::new(0));
            self.everywhere.contains_key(task)
                || self
                    .at
                    .range(from..)
                    .next()
                    .is_some_and(|((found, _), _)| found == task)
        };
        MergeTask::all(operands).find(|task| !named(task))
    }

    /// The first entry of a node that the platform does not have, or that does not merge.
    pub(crate) fn no_processor(&self, platform: &Platform) -> Option<(MergeTask, NodeId)> {
        let computes = |node: NodeId| {
            platform
                .nodes()
                .get(node.index())
                .is_some_and(oneport_platform::Node::merges)
        };
        self.at.keys().copied().find(|&(_, node)| !computes(node))
    }
}
