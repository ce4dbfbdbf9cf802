//! Slots (links that are busy at the same time, each for its time), and odd sets that exclude them.
//!
//! Where every node sends and receives one message at a time, links are edges between send ports and receive ports, and
//! the busiest port decides (RR-4872 section 3.3). Ports for several links at a time, and links without a limit at
//! one end, leave that as it is: the graph stays bipartite, its constraints totally unimodular. A half-duplex node has
//! one port for both, so there may be odd cycles: of three such nodes only two are busy with one another at a time,
//! though each could be with either. There, odd sets of nodes may need longer than the busiest port.

use num_bigint::BigInt;
use num_traits::One;
use oneport_matching::{Edge, decompose, general};
use oneport_plan::{OddSet, Resource, Slot};
use oneport_platform::{LinkId, Platform, Rational};
use oneport_watch::Watch;

use crate::ScheduleError;

/// Odd sets looked at together. Trades time per round for rounds. Not measured.
const WORST: usize = 8;

/// Busy times of links, ascending by link.
pub type LinkTimes = Vec<(LinkId, Rational)>;

/// Whether odd sets may need longer than every single port and link does.
pub fn has_odd_sets(platform: &Platform) -> bool {
    platform.half_duplex().is_some()
}

/// The time that odd sets of ports need, and ports and links.
pub fn least_period(platform: &Platform, times: &LinkTimes) -> Result<Rational, ScheduleError> {
    let (graph, _) = port_graph(platform, times);
    Ok(general::least_period(&graph, &only_times(times))?)
}

/// The odd set that needs most time and that time, if it is more than the need of the busiest port and link: Newton's
/// method, a few separations.
///
/// # Errors
/// Negative times.
pub fn slowest_odd_set(
    platform: &Platform,
    times: &LinkTimes,
    busiest: &Rational,
) -> Result<Option<(Rational, OddSet)>, ScheduleError> {
    let (graph, ports) = port_graph(platform, times);
    let only_times = only_times(times);
    let mut slowest: Option<(Rational, OddSet)> = None;
    loop {
        let period = slowest.as_ref().map_or(busiest, |(period, _)| period);
        let found = general::separate(&graph, &only_times, period)?;
        let timed = found.into_iter().map(|set| {
            let load: Rational = set
                .members(&graph)
                .into_iter()
                .filter_map(|edge| only_times.get(edge))
                .sum();
            (load / BigInt::from(set.capacity(&graph)), set)
        });
        let Some((period, set)) = timed.max_by(|(one, _), (other, _)| one.cmp(other)) else {
            return Ok(slowest);
        };
        let mut of_set: Vec<Resource> = set
            .vertices
            .iter()
            .filter_map(|&port| ports.get(port).copied())
            .collect();
        of_set.sort_unstable();
        let links = set
            .edges
            .iter()
            .filter_map(|&edge| Some(times.get(edge)?.0))
            .collect();
        slowest = Some((
            period,
            OddSet {
                ports: of_set,
                links,
            },
        ));
    }
}

/// An odd set, by the links that are counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkSet {
    /// Ascending.
    pub links: Vec<LinkId>,
    /// How many of them can be busy at a time, positive.
    pub at_a_time: BigInt,
}

/// Odd sets that are busy for longer than the period, the worst of them. No single port or link may be.
pub fn violated(
    platform: &Platform,
    times: &LinkTimes,
    period: &Rational,
) -> Result<Vec<LinkSet>, ScheduleError> {
    let (graph, _) = port_graph(platform, times);
    let sets = general::separate(&graph, &only_times(times), period)?;
    Ok(sets
        .iter()
        .take(WORST)
        .map(|set| link_set(&graph, set, times))
        .collect())
}

/// Refuses times that keep an odd set of ports busy for longer than the period. No single port or link may be.
pub fn check_odd_sets(
    platform: &Platform,
    times: &LinkTimes,
    period: &Rational,
) -> Result<(), ScheduleError> {
    let (graph, ports) = port_graph(platform, times);
    let sets = general::separate(&graph, &only_times(times), period)?;
    let Some(set) = sets.first() else {
        return Ok(());
    };
    let LinkSet { links, at_a_time } = link_set(&graph, set, times);
    let counted = times
        .iter()
        .filter(|(link, _)| links.binary_search(link).is_ok());
    let sum: Rational = counted.map(|(_, time)| time).sum();
    let ports = set
        .vertices
        .iter()
        .filter_map(|&port| ports.get(port).copied());
    let further = set
        .edges
        .iter()
        .filter_map(|&edge| Some(Resource::Link(times.get(edge)?.0)));
    let names: Vec<String> = ports
        .chain(further)
        .map(|resource| resource.describe(platform))
        .collect();
    Err(ScheduleError::OddSet {
        members: names.join(", "),
        at_a_time: at_a_time.to_string(),
        busy: Box::new(sum / at_a_time),
        period: Box::new(period.clone()),
    })
}

fn link_set(graph: &general::PortGraph, set: &general::OddSet, times: &LinkTimes) -> LinkSet {
    let links = set
        .members(graph)
        .into_iter()
        .filter_map(|edge| Some(times.get(edge)?.0))
        .collect();
    LinkSet {
        links,
        at_a_time: BigInt::from(set.capacity(graph)).max(BigInt::one()),
    }
}

/// Splits the links into those that no port limits, which may be busy at any time, and the others.
pub fn unhindered(platform: &Platform, times: LinkTimes) -> (LinkTimes, LinkTimes) {
    times
        .into_iter()
        .partition(|&(link, _)| Resource::ends(platform, link) == [None, None])
}

/// Slots that take no longer than ports, links and odd sets need.
pub fn slots(
    platform: &Platform,
    times: &LinkTimes,
    watch: &Watch,
) -> Result<Vec<Slot>, ScheduleError> {
    let one_port = |link: LinkId| {
        Resource::ends(platform, link).into_iter().all(|end| {
            end.is_some_and(|end| end.capacity(platform) == 1 && !matches!(end, Resource::Port(_)))
        })
    };
    let steps = if times.iter().all(|&(link, _)| one_port(link)) {
        let edge = |(id, time): &(LinkId, Rational)| {
            let link = platform.link(*id);
            Edge {
                left: link.from.index(),
                right: link.to.index(),
                weight: time.clone(),
            }
        };
        let edges: Vec<Edge> = times.iter().map(edge).collect();
        let nodes = platform.nodes().len();
        decompose(nodes, nodes, &edges, watch)?.steps
    } else {
        let (graph, _) = port_graph(platform, times);
        general::decompose(&graph, &only_times(times))?.steps
    };
    let slot = |step: oneport_matching::Step| Slot {
        shares: Vec::new(),
        length: step.length,
        links: step.edges.into_iter().map(|edge| times[edge].0).collect(),
    };
    Ok(steps.into_iter().map(slot).collect())
}

fn only_times(times: &LinkTimes) -> Vec<Rational> {
    times.iter().map(|(_, time)| time.clone()).collect()
}

/// The ports that these links use, ascending, and the links as edges between them.
fn port_graph(platform: &Platform, times: &LinkTimes) -> (general::PortGraph, Vec<Resource>) {
    let ends = |&(link, _): &(LinkId, Rational)| Resource::ends(platform, link);
    let mut ports: Vec<Resource> = times.iter().flat_map(ends).flatten().collect();
    ports.sort_unstable();
    ports.dedup();
    let vertex = |end: Option<Resource>| end.and_then(|end| ports.binary_search(&end).ok());
    let edges = times.iter().map(|time| ends(time).map(vertex)).collect();
    let capacities = ports
        .iter()
        .map(|port| port.capacity(platform) as usize)
        .collect();
    (general::PortGraph { capacities, edges }, ports)
}
