//! A graph in one piece, what is asked of it, and walks over it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Number;

/// Nodes `0..into.len()` and arcs `(tail, head, cost)`; none enters the root.
#[derive(Debug, Clone)]
pub(super) struct Graph<N> {
    pub(super) root: usize,
    pub(super) arcs: Vec<(usize, usize, N)>,
    /// For every node the arcs that enter it.
    pub(super) into: Vec<Vec<usize>>,
    /// For every node the arcs that leave it.
    pub(super) out: Vec<Vec<usize>>,
}

/// What is asked: the nodes to reach, and the arcs that may be used.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) needed: Vec<bool>,
    pub(super) open: Vec<bool>,
}

/// Arcs of an arborescence in no order, and the sum of their costs.
#[derive(Debug, Clone)]
pub(super) struct Tree<N> {
    pub(super) arcs: Vec<usize>,
    pub(super) cost: N,
}

impl<N: Number> Graph<N> {
    pub(super) fn new(nodes: usize, root: usize, arcs: Vec<(usize, usize, N)>) -> Self {
        let mut into = vec![Vec::new(); nodes];
        let mut out = vec![Vec::new(); nodes];
        for (arc, &(tail, head, _)) in arcs.iter().enumerate() {
            into[head].push(arc);
            out[tail].push(arc);
        }
        Graph { root, arcs, into, out }
    }

    pub(super) fn nodes(&self) -> usize {
        self.into.len()
    }

    /// The nodes that the root reaches over open arcs that `pass` lets through.
    pub(super) fn reached(&self, task: &Task, pass: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.nodes()];
        seen[self.root] = true;
        let mut stack = vec![self.root];
        while let Some(node) = stack.pop() {
            for &arc in &self.out[node] {
                let head = self.arcs[arc].1;
                if !seen[head] && task.open[arc] && pass(arc) {
                    seen[head] = true;
                    stack.push(head);
                }
            }
        }
        seen
    }

    /// The nodes from which a marked node is reached over open arcs that `pass` lets through.
    pub(super) fn reaching(&self, task: &Task, marked: &[bool], pass: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut seen = marked.to_vec();
        let mut stack: Vec<usize> = (0..self.nodes()).filter(|&node| seen[node]).collect();
        while let Some(node) = stack.pop() {
            for &arc in &self.into[node] {
                let tail = self.arcs[arc].0;
                if !seen[tail] && task.open[arc] && pass(arc) {
                    seen[tail] = true;
                    stack.push(tail);
                }
            }
        }
        seen
    }

    /// Lengths of shortest paths over open arcs from the nodes given with their distance, or to them if `backwards`.
    /// `O(m log n)`.
    pub(super) fn distances(
        &self,
        task: &Task,
        lengths: impl Fn(usize) -> N,
        from: impl IntoIterator<Item = (usize, N)>,
        backwards: bool,
    ) -> Vec<Option<N>> {
        let mut best: Vec<Option<N>> = vec![None; self.nodes()];
        let mut heap: BinaryHeap<_> = from.into_iter().map(|(node, length)| Reverse((length, node))).collect();
        for Reverse((length, node)) in &heap {
            if best[*node].as_ref().is_none_or(|known| length < known) {
                best[*node] = Some(length.clone());
            }
        }
        while let Some(Reverse((length, node))) = heap.pop() {
            if best[node].as_ref().is_some_and(|known| *known < length) {
                continue;
            }
            for &arc in if backwards { &self.into[node] } else { &self.out[node] } {
                let (tail, head) = (self.arcs[arc].0, self.arcs[arc].1);
                let next = if backwards { tail } else { head };
                if !task.open[arc] || best[next].as_ref().is_some_and(|known| *known <= length) {
                    continue;
                }
                let mut longer = lengths(arc);
                longer += &length;
                if best[next].as_ref().is_none_or(|known| longer < *known) {
                    best[next] = Some(longer.clone());
                    heap.push(Reverse((longer, next)));
                }
            }
        }
        best
    }
}

impl Task {
    /// Closes all arcs of a node.
    pub(super) fn leave_out<N>(&mut self, graph: &Graph<N>, node: usize) {
        for &arc in graph.into[node].iter().chain(&graph.out[node]) {
            self.open[arc] = false;
        }
    }
}
