//! Transfers of cost 0: many prices are zero, and processors that such transfers connect have equal prices.

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_graph::{Arc, reachable};
use petgraph::visit::{EdgeFiltered, EdgeRef};

use super::reduction::Reduction;
use super::weights::Weights;

/// Nodes that reach one another over links of price zero.
pub(super) struct Free {
    /// Per node: the first node that it reaches and that reaches it at cost 0. The node itself if not all partial
    /// results are sent.
    group: Vec<usize>,
    /// Per processor: the processors that it reaches at cost 0 and that merge at most as expensively. (Of processors
    /// that reach one another at equal cost, only the first count, so that some processor has none.)
    better: Vec<Vec<usize>>,
}

impl Free {
    /// `O(n m)` for `n` nodes and `m` links.
    pub(super) fn new(reduction: &Reduction, weights: &Weights) -> Self {
        let reach: Vec<Vec<bool>> = (0..reduction.graph.nodes())
            .map(|node| reach(reduction, &weights.links, node))
            .collect();
        let alike = |a: usize, b: usize| reach[a][b] && reach[b][a];
        let all_sent = reduction.resting.is_empty();
        let group = |node: usize| {
            (0..node)
                .find(|&first| all_sent && alike(first, node))
                .unwrap_or(node)
        };
        let nodes = &reduction.processors;
        // With work by task, a processor that is cheaper for one merge may be costlier for another.
        let comparable = !reduction.is_by_task();
        let better = |processor: usize| {
            let is_better = |&other: &usize| {
                let order = weights.merges[other].cmp(&weights.merges[processor]);
                let first =
                    order.is_lt() || !alike(nodes[processor], nodes[other]) || other < processor;
                comparable
                    && reach[nodes[processor]][nodes[other]]
                    && order.is_le()
                    && first
                    && other != processor
            };
            (0..nodes.len()).filter(is_better).collect()
        };
        Free {
            group: (0..reach.len()).map(group).collect(),
            better: (0..nodes.len()).map(better).collect(),
        }
    }

    /// The representative of the node's group.
    pub(super) fn group(&self, node: usize) -> usize {
        self.group.get(node).copied().unwrap_or(node)
    }

    /// Processors at which merging is at least as cheap as at this one, and to which everything moves for nothing.
    pub(super) fn better(&self, processor: usize) -> &[usize] {
        &self.better[processor]
    }
}

/// The nodes that a node reaches for nothing.
fn reach(reduction: &Reduction, links: &[BigUint], source: usize) -> Vec<bool> {
    let is_free = |link: Arc<'_, ()>| links[link.id()].is_zero();
    reachable(&EdgeFiltered::from_fn(&reduction.graph, is_free), [source])
}
