//! Timelines: a periodic schedule unrolled, every message of every instance with its dates.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Event, PeriodicSchedule, Timeline};
use oneport_platform::{LinkId, Platform, Rational};

use crate::ScheduleError;

/// Most transfers of one timeline.
const EVENT_LIMIT: u64 = 5_000_000;

/// A stretch of time.
type Piece = (Rational, Rational);

/// Unrolls `periods` periods in which instances start, and the clean-up periods after them.
///
/// Stage `s` of the copies started in period `p` runs in period `p + s`, at the same place within the period as in
/// steady state; so nothing is sent before the period after its arrival (start-up and clean-up of papers/000
/// section 3.4). Instance `p d + j` takes the `j`-th copy of each commodity in period `p`, `d` instances per period.
///
/// # Errors
/// [`ScheduleError::TooManyEvents`] beyond five million transfers.
pub fn timeline(
    platform: &Platform,
    size: &Rational,
    schedule: &PeriodicSchedule,
    periods: u64,
) -> Result<Timeline, ScheduleError> {
    let too_many = || ScheduleError::TooManyEvents { periods, limit: EVENT_LIMIT };
    let per_period: BigInt = schedule
        .patterns
        .iter()
        .map(|scheduled| BigInt::from(scheduled.copies.clone()) * scheduled.pattern.depth())
        .sum();
    (per_period * periods).to_u64().filter(|&count| count <= EVENT_LIMIT).ok_or_else(too_many)?;
    let instances = schedule.instances.to_u64().ok_or_else(too_many)?;
    let mut clocks = clocks(schedule);
    let mut first_copy: BTreeMap<usize, u64> = BTreeMap::new();
    let mut events = Vec::new();
    for scheduled in &schedule.patterns {
        let copies = scheduled.copies.to_u64().ok_or_else(too_many)?;
        let first = first_copy.entry(scheduled.pattern.commodity).or_insert(0);
        for transfer in scheduled.pattern.transfers() {
            let duration = size * &platform.link(transfer.link).cost;
            let Some(clock) = clocks.get_mut(&transfer.link) else { continue };
            for copy in 0..copies {
                let pieces = clock.take(&duration);
                for period in 0..periods {
                    let shift = Rational::from_integer((period + transfer.stage as u64).into()) * &schedule.period;
                    events.push(Event {
                        instance: period * instances + *first + copy,
                        message: transfer.message,
                        link: transfer.link,
                        pieces: pieces.iter().map(|(start, end)| (start + &shift, end + &shift)).collect(),
                    });
                }
            }
        }
        *first += copies;
    }
    events.sort_by(|a, b| (&a.pieces, a.link, a.instance).cmp(&(&b.pieces, b.link, b.instance)));
    Ok(Timeline {
        period: schedule.period.clone(),
        starting_periods: periods,
        instances_per_period: instances,
        clean_up_periods: schedule.depth().saturating_sub(1) as u64,
        events,
    })
}

/// The stretches of one period during which a link is busy, and how far they are used up.
#[derive(Default)]
struct Clock {
    stretches: Vec<Piece>,
    current: usize,
    used: Rational,
}

/// Every link's stretches, from the slots.
fn clocks(schedule: &PeriodicSchedule) -> BTreeMap<LinkId, Clock> {
    let mut clocks: BTreeMap<LinkId, Clock> = BTreeMap::new();
    let mut start = Rational::zero();
    for slot in &schedule.slots {
        let end = &start + &slot.length;
        for &link in &slot.links {
            let stretches = &mut clocks.entry(link).or_default().stretches;
            match stretches.last_mut() {
                Some(last) if last.1 == start => last.1 = end.clone(),
                _ => stretches.push((start.clone(), end.clone())),
            }
        }
        start = end;
    }
    clocks
}

impl Clock {
    /// The next stretches that add up to `duration`.
    fn take(&mut self, duration: &Rational) -> Vec<Piece> {
        let mut missing = duration.clone();
        let mut pieces = Vec::new();
        while !missing.is_zero() {
            let Some((start, end)) = self.stretches.get(self.current) else { break };
            let from = start + &self.used;
            let left = end - &from;
            if left <= missing {
                pieces.push((from, end.clone()));
                missing -= left;
                self.current += 1;
                self.used = Rational::zero();
            } else {
                self.used += &missing;
                pieces.push((from.clone(), from + &missing));
                break;
            }
        }
        pieces
    }
}
