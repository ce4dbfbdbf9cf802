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
