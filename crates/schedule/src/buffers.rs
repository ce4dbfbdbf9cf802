//! How much a node must be able to hold.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Interval, Merge, Message, Pattern, PeriodicSchedule, Transfer};
use oneport_platform::{NodeId, Platform};

/// Messages that a node must be able to hold besides those that start or end there.
///
/// What arrives, or is computed, in one period is used in a later one: sent on whole, or merged. A message that waits
/// for its use `w` periods later is held in at most `w + 1` periods at a time, so a node that only forwards holds two
/// periods' worth (papers/000 section 3.4 has the same bound); an operand of a merge may have to wait longer for the other
/// operand. Values are at their owners, and results at their targets, without being held. Only nodes that hold any.
pub fn buffers(platform: &Platform, schedule: &PeriodicSchedule) -> BTreeMap<NodeId, BigUint> {
    let mut held: BTreeMap<NodeId, BigUint> = BTreeMap::new();
    for scheduled in &schedule.patterns {
        // The stage in which each message was made, or came to where it is; none while it is at its owner.
        let mut since: BTreeMap<Option<Interval>, usize> = BTreeMap::new();
        for Step { stage, node, inputs, output } in steps(platform, &scheduled.pattern) {
            for since in inputs.iter().filter_map(|input| since.get(input)) {
                let periods = stage.saturating_sub(*since) + 1;
                *held.entry(node).or_default() += &scheduled.copies * periods;
            }
            since.insert(output, stage);
        }
    }
    held.retain(|_, count| !count.is_zero());
    held
}

/// A transfer or a merge: which messages it needs where, and which one it brings or makes.
struct Step {
    stage: usize,
    node: NodeId,
    inputs: Vec<Option<Interval>>,
    output: Option<Interval>,
}

/// A pattern's tasks, each after those it depends on, which have earlier stages.
fn steps(platform: &Platform, pattern: &Pattern) -> Vec<Step> {
    let transfers = pattern.transfers().map(|Transfer { link, message: Message { part, .. }, stage }| Step {
        stage,
        node: platform.link(link).from,
        inputs: vec![part],
        output: part,
    });
    let merges = pattern.merges().map(|Merge { node, message: Message { part, .. }, split, stage }| {
        let left = part.map(|part| Interval { last: split, ..part });
        let right = part.map(|part| Interval { first: split + 1, ..part });
        Step { stage, node, inputs: vec![left, right], output: part }
    });
    let mut steps: Vec<Step> = transfers.chain(merges).collect();
    steps.sort_by_key(|step| step.stage);
    steps
}
