//! Dijkstra's algorithm in exact arithmetic.
//!
//! The heap holds node numbers and compares their distances in place, and a candidate distance is formed in a
//! scratch value: with numbers of thousands of bits nearly all time would otherwise go into allocations.

use std::ops::AddAssign;

use num_traits::Zero;
use oneport_platform::{NodeId, PerLink, Platform};

/// The length of a link, as a number.
pub(crate) trait Length: Clone + Ord + Zero + for<'a> AddAssign<&'a Self> {}
impl<T: Clone + Ord + Zero + for<'a> AddAssign<&'a T>> Length for T {}

/// Not in the heap: never reached, or settled.
const OUTSIDE: usize = usize::MAX;

/// Shortest distances from one node at a time. The arrays are reused from root to root.
#[derive(Debug)]
pub(crate) struct ShortestPaths<'a, T> {
    platform: &'a Platform,
    /// Per link, not negative.
    lengths: &'a PerLink<T>,
    /// Whether links are followed against their direction.
    reversed: bool,
    distance: Vec<T>,
    settled: Vec<bool>,
    /// The nodes that are settled, in order of distance.
    order: Vec<usize>,
    /// Binary heap of nodes by distance, and the position of each node in it.
    heap: Vec<usize>,
    position: Vec<usize>,
}

impl<'a, T: Length> ShortestPaths<'a, T> {
    pub(crate) fn new(platform: &'a Platform, lengths: &'a PerLink<T>, reversed: bool) -> Self {
        let nodes = platform.nodes().len();
        ShortestPaths {
            platform,
            lengths,
            reversed,
            distance: vec![T::zero(); nodes],
            settled: vec![false; nodes],
            order: Vec::new(),
            heap: Vec::new(),
            position: vec![OUTSIDE; nodes],
        }
    }

    /// Computes the distances from `root`, until `wanted` nodes satisfying `is_wanted` have theirs.
    ///
    /// O((nodes + links) log nodes) comparisons and O(links) additions.
    pub(crate) fn run(&mut self, root: NodeId, is_wanted: &[bool], mut wanted: usize) {
        self.search([(root, T::zero())], |node| {
            wanted -= usize::from(is_wanted[node]);
            (wanted > 0).then_some(true)
        });
    }

    /// Computes the distances from some nodes, each of which has one at first. For every settled node, `passes` returns
    /// whether paths may lead on from it. `None` ends the search.
    ///
    /// As many operations as [`run`](Self::run), on the nodes that are met and the links that leave them.
    pub(crate) fn search(
        &mut self,
        starts: impl IntoIterator<Item = (NodeId, T)>,
        mut passes: impl FnMut(usize) -> Option<bool>,
    ) {
        for node in self.order.drain(..) {
            self.settled[node] = false;
        }
        for node in self.heap.drain(..) {
            self.position[node] = OUTSIDE;
        }
        for (start, far) in starts {
            self.distance[start.index()] = far;
            self.push(start.index());
        }
        let mut candidate = T::zero();
        while let Some(node) = self.pop() {
            self.settled[node] = true;
            self.order.push(node);
            match passes(node) {
                None => return,
                Some(false) => continue,
                Some(true) => {}
            }
            let platform = self.platform;
            let id = NodeId::new(node);
            let links = if self.reversed {
                platform.incoming(id)
            } else {
                platform.outgoing(id)
            };
            for &id in links {
                let link = platform.link(id);
                let next = if self.reversed { link.from } else { link.to }.index();
                if self.settled[next] {
                    continue;
                }
                candidate.clone_from(&self.distance[node]);
                candidate += &self.lengths[id];
                if self.position[next] == OUTSIDE {
                    self.distance[next].clone_from(&candidate);
                    self.push(next);
                } else if candidate < self.distance[next] {
                    std::mem::swap(&mut candidate, &mut self.distance[next]);
                    self.rise(self.position[next]);
                }
            }
        }
    }

    /// The nodes whose distances the last search found, nearest first.
    pub(crate) fn found(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.order.iter().map(|&node| NodeId::new(node))
    }

    /// The distance found by the last search. `None` for a node that it did not reach.
    pub(crate) fn distance(&self, node: NodeId) -> Option<&T> {
        self.settled[node.index()].then(|| &self.distance[node.index()])
    }

    fn push(&mut self, node: usize) {
        self.position[node] = self.heap.len();
        self.heap.push(node);
        self.rise(self.heap.len() - 1);
    }

    fn pop(&mut self) -> Option<usize> {
        let last = self.heap.len().checked_sub(1)?;
        self.exchange(0, last);
        let node = self.heap.pop()?;
        self.position[node] = OUTSIDE;
        self.sink(0);
        Some(node)
    }

    fn rise(&mut self, mut position: usize) {
        while position > 0 && self.nearer(position, (position - 1) / 2) {
            self.exchange(position, (position - 1) / 2);
            position = (position - 1) / 2;
        }
    }

    fn sink(&mut self, mut position: usize) {
        loop {
            let mut nearest = position;
            for child in [2 * position + 1, 2 * position + 2] {
                if child < self.heap.len() && self.nearer(child, nearest) {
                    nearest = child;
                }
            }
            if nearest == position {
                return;
            }
            self.exchange(position, nearest);
            position = nearest;
        }
    }

    /// Whether the node at one position of the heap is nearer than the node at another.
    fn nearer(&self, one: usize, other: usize) -> bool {
        self.distance[self.heap[one]] < self.distance[self.heap[other]]
    }

    fn exchange(&mut self, one: usize, other: usize) {
        self.heap.swap(one, other);
        self.position[self.heap[one]] = one;
        self.position[self.heap[other]] = other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oneport_platform::Node;
    use oneport_platform::whole;
    use oneport_testkit::Dice;

    /// Most distances fall several times while their nodes wait, so that nodes rise through all levels of the heap.
    #[test]
    fn distances_are_those_of_relaxing_every_link_in_turn() {
        let mut dice = Dice::new(5);
        let mut roll = |below: u64| dice.below(below);
        let nodes = 60;
        for _ in 0..20 {
            let mut builder = Platform::builder();
            for node in 0..nodes {
                drop(builder.node(Node::router(format!("n{node}"))));
            }
            let mut lengths = Vec::<u64>::new();
            for from in 0..nodes {
                for to in (0..nodes).filter(|&to| to != from) {
                    // Long paths have more hops and cost less.
                    let forward = if to > from {
                        (to - from) * (to - from)
                    } else {
                        5 * (from - to)
                    } as u64;
                    builder
                        .link(NodeId::new(from), NodeId::new(to), whole(1))
                        .unwrap();
                    lengths.push(20 * forward + roll(90));
                }
            }
            let platform = builder.build().unwrap();
            let root = NodeId::new(roll(nodes as u64) as usize);
            for reversed in [false, true] {
                let mut expected = vec![u64::MAX; nodes];
                expected[root.index()] = 0;
                for _ in 0..nodes {
                    for id in platform.link_ids() {
                        let link = platform.link(id);
                        let (from, to) = if reversed {
                            (link.to, link.from)
                        } else {
                            (link.from, link.to)
                        };
                        let candidate = expected[from.index()].saturating_add(lengths[id.index()]);
                        expected[to.index()] = expected[to.index()].min(candidate);
                    }
                }
                let lengths = PerLink::from(lengths.clone());
                let mut paths = ShortestPaths::new(&platform, &lengths, reversed);
                paths.run(root, &vec![true; nodes], nodes);
                let found: Vec<u64> = (0..nodes)
                    .map(|node| {
                        paths
                            .distance(NodeId::new(node))
                            .copied()
                            .unwrap_or(u64::MAX)
                    })
                    .collect();
                assert_eq!(found, expected);
            }
        }
    }
}
