//! Which tasks bring what is wanted.

use std::collections::BTreeMap;

use oneport_plan::{Interval, Problem, Task};
use oneport_platform::NodeId;
use oneport_schedule::Execution;

/// Something wanted, and the task that brings or makes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Served {
    /// Place of the demand.
    pub demand: usize,
    /// Which of its carryings-out that start in one period.
    pub copy: u64,
    /// Where it is wanted.
    pub node: NodeId,
    /// Which operands combined.
    pub part: Interval,
    /// Place of the task in the execution.
    pub task: usize,
}

/// What every task that ends at a goal serves: the last one that brings or makes it there. Goals that their owner
/// meets without any task are not listed. By demands, copies and nodes; `O(E log E)` for `E` tasks and goals.
pub fn results(problem: Problem<'_>, execution: &Execution) -> Vec<Served> {
    let mut arrived: BTreeMap<(usize, u64, NodeId, Interval), usize> = BTreeMap::new();
    for (number, dated) in execution.tasks.iter().enumerate() {
        let node = node_of(problem, &dated.task);
        arrived.insert((dated.message.demand, dated.copy, node, dated.message.part), number);
    }
    let mut served = Vec::new();
    for (demand, goals) in problem.demands().enumerate() {
        for (node, part) in goals.goals() {
            for copy in 0..execution.started.get(&demand).copied().unwrap_or(0) {
                let task = arrived.get(&(demand, copy, node, part));
                served.extend(task.map(|&task| Served { demand, copy, node, part, task }));
            }
        }
    }
    served.sort();
    served
}

/// Where what a task brings or makes is afterwards.
pub fn node_of(problem: Problem<'_>, task: &Task) -> NodeId {
    match *task {
        Task::Send { link, .. } => problem.platform().link(link).to,
        Task::Merge { node, .. } => node,
    }
}
