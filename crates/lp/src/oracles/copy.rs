//! Broadcast and all-gather (RR-2004-32 sections 3 and 4.2): the cheapest patterns are arborescences.
//!
//! Only nodes that replicate make copies. Other switches are collapsed: an arc between two replicating nodes is the
//! cheapest route through switches, and an arborescence consists of such arcs. If every replicating node is a target of
//! the message, the cheapest arborescence is found exactly (Chu and Liu, Edmonds). Nodes that may help but are no
//! targets (routers, processors outside the collective) make it a Steiner problem, which branch and bound solves. Over
//! links of cost 0 a tree may pass a switch twice on the way to one target. Such detours are cut out.

use num_bigint::BigUint;
use num_traits::One;
use oneport_extract::copies::direct;
use oneport_graph::arborescence::shallow_arborescence;
use oneport_graph::steiner;
use oneport_numbers::Exact;
use oneport_plan::{Block, Demand, Pattern};
use oneport_platform::{LinkId, NodeId, PerNode, Platform, Rational};
use oneport_trees::cheapest::Prices;
use oneport_watch::Watch;

pub(crate) use oneport_extract::copies::Hop;

use crate::costs::{self, LinkCosts, Times, amount};
use crate::oracle::{Oracle, Priced};
use crate::oracles::route::ShortestPaths;
use crate::{LpError, Question};

/// Branch-and-bound nodes per Steiner arborescence. Trades cheaper trees for time. Not measured.
const BUDGET: usize = 2000;
/// Branch-and-bound nodes times the square of the arcs, roughly their steps. Trades cheaper trees for time. Not
/// measured alone.
const STEPS: usize = 1 << 31;

/// The number of branch-and-bound nodes, by the number of arcs.
fn budget(arcs: usize) -> usize {
    BUDGET.min(STEPS / arcs.saturating_mul(arcs).max(1))
}

/// Prices arborescences.
pub(crate) struct Copies<'a> {
    question: &'a Question,
    times: Times,
    network: Network,
    demands: Vec<Spread>,
}

/// One message and its receivers.
pub(crate) struct Spread {
    source: NodeId,
    /// Vertices in the network, other than the source's.
    targets: Vec<usize>,
}

impl Spread {
    /// Where the message is at first.
    pub(crate) fn source(&self) -> NodeId {
        self.source
    }

    /// Vertices in the network, other than the source's.
    pub(crate) fn targets(&self) -> &[usize] {
        &self.targets
    }
}

/// The nodes that replicate: where copies can be made and kept.
pub(crate) struct Network {
    nodes: Vec<NodeId>,
    /// Per node of the platform.
    vertices: PerNode<Option<usize>>,
    switches: bool,
    watch: Watch,
}

impl Network {
    /// The replicating nodes of a platform.
    pub(crate) fn new(platform: &Platform) -> Self {
        let nodes: Vec<NodeId> = platform
            .node_ids()
            .filter(|&node| platform.node(node).replicates)
            .collect();
        let mut vertices = platform.per_node(None);
        for (vertex, node) in nodes.iter().enumerate() {
            vertices[*node] = Some(vertex);
        }
        Network {
            switches: nodes.len() < vertices.len(),
            nodes,
            vertices,
            watch: Watch::unlimited(),
        }
    }

    /// This network under a watch, which can end the enumeration.
    pub(crate) fn watched(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// How many nodes replicate.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node at a vertex.
    pub(crate) fn node(&self, vertex: usize) -> NodeId {
        self.nodes[vertex]
    }

    /// The vertex of a node that replicates.
    pub(crate) fn vertex(&self, node: NodeId) -> Option<usize> {
        self.vertices[node]
    }

    /// One message with these targets, without the source.
    pub(crate) fn spread(&self, source: NodeId, targets: &[NodeId]) -> Spread {
        let others = targets.iter().filter(|&&target| target != source);
        Spread {
            source,
            targets: others.filter_map(|target| self.vertices[*target]).collect(),
        }
    }

    /// Whether every replicating node is a target of the message.
    pub(crate) fn is_spanning(&self, spread: &Spread) -> bool {
        spread.targets.len() + 1 == self.nodes.len()
    }

    /// Whether these are all the replicating nodes.
    pub(crate) fn is_all(&self, targets: &[NodeId]) -> bool {
        targets
            .iter()
            .filter(|&&target| self.vertices[target].is_some())
            .count()
            == self.nodes.len()
    }

    /// The arcs between replicating nodes under these costs. Some are missing if the watch ends the work.
    pub(crate) fn routes<'p, N: Exact>(
        &self,
        platform: &'p Platform,
        costs: &[N],
    ) -> Routes<'p, N> {
        let mut routes = Routes {
            platform,
            arcs: Vec::new(),
            links: Vec::new(),
        };
        if !self.switches {
            for (link, ends) in platform.link_ids().zip(platform.links()) {
                if let (Some(from), Some(to)) = (self.vertices[ends.from], self.vertices[ends.to]) {
                    routes.arcs.push((from, to, costs[link.index()].clone()));
                    routes.links.push(vec![link]);
                }
            }
            return routes;
        }
        for (from, &node) in self
            .nodes
            .iter()
            .enumerate()
            .take_while(|_| self.watch.ask().is_ok())
        {
            let paths =
                ShortestPaths::new(platform, costs, node, |node| self.vertices[node].is_none());
            for (to, &end) in self.nodes.iter().enumerate().filter(|(to, _)| *to != from) {
                if let Some((cost, links)) = paths.to(end) {
                    routes.arcs.push((from, to, cost));
                    routes.links.push(links);
                }
            }
        }
        routes
    }

    /// A cheap tree for one message, its cost, and a lower bound on the cost of all trees. Of trees of equal cost a
    /// shallow one. If `guide` is set, there is no branching.
    pub(crate) fn cheapest<N: Exact>(
        &self,
        routes: &Routes<'_, N>,
        spread: &Spread,
        guide: bool,
    ) -> Option<CopyTree<N>> {
        let nodes = self.nodes.len();
        let root = self.vertices[spread.source]?;
        if self.is_spanning(spread) {
            let found = shallow_arborescence(nodes, root, &routes.arcs, |arc| routes.length(arc))?;
            let entering = |vertex: usize| found.entering[vertex];
            let hops = routes.hops(root, &routes.order(nodes, root, entering));
            return Some(CopyTree {
                at_least: found.cost.clone(),
                cost: found.cost,
                hops,
            });
        }
        let budget = (!guide).then(|| budget(routes.arcs.len()));
        let found = steiner::steiner(
            nodes,
            root,
            &spread.targets,
            &routes.arcs,
            steiner::Effort {
                budget,
                cuts: false,
                watch: &self.watch,
            },
        )?;
        let found = found.shallow(root, &spread.targets, &routes.arcs, |arc| {
            routes.length(arc)
        });
        Some(CopyTree {
            at_least: found.at_least,
            cost: found.cost,
            hops: routes.hops(root, &found.arcs),
        })
    }
}

impl Network {
    /// A tree of shortest routes to all targets: one run of Dijkstra's algorithm, for any question.
    ///
    /// A copy that has passed a node that replicates goes on from there to all targets beyond.
    pub(crate) fn shortest<N: Exact>(
        &self,
        platform: &Platform,
        costs: &[N],
        spread: &Spread,
    ) -> Option<Vec<Hop>> {
        let paths = ShortestPaths::new(platform, costs, spread.source, |_| true);
        let mut hops: Vec<Hop> = Vec::new();
        // The hop that brought the copy of each node that replicates.
        let mut brought: Vec<Option<u32>> = vec![None; self.nodes.len()];
        for &target in &spread.targets {
            let (_, links) = paths.to(self.nodes[target])?;
            // Two paths of one tree agree until they part.
            let end = |link: &LinkId| {
                self.vertices[platform.link(*link).to].and_then(|vertex| brought[vertex])
            };
            let known = links
                .iter()
                .enumerate()
                .rev()
                .find_map(|(at, link)| Some((at + 1, end(link)?)));
            let (start, mut after) = known.map_or((0, None), |(start, hop)| (start, Some(hop)));
            for &link in &links[start..] {
                hops.push((link, after));
                after = u32::try_from(hops.len() - 1).ok();
                if let Some(vertex) = self.vertices[platform.link(link).to] {
                    brought[vertex] = after;
                }
            }
        }
        Some(hops)
    }
}

impl Network {
    /// [`cheapest`](Self::cheapest) from the best of several roots, each with an extra cost. Returns the root, too.
    pub(crate) fn cheapest_from_any<N: Exact + One>(
        &self,
        routes: &Routes<'_, N>,
        targets: &[NodeId],
        roots: &[(usize, N)],
        guide: bool,
    ) -> Option<(usize, CopyTree<N>)> {
        // A super-source has an arc to every candidate root. Its cost is above any tree's, so an optimum uses exactly
        // one.
        let mut price = N::one();
        for (_, _, cost) in &routes.arcs {
            price += cost;
        }
        for (_, extra) in roots {
            price += extra;
        }
        let nodes = self.nodes.len();
        let mut arcs = routes.arcs.clone();
        for (root, extra) in roots {
            let mut cost = price.clone();
            cost += extra;
            arcs.push((nodes, *root, cost));
        }
        let own = routes.arcs.len();
        let length = |arc: usize| if arc < own { routes.length(arc) } else { 0 };
        let targets: Vec<usize> = targets
            .iter()
            .filter_map(|target| self.vertices[*target])
            .collect();
        let (mut at_least, mut cost, used) = if targets.len() == nodes {
            let found = shallow_arborescence(nodes + 1, nodes, &arcs, length)?;
            (found.cost.clone(), found.cost, found.entering)
        } else {
            let budget = (!guide).then(|| budget(own));
            let found = steiner::steiner(
                nodes + 1,
                nodes,
                &targets,
                &arcs,
                steiner::Effort {
                    budget,
                    cuts: false,
                    watch: &self.watch,
                },
            )?;
            let found = found.shallow(nodes, &targets, &arcs, length);
            let mut entering = vec![None; nodes];
            for &arc in found.arcs.iter() {
                entering[arcs[arc].1] = Some(arc);
            }
            (found.at_least, found.cost, entering)
        };
        let root = used
            .iter()
            .flatten()
            .find(|&&arc| arc >= own)
            .map(|&arc| arcs[arc].1)?;
        at_least = if at_least < price {
            N::zero()
        } else {
            at_least
        };
        for sum in [&mut at_least, &mut cost] {
            if *sum >= price {
                *sum -= &price;
            }
        }
        let entering = |node: usize| used[node].filter(|&arc| arc < own);
        let hops = routes.hops(root, &routes.order(nodes, root, entering));
        Some((
            root,
            CopyTree {
                at_least,
                cost,
                hops,
            },
        ))
    }
}

/// A tree for one message.
pub(crate) struct CopyTree<N> {
    /// No tree costs less.
    pub at_least: N,
    /// Cost of this one.
    pub cost: N,
    /// Its uses of links.
    pub hops: Vec<Hop>,
}

/// Arcs between replicating nodes, each a route through switches (or a single link).
pub(crate) struct Routes<'p, N> {
    platform: &'p Platform,
    arcs: Vec<(usize, usize, N)>,
    links: Vec<Vec<LinkId>>,
}

impl<N: Exact> Routes<'_, N> {
    /// From, to (vertices in the network) and cost.
    pub(crate) fn arcs(&self) -> &[(usize, usize, N)] {
        &self.arcs
    }

    /// How many links an arc has.
    fn length(&self, arc: usize) -> u32 {
        self.links[arc].len() as u32
    }

    /// The arcs that enter the nodes, from the root outwards.
    fn order(
        &self,
        nodes: usize,
        root: usize,
        entering: impl Fn(usize) -> Option<usize>,
    ) -> Vec<usize> {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for arc in (0..nodes).filter_map(&entering) {
            leaving[self.arcs[arc].0].push(arc);
        }
        let mut order = Vec::with_capacity(nodes);
        let mut queue = vec![root];
        while let Some(node) = queue.pop() {
            for &arc in &leaving[node] {
                order.push(arc);
                queue.push(self.arcs[arc].1);
            }
        }
        order
    }

    /// The hops of arcs that are listed from the root outwards.
    fn hops(&self, root: usize, arcs: &[usize]) -> Vec<Hop> {
        let mut hops: Vec<Hop> = Vec::new();
        let mut brought: std::collections::BTreeMap<usize, u32> = std::collections::BTreeMap::new();
        for &arc in arcs {
            let (from, to, _) = self.arcs[arc];
            let mut after = if from == root {
                None
            } else {
                brought.get(&from).copied()
            };
            for &link in &self.links[arc] {
                hops.push((link, after));
                after = Some(hops.len() as u32 - 1);
            }
            if let Some(hop) = after {
                _ = brought.insert(to, hop);
            }
        }
        debug_assert!(
            hops.iter()
                .all(|(link, _)| link.index() < self.platform.links().len())
        );
        hops
    }
}

impl<'a> Copies<'a> {
    /// Prepares the messages of a block.
    pub(crate) fn new(question: &'a Question, block: &Block<'_>) -> Self {
        let network = Network::new(question.platform()).watched(question.watch().clone());
        let spread =
            |demand: Demand<'_>| Some(network.spread(*demand.operands.first()?, demand.targets()));
        let demands = block.demands().filter_map(spread).collect();
        Copies {
            question,
            times: Times::new(question),
            network,
            demands,
        }
    }

    fn offers<N: Exact + Into<BigUint>>(
        &self,
        costs: &LinkCosts<N>,
        guide: bool,
    ) -> Result<Vec<Priced>, LpError> {
        let routes = self.network.routes(self.question.platform(), &costs.links);
        let offer = |spread: &Spread| {
            self.question.watch().ask()?;
            let found = self.network.cheapest(&routes, spread, guide);
            let found = found.ok_or(LpError::Contradiction("a target is not reachable"))?;
            let platform = self.question.platform();
            let wanted = |node| {
                let vertex = self.network.vertex(node);
                vertex.is_some_and(|vertex| spread.targets.contains(&vertex))
            };
            let pattern = Pattern::arborescence(0, direct(platform, found.hops, wanted));
            Ok(Priced {
                at_least: amount(&costs.unit, &found.at_least),
                patterns: vec![pattern],
            })
        };
        self.demands.iter().map(offer).collect()
    }
}

impl Oracle for Copies<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        self.offers(&self.times.costs(prices), true)
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        let costs = costs::exact(self.question, prices);
        match costs::narrowed(&costs, self.question.platform()) {
            Some(costs) => self.offers(&costs, false),
            None => self.offers(&costs, false),
        }
    }

    fn is_exact(&self) -> bool {
        self.demands
            .iter()
            .all(|spread| self.network.is_spanning(spread))
    }
}
