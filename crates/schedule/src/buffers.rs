//! How much a node must be able to hold.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{PeriodicSchedule, ScheduledPattern, Task};
use oneport_platform::{NodeId, Platform};

/// Messages that a node must be able to hold until it has used them.
///
/// What arrives, or is computed, in one period is used in a later one: sent on whole, or merged. A message whose last
/// use comes `w` periods later is held in at most `w + 1` periods at a time, so a node that only forwards holds two
/// periods' worth (RR-4872 section 3.4 has the same bound); an operand of a merge may have to wait longer for the
/// other operand. One copy is enough for several uses; what arrives several times, as it does where a switch passes
/// every copy on once, is held as often. Values are at their owners without being held, and what is not used again is
/// none of the schedule's business. Only nodes that hold any. Linear in tasks but for a logarithm.
pub fn buffers(platform: &Platform, schedule: &PeriodicSchedule) -> BTreeMap<NodeId, BigUint> {
    let mut held: BTreeMap<NodeId, BigUint> = BTreeMap::new();
    for ScheduledPattern { pattern, copies } in &schedule.patterns {
        let stages = pattern.stages();
        let mut last_use: Vec<Option<usize>> = vec![None; stages.len()];
        for (task, &stage) in pattern.tasks.iter().zip(&stages) {
            for input in task.inputs() {
                if let Some(last) = last_use.get_mut(input) {
                    *last = (*last).max(Some(stage));
                }
            }
        }
        for ((task, stage), last_use) in pattern.tasks.iter().zip(stages).zip(last_use) {
            let Some(last_use) = last_use else { continue };
            let node = match *task {
                Task::Send { link, .. } => platform.link(link).to,
                Task::Merge { node, .. } => node,
            };
            *held.entry(node).or_default() += copies * (last_use.saturating_sub(stage) + 1);
        }
    }
    held.retain(|_, count| !count.is_zero());
    held
}
