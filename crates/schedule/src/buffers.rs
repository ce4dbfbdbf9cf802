//! How much a node must be able to hold.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{Signed, Zero};
use oneport_plan::Task;
use oneport_platform::{NodeId, Platform};

use crate::Execution;

/// Messages that a node must be able to hold until it has used them.
///
/// A message is held from its arrival until its last use ends: it has been sent on whole, or merged. A message that is
/// held for `w` periods, the last one perhaps in part, occupies `w` buffers at a time. A node that only forwards holds
/// at most two periods' worth (RR-4872 section 3.4 has the same bound). An operand of a merge may wait longer for the
/// other operand. One copy serves several uses. If a message arrives several times, as from a switch that passes every
/// copy on once, each copy is held. Owners' values and messages without a further use are not counted. Nodes that hold
/// nothing are left out. Linear in tasks up to a logarithm.
pub fn buffers(platform: &Platform, execution: &Execution) -> BTreeMap<NodeId, BigUint> {
    let mut last_use: Vec<Option<BigInt>> = vec![None; execution.tasks.len()];
    for dated in &execution.tasks {
        let end = execution.end(dated);
        for input in dated.inputs.into_iter().flatten() {
            let last = &mut last_use[input];
            if last.as_ref().is_none_or(|last| *last < end) {
                *last = Some(end.clone());
            }
        }
    }
    let mut held: BTreeMap<NodeId, BigUint> = BTreeMap::new();
    for (dated, last_use) in execution.tasks.iter().zip(last_use) {
        let Some(until) = last_use else { continue };
        let node = match dated.task {
            Task::Send { link, .. } => platform.link(link).to,
            Task::Merge { node, .. } => node,
        };
        if execution.period.is_positive() {
            let at_a_time = (until - execution.end(dated)).div_ceil(&execution.period);
            *held.entry(node).or_default() += at_a_time.to_biguint().unwrap_or_default();
        }
    }
    held.retain(|_, count| !count.is_zero());
    held
}
