//! Messages that travel alone, beside other collectives (process groups): the cheapest patterns are shortest paths.
//!
//! A scatter, gather or all-to-all on its own is solved faster as a flow; see `flow`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use num_bigint::BigUint;
use oneport_numbers::Exact;
use oneport_plan::{Block, Commodity, Pattern};
use oneport_platform::{LinkId, NodeId, Platform, Rational};
use oneport_trees::cheapest::Prices;

use crate::costs::{self, Costs, Times, amount};
use crate::oracle::{Oracle, Priced};
use crate::{LpError, Question};

/// Prices paths.
pub struct Paths<'a> {
    question: &'a Question<'a>,
    times: Times,
    commodities: Vec<Commodity>,
}

impl<'a> Paths<'a> {
    /// Prepares the messages of a block.
    pub fn new(question: &'a Question<'a>, block: &Block<'_>) -> Self {
        Paths { question, times: Times::new(question), commodities: block.commodities() }
    }

    fn offers<N: Exact + Into<BigUint>>(&self, costs: &Costs<N>) -> Result<Vec<Priced>, LpError> {
        let platform = self.question.platform();
        let mut trees: BTreeMap<NodeId, ShortestPaths<N>> = BTreeMap::new();
        let mut offers = Vec::with_capacity(self.commodities.len());
        for &Commodity { source, target } in &self.commodities {
            let tree =
                trees.entry(source).or_insert_with(|| ShortestPaths::new(platform, &costs.links, source, |_| true));
            let (cost, links) = tree.to(platform, target).ok_or(LpError::Contradiction("a target is not reachable"))?;
            offers.push(Priced { at_least: amount(&costs.unit, &cost), patterns: vec![Pattern::path(0, links)] });
        }
        Ok(offers)
    }
}

impl Oracle for Paths<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        self.offers(&self.times.costs(prices))
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        self.offers(&costs::exact(self.question, prices))
    }
}

/// Cheapest paths from one node, by Dijkstra's algorithm.
pub struct ShortestPaths<N> {
    source: NodeId,
    /// By node; `None` where no path leads.
    pub distances: Vec<Option<N>>,
    /// By node: the last link of the path.
    last: Vec<Option<LinkId>>,
}

impl<N: Exact> ShortestPaths<N> {
    /// Paths that pass through nodes for which `through` holds; every node may be an end. `O(m log m)`.
    pub fn new(platform: &Platform, costs: &[N], source: NodeId, through: impl Fn(NodeId) -> bool) -> Self {
        let nodes = platform.nodes().len();
        let mut paths = ShortestPaths { source, distances: vec![None; nodes], last: vec![None; nodes] };
        paths.distances[source.index()] = Some(N::zero());
        let mut heap = BinaryHeap::from([Reverse((N::zero(), source))]);
        while let Some(Reverse((near, node))) = heap.pop() {
            let stale = paths.distances[node.index()].as_ref().is_some_and(|known| *known < near);
            if stale || node != source && !through(node) {
                continue;
            }
            for &link in platform.outgoing(node) {
                let next = platform.link(link).to;
                let mut far = near.clone();
                far += &costs[link.index()];
                if paths.distances[next.index()].as_ref().is_none_or(|known| far < *known) {
                    paths.distances[next.index()] = Some(far.clone());
                    paths.last[next.index()] = Some(link);
                    heap.push(Reverse((far, next)));
                }
            }
        }
        paths
    }

    /// The cheapest path to a node and its cost.
    pub fn to(&self, platform: &Platform, target: NodeId) -> Option<(N, Vec<LinkId>)> {
        let cost = self.distances[target.index()].clone()?;
        let mut links = Vec::new();
        let mut node = target;
        while node != self.source {
            let link = self.last[node.index()]?;
            links.push(link);
            node = platform.link(link).from;
        }
        links.reverse();
        Some((cost, links))
    }
}
