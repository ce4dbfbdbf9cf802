//! Reduction trees: from choices to tasks, their cost, their validity.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Interval, Pattern, Resource, Task, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use super::reduction::Reduction;

/// The choices that define a tree: the processor that makes each partial result, and its split. Processors are given by
/// index, consumers by node index.
pub(super) trait Choices {
    /// The processor that makes the value which `node` consumes (for a single operand: its owner).
    fn source(&mut self, part: Interval, node: usize) -> Option<usize>;
    /// The last operand of the left part of what processor `at` makes.
    fn split(&mut self, part: Interval, at: usize) -> Option<usize>;
    /// The path from a processor to a node.
    fn path(&mut self, from: usize, node: usize) -> Vec<LinkId>;
}

/// The tree to a target, in the order: left part, right part, their transfers, merge. The result's transfer is the
/// last.
pub(super) fn build(
    reduction: &Reduction,
    choices: &mut impl Choices,
    target: usize,
) -> Option<Pattern> {
    let whole = reduction.whole()?;
    let source = choices.source(whole, target)?;
    let mut tasks = Vec::new();
    make(reduction, choices, whole, source, &mut tasks)?;
    transfer(choices, whole, source, target, &mut tasks);
    Some(Pattern::tree(0, None, tasks))
}

fn make(
    reduction: &Reduction,
    choices: &mut impl Choices,
    part: Interval,
    at: usize,
    tasks: &mut Vec<Task>,
) -> Option<()> {
    if part.first == part.last {
        return Some(());
    }
    let split = choices.split(part, at)?;
    let node = *reduction.processors.get(at)?;
    let (left, right) = part.split(split);
    let (from_left, from_right) = (choices.source(left, node)?, choices.source(right, node)?);
    make(reduction, choices, left, from_left, tasks)?;
    make(reduction, choices, right, from_right, tasks)?;
    transfer(choices, left, from_left, node, tasks);
    transfer(choices, right, from_right, node, tasks);
    tasks.push(Task::merge(NodeId::new(node), part, split));
    Some(())
}

fn transfer(
    choices: &mut impl Choices,
    part: Interval,
    from: usize,
    node: usize,
    tasks: &mut Vec<Task>,
) {
    tasks.extend(
        choices
            .path(from, node)
            .into_iter()
            .map(|link| Task::send(link, part)),
    );
}

/// The time a pattern takes on every resource that it uses: sizes times costs of links on ports and links, works times
/// compute costs on processors. Positive times only. Tasks of links or nodes that the platform does not have count
/// nothing.
pub fn loads(
    platform: &Platform,
    volumes: &Volumes,
    pattern: &Pattern,
) -> BTreeMap<Resource, Rational> {
    let mut times: BTreeMap<Resource, Rational> = BTreeMap::new();
    for &task in &pattern.tasks {
        match task {
            Task::Send { link, part, .. } => {
                let Some(arc) = platform.links().get(link.index()) else {
                    continue;
                };
                let time = &arc.cost * volumes.size.of(part).unwrap_or_default();
                for used in Resource::uses(platform, link) {
                    *times.entry(used.resource).or_default() += used.of(&time);
                }
            }
            Task::Merge {
                node, part, split, ..
            } => {
                *times.entry(Resource::Compute(node)).or_default() +=
                    volumes.merge_time(platform, node, part, split);
            }
        }
    }
    times.retain(|_, time| *time != Rational::default());
    times
}

/// Whether a pattern reduces the participants' values, in its order, to the target: every task's input is the stated
/// part at the task's node, every interval is made once, consumed once and visits no node twice, merges happen at
/// processors, and in the end the target has the result and nothing else is left. `O(t log t)` for `t` tasks.
pub fn is_tree(
    platform: &Platform,
    participants: &[NodeId],
    target: NodeId,
    tree: &Pattern,
) -> bool {
    let own_order = (0..participants.len()).collect();
    let order = tree.order.as_ref().unwrap_or(&own_order);
    let mut once: Vec<usize> = order.clone();
    once.sort_unstable();
    let by_intervals = Pattern::tree(tree.demand, None, tree.tasks.iter().copied());
    if once != own_order || tree.tasks != by_intervals.tasks {
        return false;
    }
    let leaf = |(operand, processor): (usize, &usize)| {
        Some((
            Interval {
                first: operand,
                last: operand,
            },
            *participants.get(*processor)?,
        ))
    };
    let mut room = Room {
        at: order.iter().enumerate().filter_map(leaf).collect(),
        seen: BTreeSet::new(),
    };
    room.seen.extend(room.at.clone());
    let done = tree
        .tasks
        .iter()
        .all(|&task| room.run(platform, task).is_some());
    let whole = participants
        .len()
        .checked_sub(1)
        .map(|last| Interval { first: 0, last });
    done && room.at.len() == 1 && whole.is_some_and(|whole| room.at.get(&whole) == Some(&target))
}

/// The nodes that hold the values, while a tree runs.
struct Room {
    at: BTreeMap<Interval, NodeId>,
    /// The nodes that held them.
    seen: BTreeSet<(Interval, NodeId)>,
}

impl Room {
    fn run(&mut self, platform: &Platform, task: Task) -> Option<()> {
        let (part, node) = match task {
            Task::Send { link, part, .. } => {
                let link = platform.links().get(link.index())?;
                if self.at.remove(&part)? != link.from {
                    return None;
                }
                (part, link.to)
            }
            Task::Merge {
                node, part, split, ..
            } => {
                if !platform.nodes().get(node.index())?.merges()
                    || split < part.first
                    || split >= part.last
                {
                    return None;
                }
                let (left, right) = part.split(split);
                if self.at.remove(&left)? != node || self.at.remove(&right)? != node {
                    return None;
                }
                (part, node)
            }
        };
        self.at.insert(part, node);
        self.seen.insert((part, node)).then_some(())
    }
}
