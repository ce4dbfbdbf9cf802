//! Finds the tasks that bring or make the goals.

use std::collections::BTreeMap;

use oneport_plan::{Interval, Problem, Task};
use oneport_platform::NodeId;
use oneport_schedule::Execution;

/// A goal, and the task that delivers or makes its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Served {
    /// Index of the demand.
    pub demand: usize,
    /// Index of the demand's instance in its period.
    pub copy: u64,
    /// Node of the goal.
    pub node: NodeId,
    /// Operands of the result.
    pub part: Interval,
    /// Index of the task in the execution.
    pub task: usize,
}

/// Goals that tasks serve, each with the last task that delivers or makes it at its node. Goals that their owner meets
/// without any task are not listed. Sorted by demands, copies and nodes. `O(E log E)` for `E` tasks and goals.
pub fn results(problem: &Problem, execution: &Execution) -> Vec<Served> {
    let mut arrived: BTreeMap<(usize, u64, NodeId, Interval), usize> = BTreeMap::new();
    for (number, dated) in execution.tasks.iter().enumerate() {
        let node = node_of(problem, &dated.task);
        arrived.insert(
            (dated.message.demand, dated.copy, node, dated.message.part),
            number,
        );
    }
    let mut served = Vec::new();
    for (demand, goals) in problem.demands().enumerate() {
        for (node, part) in goals.goals() {
            for copy in 0..execution.started.get(&demand).copied().unwrap_or(0) {
                let task = arrived.get(&(demand, copy, node, part));
                served.extend(task.map(|&task| Served {
                    demand,
                    copy,
                    node,
                    part,
                    task,
                }));
            }
        }
    }
    served.sort();
    served
}

/// Node that has the result of a task.
pub(crate) fn node_of(problem: &Problem, task: &Task) -> NodeId {
    match *task {
        Task::Send { link, .. } => problem.platform().link(link).to,
        Task::Merge { node, .. } => node,
    }
}
