//! How much a node must be able to hold.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Interval, Pattern, PeriodicSchedule, SchemeTask, Task};
use oneport_platform::{LinkId, NodeId, Platform};

/// Messages that a node must be able to hold until it has used them.
///
/// What arrives, or is computed, in one period is used in a later one: sent on whole, or merged. A message whose last
/// use comes `w` periods later is held in at most `w + 1` periods at a time, so a node that only forwards holds two
/// periods' worth (papers/000 section 3.4 has the same bound); an operand of a merge may have to wait longer for the other
/// operand. One copy is enough for several uses; what arrives several times, as it does where a switch passes every copy on
/// once, is held as often. Values are at their owners without being held, and what is not used again is none of the
/// schedule's business. Only nodes that hold any. Linear in tasks but for a logarithm.
pub fn buffers(platform: &Platform, schedule: &PeriodicSchedule) -> BTreeMap<NodeId, BigUint> {
    let mut held: BTreeMap<NodeId, BigUint> = BTreeMap::new();
    for scheduled in &schedule.patterns {
        let tasks = tasks(platform, &scheduled.pattern);
        let mut stages: Vec<usize> = Vec::with_capacity(tasks.len());
        let mut last_use: Vec<Option<usize>> = vec![None; tasks.len()];
        for (place, Made { inputs, .. }) in tasks.iter().enumerate() {
            let inputs = || inputs.iter().flatten().copied().filter(|&input| input < place);
            let stage = inputs().map(|input| stages[input] + 1).max().unwrap_or(0);
            inputs().for_each(|input| last_use[input] = last_use[input].max(Some(stage)));
            stages.push(stage);
        }
        for ((made, stage), last_use) in tasks.iter().zip(stages).zip(last_use) {
            if let Some(last_use) = last_use {
                *held.entry(made.node).or_default() += &scheduled.copies * (last_use.saturating_sub(stage) + 1);
            }
        }
    }
    held.retain(|_, count| !count.is_zero());
    held
}

/// What a task makes or brings: at which node it is then, and the places of the tasks behind what it takes.
struct Made {
    node: NodeId,
    inputs: [Option<usize>; 2],
}

/// A pattern's tasks, each after those it depends on.
fn tasks(platform: &Platform, pattern: &Pattern) -> Vec<Made> {
    let sent = |link: LinkId, after| Made { node: platform.link(link).to, inputs: [after, None] };
    match pattern {
        Pattern::Path(path) => {
            path.links.iter().enumerate().map(|(place, &link)| sent(link, place.checked_sub(1))).collect()
        }
        Pattern::Arborescence(tree) => {
            tree.hops.iter().map(|hop| sent(hop.link, hop.after.map(|after| after as usize))).collect()
        }
        Pattern::Reduction(tree) => {
            // An interval names one value: the task that last made or moved it.
            let mut last: BTreeMap<Interval, usize> = BTreeMap::new();
            let task = |(place, task): (usize, &Task)| {
                let (part, made) = match *task {
                    Task::Transfer { link, part } => (part, sent(link, last.get(&part).copied())),
                    Task::Merge { node, part, split } => {
                        let left = Interval { last: split, ..part };
                        let right = Interval { first: split.saturating_add(1), ..part };
                        (part, Made { node, inputs: [left, right].map(|half| last.get(&half).copied()) })
                    }
                };
                last.insert(part, place);
                made
            };
            tree.tasks.iter().enumerate().map(task).collect()
        }
        Pattern::Scheme(scheme) => {
            let task = |task: &SchemeTask| match *task {
                SchemeTask::Transfer { link, after, .. } => sent(link, after),
                SchemeTask::Merge { node, left, right, .. } => Made { node, inputs: [left, right] },
            };
            scheme.tasks.iter().map(task).collect()
        }
    }
}
