//! What algorithms are shaped after: a good order of rings and chains, groups of places that are close to one another.
//!
//! Both are heuristics in integers, with a fixed number of steps: the same question has the same answer.

use std::collections::BTreeMap;

use oneport_graph::shortest_paths;
use oneport_numbers::Scaled;
use oneport_plan::{Problem, Resource};
use oneport_platform::{LinkId, NodeId, Platform};
use petgraph::graph::EdgeReference;
use petgraph::visit::EdgeRef;

use crate::{Routes, Shape, places};

/// How many links the search for an order may add up: a second or so.
const STEPS: usize = 20_000_000;
/// Bits of costs as the heuristics see them: sums of as many as there are links fit a machine word.
const BITS: u64 = 30;

impl Shape {
    /// Looks for groups and for an order, with routes from all [places](places).
    pub fn find(problem: Problem<'_>, routes: &Routes) -> Shape {
        let (platform, places) = (problem.platform(), places(problem));
        let costs = rounded(platform);
        let groups = rooted(by_router(platform, &places).or_else(|| by_distance(platform, &places, &costs)));
        let rings = Rings::new(platform, &places, routes, costs);
        let order = rings.map(|rings| rings.search(&groups)).unwrap_or_default();
        let given: Vec<usize> = (0..places.len()).collect();
        Shape { order: if order == given { Vec::new() } else { order }, groups }
    }
}

/// Costs of links in integers, rounded up.
fn rounded(platform: &Platform) -> Vec<u64> {
    let scaled = Scaled::coarsest(platform.links().iter().map(|link| &link.cost));
    let excess = scaled.values.iter().map(|value| value.bits()).max().unwrap_or(0).saturating_sub(BITS);
    let short =
        |value: &num_bigint::BigUint| u64::try_from(value >> excess).unwrap_or(u64::MAX >> 32) + u64::from(excess > 0);
    scaled.values.iter().map(short).collect()
}

/// Groups that are worth a leader: several, of two or more.
fn worthwhile(groups: Vec<Vec<usize>>) -> Option<Vec<Vec<usize>>> {
    (groups.len() > 1 && groups.iter().all(|group| group.len() > 1)).then_some(groups)
}

/// The group of place 0, which may be a root, comes first; its leader is place 0.
fn rooted(groups: Option<Vec<Vec<usize>>>) -> Vec<Vec<usize>> {
    let mut groups = groups.unwrap_or_default();
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort_unstable();
    groups
}

/// Those whose cheapest link out leads to the same router.
fn by_router(platform: &Platform, places: &[NodeId]) -> Option<Vec<Vec<usize>>> {
    let mut groups: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (place, &node) in places.iter().enumerate() {
        let cost = |link: &&LinkId| &platform.link(**link).cost;
        let nearest = platform.outgoing(node).iter().min_by(|one, other| cost(one).cmp(cost(other)))?;
        let router = platform.link(*nearest).to;
        if platform.node(router).is_processor() {
            return None;
        }
        groups.entry(router).or_default().push(place);
    }
    worthwhile(groups.into_values().collect())
}

/// Those who are within some distance of one another, from one to the next: the least distance at which nobody is
/// alone.
fn by_distance(platform: &Platform, places: &[NodeId], costs: &[u64]) -> Option<Vec<Vec<usize>>> {
    let mut pairs: Vec<(u64, usize, usize)> = Vec::new();
    for (from, &node) in places.iter().enumerate() {
        let length = |edge: EdgeReference<'_, _>| &costs[LinkId::from(edge.id()).index()];
        let paths = shortest_paths(platform.graph(), [(node.into(), 0)], length, |_| true);
        let far = |to: &NodeId| paths.distances.get(to.index()).copied().flatten();
        pairs.extend(
            places
                .iter()
                .enumerate()
                .filter(|&(to, _)| to != from)
                .filter_map(|(to, node)| Some((far(node)?, from, to))),
        );
    }
    pairs.sort_unstable();
    let mut group: Vec<usize> = (0..places.len()).collect();
    let mut done = 0;
    while done < pairs.len() {
        let level = pairs[done].0;
        while let Some(&(_, one, other)) = pairs.get(done).filter(|pair| pair.0 == level) {
            let (kept, joined) = (group[one].min(group[other]), group[one].max(group[other]));
            if kept != joined {
                group.iter_mut().filter(|group| **group == joined).for_each(|group| *group = kept);
            }
            done += 1;
        }
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        group.iter().enumerate().for_each(|(place, group)| groups.entry(*group).or_default().push(place));
        if groups.len() < 2 {
            return None;
        }
        if let Some(groups) = worthwhile(groups.into_values().collect()) {
            return Some(groups);
        }
    }
    None
}

/// Rings through all places, and what they keep busy.
struct Rings {
    places: usize,
    /// By place: by place: what the way between keeps busy, and for how long.
    ways: Vec<Vec<Vec<(u32, u64)>>>,
    resources: usize,
}

/// The busiest resource, then everything together: less is better.
type Busy = (u64, u64);

impl Rings {
    /// `None` where somebody cannot be reached, there is nobody, or there are too many pairs for a search.
    fn new(platform: &Platform, places: &[NodeId], routes: &Routes, costs: Vec<u64>) -> Option<Rings> {
        const MOST: usize = 256;
        if places.is_empty() || places.len() > MOST {
            return None;
        }
        let resources = Resource::of_platform(platform);
        // Of a resource of several lanes each does a part.
        let lanes = |resource: &Resource| u64::from(resource.capacity(platform));
        let common = resources.iter().map(lanes).max().unwrap_or(1);
        let busy = |link: LinkId| -> Vec<(u32, u64)> {
            let of =
                Resource::of_link(platform, link).filter_map(|one| Some((resources.binary_search(&one).ok()?, one)));
            of.map(|(number, one)| (number as u32, costs[link.index()] * common / lanes(&one))).collect()
        };
        let links: Vec<Vec<(u32, u64)>> = platform.link_ids().map(busy).collect();
        let way = |from: NodeId, to: NodeId| -> Option<Vec<(u32, u64)>> {
            Some(routes.path(from, to)?.into_iter().flat_map(|link| links[link.index()].iter().copied()).collect())
        };
        let ways =
            places.iter().map(|&from| places.iter().map(|&to| way(from, to)).collect()).collect::<Option<_>>()?;
        Some(Rings { places: places.len(), ways, resources: resources.len() })
    }

    /// Better and better orders: from the given order and from the nearest one after another, inside groups first,
    /// by turning stretches of the ring around and moving single places.
    fn search(&self, groups: &[Vec<usize>]) -> Vec<usize> {
        let mut scratch = vec![0; self.resources];
        let starts = [(0..self.places).collect(), self.nearest(groups)];
        let mut steps = STEPS;
        let climbed = starts.map(|order| self.climb(order, &mut scratch, &mut steps));
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
        (scratch.iter().copied().max().unwrap_or(0), scratch.iter().sum())
    }

    fn nearest(&self, groups: &[Vec<usize>]) -> Vec<usize> {
        let mut group = vec![0; self.places];
        groups.iter().enumerate().for_each(|(number, members)| members.iter().for_each(|&place| group[place] = number));
        let mut left: Vec<usize> = (1..self.places).collect();
        let mut order = vec![0];
        while let Some(&at) = order.last() {
            let far = |place: &usize| self.ways[at][*place].iter().map(|(_, time)| time).sum::<u64>();
            let next = (0..left.len()).min_by_key(|&it| (group[left[it]] != group[at], far(&left[it]), left[it]));
            let Some(next) = next else { break };
            order.push(left.remove(next));
        }
        order
    }

    fn climb(&self, mut order: Vec<usize>, scratch: &mut [u64], steps: &mut usize) -> (Busy, Vec<usize>) {
        let mut best = self.busy(&order, scratch);
        let cost = self.resources + self.places * 4;
        loop {
            let before = best;
            for first in 1..self.places {
                for last in first + 1..self.places {
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
