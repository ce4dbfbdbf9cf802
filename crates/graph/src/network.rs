//! Minimum cuts by maximum flow (Dinic 1970).

use std::collections::VecDeque;
use std::convert::Infallible;

use oneport_numbers::Exact;
use oneport_watch::{Limit, Watch};

/// Paths between two checks of the watch. Trades lateness after a limit for calls. Each path scans some arcs of every
/// node on it. Not measured.
const OFTEN: usize = 256;

/// A level that no node has.
const NONE: usize = usize::MAX;

/// A network of capacities, as a residual graph: the arc at index `2 i` is the i-th given, the one at `2 i + 1` runs
/// against it.
#[derive(Debug, Clone)]
pub struct Network<N> {
    heads: Vec<usize>,
    room: Vec<N>,
    leaving: Vec<Vec<usize>>,
    /// Per node: number of arcs from the source. [`NONE`] if the residual graph does not reach it.
    levels: Vec<usize>,
    /// Per node: the index of the arc to try next.
    next: Vec<usize>,
}

impl<N: Exact> Network<N> {
    /// Nodes `0..nodes` without arcs.
    pub fn new(nodes: usize) -> Self {
        let leaving = vec![Vec::new(); nodes];
        Network {
            heads: Vec::new(),
            room: Vec::new(),
            leaving,
            levels: Vec::new(),
            next: Vec::new(),
        }
    }

    /// One more arc with its capacity, which is not negative. Both nodes must exist.
    pub fn arc(&mut self, from: usize, to: usize, capacity: N) {
        self.pair(from, to, capacity, N::zero());
    }

    /// Adds an edge with this capacity in both directions.
    pub fn edge(&mut self, one: usize, other: usize, capacity: N) {
        self.pair(one, other, capacity.clone(), capacity);
    }

    fn pair(&mut self, from: usize, to: usize, along: N, against: N) {
        if from == to || along.is_zero() && against.is_zero() {
            return;
        }
        for (from, to, room) in [(from, to, along), (to, from, against)] {
            self.leaving[from].push(self.heads.len());
            self.heads.push(to);
            self.room.push(room);
        }
    }

    /// The capacity of a minimum cut, and by node whether it is on the source's side of the one with the fewest nodes
    /// there. Source and sink differ. `O(n^2 m)`, in practice a few searches of the graph. The watch is checked once
    /// per some paths.
    ///
    /// # Errors
    /// The limit that ended the search.
    pub fn minimum_cut(
        self,
        source: usize,
        sink: usize,
        watch: &Watch,
    ) -> Result<(N, Vec<bool>), Limit> {
        self.cut_while(source, sink, || watch.ask())
    }

    /// [`minimum_cut`](Self::minimum_cut) without limits.
    pub(crate) fn full_cut(self, source: usize, sink: usize) -> (N, Vec<bool>) {
        let cut = self.cut_while(source, sink, || Ok::<(), Infallible>(()));
        cut.unwrap_or_else(|never| match never {})
    }

    fn cut_while<E>(
        mut self,
        source: usize,
        sink: usize,
        mut may: impl FnMut() -> Result<(), E>,
    ) -> Result<(N, Vec<bool>), E> {
        let (mut flow, mut paths) = (N::zero(), 0);
        while self.layer(source, sink) {
            while let Some(sent) = self.augment(source, sink, None) {
                flow += &sent;
                paths += 1;
                if paths % OFTEN == 0 {
                    may()?;
                }
            }
        }
        Ok((flow, self.side()))
    }

    /// Whether at least `limit` can flow: `None` if so, else by node whether it is on the source's side of the minimum
    /// cut with the fewest nodes there. `O(n^2 m)`, in practice a few searches of the graph.
    pub fn cut_below(mut self, source: usize, sink: usize, limit: &N) -> Option<Vec<bool>> {
        let mut missing = limit.clone();
        while self.layer(source, sink) {
            while let Some(sent) = self.augment(source, sink, Some(&missing)) {
                missing -= &sent;
                if missing.is_zero() {
                    return None;
                }
            }
        }
        Some(self.side())
    }

    fn side(&self) -> Vec<bool> {
        self.levels.iter().map(|&level| level != NONE).collect()
    }

    /// Numbers the nodes by their distance from the source. Returns whether the sink has one.
    fn layer(&mut self, source: usize, sink: usize) -> bool {
        self.next = vec![0; self.leaving.len()];
        self.levels = vec![NONE; self.leaving.len()];
        self.levels[source] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for &arc in &self.leaving[node] {
                let head = self.heads[arc];
                if self.levels[head] == NONE && !self.room[arc].is_zero() {
                    self.levels[head] = self.levels[node] + 1;
                    queue.push_back(head);
                }
            }
        }
        self.levels[sink] != NONE
    }

    /// Sends as much as fits, at most `most`, along one path of ascending levels.
    fn augment(&mut self, source: usize, sink: usize, most: Option<&N>) -> Option<N> {
        let mut path: Vec<usize> = Vec::new();
        let mut node = source;
        while node != sink {
            match self.leaving[node].get(self.next[node]) {
                Some(&arc) => {
                    let head = self.heads[arc];
                    if self.levels[head] == self.levels[node] + 1 && !self.room[arc].is_zero() {
                        path.push(arc);
                        node = head;
                    } else {
                        self.next[node] += 1;
                    }
                }
                None => {
                    let last = path.pop()?;
                    node = self.heads[last ^ 1];
                    self.next[node] += 1;
                }
            }
        }
        let sent = path
            .iter()
            .map(|&arc| &self.room[arc])
            .chain(most)
            .min()?
            .clone();
        for arc in path {
            self.room[arc] -= &sent;
            self.room[arc ^ 1] += &sent;
        }
        Some(sent)
    }
}
