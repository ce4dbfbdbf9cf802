//! A steady state: weighted patterns that no port, no link and no processor is too busy for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Pattern, Problem, Resource, SteadyState};
use oneport_platform::{LinkId, NodeId, Rational};
use oneport_watch::Watch;

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, parts, time_on};
use crate::case::Case;
use crate::loads::Loads;
use crate::odd_sets::violated;
use crate::pattern::PatternChecker;
use crate::violation::{fault, first_of, shown, times_name};

/// Checks a steady state (RR-4872 sections 3.1 and 4.2: the constraints of SSSP(G) and SSR(G), with patterns instead of
/// flows):
///
/// - The patterns execute their demands and have positive weights, sorted by demand.
/// - The weights of each demand add up to the throughput (times its group's rate).
/// - No port, no link and no processor is busy for more than its capacity.
/// - If nodes have one port for sends and receives together (RR-2004-32 section 3), that is not enough for a schedule
///   to exist. Then all odd-set inequalities are checked, too (see the module `odd_sets`).
///
/// Sums are taken over common denominators: O(total number of tasks) products and additions of integers. Odd sets take
/// O(ports) largest flows. The check calls the watch before every pattern.
///
/// # Errors
/// The first rule broken. [`Rule::Stopped`](crate::Rule::Stopped) if the watch ended the check.
pub fn check_steady_state(
    problem: &Problem,
    steady_state: &SteadyState,
    watch: &Watch,
) -> Result<(), Violation> {
    Sustained::new(Case::new(problem).watched(watch), steady_state)?.check_odd_sets()
}

/// A steady state that overloads nothing.
pub(crate) struct Sustained<'a> {
    case: Case<'a>,
    scale: Scale,
    loads: Loads,
}

impl<'a> Sustained<'a> {
    /// Checks all but the odd sets.
    pub(crate) fn new(
        case: Case<'a>,
        steady_state: &SteadyState,
    ) -> Result<Sustained<'a>, Violation> {
        let platform = case.platform;
        let SteadyState {
            throughput,
            patterns,
        } = steady_state;
        if !is_positive(throughput) {
            return Err(
                fault!(SteadyState, "the throughput is {}", shown(throughput); "it must be positive"),
            );
        }
        let mut checker = PatternChecker::new(case, "steady-state");
        let mut previous = 0;
        for (index, weighted) in patterns.iter().enumerate() {
            case.ask()?;
            checker.check(&weighted.pattern)?;
            let commodity = weighted.pattern.demand;
            let named = || {
                (
                    format!("steady-state pattern {index}"),
                    case.demand_name(commodity),
                )
            };
            if !is_positive(&weighted.weight) {
                let (pattern, commodity) = named();
                let weight = shown(&weighted.weight);
                return Err(
                    fault!(SteadyState, "{pattern} ({commodity}) has weight {weight}"; "a weight must be positive"),
                );
            }
            if commodity < previous {
                let (pattern, commodity) = named();
                let previous = case.demand_name(previous);
                let found = format!("{pattern} ({commodity}) follows one of {previous}");
                return Err(fault!(SteadyState, "{found}"; "sort patterns by demand"));
            }
            previous = commodity;
        }
        let weights = patterns.iter().map(|weighted| &weighted.weight);
        let scale = Scale::new(
            "the weights",
            weights,
            patterns.len() + platform.links().len(),
        )?;
        let patterns: Vec<(&Pattern, BigUint)> = patterns
            .iter()
            .map(|weighted| (&weighted.pattern, scale.scaled(&weighted.weight)))
            .collect();
        check_rates(&case, throughput, &scale, &patterns)?;
        let loads = Loads::new(&case, &patterns)?;
        let mut by_resource: BTreeMap<Resource, Vec<LinkId>> = BTreeMap::new();
        for link in platform
            .link_ids()
            .filter(|link| !loads.traffic[*link].is_zero())
        {
            for used in Resource::uses(platform, link) {
                by_resource.entry(used.resource).or_default().push(link);
            }
        }
        for (resource, links) in &by_resource {
            check_links(&case, &scale, &loads, *resource, links)?;
        }
        for node in platform.node_ids() {
            check_processor(&case, &scale, &loads, node)?;
        }
        Ok(Sustained { case, scale, loads })
    }

    /// Whether a schedule of this period, which has been checked and has these loads, carries at least as much over
    /// every link per unit of time. Its slots, the surplus of each link left out, then sustain the steady state.
    pub(crate) fn is_within(&self, scheduled: &Loads, period: &Rational) -> bool {
        let (period, period_denominator) = parts(period);
        let own = scheduled.size_denominator() * period;
        let other = self.scale.denominator() * self.loads.size_denominator() * period_denominator;
        let mut links = self.loads.traffic.iter().zip(&scheduled.traffic);
        links.all(|(sustained, scheduled)| sustained * &own <= scheduled * &other)
    }

    /// Checks that the links can be busy for their times, in some sequence of slots.
    pub(crate) fn check_odd_sets(&self) -> Result<(), Violation> {
        let platform = self.case.platform;
        if platform.half_duplex().is_none() {
            // Senders on one side, receivers on the other: such times can be scheduled if no port is overloaded.
            return Ok(());
        }
        self.case.ask()?;
        let cost = |link: &LinkId| &platform.link(*link).cost;
        let used: Vec<LinkId> = platform
            .link_ids()
            .filter(|link| !self.loads.traffic[*link].is_zero())
            .collect();
        let costs = Scale::new("the costs of the links", used.iter().map(cost), used.len())?;
        let time = |link: LinkId| (link, costs.scaled(cost(&link)) * &self.loads.traffic[link]);
        let times: Vec<(LinkId, BigUint)> = used.into_iter().map(time).collect();
        let whole = costs.denominator() * self.scale.denominator() * self.loads.size_denominator();
        let Some(violated) = violated(platform, &times, &whole) else {
            return Ok(());
        };
        let of_links = times
            .iter()
            .filter(|(link, _)| violated.links.binary_search(link).is_ok());
        let ports = first_of(
            &violated
                .ports
                .iter()
                .map(|port| port.describe(platform))
                .collect::<Vec<_>>(),
        );
        let (links, capacity) = (violated.links.len(), violated.capacity);
        let load = shown(fraction(of_links.map(|(_, time)| time).sum(), &whole));
        let found = format!("{links} links among {ports} are busy for {load} of the time together");
        Err(fault!(OddSet, "{found}"; "at most {capacity} of them can be busy at a time"))
    }
}

/// Every commodity is carried as often as the throughput says.
fn check_rates(
    case: &Case<'_>,
    throughput: &Rational,
    scale: &Scale,
    patterns: &[(&Pattern, BigUint)],
) -> Result<(), Violation> {
    let mut rates: BTreeMap<usize, BigUint> = BTreeMap::new();
    for (pattern, weight) in patterns {
        *rates.entry(pattern.demand).or_default() += weight;
    }
    let (numerator, denominator) = parts(throughput);
    let once = numerator * scale.denominator();
    // Ends at the first commodity without a pattern, however many there are.
    for commodity in 0..case.demands() {
        let rate = rates.remove(&commodity).unwrap_or_default();
        let times = case.collective.rate(commodity);
        if &rate * denominator != &once * times {
            let (commodity, rate) = (case.demand_name(commodity), shown(scale.rational(rate)));
            let (times, throughput) = (times_name(times), shown(throughput));
            let right = format!("they must add up to {times}the throughput, {throughput}");
            return Err(
                fault!(SteadyState, "the weights of {commodity} add up to {rate}"; "{right}"),
            );
        }
    }
    Ok(())
}

/// The links of one resource are busy for at most its capacity, together.
fn check_links(
    case: &Case<'_>,
    scale: &Scale,
    loads: &Loads,
    resource: Resource,
    links: &[LinkId],
) -> Result<(), Violation> {
    let times: Vec<Cow<'_, Rational>> = links
        .iter()
        .map(|&link| time_on(case.platform, resource, link))
        .collect();
    let costs = Scale::new(
        "the costs of the links at one port",
        times.iter().map(Cow::as_ref),
        links.len(),
    )?;
    let busy: BigUint = links
        .iter()
        .zip(&times)
        .map(|(link, time)| costs.scaled(time) * &loads.traffic[*link])
        .sum();
    let whole = costs.denominator() * scale.denominator() * loads.size_denominator();
    check_busy(case, resource, busy, &whole)
}

/// The merges of one processor take at most the whole time, together.
fn check_processor(
    case: &Case<'_>,
    scale: &Scale,
    loads: &Loads,
    node: NodeId,
) -> Result<(), Violation> {
    let work = &loads.work[node];
    let Some(compute) = case
        .platform
        .node(node)
        .merge_time()
        .filter(|_| !work.is_zero())
    else {
        return Ok(());
    };
    let (compute, denominator) = parts(compute);
    let whole = denominator * scale.denominator() * loads.work_denominator();
    check_busy(case, Resource::Compute(node), work * compute, &whole)
}

fn check_busy(
    case: &Case<'_>,
    resource: Resource,
    busy: BigUint,
    whole: &BigUint,
) -> Result<(), Violation> {
    let capacity = resource.capacity(case.platform);
    if busy > whole * capacity {
        let (resource, load) = (
            resource.describe(case.platform),
            shown(fraction(busy, whole)),
        );
        return Err(
            fault!(SteadyState, "the {resource} is busy for {load} of the time"; "at most {capacity} is possible"),
        );
    }
    Ok(())
}
