//! Slots: who talks to whom during each stretch of the period (papers/000 section 3.3).

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_matching::{Edge, decompose, max_weighted_degree};
use oneport_plan::{PeriodicSchedule, Resource, Slot, Volumes, WholePatterns};
use oneport_platform::{LinkId, Platform, Rational};

use crate::ScheduleError;
use crate::measure::Measure;
use crate::order::fewest_interruptions;

/// Orders whole patterns into slots: the weighted bipartite graph of send and receive ports is split into matchings
/// whose lengths add up to the busiest port's time. Merges need no slots: a processor computes while its node sends and
/// receives, so its merges fit if their times do. The patterns must be of this platform.
///
/// # Errors
/// [`ScheduleError::Overfull`] when a port or a processor is busier than the period is long.
pub fn periodic(
    platform: &Platform,
    volumes: &Volumes,
    whole: WholePatterns,
) -> Result<PeriodicSchedule, ScheduleError> {
    let measure = Measure::new(platform, volumes);
    let mut totals = vec![BigInt::zero(); measure.places()];
    for scheduled in &whole.patterns {
        measure.add(&scheduled.pattern, &scheduled.copies.clone().into(), &mut totals);
    }
    let time = |place: usize| measure.time(place) * &totals[place];
    let links: Vec<LinkId> = platform.link_ids().filter(|link| !totals[link.index()].is_zero()).collect();
    let edges: Vec<Edge> = links
        .iter()
        .map(|&id| {
            let link = platform.link(id);
            Edge { left: link.from.index(), right: link.to.index(), weight: time(id.index()) }
        })
        .collect();
    let nodes = platform.nodes().len();
    let processors = platform.links().len()..measure.places();
    let computing = processors.filter(|&place| !totals[place].is_zero()).map(time).max().unwrap_or_default();
    if max_weighted_degree(nodes, nodes, &edges)?.max(computing) > whole.period {
        return Err(overfull(platform, &measure, &totals, whole.period));
    }
    let slots: Vec<Slot> = decompose(nodes, nodes, &edges)?
        .steps
        .into_iter()
        .map(|step| Slot { length: step.length, links: step.edges.into_iter().map(|edge| links[edge]).collect() })
        .collect();
    let slots = fewest_interruptions(slots);
    Ok(PeriodicSchedule { period: whole.period, instances: whole.instances, patterns: whole.patterns, slots })
}

/// Names the first of the busiest resources.
fn overfull(platform: &Platform, measure: &Measure<'_>, totals: &[BigInt], period: Rational) -> ScheduleError {
    let loads = measure.loads(totals, |place| measure.time(place));
    let busiest = loads.into_iter().enumerate().rev().max_by(|(_, a), (_, b)| a.cmp(b));
    let (number, busy) = busiest.unwrap_or_default();
    let resource = measure.resource(number);
    let named = match resource {
        Resource::Send(_) => "send port",
        Resource::Receive(_) => "receive port",
        Resource::Compute(_) => "processor",
    };
    let node = platform.name(resource.node()).to_string();
    ScheduleError::Overfull { resource: named, node, busy: Box::new(busy), period: Box::new(period) }
}
