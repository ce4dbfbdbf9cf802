//! Maximum flow, in undirected and directed graphs, up to a limit (Dinic).

use std::collections::VecDeque;

use super::number::{Number, minus};

/// Outcome of a flow between two nodes.
pub(crate) enum Flow {
    /// At least the limit flows.
    Enough,
    /// Less flows; the nodes on the source's side of a minimum cut.
    Cut(Vec<bool>),
}

/// The residual graph: arc `2 i` runs along link `i`, arc `2 i + 1` against it.
struct Residual<W> {
    head: Vec<usize>,
    left: Vec<W>,
    out: Vec<Vec<usize>>,
    level: Vec<usize>,
    next: Vec<usize>,
}

/// Sends up to `limit` from `source` to `sink`. `O(n^2 m)`; in practice a few searches.
pub(super) fn flow<W: Number>(
    nodes: usize,
    links: &[(usize, usize, W)],
    source: usize,
    sink: usize,
    limit: &W,
) -> Flow {
    let both_ways = links.iter().map(|(a, b, weight)| (*a, *b, weight.clone(), weight.clone()));
    Residual::new(nodes, both_ways).send(source, sink, limit)
}

/// Sends up to `limit` from `source` to `sink` along directed arcs. `O(n^2 m)`; in practice a few searches.
pub(crate) fn directed_flow<W: Number>(
    nodes: usize,
    arcs: &[(usize, usize, W)],
    source: usize,
    sink: usize,
    limit: &W,
) -> Flow {
    let one_way = arcs.iter().map(|(from, to, room)| (*from, *to, room.clone(), W::zero()));
    Residual::new(nodes, one_way).send(source, sink, limit)
}

impl<W: Number> Residual<W> {
    /// Links with the room along them and against them.
    fn new(nodes: usize, links: impl Iterator<Item = (usize, usize, W, W)>) -> Self {
        let (head, left, out) = (Vec::new(), Vec::new(), vec![Vec::new(); nodes]);
        let mut residual = Residual { head, left, out, level: Vec::new(), next: Vec::new() };
        for (a, b, along, against) in links {
            for (from, to, room) in [(a, b, along), (b, a, against)] {
                residual.out[from].push(residual.head.len());
                residual.head.push(to);
                residual.left.push(room);
            }
        }
        residual
    }

    fn send(mut self, source: usize, sink: usize, limit: &W) -> Flow {
        let mut missing = limit.clone();
        while self.layers(source, sink) {
            self.next = vec![0; self.out.len()];
            loop {
                let sent = self.push(source, sink, &missing);
                if sent.is_zero() {
                    break;
                }
                missing -= &sent;
                if missing.is_zero() {
                    return Flow::Enough;
                }
            }
        }
        Flow::Cut(self.level.iter().map(|&level| level != usize::MAX).collect())
    }

    /// Distances from `source`; true if `sink` is reached.
    fn layers(&mut self, source: usize, sink: usize) -> bool {
        self.level = vec![usize::MAX; self.out.len()];
        self.level[source] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(v) = queue.pop_front() {
            for &arc in &self.out[v] {
                let to = self.head[arc];
                if self.level[to] == usize::MAX && !self.left[arc].is_zero() {
                    self.level[to] = self.level[v] + 1;
                    queue.push_back(to);
                }
            }
        }
        self.level[sink] != usize::MAX
    }

    /// Sends up to `most` along one path of the layers; recursion is as deep as the path is long.
    fn push(&mut self, v: usize, sink: usize, most: &W) -> W {
        if v == sink {
            return most.clone();
        }
        while let Some(&arc) = self.out[v].get(self.next[v]) {
            let to = self.head[arc];
            if self.level[to] == self.level[v] + 1 && !self.left[arc].is_zero() {
                let room = std::cmp::min(most, &self.left[arc]).clone();
                let sent = self.push(to, sink, &room);
                if !sent.is_zero() {
                    self.left[arc] = minus(&self.left[arc], &sent);
                    self.left[arc ^ 1] += &sent;
                    return sent;
                }
            }
            self.next[v] += 1;
        }
        W::zero()
    }
}
