//! Prices messages that travel alone, in process groups with other collectives: the cheapest patterns are shortest
//! paths.
//!
//! A scatter, gather or all-to-all on its own is solved faster as a flow; see `flow`.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_graph::shortest_paths;
use oneport_numbers::Exact;
use oneport_plan::{Block, Commodity, Pattern};
use oneport_platform::{Link, LinkId, NodeId, Platform, Rational};
use oneport_trees::cheapest::Prices;
use petgraph::graph::{EdgeIndex, EdgeReference};
use petgraph::visit::EdgeRef;

use crate::costs::{self, LinkCosts, Times, amount};
use crate::oracle::{Oracle, Priced};
use crate::{LpError, Question};

/// Prices paths.
pub(crate) struct Paths<'a> {
    question: &'a Question,
    times: Times,
    commodities: Vec<Commodity>,
}

impl<'a> Paths<'a> {
    /// Prepares the messages of a block.
    pub(crate) fn new(question: &'a Question, block: &Block<'_>) -> Self {
        Paths {
            question,
            times: Times::new(question),
            commodities: block.commodities(),
        }
    }

    fn offers<N: Exact + Into<BigUint>>(
        &self,
        costs: &LinkCosts<N>,
    ) -> Result<Vec<Priced>, LpError> {
        let platform = self.question.platform();
        let mut trees: BTreeMap<NodeId, ShortestPaths<N>> = BTreeMap::new();
        let mut offers = Vec::with_capacity(self.commodities.len());
        for &Commodity { source, target } in &self.commodities {
            let tree = trees
                .entry(source)
                .or_insert_with(|| ShortestPaths::new(platform, &costs.links, source, |_| true));
            let (cost, links) = tree
                .to(target)
                .ok_or(LpError::Contradiction("a target is not reachable"))?;
            offers.push(Priced {
                at_least: amount(&costs.unit, &cost),
                patterns: vec![Pattern::path(0, links)],
            });
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

/// Cheapest paths from one node.
pub(crate) struct ShortestPaths<N>(oneport_graph::ShortestPaths<N, EdgeIndex>);

impl<N: Exact> ShortestPaths<N> {
    /// Paths that pass through nodes for which `through` holds; every node may be an end. `O(m log m)`.
    pub(crate) fn new(
        platform: &Platform,
        costs: &[N],
        source: NodeId,
        through: impl Fn(NodeId) -> bool,
    ) -> Self {
        let cost = |link: EdgeReference<'_, Link>| &costs[link.id().index()];
        let start = [(source.into(), N::zero())];
        ShortestPaths(shortest_paths(platform.graph(), start, cost, |node| {
            through(node.into())
        }))
    }

    /// Cost of the cheapest path to a node. `None` if it is unreachable.
    pub(crate) fn cost(&self, target: NodeId) -> Option<&N> {
        self.0.distances[target.index()].as_ref()
    }

    /// The cheapest path to a node and its cost.
    pub(crate) fn to(&self, target: NodeId) -> Option<(N, Vec<LinkId>)> {
        let links = self
            .0
            .path(target.index())
            .into_iter()
            .map(LinkId::from)
            .collect();
        Some((self.cost(target)?.clone(), links))
    }
}
