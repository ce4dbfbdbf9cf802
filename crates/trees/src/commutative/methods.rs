//! Which method answers.

use oneport_platform::NodeId;

use super::answer::{Answer, bounded};
use super::arborescences::{MemberTree, Streams};
use super::relaxed;
use super::scaled::{FEW, Fixed, Priced};
use super::subsets::Subsets;

/// Participants up to which the dynamic program over sets runs. Trades `3^12` steps per processor for certainty. Not
/// measured.
pub(super) const SETS: usize = 12;

/// How trees are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// The dynamic program over sets of operands: exact.
    Sets,
    /// Arborescences: exact for few helpers.
    Streams,
    /// Bounds by problems of one size.
    Relaxed,
}

/// The method for one pricing: an exact one, if it exists.
pub(super) fn method<N: Fixed>(priced: &Priced<N>) -> Method {
    let few = priced.participants <= SETS;
    let helpers = || one_size(priced).map_or(0, |streams| streams.helpers.len());
    match (priced.constant && priced.participants > 1, few) {
        (true, true) if helpers() > FEW => Method::Sets,
        (true, _) => Method::Streams,
        (false, true) => Method::Sets,
        (false, false) => Method::Relaxed,
    }
}

/// Up to `wanted` trees and a bound for every target.
pub(super) fn answers<N: Fixed>(
    priced: &Priced<N>,
    method: Method,
    targets: &[NodeId],
    wanted: usize,
) -> Vec<Option<Answer<N>>> {
    // Between targets: the trees of one are found in a moment, except for large sets.
    let may = || priced.watch.ask().ok();
    match method {
        Method::Sets => {
            let mut sets = Subsets::new(priced);
            let answer = |&target: &NodeId| {
                may()?;
                let trees = sets.trees(target, wanted);
                Answer {
                    bound: trees.first()?.0.clone(),
                    trees,
                }
                .sorted(wanted)
            };
            targets.iter().map(answer).collect()
        }
        Method::Streams => {
            let streams = one_size(priced);
            let answer = |&target: &NodeId| {
                may()?;
                of_streams(streams.as_ref()?, target, wanted)
            };
            targets.iter().map(answer).collect()
        }
        Method::Relaxed => relaxed::answers(priced, targets, wanted),
    }
}

/// The problem with the first size and work for all.
fn one_size<N: Fixed>(priced: &Priced<N>) -> Option<Streams<'_, N>> {
    Some(Streams::new(
        priced,
        priced.sizes.first()?,
        priced.works.get(1)?,
    ))
}

/// Trees for messages of one size, with the prices of that problem.
fn of_streams<N: Fixed>(
    streams: &Streams<'_, N>,
    target: NodeId,
    wanted: usize,
) -> Option<Answer<N>> {
    let to_target = streams.to_target(target);
    let (bound, found) = bounded(streams, &to_target, wanted)?;
    let tree = |found: &MemberTree<N>| {
        let shape = streams.shape(found)?;
        Some((streams.price(&shape, &to_target)?, shape))
    };
    Answer {
        bound,
        trees: found.iter().filter_map(tree).collect(),
    }
    .sorted(wanted)
}
