//! A single reduction: the time of a tree if every task starts as early as possible.

use std::collections::BTreeMap;

use anyhow::Result;
use num_traits::Zero;
use oneport::plan::{Event, MergeEvent, Message, Pattern, Resource, Task, Timeline};
use oneport::{Problem, Rational, referee};

use super::tasks::{Holding, flow};
use crate::cases::Case;
use crate::numbers::unit_volumes;

/// The run of one instance of a tree, its tasks in order, each as early as its inputs, ports and processor allow.
pub fn run(case: &Case, tree: &Pattern) -> Timeline {
    let (platform, volumes) = (&case.platform, unit_volumes());
    let mut ready: BTreeMap<Holding, Rational> = BTreeMap::new();
    let mut free: BTreeMap<Resource, Rational> = BTreeMap::new();
    let (mut events, mut merges) = (Vec::new(), Vec::new());
    let mut length = Rational::zero();
    for &task in &tree.tasks {
        let (inputs, made) = flow(platform, task);
        let (resources, time) = match task {
            Task::Send { link, .. } => (
                Resource::uses(platform, link)
                    .map(|used| used.resource)
                    .collect(),
                platform.link(link).cost.clone(),
            ),
            Task::Merge {
                node, part, split, ..
            } => (
                vec![Resource::Compute(node)],
                volumes.merge_time(platform, node, part, split),
            ),
        };
        let waits = inputs.iter().filter_map(|input| ready.get(input));
        let waits = waits.chain(resources.iter().filter_map(|resource| free.get(resource)));
        let start = waits.max().cloned().unwrap_or_default();
        let end = &start + time;
        for resource in resources {
            free.insert(resource, end.clone());
        }
        ready.insert(made, end.clone());
        length = length.max(end.clone());
        let message = Message {
            demand: 0,
            part: made.0,
        };
        match task {
            Task::Send { link, .. } => {
                events.push(Event {
                    instance: 0,
                    message,
                    link,
                    pieces: vec![(start, end)],
                });
            }
            Task::Merge { node, split, .. } => merges.push(MergeEvent {
                instance: 0,
                message,
                split,
                node,
                start,
                end,
            }),
        }
    }
    Timeline::of_one(length, events, merges)
}

/// Its length. The referee has executed it on values.
///
/// # Errors
/// The referee's objection: it is not a reduction tree.
pub fn length(case: &Case, tree: &Pattern) -> Result<Rational> {
    let timeline = run(case, tree);
    Ok(referee::check_timeline(
        &Problem::new(&case.platform, &case.collective, unit_volumes())?,
        &timeline,
    )?
    .last_arrival)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::number;
    use crate::reduce::tasks;
    use crate::reduce::toy::{AT_1, AT_2, Toy};

    #[test]
    fn a_tree_takes_what_its_longest_chain_takes() -> Result<()> {
        let toy = Toy::load()?;
        for names in [AT_1, AT_2] {
            // Two transfers and a merge of 1 each, and a merge of 1/2.
            assert_eq!(
                length(&toy.case, &tasks::tree(&toy.case.platform, &names)?)?,
                number("7/2")?
            );
        }
        let broken = tasks::tree(
            &toy.case.platform,
            &["2 -> 1: v[2,2]", "1: T[1,1,2]", "0: T[0,0,2]"],
        )?;
        assert!(length(&toy.case, &broken).is_err());
        Ok(())
    }
}
