//! Routers contracted away: sends from one kept node to another.

use num_bigint::BigInt;
use oneport_plan::{Message, Problem, Task};
use oneport_platform::NodeId;
use oneport_schedule::Execution;

/// A send or merge of kept nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hop {
    /// Send or merge.
    pub work: Work,
    /// The value that is sent or made.
    pub message: Message,
    /// Index of the pattern in the schedule.
    pub pattern: usize,
    /// Index of the instance of its demand in a period, from 0.
    pub copy: u64,
    /// Indices of the hops that bring the inputs. `None` for the owner's value, or without a second input.
    pub inputs: [Option<usize>; 2],
    /// The tasks of the execution that form the hop, in their order.
    pub path: Vec<usize>,
    /// The last tasks of paths that led from its end back there.
    pub returned: Vec<usize>,
    /// Start of its first task, in units from the start of the period in which its copy starts.
    pub start: BigInt,
    /// End of its last task, in the same unit.
    pub end: BigInt,
}

impl Hop {
    /// The tasks that leave its value at its end.
    pub(crate) fn last(&self) -> impl Iterator<Item = usize> {
        self.path.last().into_iter().chain(&self.returned).copied()
    }
}

/// Work of a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// A message goes from one kept node to another.
    Send {
        /// Node before.
        from: NodeId,
        /// Node afterwards.
        to: NodeId,
    },
    /// Two values are combined.
    Merge {
        /// The node that merges.
        node: NodeId,
        /// The last operand of the left part.
        split: usize,
    },
}

/// Last node that kept the value, and the path since.
struct Kept {
    node: NodeId,
    hop: Option<usize>,
    way: Vec<usize>,
}

/// The sends and merges of one period without the nodes that are not kept: a send ends at the next kept node. If a
/// router copies a value, the kept node before it sends the value several times. A path from a kept node back to itself
/// yields no hop. A node that merges must be kept.
///
/// `O(E l)` for `E` tasks and paths of `l` links.
///
/// # Errors
/// The first node that merges and is not kept.
pub(crate) fn hops(
    problem: &Problem,
    execution: &Execution,
    keep: impl Fn(NodeId) -> bool,
) -> Result<Vec<Hop>, NodeId> {
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
                    kept.push(Kept {
                        node: from,
                        hop,
                        way,
                    });
                    continue;
                }
                // A path that returns to its start has no effect: the value has been there since the previous hop.
                if ends.to == from {
                    if let Some(hop) = hop {
                        hops[hop].returned.extend(way.last());
                    }
                    kept.push(Kept {
                        node: from,
                        hop,
                        way: Vec::new(),
                    });
                    continue;
                }
                (ends.to, Work::Send { from, to: ends.to }, [hop, None], way)
            }
            Task::Merge { node, split, .. } => {
                if !keep(node) {
                    return Err(node);
                }
                let hop = |input: Option<usize>| input.and_then(|input| kept.get(input)?.hop);
                (
                    node,
                    Work::Merge { node, split },
                    dated.inputs.map(hop),
                    vec![number],
                )
            }
        };
        let start = way.first().map_or(BigInt::ZERO, |&first| {
            execution.start(&execution.tasks[first])
        });
        kept.push(Kept {
            node,
            hop: Some(hops.len()),
            way: Vec::new(),
        });
        let (message, pattern, copy, end) = (
            dated.message,
            dated.pattern,
            dated.copy,
            execution.end(dated),
        );
        hops.push(Hop {
            work,
            message,
            pattern,
            copy,
            inputs,
            path: way,
            returned: Vec::new(),
            start,
            end,
        });
    }
    Ok(hops)
}
