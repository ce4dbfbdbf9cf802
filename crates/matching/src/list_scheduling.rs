//! Whole edges: an edge that has begun goes on until it is used up, unless a tight vertex needs one of its ends.
//!
//! List scheduling, the most urgent edge first: the one with an end of the largest remaining degree. Only as many
//! edges run at a time as the average step must hold, the remaining weight divided by the remaining time: short
//! edges that all ran at once would end one by one, and each end would list all the others again.
//! A step ends when an edge is used up or an idle vertex becomes tight.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::residual::{FREE, Rest};
use crate::search::AugmentingSearch;
use oneport_numbers::Whole;

/// Largest quantity first, then smallest index.
type Queue<W> = BinaryHeap<(W, Reverse<usize>)>;

/// The iterator of steps: `(length, edges ascending)`.
pub(crate) struct WholeEdges<W> {
    rest: Rest<W>,
    search: AugmentingSearch,
    /// Sum of the remaining weights.
    load: W,
    /// The matching.
    active: Vec<usize>,
    /// Uncovered vertices by degree. An entry is stale if the vertex has been covered since.
    idle: Queue<W>,
    /// Edges that may begin, by urgency, which may have fallen since. An entry is stale if an end has been covered
    /// since.
    waiting: Queue<W>,
    is_waiting: Vec<bool>,
}

impl<W: Whole> WholeEdges<W> {
    pub(crate) fn new(rest: Rest<W>) -> Self {
        let vertices = rest.mate.len();
        let mut load = W::zero();
        for weight in &rest.weight {
            load += weight;
        }
        let mut steps = WholeEdges {
            search: AugmentingSearch::new(vertices),
            load,
            active: Vec::new(),
            idle: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
            is_waiting: vec![false; rest.ends.len()],
            rest,
        };
        for v in 0..vertices {
            steps.freed(v);
        }
        steps
    }

    /// The larger degree of the two ends.
    fn urgency(&self, e: usize) -> &W {
        let [left, right] = self.rest.ends[e];
        (&self.rest.degree[left]).max(&self.rest.degree[right])
    }

    fn wait(&mut self, e: usize) {
        self.is_waiting[e] = true;
        self.waiting.push((self.urgency(e).clone(), Reverse(e)));
    }

    /// Enters `v`, just uncovered, into the queues.
    fn freed(&mut self, v: usize) {
        if self.rest.incident[v].is_empty() {
            return;
        }
        self.idle.push((self.rest.degree[v].clone(), Reverse(v)));
        for i in 0..self.rest.incident[v].len() {
            let e = self.rest.incident[v][i];
            if !self.is_waiting[e] && self.rest.is_free(self.rest.other(e, v)) {
                self.wait(e);
            }
        }
    }

    /// The uncovered vertex of largest degree.
    fn busiest_idle(&mut self) -> Option<usize> {
        while let Some((degree, Reverse(v))) = self.idle.peek() {
            if self.rest.is_free(*v) && self.rest.degree[*v] == *degree {
                return Some(*v);
            }
            self.idle.pop();
        }
        None
    }

    /// Covers every tight vertex, and interrupts edges if it must. At length one all edges are heavy enough and all but
    /// the tight vertices may idle, so the searches succeed without lowering it.
    fn cover_tight(&mut self) {
        while let Some(v) = self.busiest_idle() {
            if self.rest.degree[v] < self.rest.total {
                break;
            }
            self.search.cover(&mut self.rest, &mut W::one(), v);
            self.active.append(&mut self.search.joined);
            if self.search.released != FREE {
                self.freed(self.search.released);
            }
        }
        let rest = &self.rest;
        self.active.retain(|&e| rest.mate[rest.ends[e][0]] == e);
        self.active.sort_unstable();
        self.active.dedup();
    }

    /// Begins the most urgent edges until the matching is as large as the average step must be.
    fn extend(&mut self) {
        let mut capacity = W::zero();
        for _ in &self.active {
            capacity += &self.rest.total;
        }
        while capacity < self.load {
            let Some((urgency, Reverse(e))) = self.waiting.pop() else {
                return;
            };
            self.is_waiting[e] = false;
            let [left, right] = self.rest.ends[e];
            if !self.rest.is_free(left)
                || !self.rest.is_free(right)
                || self.rest.weight[e].is_zero()
            {
                continue;
            }
            if *self.urgency(e) < urgency {
                self.wait(e);
                continue;
            }
            self.rest.join(e);
            self.active.push(e);
            capacity += &self.rest.total;
        }
    }

    /// The time until an edge is used up or an idle vertex becomes tight.
    fn length(&mut self) -> W {
        let mut length = self.rest.total.clone();
        if let Some(v) = self.busiest_idle() {
            length -= &self.rest.degree[v];
        }
        for &e in &self.active {
            if self.rest.weight[e] < length {
                length = self.rest.weight[e].clone();
            }
        }
        length
    }
}

impl<W: Whole> Iterator for WholeEdges<W> {
    type Item = (W, Vec<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.total.is_zero() {
            return None;
        }
        self.cover_tight();
        self.extend();
        self.active.sort_unstable();
        let length = self.length();
        let edges = self.active.clone();
        self.rest.take(&edges, &length);
        for &e in &edges {
            self.load -= &length;
            if self.rest.weight[e].is_zero() {
                for v in self.rest.ends[e] {
                    self.freed(v);
                }
            }
        }
        let rest = &self.rest;
        self.active.retain(|&e| !rest.weight[e].is_zero());
        Some((length, edges))
    }
}
