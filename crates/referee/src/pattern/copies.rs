//! An arborescence: every hop passes on a copy that an earlier hop brought, or the source's own.
//!
//! A link used twice, or a node reached twice, is wasteful, not wrong: the loads count every hop. What a node that does
//! not replicate receives once it passes on once at most, so two copies have to reach it to leave it twice.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::Arborescence;
use oneport_platform::NodeId;

use super::Review;
use crate::{CopyFault, Violation};

/// Checks every hop, then that every target has a copy. O(H log H) for H hops.
pub(super) fn check(tree: &Arborescence, targets: &[NodeId], review: Review<'_>) -> Result<(), Violation> {
    let case = review.case;
    // The owner of the message.
    let Some(&source) = review.demand.operands.first() else { return Ok(()) };
    let mut ends: Vec<NodeId> = Vec::with_capacity(tree.hops.len());
    // By arrival at a node that does not replicate: the hop that passes it on.
    let mut passed: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    for (place, hop) in tree.hops.iter().enumerate() {
        let link = case.link(hop.link, || format!("{}, hop {place}", (review.name)()))?;
        let after = hop.after.map(|after| after as usize);
        let at = match after {
            None => source,
            Some(after) => match ends.get(after) {
                Some(&end) => end,
                None => return Err(review.copy_fault(None, CopyFault::LaterHop { hop: place, after })),
            },
        };
        if link.from != at {
            let (link, node) = (case.platform.link_name(hop.link), case.name(at));
            return Err(review.copy_fault(None, CopyFault::BrokenHop { hop: place, link, node }));
        }
        if !case.replicates(at)
            && let Some(first) = passed.insert(after, place)
        {
            let node = case.name(at);
            return Err(review.copy_fault(None, CopyFault::Duplicated { what: "hops", first, second: place, node }));
        }
        ends.push(link.to);
    }
    let reached: BTreeSet<NodeId> = ends.into_iter().chain([source]).collect();
    match targets.iter().find(|target| !reached.contains(target)) {
        Some(&target) => Err(review.copy_fault(None, CopyFault::NoCopy { target: case.name(target) })),
        None => Ok(()),
    }
}
