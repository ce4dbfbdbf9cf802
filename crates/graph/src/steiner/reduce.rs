//! Preprocessing: shrinks the instance, and maps solutions back.
//!
//! - Cycles of arcs without cost become one node. The nodes that the root reaches without cost join the root.
//! - A node without which a needed node is not reached is needed too. An arc is closed if it leads to a node that every
//!   path to the arc's tail has to pass, or if a path of two arcs costs no more.
//! - A needed node that another needed node reaches without cost is no longer required.
//! - The rest falls into pieces that share single nodes (blocks). Each is a separate question.

use std::collections::VecDeque;

use oneport_numbers::Exact;

use super::dominators;
use super::graph::{Graph, Task};
use super::solution::Steiner;

/// A separate question.
pub(super) struct Piece<N> {
    pub(super) graph: Graph<N>,
    pub(super) task: Task,
    /// For every arc its index in the original list.
    pub(super) indices: Vec<usize>,
    /// For every node its group.
    groups: Vec<usize>,
}

/// The original instance, and its nodes in groups.
pub(super) struct Reduction<'a, N> {
    root: usize,
    arcs: &'a [(usize, usize, N)],
    required: Vec<bool>,
    /// For every node the useful arcs that leave it.
    out: Vec<Vec<usize>>,
    /// For every node that the root reaches its group. The root's group is the first.
    group: Vec<Option<usize>>,
    /// The graph of the groups with the arcs left open.
    graph: Graph<N>,
    task: Task,
}

impl<'a, N: Exact> Reduction<'a, N> {
    /// `None` if a required node is not reached. `O(n m)`.
    pub(super) fn new(
        nodes: usize,
        root: usize,
        required: &[usize],
        arcs: &'a [(usize, usize, N)],
    ) -> Option<(Self, Vec<Piece<N>>)> {
        if root >= nodes {
            return None;
        }
        let mut out = vec![Vec::new(); nodes];
        for (arc, &(tail, head, _)) in arcs.iter().enumerate() {
            if tail < nodes && head < nodes && tail != head && head != root {
                out[tail].push(arc);
            }
        }
        let mut marks = vec![false; nodes];
        required
            .iter()
            .try_for_each(|&node| marks.get_mut(node).map(|mark| *mark = true))?;
        marks[root] = false;
        let (graph, task) = (
            Graph::new(0, 0, Vec::new()),
            Task {
                needed: Vec::new(),
                open: Vec::new(),
            },
        );
        let mut asked = Reduction {
            root,
            arcs,
            required: marks,
            out,
            group: Vec::new(),
            graph,
            task,
        };
        let reached = asked.reached(&[root], |_| true);
        if (0..nodes).any(|node| asked.required[node] && !reached[node]) {
            return None;
        }
        let groups = asked.contract(&reached);
        let indices = asked.contracted(groups);
        close_detours(&asked.graph, &mut asked.task);
        dominators::require(&asked.graph, &mut asked.task);
        waive(&asked.graph, &mut asked.task);
        let pieces = pieces(&asked.graph, &asked.task, &indices);
        Some((asked, pieces))
    }

    /// The nodes reached from some over arcs that `pass` lets through.
    fn reached(&self, from: &[usize], pass: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.out.len()];
        for &node in from {
            seen[node] = true;
        }
        let mut stack = from.to_vec();
        while let Some(node) = stack.pop() {
            for &arc in self.out[node].iter().filter(|&&arc| pass(arc)) {
                let head = self.arcs[arc].1;
                if !std::mem::replace(&mut seen[head], true) {
                    stack.push(head);
                }
            }
        }
        seen
    }

    /// Gives the nodes that the root reaches their groups, and counts these.
    fn contract(&mut self, reached: &[bool]) -> usize {
        let nodes = self.out.len();
        let free = |arc: usize| self.arcs[arc].2.is_zero();
        let mut group: Vec<Option<usize>> = self
            .reached(&[self.root], free)
            .iter()
            .map(|&own| own.then_some(0))
            .collect();
        let mut groups = 1;
        for node in 0..nodes {
            if !reached[node] || group[node].is_some() {
                continue;
            }
            // Only a node with a free arc is on a cycle of free arcs.
            if self.out[node].iter().any(|&arc| free(arc)) {
                let seen = self.reached(&[node], |arc| {
                    free(arc) && group[self.arcs[arc].1].is_none()
                });
                for other in (node + 1..nodes).filter(|&other| seen[other]) {
                    if self.reached(&[other], free)[node] {
                        group[other] = Some(groups);
                    }
                }
            }
            group[node] = Some(groups);
            groups += 1;
        }
        self.group = group;
        groups
    }

    /// Makes the graph of the groups, with the cheapest arc from one to another, and these arcs' indices.
    fn contracted(&mut self, groups: usize) -> Vec<usize> {
        let mut between = Vec::new();
        for &arc in self.out.iter().flatten() {
            let (tail, head, cost) = &self.arcs[arc];
            if let (Some(tail), Some(head)) = (self.group[*tail], self.group[*head])
                && tail != head
                && head != 0
            {
                between.push((tail, head, cost, arc));
            }
        }
        between.sort_unstable();
        between.dedup_by_key(|&mut (tail, head, _, _)| (tail, head));
        let indices = between.iter().map(|&(_, _, _, arc)| arc).collect();
        let arcs: Vec<_> = between
            .into_iter()
            .map(|(tail, head, cost, _)| (tail, head, cost.clone()))
            .collect();
        let mut needed = vec![false; groups];
        for node in (0..self.out.len()).filter(|&node| self.required[node]) {
            for group in self.group[node].into_iter().filter(|&group| group != 0) {
                needed[group] = true;
            }
        }
        self.task = Task {
            needed,
            open: vec![true; arcs.len()],
        };
        self.graph = Graph::new(groups, 0, arcs);
        indices
    }

    /// The original instance's answer from the chosen arcs and weights on sets of groups.
    pub(super) fn answer(
        &self,
        chosen: &[usize],
        cuts: Vec<(Vec<usize>, N)>,
        at_least: N,
    ) -> Steiner<N> {
        let mut used = vec![false; self.arcs.len()];
        for &arc in chosen {
            used[arc] = true;
        }
        let arcs = self.grow(|arc| used[arc] || self.arcs[arc].2.is_zero());
        let mut cost = N::zero();
        for &arc in &arcs {
            cost += &self.arcs[arc].2;
        }
        let cuts = cuts
            .into_iter()
            .map(|(set, weight)| (self.behind(&set), weight))
            .collect();
        Steiner {
            arcs,
            cost,
            at_least,
            cuts,
        }
    }

    /// A tree over the arcs that `pass` lets through, root first, whose leaves are required.
    fn grow(&self, pass: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut entering: Vec<Option<usize>> = vec![None; self.out.len()];
        let mut arcs = Vec::new();
        let mut queue = VecDeque::from([self.root]);
        while let Some(node) = queue.pop_front() {
            for &arc in self.out[node].iter().filter(|&&arc| pass(arc)) {
                let head = self.arcs[arc].1;
                if entering[head].is_none() {
                    entering[head] = Some(arc);
                    arcs.push(arc);
                    queue.push_back(head);
                }
            }
        }
        let mut kept = self.required.clone();
        for &arc in arcs.iter().rev() {
            let (tail, head) = (self.arcs[arc].0, self.arcs[arc].1);
            kept[tail] |= kept[head];
        }
        arcs.retain(|&arc| kept[self.arcs[arc].1]);
        arcs
    }

    /// The nodes of these groups, and the nodes that the root reaches only through them. This adds no entering open
    /// arc, since the tail of every other arc into these nodes is reached otherwise. An arc closed for a detour enters
    /// no set that the detour does not enter, and an arc closed at a gate enters no such set at all.
    fn behind(&self, set: &[usize]) -> Vec<usize> {
        let mut inside = vec![false; self.graph.nodes()];
        for &group in set {
            inside[group] = true;
        }
        let reached = self
            .graph
            .reached(&self.task, |arc| !inside[self.graph.net.arcs[arc].1]);
        (0..self.out.len())
            .filter(|&node| self.group[node].is_none_or(|group| !reached[group]))
            .collect()
    }
}

/// Closes each arc that two open arcs replace at no higher cost.
fn close_detours<N: Exact>(graph: &Graph<N>, task: &mut Task) {
    let mut from: Vec<Option<usize>> = vec![None; graph.nodes()];
    for node in 0..graph.nodes() {
        for &arc in graph.net.out[node].iter().filter(|&&arc| task.open[arc]) {
            from[graph.net.arcs[arc].1] = Some(arc);
        }
        for &arc in &graph.net.out[node] {
            let (_, head, cost) = &graph.net.arcs[arc];
            let detour = |&&last: &&usize| {
                task.open[last]
                    && from[graph.net.arcs[last].0]
                        .filter(|&first| task.open[first])
                        .is_some_and(|first| {
                            let mut length = graph.net.arcs[first].2.clone();
                            length += &graph.net.arcs[last].2;
                            length <= *cost
                        })
            };
            if task.open[arc] && graph.net.into[*head].iter().find(detour).is_some() {
                task.open[arc] = false;
            }
        }
        for &arc in &graph.net.out[node] {
            from[graph.net.arcs[arc].1] = None;
        }
    }
}

/// Drops needed nodes that other needed ones reach without cost. No cycle of the graph is free.
fn waive<N: Exact>(graph: &Graph<N>, task: &mut Task) {
    let free: Vec<usize> = (0..graph.net.arcs.len())
        .filter(|&arc| task.open[arc] && graph.net.arcs[arc].2.is_zero())
        .collect();
    if free.is_empty() {
        return;
    }
    let mut served = vec![false; graph.nodes()];
    let mut stack: Vec<usize> = (0..graph.nodes())
        .filter(|&node| task.needed[node])
        .collect();
    let mut seen = vec![false; graph.nodes()];
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        for &arc in graph.net.out[node]
            .iter()
            .filter(|&&arc| task.open[arc] && graph.net.arcs[arc].2.is_zero())
        {
            served[graph.net.arcs[arc].1] = true;
            stack.push(graph.net.arcs[arc].1);
        }
    }
    for (needed, served) in task.needed.iter_mut().zip(served) {
        *needed &= !served;
    }
}

/// The blocks of the part of the graph that leads from the root to needed nodes. A block's root is the node through
/// which all paths from the root enter.
fn pieces<N: Exact>(graph: &Graph<N>, task: &Task, indices: &[usize]) -> Vec<Piece<N>> {
    let reached = graph.reached(task, |_| true);
    let reaching = graph.reaching(task, &task.needed, |_| true);
    let alive = |arc: usize| {
        let (tail, head) = (graph.net.arcs[arc].0, graph.net.arcs[arc].1);
        task.open[arc] && reached[tail] && reaching[head]
    };
    let live: Vec<bool> = (0..task.open.len()).map(alive).collect();
    let make = |(root, arcs): (usize, Vec<usize>)| {
        let mut groups: Vec<usize> = arcs
            .iter()
            .flat_map(|&arc| [graph.net.arcs[arc].0, graph.net.arcs[arc].1])
            .collect();
        groups.sort_unstable();
        groups.dedup();
        let index = |node: usize| groups.binary_search(&node).unwrap_or(0);
        let inner: Vec<usize> = arcs
            .into_iter()
            .filter(|&arc| graph.net.arcs[arc].1 != root)
            .collect();
        let own = inner.iter().map(|&arc| &graph.net.arcs[arc]);
        let own = own
            .map(|(tail, head, cost)| (index(*tail), index(*head), cost.clone()))
            .collect();
        let needed = groups
            .iter()
            .map(|&group| group != root && task.needed[group])
            .collect();
        let task = Task {
            needed,
            open: vec![true; inner.len()],
        };
        let indices = inner.into_iter().map(|arc| indices[arc]).collect();
        Piece {
            graph: Graph::new(groups.len(), index(root), own),
            task,
            indices,
            groups,
        }
    };
    blocks(graph, &live).into_iter().map(make).collect()
}

/// The blocks of the undirected graph that the root is in, by depth-first search: root and arcs of each.
///
/// Hopcroft and Tarjan, "Algorithm 447: efficient algorithms for graph manipulation" (1973).
fn blocks<N>(graph: &Graph<N>, live: &[bool]) -> Vec<(usize, Vec<usize>)> {
    let arcs_at = |node: usize| {
        graph.net.out[node]
            .iter()
            .chain(&graph.net.into[node])
            .copied()
            .filter(|&arc| live[arc])
    };
    let neighbours: Vec<Vec<usize>> = (0..graph.net.into.len())
        .map(|node| arcs_at(node).collect())
        .collect();
    let mut date = vec![usize::MAX; neighbours.len()];
    let mut low = date.clone();
    let mut taken = vec![false; graph.net.arcs.len()];
    let mut arcs = Vec::new();
    let mut found = Vec::new();
    // Node, the next of its arcs, and how many arcs were on the stack before it.
    let mut path = vec![(graph.root, 0, 0)];
    let mut time = 0;
    (date[graph.root], low[graph.root]) = (0, 0);
    while let Some((node, next, before)) = path.pop() {
        if let Some(&arc) = neighbours[node].get(next) {
            path.push((node, next + 1, before));
            let (tail, head) = (graph.net.arcs[arc].0, graph.net.arcs[arc].1);
            let other = if tail == node { head } else { tail };
            if std::mem::replace(&mut taken[arc], true) {
                continue;
            }
            arcs.push(arc);
            if date[other] == usize::MAX {
                time += 1;
                (date[other], low[other]) = (time, time);
                path.push((other, 0, arcs.len() - 1));
            } else {
                low[node] = low[node].min(date[other]);
            }
        } else if let Some(&(up, _, _)) = path.last() {
            low[up] = low[up].min(low[node]);
            if low[node] >= date[up] {
                found.push((up, arcs.split_off(before)));
            }
        }
    }
    found
}

impl<N> Piece<N> {
    /// A set of the piece's nodes as groups.
    pub(super) fn groups_of(&self, set: &[usize]) -> Vec<usize> {
        set.iter().map(|&node| self.groups[node]).collect()
    }
}
