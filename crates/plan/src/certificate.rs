//! Prices and needs: a proof that no schedule is faster.

use std::collections::BTreeMap;

use oneport_platform::{LinkId, PerLink, Platform, Rational, count, names, whole};

use crate::inequality::Need;
use crate::resource::Resource;

/// An odd-set inequality (Edmonds 1965, for ports of several links at a time Pulleyblank 1973): of the links with both
/// ends among the ports, and of further links with one end there, at most half of the sum of the capacities of these
/// ports and further links, rounded down, can be busy at a time. Every busy link of the first kind takes two units of
/// the ports. One of the second kind takes a unit of the ports and its own.
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

/// A list to be added up: prices `pi_r >= 0` on rows, each per unit of time (0 if absent), and the needs of instances.
///
/// The prices prove `throughput <= sum_r pi_r cap_r / sum_k cheapest_k(pi)`, where `cheapest_k` is the price of the
/// cheapest pattern of demand `k`: an instance takes at least that much priced time, and the rows have no more of it
/// per unit of time. Link `e` costs `size c(e)` times the prices of all resources and odd sets that it belongs to (of a
/// shared capacity: the price times the part that the link takes up), and
/// a merge at node `i` costs `work compute_i pi_compute(i)`. A pattern costs the sum over its tasks.
///
/// The needs replace a cheapest pattern that is hard to find. Each is an [`Inequality`](crate::inequality::Inequality)
/// about one demand, with a weight. The charge of a transfer, merge or task is the sum, over the needs of the demand,
/// of weight times coefficient. If no charge exceeds the price of the smallest such transfer, merge or task, the demand
/// costs at least the sum of weight times right side.
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
        found.ok().map(|index| &self.rows[index].1)
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
