//! Which way messages between processors take.

use oneport_graph::shortest_paths;
use oneport_numbers::{Exact, Scaled};
use oneport_platform::{LinkId, NodeId, Platform};
use petgraph::graph::EdgeIndex;
use petgraph::visit::EdgeRef;

/// The cheapest paths between nodes: those on which a message spends the least time. Of equally cheap paths the one is
/// taken whose last node but one is nearer, then comes first in the platform; so the way is the same in every run.
#[derive(Debug, Clone)]
pub struct Routes {
    /// By node from which somebody sends.
    from: Vec<Option<Tree>>,
}

/// The paths from one node.
#[derive(Debug, Clone)]
struct Tree {
    /// By node: the last link of the way to it and the node before it.
    last: Vec<Option<(LinkId, u32)>>,
    /// The nodes that are reached, in order of distance.
    settled: Vec<u32>,
}

/// Over which nodes a way may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Any node: processors forward, too.
    Anything,
    /// Routers only: a processor that forwards says so itself.
    Routers,
}

/// Bits of a cost of which as many as a platform can have nodes add up to a machine word.
const BITS: u64 = 39;

impl Routes {
    /// The routes from these nodes. `O(k (n + m) log m)` for `k` of `n` nodes and `m` links.
    pub fn new(platform: &Platform, from: &[NodeId], over: Over) -> Routes {
        let scaled = Scaled::of(platform.links().iter().map(|link| &link.cost));
        match scaled.narrow::<u64>(BITS) {
            Some(costs) => Routes::measured(platform, from, over, &costs),
            None => Routes::measured(platform, from, over, &scaled.values),
        }
    }

    fn measured<N: Exact>(platform: &Platform, from: &[NodeId], over: Over, costs: &[N]) -> Routes {
        let mut routes = Routes { from: vec![None; platform.nodes().len()] };
        for &node in from {
            let paths = shortest_paths(
                platform.graph(),
                [(node.into(), N::zero())],
                |edge| &costs[LinkId::from(edge.id()).index()],
                |next| over == Over::Anything || !platform.node(next.into()).is_processor(),
            );
            let short = |node: usize| u32::try_from(node).unwrap_or(u32::MAX);
            let last = |last: Option<(EdgeIndex, usize)>| last.map(|(e, n)| (e.into(), short(n)));
            routes.from[node.index()] = Some(Tree {
                last: paths.last.into_iter().map(last).collect(),
                settled: paths.settled.into_iter().map(short).collect(),
            });
        }
        routes
    }

    /// The links from one node to another, in the order of travel; `None` where no way leads, or none from this node
    /// was asked for.
    pub fn path(&self, from: NodeId, to: NodeId) -> Option<Vec<LinkId>> {
        let tree = self.from.get(from.index())?.as_ref()?;
        let (mut links, mut node) = (Vec::new(), to);
        while node != from {
            let (link, before) = (*tree.last.get(node.index())?)?;
            links.push(link);
            node = NodeId::new(before as usize);
        }
        links.reverse();
        Some(links)
    }

    /// Adds up, for amounts sent from one node, by target, what passes every link. `O(n)`.
    pub(crate) fn spread(&self, from: NodeId, mut amounts: Vec<u64>, mut pass: impl FnMut(LinkId, u64)) {
        let Some(Some(tree)) = self.from.get(from.index()) else { return };
        for &node in tree.settled.iter().rev() {
            let amount = amounts[node as usize];
            if let (Some((link, before)), true) = (tree.last[node as usize], amount > 0) {
                pass(link, amount);
                amounts[before as usize] += amount;
            }
        }
    }
}
