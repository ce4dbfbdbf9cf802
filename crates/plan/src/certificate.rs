//! Prices on resources: a proof that no schedule is faster.

use std::collections::BTreeMap;
use std::fmt;

use oneport_platform::{LinkId, NodeId, Platform, PortModel, Rational, count, names};

use crate::Task;

/// A resource that a transfer or a merge occupies for its whole duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// The send port of a node (full-duplex), or its send ports (multiport).
    Send(NodeId),
    /// The receive port of a node (full-duplex), or its receive ports (multiport).
    Receive(NodeId),
    /// The processor of a node.
    Compute(NodeId),
    /// The only port of a half-duplex node.
    Port(NodeId),
    /// A link, which serves one transfer at a time.
    Link(LinkId),
}

impl Resource {
    /// The ports at the two ends of a link, sender first; `None` where the port model sets no limit.
    pub fn ends(platform: &Platform, link: LinkId) -> [Option<Resource>; 2] {
        let end = |node: NodeId, port: fn(NodeId) -> Resource| match platform.model_of(node) {
            PortModel::FullDuplex | PortModel::Multiport => Some(port(node)),
            PortModel::HalfDuplex => Some(Resource::Port(node)),
            PortModel::Links => None,
        };
        let link = platform.link(link);
        [end(link.from, Resource::Send), end(link.to, Resource::Receive)]
    }

    /// The resources that a transfer over this link occupies: the ports at its ends, and the link itself unless a port
    /// already limits it to one transfer at a time.
    pub fn of_link(platform: &Platform, link: LinkId) -> impl Iterator<Item = Resource> + use<> {
        let ends = Resource::ends(platform, link);
        let single = ends.iter().flatten().any(|end| end.capacity(platform) == 1);
        ends.into_iter().flatten().chain((!single).then_some(Resource::Link(link)))
    }

    /// How many transfers (or merges) it serves at a time: 1, or the ports of a multiport node.
    pub fn capacity(self, platform: &Platform) -> u32 {
        match self {
            Resource::Send(node) | Resource::Receive(node) => platform.ports(node).unwrap_or(1),
            Resource::Compute(_) | Resource::Port(_) | Resource::Link(_) => 1,
        }
    }

    /// Every port and link that transfers on this platform can occupy, ascending; no processors.
    pub fn of_platform(platform: &Platform) -> Vec<Resource> {
        let mut all: Vec<Resource> = platform.link_ids().flat_map(|link| Resource::of_link(platform, link)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The node the resource belongs to; `None` for a link.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Resource::Send(node) | Resource::Receive(node) | Resource::Compute(node) | Resource::Port(node) => {
                Some(node)
            }
            Resource::Link(_) => None,
        }
    }

    /// "send", "receive", "compute", "port" or "link".
    pub fn kind(self) -> &'static str {
        match self {
            Resource::Send(_) => "send",
            Resource::Receive(_) => "receive",
            Resource::Compute(_) => "compute",
            Resource::Port(_) => "port",
            Resource::Link(_) => "link",
        }
    }

    /// For messages: `send port of 'a'`, `link 'a -> b'`. The resource is one of this platform.
    pub fn describe(self, platform: &Platform) -> String {
        let of = |what: &str, node: NodeId| format!("{what} of '{}'", platform.name(node));
        match self {
            Resource::Send(node) => of("send port", node),
            Resource::Receive(node) => of("receive port", node),
            Resource::Compute(node) => of("processor", node),
            Resource::Port(node) => of("port", node),
            Resource::Link(link) => format!("link '{}'", platform.link_name(link)),
        }
    }
}

/// An odd-set inequality (Edmonds 1965, for ports of several links at a time Pulleyblank 1973): of the links with both
/// ends among the ports, and of further links with one end there, at most half of what ports and links offer together,
/// rounded down, can be busy at a time. Every busy link of the first kind takes two units of the ports, one of the
/// second kind a unit of the ports and its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OddSet {
    /// Ports, ascending.
    pub ports: Vec<Resource>,
    /// Further links, ascending, each with one end among the ports.
    pub links: Vec<LinkId>,
}

impl OddSet {
    /// The links counted: those with both ends among the ports, and the further links; ascending.
    pub fn members(&self, platform: &Platform) -> Vec<LinkId> {
        let has = |end: Option<Resource>| end.is_some_and(|end| self.ports.binary_search(&end).is_ok());
        let inside = |link: &LinkId| Resource::ends(platform, *link).into_iter().all(has);
        let counted = |link: &LinkId| self.links.binary_search(link).is_ok() || inside(link);
        platform.link_ids().filter(counted).collect()
    }

    /// How many of the members can be busy at a time at most.
    pub fn capacity(&self, platform: &Platform) -> u64 {
        let offered: u64 = self.ports.iter().map(|port| u64::from(port.capacity(platform))).sum();
        (offered + self.links.len() as u64) / 2
    }

    /// For messages: `odd set {a, b, c}`, with the number of its further links, if it has any. The set is one of this
    /// platform.
    pub fn describe(&self, platform: &Platform) -> String {
        let further = match self.links.len() {
            0 => String::new(),
            links => format!(" and {}", count(links, "link")),
        };
        format!("odd set {{{}}}{further}", names::list(platform, self.ports.iter().filter_map(|port| port.node())))
    }
}

/// A set of nodes that something has to leave: a demand that has all of an operand inside and is wanted outside sends
/// at least one message over the links that leave. For a message that is copied (see [`Kind::Copy`](crate::Kind::Copy))
/// only the nodes that replicate matter: it is charged on the routes between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    /// Place of the demand that the cut is used for; `None` for all demands that cross it.
    pub demand: Option<usize>,
    /// The nodes, ascending.
    pub nodes: Vec<NodeId>,
    /// How much of the prices of the links leaving the set is charged for it; positive.
    pub weight: Rational,
}

/// The price of a task for one goal of a demand with several goals (all-reduce, scan). The price of a task, its time
/// times the prices of its resources (odd sets included), is split among the goals that it may serve.
///
/// A task with no share listed for a goal is free for that goal; for every task the shares of all goals add up to at
/// most its price. Every instance contains a reduction tree for each goal, and pays a task once that serves several. So
/// it costs at least the sum over the goals of the cheapest reduction tree (a path, for one operand) of that goal's
/// operands to the goal's node under the goal's own shares. Operands have to keep their order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// Place of the demand.
    pub demand: usize,
    /// Place of the goal among the demand's [`goals`](crate::Demand::goals).
    pub goal: usize,
    /// A send or merge of a part of what the goal combines, whatever its inputs: as [`Task::alone`].
    pub task: Task,
    /// The share of the task's price; positive.
    pub price: Rational,
}

/// Whether transfers are counted where they enter sets of nodes, or where they leave them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Transfers from outside a set to a node inside.
    Into,
    /// Transfers from a node inside a set to one outside.
    OutOf,
}

impl Direction {
    /// "into" or "out of".
    pub fn name(self) -> &'static str {
        match self {
            Direction::Into => "into",
            Direction::OutOf => "out of",
        }
    }

    /// Per link, how many of the sets, each sorted, a transfer over it enters (leaves).
    /// `O(links of their nodes log n)`.
    pub fn crossings(self, platform: &Platform, sets: &[Vec<NodeId>]) -> Vec<usize> {
        let mut crossings = vec![0; platform.links().len()];
        for set in sets {
            for &node in set {
                let links = match self {
                    Direction::Into => platform.incoming(node),
                    Direction::OutOf => platform.outgoing(node),
                };
                let other = |link: LinkId| match self {
                    Direction::Into => platform.link(link).from,
                    Direction::OutOf => platform.link(link).to,
                };
                let crossed = links.iter().filter(|link| set.binary_search(&other(**link)).is_err());
                crossed.for_each(|link| crossings[link.index()] += 1);
            }
        }
        crossings
    }

    /// How many of the sets, each sorted, a transfer over this link enters (leaves).
    pub fn crossed(self, platform: &Platform, link: LinkId, sets: &[Vec<NodeId>]) -> usize {
        let link = platform.link(link);
        let (inside, outside) = match self {
            Direction::Into => (link.to, link.from),
            Direction::OutOf => (link.from, link.to),
        };
        let has = |set: &[NodeId], node: NodeId| set.binary_search(&node).is_ok();
        sets.iter().filter(|set| has(set, inside) && !has(set, outside)).count()
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A lower bound on how often the transfers of one instance of an all-reduce enter (leave) sets of nodes. A transfer
/// that enters two of the sets counts twice.
///
/// - One set that holds a participant, but not all of them: at least once, in either direction.
/// - `k >= 2` sets, each with a participant: at least `2 (k - 1)` times. The condition: every node that could join two
///   of the messages (into: every processor; out of: every node that replicates) lies in exactly one of the sets. The
///   other nodes may lie in none, in one or in several. See the counting theorem in docs/theory.md.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Border {
    /// Place of the demand, an all-reduce.
    pub demand: usize,
    /// Whether entries or exits are counted.
    pub direction: Direction,
    /// The sets, each ascending.
    pub sets: Vec<Vec<NodeId>>,
    /// The charge for one crossing; positive.
    pub weight: Rational,
}

impl Border {
    /// How many crossings every instance has at least.
    pub fn crossings(&self) -> usize {
        if self.sets.len() == 1 { 1 } else { 2 * self.sets.len().saturating_sub(1) }
    }
}

/// The transfers that merges inside a set of nodes need from outside. Choose a place where a scheme joins all operands.
/// The merges before that place are one less than the operands; let `m` of them be inside the set. Then transfers enter
/// the set at least `m + 2 - participants inside` times; once less if the place is inside. See the gathering theorem in
/// docs/theory.md.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gathering {
    /// Place of the demand, an all-reduce.
    pub demand: usize,
    /// The nodes, ascending; a participant is among them.
    pub nodes: Vec<NodeId>,
    /// The charge for one entry; positive.
    pub weight: Rational,
}

/// A potential of a node that takes no part in an all-reduce. A link `u -> v` may be charged
/// `potential(u) - potential(v)` less (or must carry as much more): where nothing merges, no fewer messages leave than
/// arrive, so a router's may be positive; where nothing is copied, no more leave than arrive, so that of a node that
/// does not replicate may be negative.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Potential {
    /// Place of the demand, an all-reduce.
    pub demand: usize,
    /// The node; no participant.
    pub node: NodeId,
    /// Positive at routers only, negative only at nodes that do not replicate; not 0.
    pub value: Rational,
}

/// A share of the links' prices, bounded from below by what an all-reduce has to exchange between parts of the platform
/// (the exchange theorem in docs/theory.md): under these lengths, the cheapest arborescence into some part from all the
/// others, plus the cheapest entrance of each of the others (`Into`); or the same with all links turned (`OutOf`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Exchange {
    /// Place of the demand, an all-reduce.
    pub demand: usize,
    /// Whether the arborescence leads into a part, or out of one.
    pub direction: Direction,
    /// Disjoint sets of nodes, each ascending and with a participant; at least two.
    pub parts: Vec<Vec<NodeId>>,
    /// Positive lengths by link, ascending; links not listed are free.
    pub lengths: Vec<(LinkId, Rational)>,
}

/// Prices `pi_r >= 0` on resources and odd sets (time-unit prices; absent means 0).
///
/// They prove `throughput <= sum_r pi_r cap_r / sum_k cheapest_k(pi)`, where `cheapest_k` is the price of the
/// cheapest pattern of demand `k`: an instance takes at least that much priced time, and the resources have
/// no more of it per unit of time. Link `e` costs `size c(e)` times the prices of all resources and odd sets that it
/// belongs to, and a merge at node `i` costs `work compute_i pi_compute(i)`; a pattern costs the sum over its tasks.
///
/// Where cheapest patterns are hard to find, `cuts` replace them: if the cuts used for a demand that a link leaves
/// never weigh more together than the link costs, then a pattern costs at least what the cuts weigh together. For a
/// message that is copied it is enough that no route through nodes that do not replicate, from one that does to
/// another, is charged for more than it costs. `shares`
/// do the same for patterns with several goals, see [`Share`].
///
/// For an all-reduce, `borders`, `gatherings`, `potentials` and `exchanges` do the same for its transfers. The
/// condition for every link `u -> v`: the weights of the borders that it crosses and of the gatherings that it enters,
/// plus `potential(u) - potential(v)`, plus its lengths in the exchanges are together at most the cost of the smallest
/// message over it. Then an instance costs at least the sum over the borders of weight times
/// [`crossings`](Border::crossings), plus the proved minimum of each exchange, plus the least cost of its merges, each
/// at its processor's price. With gatherings: let `Y(p)` be the weight of the gatherings that hold processor `p`. A
/// merge at `p` then costs `Y(p)` more, and the sum over the gatherings of weight times `2 - participants inside` is
/// added, less the largest `Y(p)`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Certificate {
    /// Positive prices, sorted by resource, each resource at most once.
    pub prices: Vec<(Resource, Rational)>,
    /// Positive prices of odd sets, sorted, each set at most once.
    pub odd_sets: Vec<(OddSet, Rational)>,
    /// Cuts that bound patterns' prices from below, sorted; usually none.
    pub cuts: Vec<Cut>,
    /// How the goals of a demand share the prices of tasks, sorted, each task at most once for a goal; usually empty.
    pub shares: Vec<Share>,
    /// How often an all-reduce crosses sets of nodes, sorted.
    pub borders: Vec<Border>,
    /// The transfers that merges inside sets of nodes need from outside, sorted.
    pub gatherings: Vec<Gathering>,
    /// Potentials that go with the borders, gatherings and exchanges, sorted, each node at most once for a demand.
    pub potentials: Vec<Potential>,
    /// Shares of the links' prices for the exchange theorem, sorted.
    pub exchanges: Vec<Exchange>,
}

impl Certificate {
    /// Limit: if a demand has no cuts, a checker enumerates the subsets of its targets, or of its possible helpers, up
    /// to this number of nodes. Cuts cannot always prove the cost of arborescences.
    pub const SMALL: usize = 9;

    /// Per link: the price of a unit of time on it, the sum of the prices of its resources and odd sets; `v_k` of
    /// RR-2004-32, section 3.3. `O(m s)` for `m` links and `s` odd sets, besides sorting.
    pub fn link_prices(&self, platform: &Platform) -> Vec<Rational> {
        let prices: BTreeMap<Resource, &Rational> =
            self.prices.iter().map(|(resource, price)| (*resource, price)).collect();
        let of_resources =
            |link| Resource::of_link(platform, link).filter_map(|resource| prices.get(&resource).copied());
        let mut all: Vec<Rational> = platform.link_ids().map(|link| of_resources(link).sum()).collect();
        for (set, price) in &self.odd_sets {
            set.members(platform).into_iter().for_each(|link| all[link.index()] += price);
        }
        all
    }
}
