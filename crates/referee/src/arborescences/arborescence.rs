//! The cheapest arborescence that spans all nodes (Chu and Liu 1965, Edmonds 1967).

use super::network::{Arc, Weight};

/// Every node but the source pays the shortest arc that enters it, which makes that arc free. Nodes that lead to each
/// other over free arcs become one, until all are entered over free arcs from the source. `None` if some node is out of
/// reach.
///
/// O(arcs x rounds), at most as many rounds as nodes and usually about their logarithm. Of many arcs between few nodes
/// only the shortest stay.
pub(super) fn spanning<T: Weight>(
    mut nodes: usize,
    mut source: usize,
    mut arcs: Vec<Arc<T>>,
) -> Option<T> {
    let mut total = T::zero();
    arcs.retain(|(_, to, _)| *to != source);
    loop {
        let mut paid = shortest_entering(nodes, &arcs);
        paid[source] = Some(T::zero());
        let paid = paid.into_iter().collect::<Option<Vec<T>>>()?;
        for paid in paid.iter() {
            total += paid;
        }
        let (groups, count) = pay_and_join(nodes, &mut arcs, &paid);
        if count == nodes {
            return Some(total);
        }
        (source, nodes) = (groups[source], count);
    }
}

/// The price from every node as the source, computed together. `None` for nodes that do not reach all others.
///
/// Edmonds' contraction without a fixed source. Every group pays the shortest arc that enters it, which makes that arc
/// free. Nodes that lead to each other over free arcs become a group, until no such nodes are left. The price from `r`
/// is the total paid by the groups that do not contain `r`. No arborescence costs less: it enters each of them, and no
/// arc is shorter than the total paid by the groups that it enters. Some costs no more: in every group free arcs lead
/// from the part with `r` to all the other parts, each as long as the total paid by the groups that it enters. Inside a
/// part, the node where it ends is the source. O(arcs x rounds), and only the shortest of many arcs between few groups
/// stay.
pub(crate) fn spanning_from_each<T: Weight>(
    mut nodes: usize,
    mut arcs: Vec<Arc<T>>,
) -> Vec<Option<T>> {
    let mut group_of: Vec<usize> = (0..nodes).collect();
    // Per original node: the total paid by the groups that contain it.
    let mut within = vec![T::zero(); nodes];
    let mut total = T::zero();
    loop {
        let paid = shortest_entering(nodes, &arcs);
        let paid: Vec<T> = paid
            .into_iter()
            .map(|length| length.unwrap_or_else(T::zero))
            .collect();
        for paid in paid.iter() {
            total += paid;
        }
        for (&group, within) in group_of.iter().zip(&mut within) {
            *within += &paid[group];
        }
        let (groups, count) = pay_and_join(nodes, &mut arcs, &paid);
        if count == nodes {
            break;
        }
        for group in group_of.iter_mut() {
            *group = groups[*group];
        }
        nodes = count;
    }
    // A group that no arc enters reaches all others if and only if it is the only such group.
    let mut is_entered = vec![false; nodes];
    for (_, to, _) in arcs.iter() {
        is_entered[*to] = true;
    }
    let alone = is_entered.iter().filter(|entered| !**entered).count() == 1;
    let price = |(&group, within): (&usize, T)| {
        let mut price = total.clone();
        price -= &within;
        (alone && !is_entered[group]).then_some(price)
    };
    group_of.iter().zip(within).map(price).collect()
}

/// Per node: the length of the shortest arc that enters it.
fn shortest_entering<T: Weight>(nodes: usize, arcs: &[Arc<T>]) -> Vec<Option<T>> {
    let mut shortest: Vec<Option<T>> = vec![None; nodes];
    for (_, to, length) in arcs {
        if shortest[*to].as_ref().is_none_or(|known| length < known) {
            shortest[*to] = Some(length.clone());
        }
    }
    shortest
}

/// Shortens arcs by the payments of the nodes that they enter. Nodes that lead to each other over free arcs become one.
/// Returns the new numbers of the nodes, and how many there are.
fn pay_and_join<T: Weight>(
    nodes: usize,
    arcs: &mut Vec<Arc<T>>,
    paid: &[T],
) -> (Vec<usize>, usize) {
    for (_, to, length) in arcs.iter_mut() {
        *length -= &paid[*to];
    }
    let free = arcs
        .iter()
        .filter(|(.., length)| length.is_zero())
        .map(|&(from, to, _)| (from, to));
    let (groups, count) = leading_to_each_other(nodes, free);
    if count < nodes {
        for (from, to, _) in arcs.iter_mut() {
            (*from, *to) = (groups[*from], groups[*to]);
        }
        arcs.retain(|(from, to, _)| from != to);
        if count * count < arcs.len() {
            *arcs = shortest_of_each(count, std::mem::take(arcs));
        }
    }
    (groups, count)
}

/// Keeps the shortest of the arcs between the same two nodes.
fn shortest_of_each<T: Weight>(nodes: usize, arcs: Vec<Arc<T>>) -> Vec<Arc<T>> {
    let mut best: Vec<Option<T>> = vec![None; nodes * nodes];
    for (from, to, length) in arcs {
        let best = &mut best[from * nodes + to];
        if best.as_ref().is_none_or(|known| length < *known) {
            *best = Some(length);
        }
    }
    let arc = |(index, length): (usize, Option<T>)| Some((index / nodes, index % nodes, length?));
    best.into_iter().enumerate().filter_map(arc).collect()
}

/// Numbers the nodes: nodes that lead to each other have the same number. Also returns how many numbers there are
/// (Kosaraju; Sharir 1981): among the nodes without a number, all that lead to the node left last form a group.
fn leading_to_each_other(
    nodes: usize,
    arcs: impl Iterator<Item = (usize, usize)>,
) -> (Vec<usize>, usize) {
    const NONE: usize = usize::MAX;
    let (mut next, mut before) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for (from, to) in arcs {
        next[from].push(to);
        before[to].push(from);
    }
    let (mut seen, mut left) = (vec![false; nodes], Vec::with_capacity(nodes));
    for start in 0..nodes {
        // Nodes on the path, each with the number of its arcs followed so far.
        let mut way = if std::mem::replace(&mut seen[start], true) {
            Vec::new()
        } else {
            vec![(start, 0)]
        };
        while let Some((node, followed)) = way.last_mut() {
            match next[*node].get(*followed) {
                Some(&to) => {
                    *followed += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        way.push((to, 0));
                    }
                }
                None => {
                    left.push(*node);
                    way.pop();
                }
            }
        }
    }
    let (mut group, mut count) = (vec![NONE; nodes], 0);
    for start in left.into_iter().rev() {
        if group[start] != NONE {
            continue;
        }
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if group[node] == NONE {
                group[node] = count;
                open.extend(before[node].iter().filter(|&&from| group[from] == NONE));
            }
        }
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

        /// In one go as from every source by itself. Sparse graphs, in which not everything is in reach, and dense
        /// ones.
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

        /// Many arcs between few nodes that are far from each other, most of them free.
        #[test]
        fn free_arcs_do_not_matter(
            nodes in 2usize..30,
            drawn in prop::collection::vec((0usize..30, 0usize..30, 0u64..12), 0..400),
        ) {
            let arcs = drawn.into_iter().map(|(from, to, length)| (from % nodes, to % nodes, length.saturating_sub(8)));
            let arcs: Vec<Arc<u64>> = arcs.filter(|(from, to, _)| from != to).collect();
            let from = |source| spanning(nodes, source, arcs.clone());
            prop_assert_eq!(spanning_from_each(nodes, arcs.clone()), (0..nodes).map(from).collect::<Vec<_>>());
        }
    }
}
