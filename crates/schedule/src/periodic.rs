//! Slots: who talks to whom during each stretch of the period (papers/000 section 3.3).

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_matching::{Edge, decompose, max_weighted_degree};
use oneport_plan::{PeriodicSchedule, ScheduledPattern, Slot, WholePatterns};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::ScheduleError;
use crate::order::fewest_interruptions;

/// Orders whole patterns into slots: the weighted bipartite graph of send and receive ports is split into matchings
/// whose lengths add up to the busiest port's time.
///
/// # Errors
/// [`ScheduleError::Overfull`] when a port is busier than the period is long.
pub fn periodic(platform: &Platform, size: &Rational, whole: WholePatterns) -> Result<PeriodicSchedule, ScheduleError> {
    let loads = link_times(platform, size, &whole.patterns);
    let links: Vec<LinkId> = loads.keys().copied().collect();
    let edges: Vec<Edge> = loads
        .into_iter()
        .map(|(link, weight)| {
            let link = platform.link(link);
            Edge { left: link.from.index(), right: link.to.index(), weight }
        })
        .collect();
    let nodes = platform.nodes().len();
    let busy = max_weighted_degree(nodes, nodes, &edges)?;
    if busy > whole.period {
        return Err(ScheduleError::Overfull { busy: Box::new(busy), period: Box::new(whole.period) });
    }
    let slots: Vec<Slot> = decompose(nodes, nodes, &edges)?
        .steps
        .into_iter()
        .map(|step| Slot { length: step.length, links: step.edges.into_iter().map(|edge| links[edge]).collect() })
        .collect();
    let slots = fewest_interruptions(slots);
    Ok(PeriodicSchedule { period: whole.period, instances: whole.instances, patterns: whole.patterns, slots })
}

/// Time each used link is busy per period.
fn link_times(platform: &Platform, size: &Rational, patterns: &[ScheduledPattern]) -> BTreeMap<LinkId, Rational> {
    let mut messages: BTreeMap<LinkId, BigUint> = BTreeMap::new();
    for scheduled in patterns {
        for transfer in scheduled.pattern.transfers() {
            *messages.entry(transfer.link).or_default() += &scheduled.copies;
        }
    }
    let time =
        |link: LinkId, count: BigUint| Rational::from_integer(BigInt::from(count)) * size * &platform.link(link).cost;
    messages.into_iter().map(|(link, count)| (link, time(link, count))).collect()
}

/// Messages a forwarding node must be able to hold: what it receives in one period it forwards in the next, so it
/// never holds more than two periods' worth (papers/000 section 3.4 has the same bound). Only nodes that forward.
pub fn buffers(platform: &Platform, schedule: &PeriodicSchedule) -> BTreeMap<NodeId, BigUint> {
    let mut held: BTreeMap<NodeId, BigUint> = BTreeMap::new();
    for scheduled in &schedule.patterns {
        for transfer in scheduled.pattern.transfers().filter(|transfer| transfer.stage > 0) {
            *held.entry(platform.link(transfer.link).from).or_default() += &scheduled.copies * 2u32;
        }
    }
    held.retain(|_, count| !count.is_zero());
    held
}
