//! Rings: whether they are rings, whether ports and links bear them, and what prices prove of all others.
//!
//! **Bound.** With prices `pi_r >= 0`, a ring that carries `w` takes `w` times its price of the priced time. The priced
//! time per unit of time is at most `sum_r pi_r cap_r`. So rings carry at most that sum over the price of the cheapest
//! ring.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{
    Certificate, Collective, EqualRings, Problem, Resource, Ring, RingPacking, Volumes,
};
use oneport_platform::{NodeId, PerLink, PerNode, Platform, Rational, whole};
use oneport_watch::Watch;

use crate::Violation;
use crate::arithmetic::{fraction, is_positive};
use crate::case::Case;
use crate::prices::{Prices, common_denominator, over};
use crate::violation::{fault, shown, too_large};

/// Limit: processors. All subsets are enumerated.
const MOST: usize = 16;

/// Checks a packing: every ring, the sum of all loads, the total, and that the certificate proves the bound.
///
/// # Errors
/// The first rule broken. [`Rule::Stopped`](crate::Rule::Stopped) if the watch ended the check of the bound.
pub fn check_rings(
    platform: &Platform,
    processors: &[NodeId],
    packing: &RingPacking,
    watch: &Watch,
) -> Result<(), Violation> {
    let mut total = Rational::zero();
    for (_, weight) in &packing.rings {
        check_weight(weight)?;
        total += weight;
    }
    check_loads(
        platform,
        processors,
        packing
            .rings
            .iter()
            .map(|(ring, weight)| (ring, weight.clone())),
    )?;
    if total != packing.total {
        let right = format!("the rings carry {} together", shown(&total));
        return Err(fault!(Claim, "the total is {}", shown(&packing.total); "{right}"));
    }
    let bound = ring_bound(platform, processors, &packing.certificate, watch)?;
    if bound > packing.upper_bound {
        let claimed = shown(&packing.upper_bound);
        return Err(fault!(Claim, "the bound is {claimed}"; "the prices prove {}", shown(bound)));
    }
    Ok(())
}

/// Checks equal rings: every ring, and the sum of all loads.
///
/// # Errors
/// The first rule broken.
pub fn check_equal_rings(
    platform: &Platform,
    processors: &[NodeId],
    equal: &EqualRings,
) -> Result<(), Violation> {
    check_weight(&equal.share)?;
    let weight = |times: u32| &equal.share * whole(times);
    check_loads(
        platform,
        processors,
        equal
            .rings
            .iter()
            .map(|(ring, times)| (ring, weight(*times))),
    )
}

fn check_weight(weight: &Rational) -> Result<(), Violation> {
    if is_positive(weight) {
        return Ok(());
    }
    Err(fault!(SteadyState, "a ring carries {}", shown(weight); "leave out what carries nothing"))
}

/// Every ring is one, and nothing is busy for more than it can be.
fn check_loads<'r>(
    platform: &Platform,
    processors: &[NodeId],
    rings: impl Iterator<Item = (&'r Ring, Rational)>,
) -> Result<(), Violation> {
    check_processors(platform, processors)?;
    let mut busy: BTreeMap<Resource, Rational> = BTreeMap::new();
    for (index, (ring, weight)) in rings.enumerate() {
        check_ring(platform, processors, ring)
            .map_err(|violation| violation.at(format!("ring {index}")))?;
        for &link in ring.hops.iter().flatten() {
            let time = &platform.link(link).cost * &weight;
            for used in Resource::uses(platform, link) {
                *busy.entry(used.resource).or_default() += used.of(&time);
            }
        }
    }
    for (resource, load) in busy {
        let capacity = resource.capacity(platform);
        if load > whole(capacity) {
            let (resource, load) = (resource.describe(platform), shown(&load));
            return Err(
                fault!(SteadyState, "the {resource} is busy for {load} of the time"; "at most {capacity} is possible"),
            );
        }
    }
    Ok(())
}

/// The processors exist and compute, each once. They send while they receive.
fn check_processors(platform: &Platform, processors: &[NodeId]) -> Result<(), Violation> {
    let count = processors.len();
    if !(2..=MOST).contains(&count) {
        return Err(fault!(Question, "rings over {count} processors"; "2 to {MOST} are possible"));
    }
    if let Some(node) = processors
        .iter()
        .find(|node| node.index() >= platform.nodes().len())
    {
        let nodes = platform.nodes().len();
        return Err(
            fault!(Question, "node id {} does not exist", node.index(); "the platform has {nodes} nodes"),
        );
    }
    if let Some(index) = (1..count).find(|&index| processors[..index].contains(&processors[index]))
    {
        return Err(fault!(
            Question,
            "'{}' is listed twice",
            platform.name(processors[index])
        ));
    }
    if let Some(&node) = processors
        .iter()
        .find(|node| !platform.node(**node).is_processor())
    {
        return Err(
            fault!(Question, "'{}' is a router", platform.name(node); "rings join processors"),
        );
    }
    match platform.half_duplex() {
        Some(node) => Err(
            fault!(Question, "'{}' is half-duplex", platform.name(node); "rings need other port models"),
        ),
        None => Ok(()),
    }
}

/// Hops connect, visit every processor once, pass no other, and lead back to the first.
fn check_ring(platform: &Platform, processors: &[NodeId], ring: &Ring) -> Result<(), Violation> {
    let mut visited: Vec<NodeId> = Vec::with_capacity(ring.hops.len());
    let mut at: Option<NodeId> = None;
    for hop in &ring.hops {
        for (index, &id) in hop.iter().enumerate() {
            if id.index() >= platform.links().len() {
                let (id, links) = (id.index(), platform.links().len());
                return Err(
                    fault!(Unknown, "link id {id} does not exist"; "the platform has {links} links, from 0 on"),
                );
            }
            let link = platform.link(id);
            if at.is_some_and(|at| at != link.from) {
                let (link, at) = (
                    platform.link_name(id),
                    at.map(|at| platform.name(at)).unwrap_or_default(),
                );
                return Err(
                    fault!(Task, "link '{link}' is taken at '{at}'"; "a link is taken where it begins"),
                );
            }
            match (index == 0, processors.contains(&link.from)) {
                (true, true) => visited.push(link.from),
                (false, false) => {}
                (begins, _) => {
                    let what = if begins { "begins" } else { "passes" };
                    let right = "hops begin and end at processors of the ring, and pass none";
                    return Err(
                        fault!(Task, "a hop {what} at '{}'", platform.name(link.from); "{right}"),
                    );
                }
            }
            at = Some(link.to);
        }
        if hop.is_empty() {
            return Err(fault!(Task, "a hop has no links"));
        }
    }
    let returns = at.is_some() && at == visited.first().copied();
    let mut sorted = visited.clone();
    sorted.sort_unstable();
    let mut wanted = processors.to_vec();
    wanted.sort_unstable();
    if !returns || sorted != wanted {
        let names: Vec<&str> = visited.iter().map(|&node| platform.name(node)).collect();
        let right = format!(
            "a ring visits each of the {} processors once and returns",
            processors.len()
        );
        return Err(fault!(Task, "it visits {}", names.join(", "); "{right}"));
    }
    Ok(())
}

/// Upper bound on the total rate of rings over these processors, proved by the prices: the sum of prices times
/// capacities, over the price of the cheapest ring. The cheapest ring is found by going through all sets of processors.
///
/// O(2^n n^2) additions for `n` processors, and `n` times shortest routes.
///
/// # Errors
/// Prices that are malformed or prove nothing. A platform without a ring. [`Rule::Stopped`](crate::Rule::Stopped) if
/// the watch ended the search.
pub fn ring_bound(
    platform: &Platform,
    processors: &[NodeId],
    certificate: &Certificate,
    watch: &Watch,
) -> Result<Rational, Violation> {
    check_processors(platform, processors)?;
    let collective = Collective::broadcast(processors[0], processors[1..].to_vec());
    let problem = Problem::new(platform, collective, Volumes::default())?;
    let case = Case::new(&problem).watched(watch);
    let prices = Prices::new(&case, certificate)?;
    let fractions = prices.lengths(&case);
    let common = common_denominator(fractions.iter(), fractions.len())
        .map_err(|(bits, limit)| too_large("the prices of links", bits, limit))?;
    let lengths: PerLink<BigUint> = fractions
        .into_iter()
        .map(|length| over(length, &common))
        .collect();
    let hops: Vec<Vec<Option<BigUint>>> = processors
        .iter()
        .map(|&from| routes(platform, processors, from, &lengths))
        .collect();
    // Sums of fewer than 2^24 links fit if one link has at most this number of bits.
    let narrow = |hop: &Option<BigUint>| match hop {
        Some(hop) if hop.bits() <= 100 => u128::try_from(hop).ok().map(Some),
        Some(_) => None,
        None => Some(None),
    };
    let narrowed: Option<Vec<Vec<Option<u128>>>> = hops
        .iter()
        .map(|row| row.iter().map(narrow).collect())
        .collect();
    let cheapest = match narrowed {
        Some(hops) => cheapest_ring(&hops, &case)?.map(BigUint::from),
        None => cheapest_ring(&hops, &case)?,
    };
    let none = || {
        fault!(
            Question,
            "no ring visits all {} processors",
            processors.len()
        )
    };
    let cheapest = cheapest.ok_or_else(none)?;
    if cheapest.is_zero() {
        return Err(fault!(
            NoBound,
            "the prices make some ring free, which proves nothing"
        ));
    }
    Ok(fraction(prices.sum * common, &cheapest))
}

/// The lengths of shortest routes to all processors that pass none of them (Bellman and Ford).
fn routes(
    platform: &Platform,
    processors: &[NodeId],
    from: NodeId,
    lengths: &PerLink<BigUint>,
) -> Vec<Option<BigUint>> {
    let mut distance: PerNode<Option<BigUint>> = platform.per_node(None);
    distance[from] = Some(BigUint::zero());
    let mut arrived: PerNode<Option<BigUint>> = platform.per_node(None);
    loop {
        let mut changed = false;
        for (link, length) in platform.links().iter().zip(lengths) {
            let Some(sum) = distance[link.from].as_ref().map(|before| before + length) else {
                continue;
            };
            let known = if processors.contains(&link.to) {
                &mut arrived
            } else {
                &mut distance
            };
            let known = &mut known[link.to];
            if known.as_ref().is_none_or(|known| sum < *known) {
                *known = Some(sum);
                changed = true;
            }
        }
        if !changed {
            let hop = |node: &NodeId| {
                if *node == from {
                    None
                } else {
                    arrived[*node].clone()
                }
            };
            return processors.iter().map(hop).collect();
        }
    }
}

/// The price of the cheapest ring. Recursion over the set of processors still to be visited and the current processor:
/// the cheapest route through all of them and back to the last processor. `None` if no ring visits all processors.
fn cheapest_ring<N: Clone + Ord + Zero>(
    hops: &[Vec<Option<N>>],
    case: &Case<'_>,
) -> Result<Option<N>, Violation> {
    let home = hops.len() - 1;
    let mut left: Vec<Option<N>> = vec![None; (home + 1) << home];
    let cell = |set: usize, at: usize| (set * (home + 1)) + at;
    for set in 0..1usize << home {
        if set % 1024 == 0 {
            case.ask()?;
        }
        for at in (0..=home).filter(|&at| set >> at & 1 == 0) {
            left[cell(set, at)] = if set == 0 {
                hops[at][home].clone()
            } else {
                let next = (0..home).filter(|next| set >> next & 1 == 1);
                let way = |next: usize| {
                    Some(hops[at][next].clone()? + left[cell(set ^ 1 << next, next)].clone()?)
                };
                next.filter_map(way).min()
            };
        }
    }
    Ok(left[cell((1 << home) - 1, home)].take())
}
