//! A connected graph, its task, and walks over it.

use std::borrow::Borrow;

use oneport_numbers::Exact;
use petgraph::visit::{EdgeFiltered, EdgeRef, Reversed};

use crate::digraph::{Arc, Digraph};
use crate::{reachable, shortest_paths};

/// A graph whose root no arc enters.
#[derive(Debug, Clone)]
pub(super) struct Graph<N> {
    pub(super) root: usize,
    pub(super) net: Digraph<N>,
}

/// A subproblem: the nodes to reach, and the arcs that may be used.
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

impl<N: Exact> Graph<N> {
    pub(super) fn new(nodes: usize, root: usize, arcs: Vec<(usize, usize, N)>) -> Self {
        Graph {
            root,
            net: Digraph::new(nodes, arcs),
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.net.nodes()
    }

    /// The nodes that the root reaches over open arcs that `pass` lets through.
    pub(super) fn reached(&self, task: &Task, pass: impl Fn(usize) -> bool) -> Vec<bool> {
        let open = |arc: Arc<'_, N>| task.open[arc.id()] && pass(arc.id());
        reachable(&EdgeFiltered::from_fn(&self.net, open), [self.root])
    }

    /// The nodes from which a marked node is reached over open arcs that `pass` lets through.
    pub(super) fn reaching(
        &self,
        task: &Task,
        marked: &[bool],
        pass: impl Fn(usize) -> bool,
    ) -> Vec<bool> {
        let open = |arc: Arc<'_, N>| task.open[arc.id()] && pass(arc.id());
        let marked = (0..self.nodes()).filter(|&node| marked[node]);
        reachable(Reversed(&EdgeFiltered::from_fn(&self.net, open)), marked)
    }

    /// Lengths of shortest paths over open arcs from the nodes given with their distance, or to them if `backwards`.
    /// `O(m log n)`.
    pub(super) fn distances<L: Borrow<N>>(
        &self,
        task: &Task,
        length: impl Fn(usize) -> L,
        from: impl IntoIterator<Item = (usize, N)>,
        backwards: bool,
    ) -> Vec<Option<N>> {
        let open = EdgeFiltered::from_fn(&self.net, |arc: Arc<'_, N>| task.open[arc.id()]);
        if backwards {
            shortest_paths(Reversed(&open), from, |arc| length(arc.id()), |_| true).distances
        } else {
            shortest_paths(&open, from, |arc| length(arc.id()), |_| true).distances
        }
    }
}

impl Task {
    /// Closes all arcs of a node.
    pub(super) fn leave_out<N>(&mut self, graph: &Graph<N>, node: usize) {
        for &arc in graph.net.into[node].iter().chain(&graph.net.out[node]) {
            self.open[arc] = false;
        }
    }
}
