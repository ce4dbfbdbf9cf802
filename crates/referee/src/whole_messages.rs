//! Whole messages: whether the slots of a schedule cut any.
//!
//! A link's messages follow one another in the order of patterns, of stages within a pattern, of tasks, of copies. They
//! fill the stretches during which slots name the link without a break. A message that is not over at the end of a
//! stretch is cut. Equal messages are counted, not followed, so that long schedules cost no more than short ones.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_traits::{Signed, Zero};
use oneport_plan::{PeriodicSchedule, Problem, Task};
use oneport_platform::{LinkId, Rational, whole};

use crate::Violation;
use crate::case::Case;
use crate::schedule::check_schedule;
use crate::violation::{fault, shown};

/// Checks a schedule ([`check_schedule`]), and that it cuts no message: every transfer is one stretch within a period.
///
/// `O(links x slots + tasks)` operations on rationals, however many copies there are.
///
/// # Errors
/// The first rule broken. The first link that cuts a message, and when.
pub fn check_whole_messages(
    problem: &Problem,
    schedule: &PeriodicSchedule,
) -> Result<(), Violation> {
    check_schedule(problem, schedule)?;
    let case = Case::new(problem);
    let mut stretches = stretches(schedule);
    for (link, messages) in messages(&case, schedule) {
        let stretches = stretches.remove(&link).unwrap_or_default();
        if let Some((date, left)) = first_cut(&messages, stretches) {
            let (link, date, left) = (case.platform.link_name(link), shown(date), shown(left));
            let found = format!("a message over {link} is cut at {date}, with {left} of it left");
            return Err(fault!(Schedule, "{found}"; "no message may be interrupted"));
        }
    }
    Ok(())
}

/// When each link is busy without a break.
fn stretches(schedule: &PeriodicSchedule) -> BTreeMap<LinkId, Vec<[Rational; 2]>> {
    let mut all: BTreeMap<LinkId, Vec<[Rational; 2]>> = BTreeMap::new();
    let mut start = Rational::zero();
    for slot in &schedule.slots {
        let end = &start + &slot.length;
        for link in &slot.links {
            let of_link = all.entry(*link).or_default();
            match of_link.last_mut() {
                Some(last) if last[1] == start => last[1].clone_from(&end),
                _ => of_link.push([start.clone(), end.clone()]),
            }
        }
        start = end;
    }
    all
}

/// For each link, in its order: how many messages, and how long each takes.
fn messages(
    case: &Case<'_>,
    schedule: &PeriodicSchedule,
) -> BTreeMap<LinkId, Vec<(BigUint, Rational)>> {
    let mut all: BTreeMap<LinkId, Vec<(BigUint, Rational)>> = BTreeMap::new();
    for scheduled in &schedule.patterns {
        for (_, task) in scheduled.pattern.by_stage() {
            let Task::Send { link, part, .. } = task else {
                continue;
            };
            let time = case.size(part) * &case.platform.link(link).cost;
            if time.is_positive() {
                all.entry(link)
                    .or_default()
                    .push((scheduled.copies.clone(), time));
            }
        }
    }
    all
}

/// When the first message is cut, and how much of its time is left then. If all take the same time, their order does
/// not matter, and each stretch has to be a multiple of that.
fn first_cut(
    messages: &[(BigUint, Rational)],
    stretches: Vec<[Rational; 2]>,
) -> Option<(Rational, Rational)> {
    let mut groups = messages.iter();
    let (mut left, mut time) = (BigUint::zero(), Rational::zero());
    for [start, end] in stretches {
        let mut room = end.clone() - start;
        while room.is_positive() {
            if left.is_zero() {
                let (copies, each) = groups.next()?;
                (left, time) = (copies.clone(), each.clone());
            }
            let fitting = (&room / &time)
                .floor()
                .to_integer()
                .magnitude()
                .clone()
                .min(left.clone());
            if fitting.is_zero() {
                return Some((end, &time - room));
            }
            room -= &time * whole(fitting.clone());
            left -= fitting;
        }
    }
    None
}
