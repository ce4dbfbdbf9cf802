//! A steady state: weighted patterns that no port and no processor is too busy for.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;
use oneport_plan::{Collective, Pattern, SteadyState, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, parts};
use crate::case::Case;
use crate::loads::Loads;
use crate::pattern::PatternChecker;

/// Checks that the patterns are simple paths, or reduction trees, of positive weight, sorted by commodity, that the
/// weights of each commodity (or reduction) add up to the throughput, and that no port and no processor is busy for
/// more than the whole time (papers/000 sections 3.1 and 4.2: the constraints of SSSP(G) and SSR(G), with paths and
/// trees instead of flows).
///
/// Sums are taken over common denominators: O(total number of tasks) products and additions of integers.
///
/// # Errors
/// The first rule broken.
pub fn check_steady_state(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    steady_state: &SteadyState,
) -> Result<(), Violation> {
    let case = Case::new(platform, collective, volumes)?;
    let SteadyState { throughput, patterns } = steady_state;
    if !is_positive(throughput) {
        return Err(Violation::BadThroughput { found: Box::new(throughput.clone()) });
    }
    let mut checker = PatternChecker::new(case, "steady-state");
    let mut previous = 0;
    for (place, weighted) in patterns.iter().enumerate() {
        checker.check(&weighted.pattern)?;
        let commodity = weighted.pattern.commodity();
        let named = || (format!("steady-state pattern {place}"), case.commodity_name(commodity));
        if !is_positive(&weighted.weight) {
            let (pattern, commodity) = named();
            return Err(Violation::BadWeight { pattern, commodity, found: Box::new(weighted.weight.clone()) });
        }
        if commodity < previous {
            let (pattern, commodity) = named();
            return Err(Violation::PatternOrder { pattern, commodity, previous: case.commodity_name(previous) });
        }
        previous = commodity;
    }
    let weights = patterns.iter().map(|weighted| &weighted.weight);
    let scale = Scale::new("the weights", weights, patterns.len() + platform.links().len())?;
    let patterns: Vec<(&Pattern, BigUint)> =
        patterns.iter().map(|weighted| (&weighted.pattern, scale.scaled(&weighted.weight))).collect();
    check_rates(&case, throughput, &scale, &patterns)?;
    let loads = Loads::new(&case, &patterns)?;
    for node in platform.node_ids() {
        check_port(&case, &scale, &loads, node, "send port", platform.outgoing(node))?;
        check_port(&case, &scale, &loads, node, "receive port", platform.incoming(node))?;
        check_processor(&case, &scale, &loads, node)?;
    }
    Ok(())
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
        *rates.entry(pattern.commodity()).or_default() += weight;
    }
    let (numerator, denominator) = parts(throughput);
    let (right, rest) = (numerator * scale.denominator()).div_rem(denominator);
    // Ends at the first commodity without a pattern, however many there are.
    for commodity in 0..case.commodities() {
        let rate = rates.remove(&commodity).unwrap_or_default();
        if !rest.is_zero() || rate != right {
            return Err(Violation::CommodityRate {
                commodity: case.commodity_name(commodity),
                found: Box::new(scale.rational(rate)),
                throughput: Box::new(throughput.clone()),
            });
        }
    }
    Ok(())
}

/// The links of one port are busy for at most the whole time, together.
fn check_port(
    case: &Case<'_>,
    scale: &Scale,
    loads: &Loads,
    node: NodeId,
    kind: &'static str,
    links: &[LinkId],
) -> Result<(), Violation> {
    let cost = |link: &LinkId| &case.platform.link(*link).cost;
    let used: Vec<LinkId> = links.iter().copied().filter(|link| !loads.traffic[link.index()].is_zero()).collect();
    if used.is_empty() {
        return Ok(());
    }
    let costs = Scale::new("the costs of the links at one port", used.iter().map(cost), used.len())?;
    let busy: BigUint = used.iter().map(|link| costs.scaled(cost(link)) * &loads.traffic[link.index()]).sum();
    let whole = costs.denominator() * scale.denominator() * loads.size_denominator();
    check_busy(case, kind, node, busy, &whole)
}

/// The merges of one processor take at most the whole time, together.
fn check_processor(case: &Case<'_>, scale: &Scale, loads: &Loads, node: NodeId) -> Result<(), Violation> {
    let work = &loads.work[node.index()];
    let Some(compute) = case.platform.node(node).compute.as_ref().filter(|_| !work.is_zero()) else {
        return Ok(());
    };
    let (compute, denominator) = parts(compute);
    let whole = denominator * scale.denominator() * loads.work_denominator();
    check_busy(case, "processor", node, work * compute, &whole)
}

fn check_busy(
    case: &Case<'_>,
    kind: &'static str,
    node: NodeId,
    busy: BigUint,
    whole: &BigUint,
) -> Result<(), Violation> {
    if busy > *whole {
        return Err(Violation::PortOverload { kind, node: case.name(node), load: Box::new(fraction(busy, whole)) });
    }
    Ok(())
}
