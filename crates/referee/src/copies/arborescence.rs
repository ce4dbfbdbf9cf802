//! The cheapest arborescence that spans all nodes (Chu and Liu 1965, Edmonds 1967).

use super::{Arc, Weight};

/// Every node but the source pays the shortest arc that enters it, which makes that arc free; circles of free arcs
/// become nodes, until there are none. `None` if some node is out of reach.
///
/// O(arcs x rounds), at most as many rounds as nodes and usually about their logarithm.
pub(super) fn spanning<T: Weight>(mut nodes: usize, mut source: usize, mut arcs: Vec<Arc<T>>) -> Option<T> {
    let mut total = T::zero();
    loop {
        let mut shortest: Vec<Option<usize>> = vec![None; nodes];
        for (place, (_, to, length)) in arcs.iter().enumerate() {
            if shortest[*to].is_none_or(|known| *length < arcs[known].2) {
                shortest[*to] = Some(place);
            }
        }
        let mut paid = vec![T::zero(); nodes];
        let mut before = vec![source; nodes];
        for node in (0..nodes).filter(|&node| node != source) {
            let (from, _, length) = &arcs[shortest[node]?];
            total += length;
            paid[node].clone_from(length);
            before[node] = *from;
        }
        let (groups, count) = circles(&before, source);
        if count == nodes {
            return Some(total);
        }
        source = groups[source];
        arcs.retain_mut(|(from, to, length)| {
            *length -= &paid[*to];
            (*from, *to) = (groups[*from], groups[*to]);
            from != to && *to != source
        });
        nodes = count;
    }
}

/// The same from every node as the source, in one go. `None` for nodes that do not reach all others.
///
/// Without a source every group pays the shortest arc that enters it, as long as there are circles. The price from `r`
/// is what the groups without `r` have paid. No arborescence costs less: it enters each of them, and no arc is shorter
/// than what the groups that it enters have paid together. Some costs no more: around the circles that make up a group,
/// from the part with `r` on, each part is entered by the arc that it paid, which is as long as what the groups that it
/// enters have paid; inside the part, the node where it ends is the source. O(arcs x rounds).
pub(crate) fn spanning_from_each<T: Weight>(mut nodes: usize, mut arcs: Vec<Arc<T>>) -> Vec<Option<T>> {
    let mut group_of: Vec<usize> = (0..nodes).collect();
    // By original node: what the groups that contain it have paid.
    let mut within = vec![T::zero(); nodes];
    let mut total = T::zero();
    loop {
        let mut shortest: Vec<Option<usize>> = vec![None; nodes];
        for (place, (_, to, length)) in arcs.iter().enumerate() {
            if shortest[*to].is_none_or(|known| *length < arcs[known].2) {
                shortest[*to] = Some(place);
            }
        }
        let paid: Vec<T> = shortest.iter().map(|arc| arc.map_or_else(T::zero, |arc| arcs[arc].2.clone())).collect();
        paid.iter().for_each(|paid| total += paid);
        group_of.iter().zip(&mut within).for_each(|(&group, within)| *within += &paid[group]);
        let entered: Vec<usize> = (0..nodes).map(|node| shortest[node].map_or(nodes, |arc| arcs[arc].0)).collect();
        let (groups, count) = circles(&entered, nodes);
        if count == nodes {
            break;
        }
        group_of.iter_mut().for_each(|group| *group = groups[*group]);
        arcs.retain_mut(|(from, to, length)| {
            *length -= &paid[*to];
            (*from, *to) = (groups[*from], groups[*to]);
            from != to
        });
        nodes = count;
    }
    // What no arc enters reaches all others if it is the only such group.
    let mut is_entered = vec![false; nodes];
    arcs.iter().for_each(|(_, to, _)| is_entered[*to] = true);
    let alone = is_entered.iter().filter(|entered| !**entered).count() == 1;
    let price = |(&group, within): (&usize, T)| {
        let mut price = total.clone();
        price -= &within;
        (alone && !is_entered[group]).then_some(price)
    };
    group_of.iter().zip(within).map(price).collect()
}

/// Numbers for nodes, the same for those on a circle of predecessors, and how many.
fn circles(before: &[usize], source: usize) -> (Vec<usize>, usize) {
    const NONE: usize = usize::MAX;
    let mut group = vec![NONE; before.len()];
    let mut seen = vec![NONE; before.len()];
    let mut count = 0;
    for start in 0..before.len() {
        let mut node = start;
        while node != source && seen[node] == NONE {
            seen[node] = start;
            node = before[node];
        }
        if node != source && seen[node] == start {
            // This walk has come back to its own trace: a circle, not numbered before.
            while group[node] == NONE {
                group[node] = count;
                node = before[node];
            }
            count += 1;
        }
    }
    for group in group.iter_mut().filter(|group| **group == NONE) {
        *group = count;
        count += 1;
    }
    (group, count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// In one go as from every source by itself; sparse graphs, where not everything is in reach, and dense ones.
        #[test]
        fn every_source_has_its_price(
            nodes in 1usize..10,
            drawn in prop::collection::vec((0usize..10, 0usize..10, 0u64..30), 0..60),
        ) {
            let arcs = drawn.into_iter().map(|(from, to, length)| (from % nodes, to % nodes, length));
            let arcs: Vec<Arc<u64>> = arcs.filter(|(from, to, _)| from != to).collect();
            let from = |source| spanning(nodes, source, arcs.clone());
            prop_assert_eq!(spanning_from_each(nodes, arcs.clone()), (0..nodes).map(from).collect::<Vec<_>>());
        }
    }
}
