//! Odd cuts lighter than a limit.
//!
//! An even number of nodes is odd. A cut is odd if it has an odd number of odd nodes on each side. Whether an odd cut
//! is lighter than the limit does not change if
//! - two nodes are merged that no cut lighter than the limit separates,
//! - an even node is merged with a neighbour to which it has at least half of its links: moving it to the neighbour's
//!   side leaves an odd cut odd and makes it no heavier (Padberg and Rinaldi),
//! - the graph is replaced by the two halves of an even lightest cut `X` between two nodes `a` in `X` and `b`, the
//!   other half shrunk to one node: if an odd cut `W` crosses `X`, then either `X` and `W` have two odd quarters in
//!   `X`, and the one of `X - W`, `X & W` whose counterpart outside separates `a` from `b` is no heavier than `W`, by
//!   submodularity, or they have two outside, with the same argument (Padberg and Rao).
//!
//! So take two odd nodes and a maximum flow. Either they may be merged, or the cut is a find, or both halves have fewer
//! odd nodes. Nagamochi and Ibaraki's scan finds many pairs of the first kind at once: visit the nodes in the order of
//! their links to those already visited. If a node's links to the visited ones weigh `q` as the scan passes a link,
//! then no cut lighter than `q` separates that link's ends.

use std::cmp::{Reverse, min};
use std::collections::BinaryHeap;

use oneport_graph::Network;
use oneport_numbers::Whole;

/// A weighted undirected graph. Its nodes represent disjoint sets of vertices that together are all vertices.
struct Shrunk<W> {
    members: Vec<Vec<usize>>,
    odd: Vec<bool>,
    links: Vec<(usize, usize, W)>,
}

/// Odd cuts lighter than `limit` in the graph with vertices `0..odd.len()`. Empty only if none exists. Each cut is
/// given by its vertices on the side without the last vertex, ascending. The number of odd vertices must be even.
pub(super) fn odd_cuts<W: Whole>(
    odd: Vec<bool>,
    links: Vec<(usize, usize, W)>,
    limit: &W,
) -> Vec<Vec<usize>> {
    let last = odd.len().saturating_sub(1);
    let members = (0..odd.len()).map(|v| vec![v]).collect();
    let mut open = vec![Shrunk {
        members,
        odd,
        links,
    }];
    let mut cuts = Vec::new();
    while let Some(mut graph) = open.pop() {
        graph = graph.contracted(limit);
        let nodes = graph.members.len();
        let mut odd = (0..nodes).filter(|&v| graph.odd[v]);
        let (Some(source), Some(sink)) = (odd.next(), odd.next()) else {
            continue;
        };
        let mut network = Network::new(nodes);
        for (a, b, weight) in graph.links.iter() {
            network.edge(*a, *b, weight.clone());
        }
        let side = network.cut_below(source, sink, limit);
        if let Some(side) = &side
            && (0..nodes)
                .filter(|&v| graph.odd[v] && side[v])
                .count()
                .is_multiple_of(2)
        {
            open.extend([true, false].map(|kept| graph.half(side, kept)));
            continue;
        }
        // After a find no further cut is needed, so a merger may hide one.
        cuts.extend(side.map(|side| graph.without(&side, last)));
        let class: Vec<usize> = (0..nodes)
            .map(|v| if v == sink { source } else { v })
            .collect();
        open.push(graph.merged(&class));
    }
    cuts
}

impl<W: Whole> Shrunk<W> {
    /// Merges nodes until neither rule finds any more.
    fn contracted(mut self, limit: &W) -> Self {
        while self.odd.contains(&true) {
            let class = self.classes(limit);
            if class.iter().enumerate().all(|(v, &root)| v == root) {
                break;
            }
            self = self.merged(&class);
        }
        self
    }

    /// For every node a representative of the nodes it may be merged with.
    fn classes(&self, limit: &W) -> Vec<usize> {
        let nodes = self.members.len();
        let mut out: Vec<Vec<(usize, &W)>> = vec![Vec::new(); nodes];
        for (a, b, weight) in &self.links {
            out[*a].push((*b, weight));
            out[*b].push((*a, weight));
        }
        let mut class: Vec<usize> = (0..nodes).collect();
        // Nodes that have been merged. The second rule applies to nodes that have not.
        let mut touched = vec![false; nodes];
        let join = |class: &mut Vec<usize>, touched: &mut Vec<bool>, v: usize, w: usize| {
            let (a, b) = (root(class, v), root(class, w));
            class[a.max(b)] = a.min(b);
            for v in [v, w] {
                touched[v] = true;
            }
        };
        scan(&out, limit, |v, w| join(&mut class, &mut touched, v, w));
        for v in (0..nodes).filter(|&v| !self.odd[v]) {
            let Some((w, most)) = out[v]
                .iter()
                .max_by_key(|(w, weight)| (*weight, Reverse(*w)))
            else {
                continue;
            };
            let mut degree = W::zero();
            for (_, weight) in &out[v] {
                degree += *weight;
            }
            if !touched[v] && most.multiple(2) >= degree {
                join(&mut class, &mut touched, v, *w);
            }
        }
        (0..nodes).map(|v| root(&mut class, v)).collect()
    }

    /// Merges the nodes of equal class. Parallel links add up.
    fn merged(self, class: &[usize]) -> Self {
        let mut number = vec![usize::MAX; class.len()];
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut odd = Vec::new();
        for (v, list) in self.members.into_iter().enumerate() {
            let index = &mut number[class[v]];
            if *index == usize::MAX {
                *index = members.len();
                members.push(list);
                odd.push(self.odd[v]);
            } else {
                members[*index].extend(list);
                odd[*index] ^= self.odd[v];
            }
        }
        let mut links: Vec<(usize, usize, W)> = Vec::with_capacity(self.links.len());
        for (a, b, weight) in self.links {
            let (a, b) = (number[class[a]], number[class[b]]);
            if a != b {
                links.push((a.min(b), a.max(b), weight));
            }
        }
        links.sort_unstable();
        links.dedup_by(|next, kept| {
            let parallel = (next.0, next.1) == (kept.0, kept.1);
            if parallel {
                kept.2 += &next.2;
            }
            parallel
        });
        Shrunk {
            members,
            odd,
            links,
        }
    }

    /// The nodes with `side == kept`, and one more node for all others.
    fn half(&self, side: &[bool], kept: bool) -> Self {
        let other = side
            .iter()
            .position(|&side| side != kept)
            .unwrap_or_default();
        let class: Vec<usize> = (0..side.len())
            .map(|v| if side[v] == kept { v } else { other })
            .collect();
        Shrunk {
            members: self.members.clone(),
            odd: self.odd.clone(),
            links: self.links.clone(),
        }
        .merged(&class)
    }

    /// The vertices of the side of the cut that lacks the vertex `last`, ascending.
    fn without(&self, side: &[bool], last: usize) -> Vec<usize> {
        let node = self.members.iter().position(|list| list.contains(&last));
        let away = node.is_some_and(|node| side[node]);
        let nodes = (0..side.len()).filter(|&v| side[v] != away);
        let mut set: Vec<usize> = nodes
            .flat_map(|v| self.members[v].iter().copied())
            .collect();
        set.sort_unstable();
        set
    }
}

/// Calls `join` for pairs of nodes that no cut lighter than `limit` separates. `O(m log m)`.
fn scan<W: Whole>(out: &[Vec<(usize, &W)>], limit: &W, mut join: impl FnMut(usize, usize)) {
    let mut tied = vec![W::zero(); out.len()];
    let mut visited = vec![false; out.len()];
    for start in (0..out.len()).rev() {
        let mut heap = BinaryHeap::from([(W::zero(), Reverse(start))]);
        while let Some((_, Reverse(v))) = heap.pop() {
            if std::mem::replace(&mut visited[v], true) {
                continue;
            }
            for &(to, weight) in out[v].iter().filter(|&&(to, _)| !visited[to]) {
                // Beyond the limit the order is free.
                let first = tied[to] < *limit;
                tied[to] += weight;
                if tied[to] >= *limit {
                    join(v, to);
                }
                if first {
                    heap.push((min(&tied[to], limit).clone(), Reverse(to)));
                }
            }
        }
    }
}

/// The representative of `v`, with path halving.
fn root(class: &mut [usize], mut v: usize) -> usize {
    while class[v] != v {
        class[v] = class[class[v]];
        v = class[v];
    }
    v
}
