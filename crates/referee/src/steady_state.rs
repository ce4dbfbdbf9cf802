//! A steady state: weighted paths that no port is too busy for.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::Zero;
use oneport_plan::{Collective, SteadyState};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, parts};
use crate::case::{Case, PathChecker};

/// Checks that the patterns are simple paths of positive weight, sorted by commodity, that the weights of each
/// commodity add up to the throughput, and that no port is busy for more than the whole time (papers/000
/// section 3.1: the constraints of SSSP(G), with paths instead of flows).
///
/// Sums are taken over common denominators: O(total path length) additions of integers.
///
/// # Errors
/// The first rule broken.
pub fn check_steady_state(
    platform: &Platform,
    collective: &Collective,
    size: &Rational,
    steady_state: &SteadyState,
) -> Result<(), Violation> {
    let case = Case::new(platform, collective, size)?;
    let SteadyState { throughput, patterns } = steady_state;
    if !is_positive(throughput) {
        return Err(Violation::BadThroughput { found: Box::new(throughput.clone()) });
    }
    let mut paths = PathChecker::new(case, "steady-state");
    let mut previous = 0;
    for (place, weighted) in patterns.iter().enumerate() {
        paths.check(&weighted.pattern)?;
        let commodity = weighted.pattern.commodity;
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
    let mut rates: BTreeMap<usize, BigUint> = BTreeMap::new();
    let mut traffic = vec![BigUint::zero(); platform.links().len()];
    for weighted in patterns {
        let weight = scale.scaled(&weighted.weight);
        for link in &weighted.pattern.links {
            traffic[link.index()] += &weight;
        }
        *rates.entry(weighted.pattern.commodity).or_default() += weight;
    }
    check_rates(&case, throughput, &scale, &mut rates)?;
    for node in platform.node_ids() {
        check_port(&case, &scale, &traffic, node, "send", platform.outgoing(node))?;
        check_port(&case, &scale, &traffic, node, "receive", platform.incoming(node))?;
    }
    Ok(())
}

/// Every commodity is carried as often as the throughput says.
fn check_rates(
    case: &Case<'_>,
    throughput: &Rational,
    scale: &Scale,
    rates: &mut BTreeMap<usize, BigUint>,
) -> Result<(), Violation> {
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
    traffic: &[BigUint],
    node: NodeId,
    kind: &'static str,
    links: &[LinkId],
) -> Result<(), Violation> {
    let cost = |link: &LinkId| &case.platform.link(*link).cost;
    let used: Vec<LinkId> = links.iter().copied().filter(|link| !traffic[link.index()].is_zero()).collect();
    if used.is_empty() {
        return Ok(());
    }
    let costs = Scale::new("the costs of the links at one port", used.iter().map(cost), used.len())?;
    let busy: BigUint = used.iter().map(|link| costs.scaled(cost(link)) * &traffic[link.index()]).sum();
    let (size, size_denominator) = parts(case.size);
    let (busy, whole) = (busy * size, costs.denominator() * scale.denominator() * size_denominator);
    if busy > whole {
        return Err(Violation::PortOverload { kind, node: case.name(node), load: Box::new(fraction(busy, &whole)) });
    }
    Ok(())
}
