//! A periodic schedule: slots that are matchings, and exactly the time that whole messages need.
//!
//! The checks here imply the model. Ports: the links of a slot share none, and slots follow one another.
//! Precedence: stage `s + 1` runs in the period after stage `s`. Delivery: every copy is a path, and each
//! link's slots last as long as its messages take, so every message is sent whole within its period.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_plan::{Collective, PeriodicSchedule};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, is_positive, parts};
use crate::case::{Case, PathChecker};

/// Checks that the period and the instances are positive; that the patterns are simple paths with whole positive
/// copies, as many per commodity as there are instances; that the links of each slot are ascending and share no
/// port; that the slots fit in the period; and that each link's slots last exactly as long as its messages take.
///
/// O(total path length + total slot size) additions of integers.
///
/// # Errors
/// The first rule broken.
pub fn check_schedule(
    platform: &Platform,
    collective: &Collective,
    size: &Rational,
    schedule: &PeriodicSchedule,
) -> Result<(), Violation> {
    let case = Case::new(platform, collective, size)?;
    if !is_positive(&schedule.period) {
        return Err(Violation::BadPeriod { found: Box::new(schedule.period.clone()) });
    }
    if schedule.instances.is_zero() {
        return Err(Violation::NoInstances);
    }
    let messages = check_patterns(&case, schedule)?;
    check_matchings(&case, schedule)?;
    let lengths = schedule.slots.iter().map(|slot| &slot.length);
    let scale = Scale::new("the slot lengths", lengths, schedule.slots.len() + platform.links().len())?;
    check_times(&case, schedule, &scale, &messages)
}

/// Checks paths and copies; returns the messages that each link carries per period.
fn check_patterns(case: &Case<'_>, schedule: &PeriodicSchedule) -> Result<Vec<BigUint>, Violation> {
    let mut paths = PathChecker::new(*case, "schedule");
    let mut messages = vec![BigUint::zero(); case.platform.links().len()];
    let mut copies: BTreeMap<usize, BigUint> = BTreeMap::new();
    for (place, scheduled) in schedule.patterns.iter().enumerate() {
        paths.check(&scheduled.pattern)?;
        let commodity = scheduled.pattern.commodity;
        if scheduled.copies.is_zero() {
            return Err(Violation::NoCopies {
                pattern: format!("schedule pattern {place}"),
                commodity: case.commodity_name(commodity),
            });
        }
        for link in &scheduled.pattern.links {
            messages[link.index()] += &scheduled.copies;
        }
        *copies.entry(commodity).or_default() += &scheduled.copies;
    }
    // Ends at the first commodity without a pattern, however many there are.
    for commodity in 0..case.commodities() {
        let found = copies.remove(&commodity).unwrap_or_default();
        if found != schedule.instances {
            return Err(Violation::CommodityCopies {
                commodity: case.commodity_name(commodity),
                found: Box::new(found),
                instances: Box::new(schedule.instances.clone()),
            });
        }
    }
    Ok(messages)
}

/// Every slot is positive and a matching of send and receive ports.
fn check_matchings(case: &Case<'_>, schedule: &PeriodicSchedule) -> Result<(), Violation> {
    let nodes = case.platform.nodes().len();
    // By node: the last slot in which the port was taken, counted from 1, and the link that took it.
    let mut send = vec![(0, LinkId::new(0)); nodes];
    let mut receive = send.clone();
    for (place, slot) in schedule.slots.iter().enumerate() {
        if !is_positive(&slot.length) {
            return Err(Violation::BadSlotLength { slot: place, found: Box::new(slot.length.clone()) });
        }
        for (i, &id) in slot.links.iter().enumerate() {
            let link = case.link(id, || format!("slot {place}"))?;
            if let Some(previous) = i.checked_sub(1).map(|i| slot.links[i]).filter(|&previous| previous >= id) {
                return Err(Violation::SlotOrder {
                    slot: place,
                    link: case.platform.link_name(id),
                    previous: case.platform.link_name(previous),
                });
            }
            let take = |ports: &mut [(usize, LinkId)], node: NodeId, kind| {
                let (taken, first) = std::mem::replace(&mut ports[node.index()], (place + 1, id));
                if taken != place + 1 {
                    return Ok(());
                }
                Err(Violation::SlotPort {
                    slot: place,
                    kind,
                    node: case.name(node),
                    first: case.platform.link_name(first),
                    second: case.platform.link_name(id),
                })
            };
            take(&mut send, link.from, "send")?;
            take(&mut receive, link.to, "receive")?;
        }
    }
    Ok(())
}

/// The slots fit in the period, and each link has the time it needs, no more and no less.
fn check_times(
    case: &Case<'_>,
    schedule: &PeriodicSchedule,
    scale: &Scale,
    messages: &[BigUint],
) -> Result<(), Violation> {
    let mut total = BigUint::zero();
    let mut busy = vec![BigUint::zero(); messages.len()];
    for slot in &schedule.slots {
        let length = scale.scaled(&slot.length);
        for link in &slot.links {
            busy[link.index()] += &length;
        }
        total += length;
    }
    let (period, period_denominator) = parts(&schedule.period);
    if &total * period_denominator > period * scale.denominator() {
        return Err(Violation::SlotsTooLong {
            total: Box::new(scale.rational(total)),
            period: Box::new(schedule.period.clone()),
        });
    }
    for ((id, busy), messages) in case.platform.link_ids().zip(busy).zip(messages) {
        if busy.is_zero() && messages.is_zero() {
            continue;
        }
        let (size, size_denominator) = parts(case.size);
        let (cost, cost_denominator) = parts(&case.platform.link(id).cost);
        if &busy * size_denominator * cost_denominator != messages * size * cost * scale.denominator() {
            let messages = Rational::from_integer(messages.clone().into());
            return Err(Violation::LinkTime {
                link: case.platform.link_name(id),
                found: Box::new(scale.rational(busy)),
                needed: Box::new(messages * case.size * &case.platform.link(id).cost),
            });
        }
    }
    Ok(())
}
