//! Cheapest paths of messages between processors.

use oneport_graph::shortest_paths;
use oneport_numbers::{Exact, Scaled};
use oneport_platform::{Link, LinkId, NodeId, PerLink, PerNode, Platform, Rational};
use oneport_watch::{Limit, Watch};
use petgraph::graph::EdgeIndex;
use petgraph::visit::EdgeRef;

/// The cheapest paths between nodes: a message spends the least time on them. If several paths are equally cheap, the
/// one with the nearest last but one node is taken. Among equally near ones [`Ties`] decide. Every run finds the same
/// paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    /// Per sender: its tree of paths.
    from: PerNode<Option<Tree>>,
}

/// The paths from one node.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tree {
    /// Per node: the last link of the path to it, and the node before it.
    last: Vec<Option<(LinkId, u32)>>,
    /// The nodes that are reached, in order of distance.
    settled: Vec<u32>,
}

/// Rule for choosing among equally cheap paths whose last nodes but one are equally near.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// The first that the search meets, for all senders.
    First,
    /// Senders alternate, in the order in which they are listed, so that equal network cards are used equally.
    Turns,
}

/// Nodes that paths may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forwarders {
    /// Any node: processors forward, too.
    Anything,
    /// Routers only: if a processor forwards, the list contains its sends.
    Routers,
}

/// Fact: bytes of the path to one node: its last link, the node before it, and its position in the order of distances.
const PATH: u64 = 28;

/// Fact: costs of at most this many bits can be summed over all nodes of a platform in 64 bits.
const BITS: u64 = 39;

impl Routes {
    /// The routes from these nodes, with a rule for paths that are equally good. The watch is checked at every
    /// sender, and first for the memory of all. `O(k (n + m) log m)` for `k` of `n` nodes and `m` links.
    ///
    /// # Errors
    /// The limit that ended the search.
    pub fn new(
        platform: &Platform,
        from: &[NodeId],
        over: Forwarders,
        ties: Ties,
        watch: &Watch,
    ) -> Result<Routes, Limit> {
        let paths = (from.len() as u64).saturating_mul(platform.nodes().len() as u64);
        watch.room_for(paths.saturating_mul(PATH))?;
        let scaled = Scaled::of(platform.links().iter().map(|link| &link.cost));
        match scaled.narrow::<u64>(BITS) {
            Some(costs) => Routes::measured(platform, from, over, ties, (&costs.into(), watch)),
            None => Routes::measured(platform, from, over, ties, (&scaled.values.into(), watch)),
        }
    }

    /// The routes on which a message of this size arrives first, with the latency and the overhead of each link. If
    /// no link has either, they are those of [`Routes::new`], whose watch and cost these have.
    ///
    /// # Errors
    /// The limit that ended the search.
    pub fn quickest(
        platform: &Platform,
        from: &[NodeId],
        over: Forwarders,
        size: &Rational,
        watch: &Watch,
    ) -> Result<Routes, Limit> {
        let paths = (from.len() as u64).saturating_mul(platform.nodes().len() as u64);
        watch.room_for(paths.saturating_mul(PATH))?;
        let time = |link: &Link| &link.cost * size + link.latency() + link.overhead();
        let times: Vec<Rational> = platform.links().iter().map(time).collect();
        let scaled = Scaled::of(times.iter());
        match scaled.narrow::<u64>(BITS) {
            Some(times) => {
                Routes::measured(platform, from, over, Ties::Turns, (&times.into(), watch))
            }
            None => Routes::measured(
                platform,
                from,
                over,
                Ties::Turns,
                (&scaled.values.into(), watch),
            ),
        }
    }

    fn measured<N: Exact>(
        platform: &Platform,
        from: &[NodeId],
        over: Forwarders,
        ties: Ties,
        (costs, watch): (&PerLink<N>, &Watch),
    ) -> Result<Routes, Limit> {
        let mut routes = Routes {
            from: platform.per_node(None),
        };
        for (rank, &node) in from.iter().enumerate() {
            watch.ask()?;
            let through =
                |next: NodeId| over == Forwarders::Anything || !platform.node(next).is_processor();
            let paths = shortest_paths(
                platform.graph(),
                [(node.into(), N::zero())],
                |edge| &costs[LinkId::from(edge.id())],
                |next| through(next.into()),
            );
            let short = |node: usize| u32::try_from(node).unwrap_or(u32::MAX);
            let last = |last: Option<(EdgeIndex, usize)>| last.map(|(e, n)| (e.into(), short(n)));
            let mut tree = Tree {
                last: paths.last.into_iter().map(last).collect(),
                settled: paths.settled.into_iter().map(short).collect(),
            };
            let near = |node: NodeId| {
                (node == from[rank] || through(node))
                    .then(|| paths.distances[node.index()].as_ref())
            };
            if ties == Ties::Turns {
                tree.take_turns(platform, rank, near, costs);
            }
            routes.from[node] = Some(tree);
        }
        Ok(routes)
    }

    /// The links of the path, in travel order. `None` if the target is unreachable or `from` is not among the senders.
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

    /// Sums the traffic per link for the amounts that one node sends, given by target. `O(n)`.
    pub(crate) fn spread(
        &self,
        from: NodeId,
        mut amounts: PerNode<u128>,
        mut pass: impl FnMut(LinkId, u128),
    ) {
        let Some(Some(tree)) = self.from.get(from.index()) else {
            return;
        };
        for &node in tree.settled.iter().rev() {
            let amount = amounts[NodeId::new(node as usize)];
            if let (Some((link, before)), true) = (tree.last[node as usize], amount > 0) {
                pass(link, amount);
                amounts[NodeId::new(before as usize)] += amount;
            }
        }
    }
}

impl Tree {
    /// If several last links are equally good, takes them in rotation, from number `turn` on. `near` is the distance of
    /// a node if paths may pass it.
    fn take_turns<'a, N: Exact + 'a>(
        &mut self,
        platform: &Platform,
        mut turn: usize,
        near: impl Fn(NodeId) -> Option<Option<&'a N>>,
        costs: &PerLink<N>,
    ) {
        let mut settled = platform.per_node(false);
        for &node in &self.settled {
            settled[NodeId::new(node as usize)] = true;
            let Some((link, before)) = self.last[node as usize] else {
                continue;
            };
            let (far, cost) = (near(NodeId::new(before as usize)), &costs[link]);
            let as_good = |link: &LinkId| {
                let from = platform.link(*link).from;
                from.index() != node as usize
                    && settled[from]
                    && near(from) == far
                    && &costs[*link] == cost
            };
            let equal: Vec<LinkId> = platform
                .incoming(NodeId::new(node as usize))
                .iter()
                .copied()
                .filter(as_good)
                .collect();
            if equal.len() > 1 {
                let link = equal[turn % equal.len()];
                let before = u32::try_from(platform.link(link).from.index()).unwrap_or(u32::MAX);
                self.last[node as usize] = Some((link, before));
                turn += 1;
            }
        }
    }
}
