//! A periodic schedule: slots in which no port does more than it can, and exactly the time that whole messages need.
//!
//! The checks here imply the model. Ports and links: within a slot none serves more links than it can at a time, a
//! shared capacity carries no more than its rate, and slots follow one another. Processors: the merges of a period fit
//! in it, in sequence. Precedence: a task that could not start at its date in a period waits for that date in the
//! next. Delivery: every copy of a pattern executes its demand, and each link's slots last as long as its messages
//! take, so every message is sent whole within a period.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{One, Zero};
use oneport_plan::{Pattern, PeriodicSchedule, Problem, Resource, Slot};
use oneport_platform::{LinkId, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, parts, time_on};
use crate::case::Case;
use crate::loads::Loads;
use crate::pattern::PatternChecker;
use crate::violation::{fault, shown, times_name, unordered};

/// Checks a periodic schedule:
///
/// - The period and the instances are positive.
/// - The patterns execute their demands, in whole positive copies, as many per demand as there are instances (times its
///   group's rate).
/// - The links of each slot are ascending. No port, no link and no shared capacity serves more of them than it can at a
///   time.
/// - The slots fit in the period. Each link's slots, each times its share, last exactly the time of its messages.
/// - Each processor's merges fit in the period.
///
/// O(total number of tasks + total slot size) products and additions of integers.
///
/// # Errors
/// The first rule broken.
pub fn check_schedule(problem: &Problem, schedule: &PeriodicSchedule) -> Result<(), Violation> {
    check(&Case::new(problem), schedule).map(drop)
}

/// [`check_schedule`] under the case's watch, which is called before every pattern and slot. Returns the loads of a
/// period.
pub(crate) fn check(case: &Case<'_>, schedule: &PeriodicSchedule) -> Result<Loads, Violation> {
    if !is_positive(&schedule.period) {
        return Err(
            fault!(Schedule, "the period is {}", shown(&schedule.period); "it must be positive"),
        );
    }
    if schedule.instances.is_zero() {
        return Err(
            fault!(Schedule, "the schedule starts 0 instances per period"; "at least 1 is needed"),
        );
    }
    let loads = check_patterns(case, schedule)?;
    check_slots(case, schedule)?;
    let lengths = schedule.slots.iter().map(|slot| &slot.length);
    let scale = Scale::new(
        "the slot lengths",
        lengths,
        schedule.slots.len() + case.platform.links().len(),
    )?;
    check_times(case, schedule, &scale, &loads)?;
    check_processors(case, schedule, &loads)?;
    Ok(loads)
}

/// Checks patterns and copies. Returns the loads of links and processors per period.
fn check_patterns(case: &Case<'_>, schedule: &PeriodicSchedule) -> Result<Loads, Violation> {
    let mut checker = PatternChecker::new(*case, "schedule");
    let mut copies: BTreeMap<usize, BigUint> = BTreeMap::new();
    for (index, scheduled) in schedule.patterns.iter().enumerate() {
        case.ask()?;
        checker.check(&scheduled.pattern)?;
        let commodity = scheduled.pattern.demand;
        if scheduled.copies.is_zero() {
            let pattern = format!("schedule pattern {index} ({})", case.demand_name(commodity));
            return Err(
                fault!(Schedule, "{pattern} has 0 copies"; "leave it out, or start at least 1"),
            );
        }
        *copies.entry(commodity).or_default() += &scheduled.copies;
    }
    // Ends at the first commodity without a pattern, however many there are.
    for commodity in 0..case.demands() {
        let found = copies.remove(&commodity).unwrap_or_default();
        let times = case.collective.rate(commodity);
        if found != &schedule.instances * times {
            let (commodity, times, instances) = (
                case.demand_name(commodity),
                times_name(times),
                &schedule.instances,
            );
            let right = format!("the schedule starts {times}{instances} instances per period");
            return Err(fault!(Schedule, "the copies of {commodity} add up to {found}"; "{right}"));
        }
    }
    let patterns: Vec<(&Pattern, BigUint)> = schedule
        .patterns
        .iter()
        .map(|scheduled| (&scheduled.pattern, scheduled.copies.clone()))
        .collect();
    Loads::new(case, &patterns)
}

/// Every slot is positive, its links are ascending, and no port or link serves more of them than it can.
fn check_slots(case: &Case<'_>, schedule: &PeriodicSchedule) -> Result<(), Violation> {
    let resources = Resource::of_platform(case.platform);
    let mut speeds: BTreeMap<LinkId, (usize, Option<&Rational>)> = BTreeMap::new();
    // Per resource: the last slot in which it was taken, counted from 1, the number of links that took it there, and
    // the first of them.
    let mut taken = vec![(0, 0, LinkId::new(0)); resources.len()];
    for (index, slot) in schedule.slots.iter().enumerate() {
        case.ask()?;
        if !is_positive(&slot.length) {
            let length = shown(&slot.length);
            return Err(
                fault!(Schedule, "slot {index} has length {length}"; "it must be positive"),
            );
        }
        for (i, &id) in slot.links.iter().enumerate() {
            case.link(id, || format!("slot {index}"))?;
            if let Some(previous) = i
                .checked_sub(1)
                .map(|i| slot.links[i])
                .filter(|&previous| previous >= id)
            {
                let [link, previous] = [id, previous].map(|link| case.platform.link_name(link));
                let found = format!("slot {index}: {link} follows {previous}");
                return Err(fault!(Schedule, "{found}"; "list links by id, each once"));
            }
            let whole = Resource::uses(case.platform, id).filter(|used| used.part.is_none());
            for resource in whole.map(|used| used.resource) {
                let of = resources.binary_search(&resource).ok();
                let Some((last, links, first)) = of.and_then(|of| taken.get_mut(of)) else {
                    continue;
                };
                if *last != index + 1 {
                    (*last, *links, *first) = (index + 1, 0, id);
                }
                *links += 1;
                if *links > resource.capacity(case.platform) {
                    return Err(overfull(case, index, resource, id, *first));
                }
            }
        }
        check_shares(case, index, slot)?;
        for &link in slot
            .links
            .iter()
            .filter(|_| !case.platform.shared().is_empty())
        {
            let share = slot.share(link);
            let &mut (first, before) = speeds.entry(link).or_insert((index, share));
            if share != before {
                let name = case.platform.link_name(link);
                let said = |share: Option<&Rational>| share.map_or("1".to_string(), shown);
                let found = format!("slot {index}: the share of {name} is {}", said(share));
                return Err(
                    fault!(Schedule, "{found}"; "it is {} in slot {first}; a link keeps its share", said(before)),
                );
            }
        }
    }
    Ok(())
}

/// Links at a part of their rate are among the links of the slot and have no ports at their ends, and no shared
/// capacity carries more than its rate. The links of the slot exist and are ascending.
fn check_shares(case: &Case<'_>, index: usize, slot: &Slot) -> Result<(), Violation> {
    let platform = case.platform;
    if !slot.shares.is_sorted_by(|one, other| one.0 < other.0) {
        return Err(unordered(&format!("slot {index}: the shares")));
    }
    for (link, share) in &slot.shares {
        case.link(*link, || format!("slot {index}: a share"))?;
        let name = || platform.link_name(*link);
        if slot.links.binary_search(link).is_err() {
            let right = "only links of the slot have a share";
            return Err(fault!(Schedule, "slot {index}: {} has a share", name(); "{right}"));
        }
        if !is_positive(share) || *share >= Rational::one() {
            let found = format!("slot {index}: the share of {} is {}", name(), shown(share));
            return Err(fault!(Schedule, "{found}"; "it is more than 0 and less than 1"));
        }
        if let Some(port) = Resource::ends(platform, *link).into_iter().flatten().next() {
            let port = port.describe(platform);
            let found = format!(
                "slot {index}: {} has a share, and the {port} serves it",
                name()
            );
            return Err(fault!(Schedule, "{found}"; "a port serves transfers one after the other"));
        }
    }
    let mut carried: BTreeMap<Resource, Rational> = BTreeMap::new();
    for &link in slot.links.iter().filter(|_| !platform.shared().is_empty()) {
        let shared = Resource::uses(platform, link).filter(|used| used.part.is_some());
        for resource in shared.map(|used| used.resource) {
            // At full rate a unit of message takes the link's cost.
            let part = time_on(platform, resource, link).as_ref() / &platform.link(link).cost;
            let part = slot.share(link).map_or(part.clone(), |share| share * part);
            *carried.entry(resource).or_default() += part;
        }
    }
    let overfull = carried
        .into_iter()
        .find(|(_, part)| *part > Rational::one());
    overfull.map_or(Ok(()), |(resource, part)| {
        let (resource, part) = (resource.describe(platform), shown(&part));
        Err(fault!(Schedule, "slot {index}: the {resource} carries {part} of its rate"; "at most 1 is possible"))
    })
}

/// A link too many at a port.
fn overfull(
    case: &Case<'_>,
    slot: usize,
    resource: Resource,
    link: LinkId,
    first: LinkId,
) -> Violation {
    let (capacity, resource) = (
        resource.capacity(case.platform),
        resource.describe(case.platform),
    );
    let link = case.platform.link_name(link);
    if capacity == 1 {
        let first = case.platform.link_name(first);
        fault!(Schedule, "slot {slot}: {first} and {link} both need the {resource}"; "it serves one at a time")
    } else {
        let found = format!("slot {slot}: {link} is one link too many for the {resource}");
        fault!(Schedule, "{found}"; "it serves {capacity} at a time")
    }
}

/// The slots fit in the period, and each link has the time it needs, no more and no less.
fn check_times(
    case: &Case<'_>,
    schedule: &PeriodicSchedule,
    scale: &Scale,
    loads: &Loads,
) -> Result<(), Violation> {
    let mut total = BigUint::zero();
    let mut busy = case.platform.per_link(BigUint::zero());
    // Per link: the time of its slots at a part of its rate, times that part.
    let mut parts_of: BTreeMap<LinkId, Rational> = BTreeMap::new();
    for slot in &schedule.slots {
        let length = scale.scaled(&slot.length);
        for link in &slot.links {
            match slot.share(*link) {
                None => busy[*link] += &length,
                Some(share) => *parts_of.entry(*link).or_default() += share * &slot.length,
            }
        }
        total += length;
    }
    let (period, period_denominator) = parts(&schedule.period);
    if &total * period_denominator > period * scale.denominator() {
        let (total, period) = (shown(scale.rational(total)), shown(&schedule.period));
        return Err(fault!(Schedule, "the slots last {total} together"; "the period is {period}"));
    }
    for ((id, busy), traffic) in case.platform.link_ids().zip(busy).zip(&loads.traffic) {
        let part = parts_of.get(&id);
        if busy.is_zero() && part.is_none() && traffic.is_zero() {
            continue;
        }
        let (cost, cost_denominator) = parts(&case.platform.link(id).cost);
        let (needed, needed_denominator) =
            (traffic * cost, loads.size_denominator() * cost_denominator);
        let agrees = match part {
            None => &busy * &needed_denominator == &needed * scale.denominator(),
            Some(part) => {
                scale.rational(busy.clone()) + part == fraction(needed.clone(), &needed_denominator)
            }
        };
        if !agrees {
            let busy = scale.rational(busy) + part.cloned().unwrap_or_default();
            let (link, busy) = (case.platform.link_name(id), shown(busy));
            let needed = shown(fraction(needed, &needed_denominator));
            return Err(
                fault!(Schedule, "the slots of {link} last {busy} per period"; "its messages take {needed}"),
            );
        }
    }
    Ok(())
}

/// Each processor has the time for its merges.
fn check_processors(
    case: &Case<'_>,
    schedule: &PeriodicSchedule,
    loads: &Loads,
) -> Result<(), Violation> {
    let (period, period_denominator) = parts(&schedule.period);
    for (id, work) in case.platform.node_ids().zip(&loads.work) {
        let Some(compute) = case.platform.node(id).merge_time() else {
            continue;
        };
        let (compute, compute_denominator) = parts(compute);
        let (needed, needed_denominator) = (
            work * compute,
            loads.work_denominator() * compute_denominator,
        );
        if &needed * period_denominator > period * &needed_denominator {
            let (node, period) = (case.name(id), shown(&schedule.period));
            let needed = shown(fraction(needed, &needed_denominator));
            return Err(
                fault!(Schedule, "the merges at '{node}' take {needed} per period"; "the period is {period}"),
            );
        }
    }
    Ok(())
}
