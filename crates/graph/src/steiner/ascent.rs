//! Dual ascent: raises the weights of sets in sequence, each as far as its entering arcs allow.
//!
//! Wong, "A dual ascent approach for Steiner tree problems on a directed graph", Mathematical Programming 28 (1984).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::{Graph, Task};
use oneport_numbers::Exact;

/// Weights on sets and the remaining costs of arcs.
#[derive(Debug, Clone)]
pub(super) struct Ascent<N> {
    /// For every arc its cost less the weights of the sets that it enters.
    pub(super) slack: Vec<N>,
    /// The sum of all weights.
    pub(super) bound: N,
    /// The recorded sets with their weights.
    pub(super) cuts: Vec<(Vec<usize>, N)>,
}

/// Which set to raise first, and how far to go.
pub(super) struct Order<'a, N> {
    /// Arcs of a good tree. Sets that it enters once come first: if the tree is optimal, only these can have a weight.
    pub(super) tree: Option<&'a [bool]>,
    /// Small sets by their nodes, not by their entering arcs.
    pub(super) by_nodes: bool,
    /// Whether to note the sets.
    pub(super) record: bool,
    /// Ends as soon as the bound is there.
    pub(super) stop: Option<&'a N>,
}

/// The nodes that reach a needed one over arcs without slack, and the arcs that enter them.
struct Cut {
    members: Vec<usize>,
    border: Vec<usize>,
}

impl<N: Exact> Ascent<N> {
    pub(super) fn new(graph: &Graph<N>) -> Self {
        let slack = graph
            .net
            .arcs
            .iter()
            .map(|(_, _, cost)| cost.clone())
            .collect();
        Ascent {
            slack,
            bound: N::zero(),
            cuts: Vec::new(),
        }
    }

    /// Raises weights until the root reaches every needed node over arcs without slack. `None` if it cannot.
    ///
    /// Every raise takes the slack of one more arc: at most `m` raises of `O(m)`.
    pub(super) fn climb(&mut self, graph: &Graph<N>, task: &Task, order: &Order<N>) -> Option<()> {
        let mut stamps = vec![usize::MAX; graph.nodes()];
        let mut stamp = 0;
        let needed = (0..graph.nodes()).filter(|&node| task.needed[node] && node != graph.root);
        let mut wanted: BinaryHeap<_> = needed.map(|node| Reverse((0, 0, node))).collect();
        while let Some(Reverse((_, _, node))) = wanted.pop() {
            stamp += 1;
            let mut cut = Cut {
                members: Vec::new(),
                border: Vec::new(),
            };
            if !self.grow(graph, task, &mut cut, node, (&mut stamps, stamp)) {
                continue;
            }
            loop {
                cut.border
                    .retain(|&arc| stamps[graph.net.arcs[arc].0] != stamp);
                let score = order.score(&cut, node);
                if wanted.peek().is_some_and(|Reverse(next)| score > *next) {
                    wanted.push(Reverse(score));
                    break;
                }
                self.raise(&cut, order.record)?;
                if order.stop.is_some_and(|stop| self.bound >= *stop) {
                    return Some(());
                }
                if !self.spread(graph, task, &mut cut, (&mut stamps, stamp)) {
                    break;
                }
            }
        }
        Some(())
    }

    /// As much weight as the entering arcs allow. `None` if no arc enters.
    fn raise(&mut self, cut: &Cut, record: bool) -> Option<()> {
        let weight = cut
            .border
            .iter()
            .map(|&arc| &self.slack[arc])
            .min()?
            .clone();
        for &arc in &cut.border {
            self.slack[arc] -= &weight;
        }
        self.bound += &weight;
        if record {
            self.cuts.push((cut.members.clone(), weight));
        }
        Some(())
    }

    /// Adds the tails of the entering arcs that have no slack any more. Returns `false` if the root is met.
    fn spread(
        &self,
        graph: &Graph<N>,
        task: &Task,
        cut: &mut Cut,
        mark: (&mut [usize], usize),
    ) -> bool {
        let (stamps, stamp) = mark;
        let saturated: Vec<usize> = cut
            .border
            .iter()
            .copied()
            .filter(|&arc| self.slack[arc].is_zero())
            .collect();
        saturated.into_iter().all(|arc| {
            let tail = graph.net.arcs[arc].0;
            stamps[tail] == stamp || self.grow(graph, task, cut, tail, (stamps, stamp))
        })
    }

    /// Adds a node and all that reach it over arcs without slack. Returns `false` if the root is met.
    fn grow(
        &self,
        graph: &Graph<N>,
        task: &Task,
        cut: &mut Cut,
        node: usize,
        mark: (&mut [usize], usize),
    ) -> bool {
        let (stamps, stamp) = mark;
        if node == graph.root {
            return false;
        }
        stamps[node] = stamp;
        let mut next = cut.members.len();
        cut.members.push(node);
        while let Some(&node) = cut.members.get(next) {
            next += 1;
            for &arc in &graph.net.into[node] {
                let tail = graph.net.arcs[arc].0;
                if !task.open[arc] || stamps[tail] == stamp {
                    continue;
                }
                if !self.slack[arc].is_zero() {
                    cut.border.push(arc);
                } else if tail == graph.root {
                    return false;
                } else {
                    stamps[tail] = stamp;
                    cut.members.push(tail);
                }
            }
        }
        true
    }
}

impl<N> Order<'_, N> {
    /// Small is early: how often the tree enters beyond once, the size, the needed node.
    fn score(&self, cut: &Cut, node: usize) -> (usize, usize, usize) {
        let entered = self.tree.map_or(0, |tree| {
            cut.border.iter().filter(|&&arc| tree[arc]).count()
        });
        let size = if self.by_nodes {
            cut.members.len()
        } else {
            cut.border.len()
        };
        (entered.saturating_sub(1), size, node)
    }
}
