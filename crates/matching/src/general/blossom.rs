//! The longest step: a matching that covers every vertex that cannot wait, by Edmonds's alternating searches.
//!
//! A matching allows a step of length `d` if its edges have `d` left and every uncovered vertex may idle for `d`. As in
//! the bipartite case, the vertices that must be covered at `d` can be iff each of them can be added in turn. A search
//! that fails proves that `d` must fall, and how far at least: until an edge leaves the outer vertices of its forest or
//! one of them may idle. The results of the searches stay good as `d` falls.

use std::collections::VecDeque;

use oneport_numbers::Whole;

/// No edge.
pub(super) const NONE: usize = usize::MAX;

/// The remaining work, and a matching.
pub(super) struct Rest<W> {
    pub ends: Vec<[usize; 2]>,
    pub time: Vec<W>,
    pub incident: Vec<Vec<usize>>,
    pub degree: Vec<W>,
    /// `D`, the time left.
    pub total: W,
    /// The matching edge at each vertex, or [`NONE`].
    pub mate: Vec<usize>,
    /// The length that the matching has to allow.
    pub length: W,
}

/// An alternating tree, its blossoms shrunk.
struct Tree {
    outer: Vec<bool>,
    /// The edge towards the root that does not belong to the matching, for vertices reached along such an edge.
    via: Vec<usize>,
    base: Vec<usize>,
    queue: VecDeque<usize>,
}

/// Where a search ended.
enum End {
    /// At an uncovered vertex, reached along its `via`.
    Free(usize),
    /// At a covered vertex that may as well idle.
    Idle(usize),
}

impl<W: Whole> Rest<W> {
    pub(super) fn new(vertices: usize, ends: Vec<[usize; 2]>, time: Vec<W>, total: W) -> Self {
        let mut incident = vec![Vec::new(); vertices];
        let mut degree = vec![W::zero(); vertices];
        for (e, pair) in ends.iter().enumerate() {
            for &v in pair {
                incident[v].push(e);
                degree[v] += &time[e];
            }
        }
        Rest {
            ends,
            time,
            incident,
            degree,
            length: total.clone(),
            total,
            mate: vec![NONE; vertices],
        }
    }

    pub(super) fn other(&self, e: usize, v: usize) -> usize {
        let [a, b] = self.ends[e];
        a ^ b ^ v
    }

    /// How long the vertex may idle.
    pub(super) fn slack(&self, v: usize) -> W {
        self.total.surplus(&self.degree[v])
    }

    /// The edges of the matching, ascending.
    pub(super) fn matching(&self) -> Vec<usize> {
        let mates = self.mate.iter().enumerate();
        let mut edges: Vec<usize> = mates
            .filter(|&(v, &e)| e != NONE && self.ends[e][0] == v)
            .map(|(_, &e)| e)
            .collect();
        edges.sort_unstable();
        edges
    }

    /// Makes the matching one that allows the longest step. Then covers as many more vertices, those with the least
    /// slack first, as edges of that length can. Returns `false` if no step is possible at all.
    pub(super) fn longest(&mut self) -> bool {
        self.length = std::cmp::min(&self.length, &self.total).clone();
        for e in self.matching() {
            if self.time[e] < self.length {
                for v in self.ends[e] {
                    self.mate[v] = NONE;
                }
            }
        }
        let mut order: Vec<(W, usize)> = (0..self.mate.len())
            .filter(|&v| !self.incident[v].is_empty())
            .map(|v| (self.slack(v), v))
            .collect();
        order.sort();
        for (slack, v) in &order {
            while self.mate[*v] == NONE && *slack < self.length {
                let (end, tree) = self.search(*v, true);
                match end {
                    Some(end) => self.flip(&tree, end),
                    None => match self.relaxed(&tree) {
                        Some(length) => self.length = length,
                        None => return false,
                    },
                }
            }
        }
        for (_, v) in order {
            if self.mate[v] == NONE {
                let (end, tree) = self.search(v, false);
                if let Some(end) = end {
                    self.flip(&tree, end);
                }
            }
        }
        self.is_matching()
    }

    fn is_matching(&self) -> bool {
        let mates = self.mate.iter().enumerate().filter(|&(_, &e)| e != NONE);
        mates
            .into_iter()
            .all(|(v, &e)| self.ends[e].contains(&v) && self.mate[self.other(e, v)] == e)
    }

    /// Subtracts `length` from the time and from the matching's edges. Used-up edges leave the matching.
    pub(super) fn take(&mut self, length: &W) {
        self.total -= length;
        for e in self.matching() {
            self.time[e] -= length;
            for v in self.ends[e] {
                self.degree[v] -= length;
                if self.time[e].is_zero() {
                    self.mate[v] = NONE;
                    self.incident[v].retain(|&other| other != e);
                }
            }
        }
    }

    /// The largest length, below the present one, at which the failed tree could grow or end.
    fn relaxed(&self, tree: &Tree) -> Option<W> {
        let mut best = W::zero();
        for v in (0..tree.outer.len()).filter(|&v| tree.outer[v]) {
            best = best.max(self.slack(v));
            for &e in &self.incident[v] {
                let to = self.other(e, v);
                let useful = if tree.outer[to] {
                    tree.base[to] != tree.base[v]
                } else {
                    tree.via[to] == NONE
                };
                if useful && self.time[e] > best {
                    best = self.time[e].clone();
                }
            }
        }
        (!best.is_zero() && best < self.length).then_some(best)
    }

    /// Breadth-first search from the uncovered vertex `root` along edges that last for the length. `idle` allows ends
    /// at covered vertices that need not be.
    fn search(&self, root: usize, idle: bool) -> (Option<End>, Tree) {
        let vertices = self.mate.len();
        let mut tree = Tree {
            outer: vec![false; vertices],
            via: vec![NONE; vertices],
            base: (0..vertices).collect(),
            queue: VecDeque::from([root]),
        };
        tree.outer[root] = true;
        while let Some(v) = tree.queue.pop_front() {
            if idle && v != root && self.slack(v) >= self.length {
                return (Some(End::Idle(v)), tree);
            }
            for &e in &self.incident[v] {
                let to = self.other(e, v);
                if self.time[e] < self.length || tree.base[v] == tree.base[to] {
                    continue;
                }
                if tree.outer[to] {
                    self.shrink(&mut tree, e);
                } else if tree.via[to] == NONE {
                    tree.via[to] = e;
                    if self.mate[to] == NONE {
                        return (Some(End::Free(to)), tree);
                    }
                    let next = self.other(self.mate[to], to);
                    tree.outer[next] = true;
                    tree.queue.push_back(next);
                }
            }
        }
        (None, tree)
    }

    /// Exchanges the matching along the path from the root to `end`.
    fn flip(&mut self, tree: &Tree, end: End) {
        let mut v = match end {
            End::Free(v) => v,
            End::Idle(v) => {
                let partner = self.other(self.mate[v], v);
                self.mate[v] = NONE;
                partner
            }
        };
        // A path has no more edges than there are vertices. `is_matching` would notice if it were cut short.
        for _ in 0..self.mate.len() {
            let e = tree.via[v];
            let outer = self.other(e, v);
            let next = std::mem::replace(&mut self.mate[outer], e);
            self.mate[v] = e;
            if next == NONE {
                return;
            }
            v = self.other(next, outer);
        }
    }

    /// Shrinks the blossom that edge `e` between two outer vertices closes.
    fn shrink(&self, tree: &mut Tree, e: usize) {
        let [a, b] = self.ends[e];
        let base = self.meeting(tree, a, b);
        let mut inside = vec![false; self.mate.len()];
        self.mark(tree, a, base, e, &mut inside);
        self.mark(tree, b, base, e, &mut inside);
        for v in 0..inside.len() {
            if inside[tree.base[v]] {
                tree.base[v] = base;
                if !tree.outer[v] {
                    tree.outer[v] = true;
                    tree.queue.push_back(v);
                }
            }
        }
    }

    /// The first base common to the paths from two outer vertices to the root.
    fn meeting(&self, tree: &Tree, a: usize, b: usize) -> usize {
        let mut seen = vec![false; self.mate.len()];
        let mut v = tree.base[a];
        loop {
            seen[v] = true;
            if self.mate[v] == NONE {
                break;
            }
            v = tree.base[self.up(tree, v)];
        }
        let mut v = tree.base[b];
        while !seen[v] {
            v = tree.base[self.up(tree, v)];
        }
        v
    }

    /// The outer vertex two edges nearer to the root than the covered outer vertex `v`.
    fn up(&self, tree: &Tree, v: usize) -> usize {
        let inner = self.other(self.mate[v], v);
        self.other(tree.via[inner], inner)
    }

    /// Marks the bases from `v` to `base` and reverses the path: it now leads down along `e`.
    fn mark(&self, tree: &mut Tree, mut v: usize, base: usize, mut e: usize, inside: &mut [bool]) {
        while tree.base[v] != base {
            let inner = self.other(self.mate[v], v);
            inside[tree.base[v]] = true;
            inside[tree.base[inner]] = true;
            tree.via[v] = e;
            e = tree.via[inner];
            v = self.other(e, inner);
        }
    }
}
