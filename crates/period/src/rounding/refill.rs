//! Further whole instances in the room that a rounding leaves.

use std::collections::{BTreeMap, VecDeque};

use num_bigint::BigInt;
use num_traits::One;
use oneport_plan::{Commodity, Pattern};
use oneport_platform::{LinkId, PerLink, PerNode, Platform};

use super::shares::{Rounded, Shares};

/// Links or loads looked at. Trades time for throughput. Not measured.
const EFFORT: usize = 4_000_000;

/// Adds at most `most` whole instances while every message finds a path with room on all its ports.
pub(super) fn with_paths(
    platform: &Platform,
    commodities: &[Commodity],
    shares: &Shares<'_>,
    rounded: &mut Rounded,
    room: &BigInt,
    most: usize,
) {
    let per_instance = commodities.len() * platform.links().len();
    let times: PerLink<BigInt> = platform
        .link_ids()
        .map(|link| &shares.times[shares.measure.link(link)] * shares.measure.message())
        .collect();
    for _ in 0..most.min(EFFORT / per_instance.max(1)) {
        let mut loads = rounded.loads.clone();
        let mut found = Vec::with_capacity(commodities.len());
        for (index, commodity) in commodities.iter().enumerate() {
            let Some(links) = path_with_room(platform, *commodity, shares, &times, &loads, room)
            else {
                return;
            };
            for link in &links {
                let (measure, time) = (&shares.measure, &times[*link]);
                measure.occupy(measure.link(*link), time, |port, time| {
                    loads[port] += measure.counted(port, time.clone());
                });
            }
            found.push(Pattern::path(index, links));
        }
        accept(rounded, loads, found);
    }
}

/// Adds at most `most` whole instances while every demand has patterns in the steady state with room on all their
/// resources, as many as its rate. Among several patterns it takes the one after which the busiest of its resources is
/// least busy.
pub(super) fn with_patterns(
    shares: &Shares<'_>,
    rounded: &mut Rounded,
    room: &BigInt,
    most: usize,
) {
    let mut by_demand: BTreeMap<usize, Vec<Candidate<'_>>> = BTreeMap::new();
    let mut size = 0usize;
    for weighted in &shares.steady_state.patterns {
        let load = shares.load(&shares.measure.uses(&weighted.pattern));
        let demand = weighted.pattern.demand;
        let rate = usize::try_from(shares.problem.collective().rate(demand)).unwrap_or(usize::MAX);
        size = size.saturating_add(load.len().saturating_mul(rate));
        by_demand
            .entry(demand)
            .or_default()
            .push((&weighted.pattern, load));
    }
    for _ in 0..most.min(EFFORT / size.max(1)) {
        let mut loads = rounded.loads.clone();
        let mut found = Vec::with_capacity(by_demand.len());
        for (&demand, candidates) in &mut by_demand {
            for _ in 0..shares.problem.collective().rate(demand) {
                let Some((pattern, load)) = least_busy(candidates, &loads, room) else {
                    return;
                };
                for (resource, time) in load {
                    loads[*resource] += time;
                }
                found.push(Pattern::clone(pattern));
            }
        }
        accept(rounded, loads, found);
    }
}

/// A pattern and the units of each resource that one copy of it uses.
type Candidate<'s> = (&'s Pattern, Vec<(usize, BigInt)>);

/// The candidate after which the busiest of its resources is least busy. Removes the candidates that do not fit: there
/// is never more room later.
fn least_busy<'c, 's>(
    candidates: &'c mut Vec<Candidate<'s>>,
    loads: &[BigInt],
    room: &BigInt,
) -> Option<&'c Candidate<'s>> {
    let busiest_after = |load: &[(usize, BigInt)]| {
        load.iter()
            .map(|(resource, time)| &loads[*resource] + time)
            .max()
    };
    let mut best: Option<(Option<BigInt>, usize)> = None;
    let mut fitting = Vec::with_capacity(candidates.len());
    for candidate in candidates.drain(..) {
        let busiest = busiest_after(&candidate.1);
        if busiest.as_ref().is_none_or(|busiest| busiest <= room) {
            if best.as_ref().is_none_or(|(least, _)| busiest < *least) {
                best = Some((busiest, fitting.len()));
            }
            fitting.push(candidate);
        }
    }
    *candidates = fitting;
    candidates.get(best?.1)
}

fn accept(rounded: &mut Rounded, loads: Vec<BigInt>, patterns: Vec<Pattern>) {
    for pattern in patterns {
        *rounded.added.entry(pattern).or_default() += 1u32;
    }
    rounded.loads = loads;
    rounded.refilled += BigInt::one();
}

/// A path with the fewest links through ports that can all take one more message.
fn path_with_room(
    platform: &Platform,
    commodity: Commodity,
    shares: &Shares<'_>,
    times: &PerLink<BigInt>,
    loads: &[BigInt],
    room: &BigInt,
) -> Option<Vec<LinkId>> {
    let mut by: PerNode<Option<LinkId>> = platform.per_node(None);
    let mut queue = VecDeque::from([commodity.source]);
    while let Some(node) = queue.pop_front() {
        for &link in platform.outgoing(node) {
            let to = platform.link(link).to;
            let has_room = || {
                let (measure, mut fits) = (&shares.measure, true);
                measure.occupy(measure.link(link), &times[link], |port, time| {
                    fits &= &loads[port] + measure.counted(port, time.clone()) <= *room;
                });
                fits
            };
            if to != commodity.source && by[to].is_none() && has_room() {
                by[to] = Some(link);
                queue.push_back(to);
            }
        }
    }
    let mut links = Vec::new();
    let mut node = commodity.target;
    while node != commodity.source {
        let link = by[node]?;
        links.push(link);
        node = platform.link(link).from;
    }
    links.reverse();
    Some(links)
}
