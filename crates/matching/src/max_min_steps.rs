//! Longest steps: every step is as long as any first step of an optimal decomposition can be.
//!
//! A length `d` is *feasible* when some matching of edges `w(e) >= d` covers every *required* vertex, one that
//! cannot idle that long: `deg(v) > D - d`. Lowering `d` admits edges and requires fewer vertices, so feasibility
//! is monotone, and [`AugmentingSearch::cover`] finds the greatest feasible `d` from above.
//!
//! **Lengths never increase.** Suppose a matching were feasible after a step of length `d` with some `d' > d`. Its
//! edges would have weighed `d'` before the step too, and every vertex required then is required now, because a step
//! leaves the slack of a vertex alone or shortens it. So `d'` would have been feasible before. Each step therefore
//! starts from the length and the matching of the one before.

use crate::residual::{FREE, Rest};
use crate::search::AugmentingSearch;
use oneport_numbers::Whole;

/// The iterator of longest steps: `(length, edges ascending)`.
pub(crate) struct LongestSteps<W> {
    rest: Rest<W>,
    /// An upper bound on the next step's length. After the step, its length.
    length: W,
    /// Vertices that still have an edge, ascending: the left ones first.
    alive: Vec<usize>,
    search: AugmentingSearch,
}

impl<W: Whole> LongestSteps<W> {
    pub(crate) fn new(rest: Rest<W>) -> Self {
        let vertices = rest.mate.len();
        LongestSteps {
            length: rest.total.clone(),
            alive: (0..vertices).collect(),
            search: AugmentingSearch::new(vertices),
            rest,
        }
    }

    /// Lowers the length to the limit of every single vertex: its heaviest edge, or its slack.
    fn bound_length(&mut self) {
        let Rest {
            weight,
            incident,
            degree,
            total,
            ..
        } = &self.rest;
        if self.length > *total {
            self.length = total.clone();
        }
        let mut may_idle = total.minus(&self.length);
        for &v in &self.alive {
            let heaviest = &weight[incident[v][0]];
            if degree[v] > may_idle && *heaviest < self.length {
                self.length = total.minus(&degree[v]).max(heaviest.clone());
                may_idle = total.minus(&self.length);
            }
        }
    }

    /// The vertices of one side, the one with fewer of them: every edge has an end there.
    fn side(&self) -> &[usize] {
        let middle = self.alive.partition_point(|&v| self.rest.is_left(v));
        let (left, right) = self.alive.split_at(middle);
        if left.len() <= right.len() {
            left
        } else {
            right
        }
    }

    /// Drops the edges of the previous matching that weigh less than the length.
    fn drop_light(&mut self) {
        let light = |e: usize| e != FREE && self.rest.weight[e] < self.length;
        let dropped: Vec<usize> = self
            .side()
            .iter()
            .map(|&v| self.rest.mate[v])
            .filter(|&e| light(e))
            .collect();
        for e in dropped {
            self.rest.part(e);
        }
    }

    /// Covers every required vertex, lowering the length no more than needed: greedily, then by searches.
    fn cover_required(&mut self) {
        let rest = &mut self.rest;
        // The length can only fall below, and the required vertices become fewer.
        let may_idle = rest.total.minus(&self.length);
        let required: Vec<usize> = self
            .alive
            .iter()
            .copied()
            .filter(|&v| rest.degree[v] > may_idle)
            .collect();
        for &v in &required {
            rest.join_heaviest(v, &self.length);
        }
        for v in required {
            if rest.is_free(v) && rest.total.minus(&rest.degree[v]) < self.length {
                self.search.cover(rest, &mut self.length, v);
            }
        }
    }

    /// Makes the matching maximum among the edges that weigh the length: idling now makes vertices tight later,
    /// and tight vertices make steps short.
    fn extend(&mut self) {
        let free: Vec<usize> = self
            .side()
            .iter()
            .copied()
            .filter(|&v| self.rest.is_free(v))
            .collect();
        for &v in &free {
            self.rest.join_heaviest(v, &self.length);
        }
        self.search.maximise(&mut self.rest, &self.length, &free);
    }

    /// The edges of the matching, ascending.
    fn matching(&self) -> Vec<usize> {
        let mut edges: Vec<usize> = self
            .side()
            .iter()
            .map(|&v| self.rest.mate[v])
            .filter(|&e| e != FREE)
            .collect();
        edges.sort_unstable();
        edges
    }
}

impl<W: Whole> Iterator for LongestSteps<W> {
    type Item = (W, Vec<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.alive.is_empty() {
            return None;
        }
        self.bound_length();
        self.drop_light();
        self.cover_required();
        self.extend();
        let edges = self.matching();
        self.rest.take(&edges, &self.length);
        let incident = &self.rest.incident;
        self.alive.retain(|&v| !incident[v].is_empty());
        Some((self.length.clone(), edges))
    }
}
