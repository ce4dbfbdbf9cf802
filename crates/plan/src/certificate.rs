//! Prices and needs: a proof that no schedule is faster.

use std::collections::BTreeMap;

use num_traits::One;
use oneport_platform::{
    LinkId, NodeId, PerLink, Platform, PortModel, Rational, SharedId, count, names, whole,
};

use crate::inequality::Need;

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
    /// A capacity that several links share, each taking up a part of it.
    Shared(SharedId),
}

/// A resource that a transfer over a link occupies, and to which part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use<'p> {
    /// The resource.
    pub resource: Resource,
    /// The part of a shared capacity that the link takes up while it transfers at full rate, 1 / cost. `None` for one
    /// unit of a port or of the link itself.
    pub part: Option<&'p Rational>,
}

impl Use<'_> {
    /// How long the resource is busy while the link is busy for this time at full rate.
    pub fn of(&self, time: &Rational) -> Rational {
        self.part.map_or_else(|| time.clone(), |part| part * time)
    }
}

impl Resource {
    /// The ports at the two ends of a link, sender first. `None` if the port model sets no limit.
    pub fn ends(platform: &Platform, link: LinkId) -> [Option<Resource>; 2] {
        let end = |node: NodeId, port: fn(NodeId) -> Resource| match platform.model_of(node) {
            PortModel::FullDuplex | PortModel::Multiport => Some(port(node)),
            PortModel::HalfDuplex => Some(Resource::Port(node)),
            PortModel::Links => None,
        };
        let link = platform.link(link);
        [
            end(link.from, Resource::Send),
            end(link.to, Resource::Receive),
        ]
    }

    /// The resources that a transfer over this link occupies: the ports at its ends; the link itself unless a port
    /// already limits it to one transfer at a time, or a shared capacity is used up by it; its shared capacities. A
    /// message of time `t` (its size times the cost of the link) keeps each busy for [its part](Use::of) of `t`.
    pub fn uses(platform: &Platform, link: LinkId) -> impl Iterator<Item = Use<'_>> {
        let ends = Resource::ends(platform, link);
        let shared = platform.shared_by(link);
        let single = ends.iter().flatten().any(|end| end.capacity(platform) == 1);
        let used_up = shared.iter().any(|(_, part)| part.is_one());
        let whole = ends
            .into_iter()
            .flatten()
            .chain((!single && !used_up).then_some(Resource::Link(link)));
        whole
            .map(|resource| Use {
                resource,
                part: None,
            })
            .chain(shared.iter().map(|(id, part)| Use {
                resource: Resource::Shared(*id),
                part: Some(part),
            }))
    }

    /// How many transfers (or merges) it serves at a time: 1, or the ports of a multiport node.
    pub fn capacity(self, platform: &Platform) -> u32 {
        match self {
            Resource::Send(node) | Resource::Receive(node) => platform.ports(node).unwrap_or(1),
            Resource::Compute(_) | Resource::Port(_) | Resource::Link(_) | Resource::Shared(_) => 1,
        }
    }

    /// Every port, link and shared capacity that transfers on this platform can occupy, ascending. No processors.
    pub fn of_platform(platform: &Platform) -> Vec<Resource> {
        let mut all: Vec<Resource> = platform
            .link_ids()
            .flat_map(|link| Resource::uses(platform, link))
            .map(|used| used.resource)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The node the resource belongs to. `None` for a link and a shared capacity.
    pub fn node(self) -> Option<NodeId> {
        match self {
            Resource::Send(node)
            | Resource::Receive(node)
            | Resource::Compute(node)
            | Resource::Port(node) => Some(node),
            Resource::Link(_) | Resource::Shared(_) => None,
        }
    }

    /// "send", "receive", "compute", "port", "link" or "shared".
    pub fn kind(self) -> &'static str {
        match self {
            Resource::Send(_) => "send",
            Resource::Receive(_) => "receive",
            Resource::Compute(_) => "compute",
            Resource::Port(_) => "port",
            Resource::Link(_) => "link",
            Resource::Shared(_) => "shared",
        }
    }

    /// For messages: `send port of 'a'`, `link 'a -> b'`, `shared 'bus'`. The resource is one of this platform.
    pub fn describe(self, platform: &Platform) -> String {
        let part_of_node =
            |what: &str, node: NodeId| format!("{what} of '{}'", platform.name(node));
        match self {
            Resource::Send(node) => part_of_node("send port", node),
            Resource::Receive(node) => part_of_node("receive port", node),
            Resource::Compute(node) if !platform.node(node).is_processor() => {
                part_of_node("merges", node)
            }
            Resource::Compute(node) => part_of_node("processor", node),
            Resource::Port(node) => part_of_node("port", node),
            Resource::Link(link) => format!("link '{}'", platform.link_name(link)),
            Resource::Shared(id) => {
                let shared = platform.shared().get(id.index());
                shared.map_or_else(
                    || format!("shared capacity {id}"),
                    |shared| format!("shared '{}'", shared.name),
                )
            }
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
    /// The links counted: those with both ends among the ports, and the further links. Ascending.
    pub fn members(&self, platform: &Platform) -> Vec<LinkId> {
        let has =
            |end: Option<Resource>| end.is_some_and(|end| self.ports.binary_search(&end).is_ok());
        let inside = |link: &LinkId| Resource::ends(platform, *link).into_iter().all(has);
        let counted = |link: &LinkId| self.links.binary_search(link).is_ok() || inside(link);
        platform.link_ids().filter(counted).collect()
    }

    /// How many of the members can be busy at a time at most.
    pub fn capacity(&self, platform: &Platform) -> u64 {
        let offered: u64 = self
            .ports
            .iter()
            .map(|port| u64::from(port.capacity(platform)))
            .sum();
        (offered + self.links.len() as u64) / 2
    }

    /// For messages: `odd set {a, b, c}`, with the number of its further links, if it has any. The set is one of this
    /// platform.
    pub fn describe(&self, platform: &Platform) -> String {
        let further = match self.links.len() {
            0 => String::new(),
            links => format!(" and {}", count(links, "link")),
        };
        format!(
            "odd set {{{}}}{further}",
            names::list(platform, self.ports.iter().filter_map(|port| port.node()))
        )
    }
}

/// A limit on simultaneous tasks. Prices are paid for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CapacityRow {
    /// A resource is busy for no more than its capacity.
    Resource(Resource),
    /// The links of an odd set are busy for no more than its capacity together.
    OddSet(OddSet),
}

impl CapacityRow {
    /// How much of it there is per unit of time.
    pub fn capacity(&self, platform: &Platform) -> u64 {
        match self {
            CapacityRow::Resource(resource) => resource.capacity(platform).into(),
            CapacityRow::OddSet(set) => set.capacity(platform),
        }
    }
}

/// A list to be added up: prices `pi_r >= 0` on rows (time-unit prices; absent means 0), and what instances need.
///
/// The prices prove `throughput <= sum_r pi_r cap_r / sum_k cheapest_k(pi)`, where `cheapest_k` is the price of the
/// cheapest pattern of demand `k`: an instance takes at least that much priced time, and the rows have no more of it
/// per unit of time. Link `e` costs `size c(e)` times the prices of all resources and odd sets that it belongs to (of a
/// shared capacity: the price times the part that the link takes up), and
/// a merge at node `i` costs `work compute_i pi_compute(i)`. A pattern costs the sum over its tasks.
///
/// The needs replace a cheapest pattern that is hard to find. Each is an [`Inequality`](crate::inequality::Inequality)
/// about one demand, with a weight. If no transfer, merge or task is charged, over all needs of the demand, more than
/// the smallest one costs (weight times coefficient, added up), then the demand costs at least the sum of weight times
/// right side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Certificate {
    /// Rows with positive prices, sorted, each row at most once.
    pub rows: Vec<(CapacityRow, Rational)>,
    /// Inequalities with positive weights, sorted. Usually none.
    pub needs: Vec<Need>,
}

impl Certificate {
    /// Limit: for a demand without needs, a checker enumerates the subsets of its targets, or of its possible helpers,
    /// up to this number of nodes: cuts cannot always prove the cost of arborescences.
    pub const SMALL: usize = 9;

    /// Prices of resources alone, in any order. Each at most once.
    pub fn of_prices(prices: Vec<(Resource, Rational)>) -> Certificate {
        Certificate::new(prices, [], [])
    }

    /// Prices of resources and odd sets, and needs, in any order.
    pub fn new(
        prices: impl IntoIterator<Item = (Resource, Rational)>,
        odd_sets: impl IntoIterator<Item = (OddSet, Rational)>,
        needs: impl IntoIterator<Item = Need>,
    ) -> Certificate {
        let prices = prices
            .into_iter()
            .map(|(resource, price)| (CapacityRow::Resource(resource), price));
        let odd_sets = odd_sets
            .into_iter()
            .map(|(set, price)| (CapacityRow::OddSet(set), price));
        let mut certificate = Certificate {
            rows: prices.chain(odd_sets).collect(),
            needs: needs.into_iter().collect(),
        };
        certificate.rows.sort();
        certificate.needs.sort();
        certificate
    }

    /// The prices of resources.
    pub fn prices(&self) -> impl Iterator<Item = (Resource, &Rational)> {
        self.rows.iter().filter_map(|(row, price)| match row {
            CapacityRow::Resource(resource) => Some((*resource, price)),
            CapacityRow::OddSet(_) => None,
        })
    }

    /// The prices of odd sets.
    pub fn odd_sets(&self) -> impl Iterator<Item = (&OddSet, &Rational)> {
        self.rows.iter().filter_map(|(row, price)| match row {
            CapacityRow::Resource(_) => None,
            CapacityRow::OddSet(set) => Some((set, price)),
        })
    }

    /// The price of a resource. `None` if it has none. `O(log n)`.
    pub fn price(&self, resource: Resource) -> Option<&Rational> {
        let found = self
            .rows
            .binary_search_by(|(row, _)| row.cmp(&CapacityRow::Resource(resource)));
        found.ok().map(|place| &self.rows[place].1)
    }

    /// The sum of prices times capacities: priced time per unit of time.
    pub fn supply(&self, platform: &Platform) -> Rational {
        self.rows
            .iter()
            .map(|(row, price)| price * whole(row.capacity(platform)))
            .sum()
    }

    /// Per link: the price of a unit of time on it, the sum of the prices of its resources (each times the
    /// part that the link takes up) and odd sets. `v_k` of RR-2004-32, section 3.3. `O(m s)` for `m` links and `s` odd
    /// sets, besides sorting.
    pub fn link_prices(&self, platform: &Platform) -> PerLink<Rational> {
        let prices: BTreeMap<Resource, &Rational> = self.prices().collect();
        let of_resources = |link| {
            Resource::uses(platform, link)
                .filter_map(|used| Some(used.of(prices.get(&used.resource)?)))
        };
        let mut all: PerLink<Rational> = platform
            .link_ids()
            .map(|link| of_resources(link).sum())
            .collect();
        for (set, price) in self.odd_sets() {
            for link in set.members(platform) {
                all[link] += price;
            }
        }
        all
    }
}
