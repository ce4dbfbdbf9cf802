//! The rest of the graph between two steps, and the matching of the step under construction.

use oneport_numbers::Whole;

/// The mate of an uncovered vertex.
pub(crate) const FREE: usize = usize::MAX;

/// The remaining graph and a matching in it.
///
/// Between steps `degree[v] <= total` for every vertex, with equality for the *tight* ones. While anything remains at
/// least one vertex is tight.
#[derive(Clone)]
pub(crate) struct Rest<W> {
    /// `[left, right]` of each edge.
    pub ends: Vec<[usize; 2]>,
    /// Remaining weights `w(e)`.
    pub weight: Vec<W>,
    /// Per vertex, the edges of positive weight: heaviest first, ties by index.
    pub incident: Vec<Vec<usize>>,
    /// Remaining weighted degrees `deg(v)`. The vertex may still idle for `D - deg(v)`.
    pub degree: Vec<W>,
    /// `D`: the sum of the remaining steps.
    pub total: W,
    /// Per vertex the matching edge that covers it, or [`FREE`].
    pub mate: Vec<usize>,
}

impl<W: Whole> Rest<W> {
    pub(crate) fn new(vertices: usize, ends: Vec<[usize; 2]>, weight: Vec<W>) -> Self {
        let mut incident = vec![Vec::new(); vertices];
        let mut degree = vec![W::zero(); vertices];
        for (e, pair) in ends.iter().enumerate() {
            for &v in pair {
                incident[v].push(e);
                degree[v] += &weight[e];
            }
        }
        for list in &mut incident {
            list.sort_by(|&a, &b| weight[b].cmp(&weight[a]));
        }
        let total = degree.iter().max().cloned().unwrap_or_else(W::zero);
        Rest {
            ends,
            weight,
            incident,
            degree,
            total,
            mate: vec![FREE; vertices],
        }
    }

    /// The end of `e` that is not `v`.
    pub(crate) fn other(&self, e: usize, v: usize) -> usize {
        let [left, right] = self.ends[e];
        left ^ right ^ v
    }

    pub(crate) fn is_left(&self, v: usize) -> bool {
        self.incident[v]
            .first()
            .is_some_and(|&e| self.ends[e][0] == v)
    }

    pub(crate) fn is_free(&self, v: usize) -> bool {
        self.mate[v] == FREE
    }

    /// Makes `e` a matching edge. Its ends lose theirs.
    pub(crate) fn join(&mut self, e: usize) {
        for v in self.ends[e] {
            self.mate[v] = e;
        }
    }

    /// Takes the matching edge `e` out of the matching.
    pub(crate) fn part(&mut self, e: usize) {
        for v in self.ends[e] {
            self.mate[v] = FREE;
        }
    }

    /// Covers `v`, if it is free, by its heaviest edge to a free vertex, unless that weighs less than `length`.
    pub(crate) fn join_heaviest(&mut self, v: usize, length: &W) {
        if !self.is_free(v) {
            return;
        }
        let heavy = self.incident[v]
            .iter()
            .take_while(|&&e| self.weight[e] >= *length);
        if let Some(&e) = heavy.into_iter().find(|&&e| self.is_free(self.other(e, v))) {
            self.join(e);
        }
    }

    /// Takes a step of `length` along the matching `edges`, each of which must weigh that much. A used-up edge leaves
    /// the matching.
    pub(crate) fn take(&mut self, edges: &[usize], length: &W) {
        self.total -= length;
        for &e in edges {
            self.shorten(e, length);
            if self.weight[e].is_zero() {
                self.part(e);
            }
        }
        debug_assert!(self.is_consistent());
    }

    /// Takes `length` off edge `e` and keeps its two lists sorted.
    fn shorten(&mut self, e: usize, length: &W) {
        let ends = self.ends[e];
        let from = ends.map(|v| self.heavier(&self.incident[v], e));
        self.weight[e] -= length;
        for (v, from) in ends.into_iter().zip(from) {
            self.degree[v] -= length;
            if self.weight[e].is_zero() {
                self.incident[v].remove(from);
            } else {
                let behind = self.heavier(&self.incident[v][from + 1..], e);
                self.incident[v][from..=from + behind].rotate_left(1);
            }
        }
    }

    /// How many edges of a sorted list come before `e`.
    fn heavier(&self, list: &[usize], e: usize) -> usize {
        let weight = &self.weight[e];
        list.partition_point(|&f| {
            let other = &self.weight[f];
            other > weight || (other == weight && f < e)
        })
    }

    /// The invariant of the theorem: no vertex has more work than there is time, and one has just as much.
    fn is_consistent(&self) -> bool {
        self.degree
            .iter()
            .max()
            .is_none_or(|largest| *largest == self.total)
    }
}
