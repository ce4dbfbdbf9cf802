//! The messages of an all-to-all of sources and targets, in order: source by source, target by target, none from a node
//! to itself.
//!
//! Nodes that are source and target come first in both lists, in the same order. So the index of a message gives its
//! ends without a search.

use std::collections::BTreeSet;

use oneport_platform::NodeId;

/// How many nodes come first in both lists.
pub(crate) fn shared(sources: &[NodeId], targets: &[NodeId]) -> usize {
    sources
        .iter()
        .zip(targets)
        .take_while(|(source, target)| source == target)
        .count()
}

/// The indices of source and target of the message at this index. The first `shared` sources are also the targets
/// of the same indices, and leave themselves out.
pub(crate) fn pair(index: usize, shared: usize, targets: usize) -> Option<(usize, usize)> {
    let others = targets.checked_sub(1)?;
    let short = shared.saturating_mul(others);
    if index < short {
        let (source, target) = (index / others, index % others);
        return Some((source, target + usize::from(target >= source)));
    }
    let rest = index - short;
    Some((shared.checked_add(rest / targets)?, rest % targets))
}

/// The two lists with the nodes of both first, in the order of the sources. The rest stays in order.
pub(crate) fn align(sources: Vec<NodeId>, targets: Vec<NodeId>) -> (Vec<NodeId>, Vec<NodeId>) {
    if sources == targets {
        return (sources, targets);
    }
    let (both, apart) = split(&sources, &targets);
    let (_, targets) = split(&targets, &sources);
    ([both.clone(), apart].concat(), [both, targets].concat())
}

/// The nodes that are in the other list too, and the rest. Each in the order of this list.
fn split(nodes: &[NodeId], others: &[NodeId]) -> (Vec<NodeId>, Vec<NodeId>) {
    let others: BTreeSet<NodeId> = others.iter().copied().collect();
    nodes.iter().partition(|node| others.contains(*node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Form;

    /// Compared with the definition: all pairs of different nodes, over all pairs of lists without repetition of four
    /// nodes.
    #[test]
    fn every_source_sends_to_every_other_target_once() {
        let lists: Vec<Vec<NodeId>> = (0..256_usize)
            .map(|code| {
                (0..4)
                    .map(|index| NodeId::new(code >> (2 * index) & 3))
                    .collect::<Vec<_>>()
            })
            .flat_map(|list| (1..=4).map(move |length| list[..length].to_vec()))
            .filter(|list| list.iter().collect::<BTreeSet<_>>().len() == list.len())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        assert_eq!(lists.len(), 4 + 12 + 24 + 24);
        let form = Form::find("sources-to-targets").unwrap();
        for sources in &lists {
            for targets in &lists {
                let collective = form
                    .build(&[sources.clone(), targets.clone()], false)
                    .unwrap();
                let cast = collective.cast();
                for (given, built) in [(sources, cast[0]), (targets, cast[1])] {
                    assert_eq!(
                        given.iter().collect::<BTreeSet<_>>(),
                        built.iter().collect()
                    );
                }
                let again = form
                    .build(&[cast[0].to_vec(), cast[1].to_vec()], false)
                    .unwrap();
                assert_eq!(again, collective, "a built list is in order");
                let right: BTreeSet<(NodeId, NodeId)> = sources
                    .iter()
                    .flat_map(|&source| targets.iter().map(move |&target| (source, target)))
                    .filter(|(source, target)| source != target)
                    .collect();
                let found: Vec<(NodeId, NodeId)> = collective
                    .commodities()
                    .iter()
                    .map(|one| (one.source, one.target))
                    .collect();
                assert_eq!(found.len(), right.len());
                assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), right);
                assert_eq!(collective.demand(collective.demands()), None);
            }
        }
    }
}
