//! Resources that transfers and merges occupy, as rows of a program.
//!
//! Transfers occupy the ports and links that the port model names ([`Resource::uses`]), merges a processor. In
//! platforms with half-duplex nodes that is not enough: odd-set inequalities join the rows as they are found to be
//! violated.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_plan::{Certificate, OddSet, Pattern, Resource, Task, Use};
use oneport_platform::{LinkId, NodeId, PerLink, Platform, Rational, whole};
use oneport_trees::cheapest::Prices;

use crate::Question;

/// The rows: prices and loads name them by their index.
#[derive(Debug, Clone)]
pub struct Resources {
    /// Per index: the resources that share the row, usually one.
    members: Vec<Vec<Resource>>,
    /// In the indices after those.
    odd_sets: Vec<OddSet>,
    capacities: Vec<Rational>,
    by_link: PerLink<Vec<Used>>,
    /// Per node.
    processors: Vec<Option<usize>>,
}

/// A row that a transfer occupies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used {
    /// Its index.
    pub row: usize,
    /// The part of it that a link takes up at full rate. `None` for 1.
    pub part: Option<Rational>,
}

impl Used {
    /// How long the row is busy while the link is busy for this time at full rate.
    pub fn of(&self, time: &Rational) -> Rational {
        self.part
            .as_ref()
            .map_or_else(|| time.clone(), |part| part * time)
    }

    /// Computes [`of`](Self::of) for a whole number, rounded up. Rounded prices and loads only guide a search.
    pub fn of_whole(&self, time: u128) -> u128 {
        let Some(part) = &self.part else { return time };
        let exact = (part * BigInt::from(time)).ceil().to_integer();
        exact.to_u128().unwrap_or(u128::MAX)
    }
}

/// A price of which a link takes a part.
pub trait Price: Clone + Zero + for<'n> std::ops::AddAssign<&'n Self> {
    /// The part of the price that a use pays. Whole numbers round down, so that no pattern costs less than its exact
    /// price.
    fn paid(&self, used: &Used) -> Self;
}

impl Price for Rational {
    fn paid(&self, used: &Used) -> Self {
        used.of(self)
    }
}

impl Price for u64 {
    fn paid(&self, used: &Used) -> Self {
        let Some(part) = &used.part else {
            return *self;
        };
        // A part is at most 1.
        let exact = (part * BigInt::from(*self)).floor().to_integer();
        exact.to_u64().unwrap_or(*self)
    }
}

impl Resources {
    /// Ports and links in use, and processors where values are combined.
    pub fn new(platform: &Platform, with_processors: bool) -> Self {
        let single: Vec<Resource> = Resource::of_platform(platform);
        let processors = platform
            .mergers()
            .filter(|_| with_processors)
            .map(Resource::Compute);
        Resources::merged(
            platform,
            single
                .iter()
                .copied()
                .chain(processors)
                .map(|resource| vec![resource])
                .collect(),
        )
    }

    /// Rows that several resources share: a row's load is the sum over its members, and every member has the row's
    /// price.
    pub fn merged(platform: &Platform, members: Vec<Vec<Resource>>) -> Self {
        let index: BTreeMap<Resource, usize> = members
            .iter()
            .enumerate()
            .flat_map(|(index, members)| members.iter().map(move |&resource| (resource, index)))
            .collect();
        let of_link = |link: LinkId| {
            let row = |used: Use<'_>| {
                Some(Used {
                    row: index.get(&used.resource).copied()?,
                    part: used.part.cloned(),
                })
            };
            Resource::uses(platform, link).filter_map(row).collect()
        };
        let of_node = |node: NodeId| index.get(&Resource::Compute(node)).copied();
        let capacity = |members: &Vec<Resource>| {
            let sum: u64 = members
                .iter()
                .map(|resource| u64::from(resource.capacity(platform)))
                .sum();
            whole(sum)
        };
        Resources {
            by_link: platform.link_ids().map(of_link).collect(),
            processors: platform.node_ids().map(of_node).collect(),
            capacities: members.iter().map(capacity).collect(),
            odd_sets: Vec::new(),
            members,
        }
    }

    /// The rows that a certificate prices, and the prices by index.
    pub fn of_certificate(platform: &Platform, certificate: &Certificate) -> (Self, Vec<Rational>) {
        let mut resources = Resources::new(platform, true);
        let mut prices = vec![Rational::zero(); resources.count()];
        for (index, resource) in resources.list().enumerate() {
            if let Some(price) = certificate.price(resource) {
                prices[index].clone_from(price);
            }
        }
        for (set, price) in certificate.odd_sets() {
            resources.add(platform, set.clone());
            prices.push(price.clone());
        }
        (resources, prices)
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.capacities.len()
    }

    /// The resources, by index, each with a separate row. The odd sets come after them.
    pub fn list(&self) -> impl Iterator<Item = Resource> + '_ {
        self.members
            .iter()
            .filter_map(|members| members.first().copied())
    }

    /// How much of a resource (or odd set) there is per unit of time.
    pub fn capacity(&self, index: usize) -> &Rational {
        &self.capacities[index]
    }

    /// The rows that a transfer over a link occupies.
    pub fn uses(&self, link: LinkId) -> &[Used] {
        &self.by_link[link]
    }

    /// How long each row is busy while a link is busy for this time at full rate.
    pub fn times<'r>(
        &'r self,
        link: LinkId,
        time: &'r Rational,
    ) -> impl Iterator<Item = (usize, Rational)> + 'r {
        self.uses(link)
            .iter()
            .map(move |used| (used.row, used.of(time)))
    }

    /// Whether the odd set has a row.
    pub fn has(&self, set: &OddSet) -> bool {
        self.odd_sets.contains(set)
    }

    /// Adds an odd set. Returns its members.
    pub fn add(&mut self, platform: &Platform, set: OddSet) -> Vec<LinkId> {
        let members = set.members(platform);
        let row = self.capacities.len();
        for link in &members {
            self.by_link[*link].push(Used { row, part: None });
        }
        self.capacities.push(whole(set.capacity(platform)));
        self.odd_sets.push(set);
        members
    }

    /// Prices of links and processors, from the prices of the rows.
    pub fn prices<N: Price>(&self, prices: &[N]) -> Prices<N> {
        let sum = |uses: &Vec<Used>| {
            let mut sum = N::zero();
            for used in uses {
                match used.part {
                    None => sum += &prices[used.row],
                    Some(_) => sum += &prices[used.row].paid(used),
                }
            }
            sum
        };
        let processor =
            |index: &Option<usize>| index.map_or_else(N::zero, |index| prices[index].clone());
        Prices {
            links: self.by_link.iter().map(sum).collect(),
            compute: self.processors.iter().map(processor).collect(),
        }
    }

    /// Total value of the prices: the sum over the rows of price times capacity.
    pub fn worth(&self, prices: &[Rational]) -> Rational {
        let one = Rational::one();
        let worth = |(price, capacity): (&Rational, &Rational)| {
            if *capacity == one {
                price.clone()
            } else {
                price * capacity
            }
        };
        prices.iter().zip(&self.capacities).map(worth).sum()
    }

    /// Time for which one copy of a pattern occupies the rows. Positive times only, by index, ascending.
    pub fn loads(&self, question: &Question, pattern: &Pattern) -> Vec<(usize, Rational)> {
        let mut loads: Vec<(usize, Rational)> = Vec::new();
        for task in &pattern.tasks {
            match *task {
                Task::Send { link, part, .. } => {
                    let time = question.transfer_time(link, part);
                    loads.extend(self.times(link, &time));
                }
                Task::Merge {
                    node, part, split, ..
                } => {
                    let time =
                        question
                            .volumes()
                            .merge_time(question.platform(), node, part, split);
                    loads.extend(self.of_processor(node).map(|index| (index, time)));
                }
            }
        }
        sum_by_index(loads)
    }

    /// The row that a merge occupies.
    pub fn of_processor(&self, node: NodeId) -> Option<usize> {
        self.processors.get(node.index()).copied().flatten()
    }

    /// Positive prices as a certificate.
    pub fn certificate(&self, prices: &[Rational]) -> Certificate {
        let positive = |(_, price): &(usize, &Rational)| price.is_positive();
        let priced = || prices.iter().enumerate().filter(positive);
        let members = |index: usize| self.members.get(index).map_or(&[][..], Vec::as_slice);
        let own = priced()
            .flat_map(|(index, price)| members(index).iter().map(|&one| (one, price.clone())));
        let set = |index: usize| self.odd_sets.get(index.checked_sub(self.members.len())?);
        let odd_sets =
            priced().filter_map(|(index, price)| Some((set(index)?.clone(), price.clone())));
        Certificate::new(own, odd_sets, [])
    }
}

/// Adds up entries of equal indices and drops zeros.
fn sum_by_index(mut entries: Vec<(usize, Rational)>) -> Vec<(usize, Rational)> {
    entries.sort_by_key(|(index, _)| *index);
    entries.dedup_by(|(index, time), (kept, sum)| {
        let same = index == kept;
        if same {
            *sum += &*time;
        }
        same
    });
    entries.retain(|(_, time)| !time.is_zero());
    entries
}
