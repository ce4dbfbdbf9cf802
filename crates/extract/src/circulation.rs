//! Circulations: directed cycles of a flow, which keep ports busy and bring nothing anywhere.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

/// A link and its remaining flow.
pub(crate) struct Arc<L> {
    pub link: L,
    pub from: usize,
    pub to: usize,
    pub left: BigInt,
}

/// A depth-first walk that cancels each cycle it closes and goes back to the first arc that this emptied. Afterwards
/// the arcs with something left are acyclic, and the net flow of every node is as before.
///
/// At most one cancellation per arc, `O(n log n)` each, for `n` nodes.
pub(crate) fn cancel_cycles<L>(arcs: &mut [Arc<L>]) {
    let mut untried: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, arc) in arcs.iter().enumerate() {
        untried.entry(arc.from).or_default().push(index);
    }
    let starts: Vec<usize> = untried.keys().copied().collect();
    // Nodes from which no cycle can be reached any more.
    let mut finished = BTreeSet::new();
    for start in starts {
        let mut path: Vec<usize> = Vec::new();
        // Where on the path a node is: the number of arcs before it.
        let mut on_path = BTreeMap::from([(start, 0)]);
        let mut node = start;
        loop {
            let Some(next) = next_arc(arcs, &mut untried, &finished, node) else {
                finished.insert(node);
                on_path.remove(&node);
                let Some(back) = path.pop() else { break };
                node = arcs[back].from;
                continue;
            };
            path.push(next);
            node = arcs[next].to;
            match on_path.get(&node) {
                None => {
                    on_path.insert(node, path.len());
                }
                Some(&entry) => {
                    let kept = entry + cancel_cycle(arcs, &path[entry..]);
                    node = arcs[path[kept]].from;
                    for arc in path.drain(kept..) {
                        if arcs[arc].from != node {
                            on_path.remove(&arcs[arc].from);
                        }
                    }
                }
            }
        }
    }
}

/// An arc out of `node` that may lie on a cycle. Arcs that cannot are forgotten.
fn next_arc<L>(
    arcs: &[Arc<L>],
    untried: &mut BTreeMap<usize, Vec<usize>>,
    finished: &BTreeSet<usize>,
    node: usize,
) -> Option<usize> {
    let list = untried.get_mut(&node)?;
    while let Some(&index) = list.last() {
        if arcs[index].left.is_positive() && !finished.contains(&arcs[index].to) {
            return Some(index);
        }
        list.pop();
    }
    None
}

/// Takes as much as possible off every arc of a cycle. Returns the index in the cycle of the first arc emptied.
fn cancel_cycle<L>(arcs: &mut [Arc<L>], cycle: &[usize]) -> usize {
    let least = cycle
        .iter()
        .map(|&index| &arcs[index].left)
        .min()
        .cloned()
        .unwrap_or_default();
    for &index in cycle {
        arcs[index].left -= &least;
    }
    cycle
        .iter()
        .position(|&index| arcs[index].left.is_zero())
        .unwrap_or(0)
}
