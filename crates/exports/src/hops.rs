//! Routers contracted away: sends from one kept node to another.

use num_bigint::BigInt;
use oneport_plan::{Message, Problem, Task};
use oneport_platform::NodeId;
use oneport_schedule::Execution;

/// A send or merge of kept nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// What is done.
    pub work: Work,
    /// What travels or is made.
    pub message: Message,
    /// Place of the pattern in the schedule.
    pub pattern: usize,
    /// Which carrying-out of its demand in a period, from 0.
    pub copy: u64,
    /// Places of the hops behind the inputs; `None`: the owner's value, or no second input.
    pub inputs: [Option<usize>; 2],
    /// The tasks of the execution that it stands for, in their order.
    pub path: Vec<usize>,
    /// The last tasks of ways that led from its end back there.
    pub returned: Vec<usize>,
    /// When its first task starts, in units from the start of the period in which its copy starts.
    pub start: BigInt,
    /// When its last task ends, likewise.
    pub end: BigInt,
}

impl Hop {
    /// The tasks that leave at its end what it brings or makes.
    pub fn last(&self) -> impl Iterator<Item = usize> {
        self.path.last().into_iter().chain(&self.returned).copied()
    }
}

/// What a hop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A message goes from one kept node to another.
    Send {
        /// Where it was.
        from: NodeId,
        /// Where it is then.
        to: NodeId,
    },
    /// Two values are combined.
    Merge {
        /// Where.
        node: NodeId,
        /// The last operand of the left part.
        split: usize,
    },
}

/// Where a value was kept last, and the way since then.
struct Kept {
    node: NodeId,
    hop: Option<usize>,
    way: Vec<usize>,
}

/// The sends and merges of one period with all nodes but some left out: a send ends at the next kept node. What a
/// router copies is sent several times by the kept node before it. A way from a kept node back to itself is no hop. A
/// node that merges must be kept.
///
/// `O(E l)` for `E` tasks and ways of `l` links.
///
/// # Errors
/// The first node that merges and is not kept.
pub fn hops(problem: Problem<'_>, execution: &Execution, keep: impl Fn(NodeId) -> bool) -> Result<Vec<Hop>, NodeId> {
    let platform = problem.platform();
    let mut hops: Vec<Hop> = Vec::new();
    let mut kept: Vec<Kept> = Vec::with_capacity(execution.tasks.len());
    for (number, dated) in execution.tasks.iter().enumerate() {
        let (node, work, inputs, way) = match dated.task {
            Task::Send { link, .. } => {
                let ends = platform.link(link);
                let before = dated.inputs[0].and_then(|input| kept.get(input));
                let (from, hop, mut way) = match before {
                    Some(before) => (before.node, before.hop, before.way.clone()),
                    None => (ends.from, None, Vec::new()),
                };
                way.push(number);
                if !keep(ends.to) {
                    kept.push(Kept { node: from, hop, way });
                    continue;
                }
                // A way that comes back brings nothing: the value has been there since the hop before.
                if ends.to == from {
                    hop.into_iter().for_each(|hop: usize| hops[hop].returned.extend(way.last()));
                    kept.push(Kept { node: from, hop, way: Vec::new() });
                    continue;
                }
                (ends.to, Work::Send { from, to: ends.to }, [hop, None], way)
            }
            Task::Merge { node, split, .. } => {
                if !keep(node) {
                    return Err(node);
                }
                let hop = |input: Option<usize>| input.and_then(|input| kept.get(input)?.hop);
                (node, Work::Merge { node, split }, dated.inputs.map(hop), vec![number])
            }
        };
        let start = way.first().map_or(BigInt::ZERO, |&first| execution.start(&execution.tasks[first]));
        kept.push(Kept { node, hop: Some(hops.len()), way: Vec::new() });
        let (message, pattern, copy, end) = (dated.message, dated.pattern, dated.copy, execution.end(dated));
        hops.push(Hop { work, message, pattern, copy, inputs, path: way, returned: Vec::new(), start, end });
    }
    Ok(hops)
}
