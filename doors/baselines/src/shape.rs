//! Finds a good order for rings and chains, and groups of ranks that are close to each other.
//!
//! Both are heuristics in integers, with a fixed number of steps: the same question has the same answer.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use oneport_graph::shortest_paths;
use oneport_numbers::Scaled;
use oneport_plan::{Problem, Resource};
use oneport_platform::{LinkId, NodeId, PerLink, Platform, Rational};
use oneport_watch::Watch;
use petgraph::graph::EdgeReference;
use petgraph::visit::EdgeRef;

use crate::boxes::Boxes;
use crate::{RankHints, Routes, ranks};

/// Links that the search for an order adds up. Trades a cheaper ring for time. Measured: about 1 s.
const STEPS: usize = 20_000_000;
/// Fact: bytes of a distance between two ranks.
const PAIR: u64 = 24;
/// Fact: bits of the rounded costs: sums over all links fit a machine word.
const BITS: u64 = 30;

impl RankHints {
    /// Searches groups and an order, with routes from all [ranks](ranks). The search ends with the watch.
    pub fn find(problem: &Problem, routes: &Routes, watch: &Watch) -> RankHints {
        let (platform, ranks) = (problem.platform(), ranks(problem));
        let costs = rounded(platform);
        let groups = RankHints::groups(problem, watch);
        let rings = Rings::new(platform, &ranks, routes, costs, watch);
        let search = |rings: Rings| rings.search(&groups, watch);
        let order = rings.map(search).unwrap_or_default();
        let given: Vec<usize> = (0..ranks.len()).collect();
        let order = if order == given { Vec::new() } else { order };
        RankHints {
            boxes: Boxes::find(problem, &ranks, routes),
            order,
            groups,
        }
    }

    /// Ranks that are close to one another, in groups. None if no such groups show.
    pub fn groups(problem: &Problem, watch: &Watch) -> Vec<Vec<usize>> {
        let (platform, ranks) = (problem.platform(), ranks(problem));
        let by_distance = || by_distance(platform, &ranks, &rounded(platform), watch);
        rooted(by_router(platform, &ranks).or_else(by_distance))
    }
}

/// Costs of links in integers, rounded up.
fn rounded(platform: &Platform) -> PerLink<u64> {
    let scaled = Scaled::coarsest(platform.links().iter().map(|link| &link.cost));
    let excess = scaled
        .values
        .iter()
        .map(|value| value.bits())
        .max()
        .unwrap_or(0)
        .saturating_sub(BITS);
    let short = |value: &num_bigint::BigUint| {
        u64::try_from(value >> excess).unwrap_or(u64::MAX >> 32) + u64::from(excess > 0)
    };
    scaled.values.iter().map(short).collect()
}

/// Accepts a grouping of at least two groups with at least two ranks each.
fn worthwhile(groups: Vec<Vec<usize>>) -> Option<Vec<Vec<usize>>> {
    (groups.len() > 1 && groups.iter().all(|group| group.len() > 1)).then_some(groups)
}

/// The group of rank 0, which may be a root, comes first. Its leader is rank 0.
fn rooted(groups: Option<Vec<Vec<usize>>>) -> Vec<Vec<usize>> {
    let mut groups = groups.unwrap_or_default();
    for group in groups.iter_mut() {
        group.sort_unstable();
    }
    groups.sort_unstable();
    groups
}

/// Groups ranks by the router behind their cheapest outgoing link.
fn by_router(platform: &Platform, ranks: &[NodeId]) -> Option<Vec<Vec<usize>>> {
    let mut groups: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (rank, &node) in ranks.iter().enumerate() {
        let cost = |link: &&LinkId| &platform.link(**link).cost;
        let nearest = platform
            .outgoing(node)
            .iter()
            .min_by(|one, other| cost(one).cmp(cost(other)))?;
        let router = platform.link(*nearest).to;
        if platform.node(router).is_processor() {
            return None;
        }
        groups.entry(router).or_default().push(rank);
    }
    worthwhile(groups.into_values().collect())
}

/// Single-linkage clusters at the smallest distance that leaves no rank alone.
fn by_distance(
    platform: &Platform,
    ranks: &[NodeId],
    costs: &PerLink<u64>,
    watch: &Watch,
) -> Option<Vec<Vec<usize>>> {
    let count = (ranks.len() as u64).saturating_mul(ranks.len() as u64);
    watch.room_for(count.saturating_mul(PAIR)).ok()?;
    let mut pairs: Vec<(u64, usize, usize)> = Vec::new();
    for (from, &node) in ranks.iter().enumerate() {
        watch.ask().ok()?;
        let length = |edge: EdgeReference<'_, _>| &costs[LinkId::from(edge.id())];
        let paths = shortest_paths(platform.graph(), [(node.into(), 0)], length, |_| true);
        let far = |to: &NodeId| paths.distances.get(to.index()).copied().flatten();
        pairs.extend(
            ranks
                .iter()
                .enumerate()
                .filter(|&(to, _)| to != from)
                .filter_map(|(to, node)| Some((far(node)?, from, to))),
        );
    }
    pairs.sort_unstable();
    let mut group: Vec<usize> = (0..ranks.len()).collect();
    let mut done = 0;
    while done < pairs.len() {
        watch.ask().ok()?;
        let level = pairs[done].0;
        while let Some(&(_, one, other)) = pairs.get(done).filter(|pair| pair.0 == level) {
            let (kept, joined) = (group[one].min(group[other]), group[one].max(group[other]));
            if kept != joined {
                for group in group.iter_mut().filter(|group| **group == joined) {
                    *group = kept;
                }
            }
            done += 1;
        }
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (rank, group) in group.iter().enumerate() {
            groups.entry(*group).or_default().push(rank);
        }
        if groups.len() < 2 {
            return None;
        }
        if let Some(groups) = worthwhile(groups.into_values().collect()) {
            return Some(groups);
        }
    }
    None
}

/// Rings through all ranks, and the resources that they keep busy.
struct Rings {
    ranks: usize,
    /// Per pair of ranks: the resources on the path between them, with busy times.
    ways: Vec<Vec<Vec<(u32, u64)>>>,
    resources: usize,
}

/// The busiest resource, then everything together: less is better.
type Busy = (u64, u64);

impl Rings {
    /// `None` if a rank is unreachable, if there are 0 or more than 256 ranks, or at a limit.
    fn new(
        platform: &Platform,
        ranks: &[NodeId],
        routes: &Routes,
        costs: PerLink<u64>,
        watch: &Watch,
    ) -> Option<Rings> {
        // Ranks up to which an order is sought. Trades a cheaper ring for time. Not measured.
        const MOST: usize = 256;
        if ranks.is_empty() || ranks.len() > MOST {
            return None;
        }
        let resources = Resource::of_platform(platform);
        // Each lane of a resource takes an equal part of its traffic.
        let lanes = |resource: &Resource| u64::from(resource.capacity(platform));
        let common = resources.iter().map(lanes).max().unwrap_or(1);
        let busy = |link: LinkId| -> Vec<(u32, u64)> {
            let of = Resource::uses(platform, link).filter_map(|used| {
                let number = resources.binary_search(&used.resource).ok()?;
                let whole = costs[link] * common / lanes(&used.resource);
                // Any order is a ring: costs may be rounded.
                let part = |part: &Rational| part * BigInt::from(whole);
                let time = used.part.map_or(Some(whole), |share| {
                    part(share).ceil().to_integer().to_u64()
                })?;
                Some((number as u32, time))
            });
            of.collect()
        };
        let links: PerLink<Vec<(u32, u64)>> = platform.link_ids().map(busy).collect();
        let way = |from: NodeId, to: NodeId| -> Option<Vec<(u32, u64)>> {
            Some(
                routes
                    .path(from, to)?
                    .into_iter()
                    .flat_map(|link| links[link].iter().copied())
                    .collect(),
            )
        };
        let from_one = |&from: &NodeId| -> Option<Vec<_>> {
            watch.ask().ok()?;
            ranks.iter().map(|&to| way(from, to)).collect()
        };
        let ways = ranks.iter().map(from_one).collect::<Option<_>>()?;
        Some(Rings {
            ranks: ranks.len(),
            ways,
            resources: resources.len(),
        })
    }

    /// Local search for the cheapest ring, by reversals of segments and moves of single ranks. It starts from the given
    /// order and from the nearest-neighbour order that stays inside a group first.
    fn search(&self, groups: &[Vec<usize>], watch: &Watch) -> Vec<usize> {
        let mut scratch = vec![0; self.resources];
        let starts = [(0..self.ranks).collect(), self.nearest(groups)];
        let mut steps = STEPS;
        let climbed = starts.map(|order| self.climb(order, &mut scratch, &mut steps, watch));
        let best = climbed.into_iter().min_by_key(|(busy, _)| *busy);
        best.map(|(_, order)| order).unwrap_or_default()
    }

    fn busy(&self, order: &[usize], scratch: &mut [u64]) -> Busy {
        scratch.fill(0);
        for (position, &from) in order.iter().enumerate() {
            let to = order[(position + 1) % order.len()];
            for &(resource, time) in &self.ways[from][to] {
                scratch[resource as usize] += time;
            }
        }
        (
            scratch.iter().copied().max().unwrap_or(0),
            scratch.iter().sum(),
        )
    }

    fn nearest(&self, groups: &[Vec<usize>]) -> Vec<usize> {
        let mut group = vec![0; self.ranks];
        for (number, members) in groups.iter().enumerate() {
            members.iter().for_each(|&rank| group[rank] = number);
        }
        let mut left: Vec<usize> = (1..self.ranks).collect();
        let mut order = vec![0];
        while let Some(&at) = order.last() {
            let far = |rank: &usize| {
                self.ways[at][*rank]
                    .iter()
                    .map(|(_, time)| time)
                    .sum::<u64>()
            };
            let next = (0..left.len())
                .min_by_key(|&it| (group[left[it]] != group[at], far(&left[it]), left[it]));
            let Some(next) = next else { break };
            order.push(left.remove(next));
        }
        order
    }

    fn climb(
        &self,
        mut order: Vec<usize>,
        scratch: &mut [u64],
        steps: &mut usize,
        watch: &Watch,
    ) -> (Busy, Vec<usize>) {
        let mut best = self.busy(&order, scratch);
        let cost = self.resources + self.ranks * 4;
        loop {
            let before = best;
            for first in 1..self.ranks {
                if watch.ask().is_err() {
                    return (best, order);
                }
                for last in first + 1..self.ranks {
                    for turned in [true, false] {
                        if *steps < cost {
                            return (best, order);
                        }
                        *steps -= cost;
                        let change = |order: &mut [usize], back: bool| match (turned, back) {
                            (true, _) => order[first..=last].reverse(),
                            (false, false) => order[first..=last].rotate_left(1),
                            (false, true) => order[first..=last].rotate_right(1),
                        };
                        change(&mut order, false);
                        let busy = self.busy(&order, scratch);
                        if busy < best {
                            best = busy;
                        } else {
                            change(&mut order, true);
                        }
                    }
                }
            }
            if best == before {
                return (best, order);
            }
        }
    }
}
