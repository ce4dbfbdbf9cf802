//! Cheapest paths from one node: Dijkstra's algorithm over machine or exact integers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Add;

use num_traits::Zero;
use oneport_platform::LinkId;

use super::Arc;

/// Cheapest paths from one node for one unit of message; of equally cheap ones those with the fewest links.
pub(super) struct Paths<N> {
    /// By node index; `None` where no path leads.
    steps: Vec<Option<Step<N>>>,
}

struct Step<N> {
    distance: N,
    links: u32,
    /// The last link and its sender; `None` at the source.
    last: Option<(LinkId, usize)>,
}

impl<N: Ord + Clone + Zero> Paths<N>
where
    for<'n> &'n N: Add<&'n N, Output = N>,
{
    /// From `source`, with the weights of links by id. `O(m log m)` for `m` links.
    pub fn new(graph: &[Vec<Arc>], weights: &[N], source: usize) -> Self {
        let mut steps: Vec<Option<Step<N>>> = graph.iter().map(|_| None).collect();
        let mut done = vec![false; graph.len()];
        let mut queue = BinaryHeap::new();
        steps[source] = Some(Step { distance: N::zero(), links: 0, last: None });
        queue.push(Reverse((N::zero(), 0, source)));
        while let Some(Reverse((distance, links, node))) = queue.pop() {
            if std::mem::replace(&mut done[node], true) {
                continue;
            }
            for arc in graph[node].iter().filter(|arc| !done[arc.to]) {
                let (far, links) = (&distance + &weights[arc.link.index()], links + 1);
                let old = &mut steps[arc.to];
                if old.as_ref().is_none_or(|old| (&far, links) < (&old.distance, old.links)) {
                    queue.push(Reverse((far.clone(), links, arc.to)));
                    *old = Some(Step { distance: far, links, last: Some((arc.link, node)) });
                }
            }
        }
        Paths { steps }
    }
}

impl<N> Paths<N> {
    /// The price of the path to a node.
    pub fn distance(&self, to: usize) -> Option<&N> {
        Some(&self.steps.get(to)?.as_ref()?.distance)
    }

    /// The highest price of all paths.
    pub fn farthest(&self) -> Option<&N>
    where
        N: Ord,
    {
        self.steps.iter().flatten().map(|step| &step.distance).max()
    }

    /// How many links the path to a node has.
    pub fn links(&self, to: usize) -> u32 {
        self.steps.get(to).and_then(Option::as_ref).map_or(0, |step| step.links)
    }

    /// The links of the path to a node, in the order of travel.
    pub fn path(&self, to: usize) -> Vec<LinkId> {
        let mut links = Vec::new();
        let mut at = to;
        while let Some(Some(Step { last: Some((link, from)), .. })) = self.steps.get(at) {
            links.push(*link);
            at = *from;
        }
        links.reverse();
        links
    }
}
