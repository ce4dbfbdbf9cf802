//! Timelines: a periodic schedule unrolled, every message and merge of every instance with its dates.

use std::collections::BTreeMap;
use std::ops::Range;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_plan::{Event, MergeEvent, Pattern, PeriodicSchedule, Problem, Task, Timeline, Volumes};
use oneport_platform::{LinkId, NodeId, Platform, Rational};

use crate::ScheduleError;

/// Most transfers and merges of one timeline.
const EVENT_LIMIT: u64 = 5_000_000;

/// A stretch of time, in units.
type Piece = (BigInt, BigInt);

/// Unrolls `periods` periods in which instances start, and the clean-up periods after them.
///
/// Stage `s` of the copies started in period `p` runs in period `p + s`, at the same place within the period as in
/// steady state; so nothing is sent or merged before the period after its arrival (start-up and clean-up of RR-4872
/// section 3.4). Instance `p d + j` takes the `j`-th copy of each demand in period `p`, `d` instances per period. The
/// demands of a process group that is carried out several times per instance are numbered by themselves: with rate `r`
/// their `j`-th copy in period `p` belongs to carrying-out `p r d + j`, which is the `r`-th part of instance
/// `(p r d + j) / r`. Within a period, links and processors work in the order of patterns, stages, tasks, copies.
/// `O(E log E)` for `E` transfers and merges.
///
/// # Errors
/// [`ScheduleError::TooManyEvents`] beyond five million transfers and merges.
pub fn timeline(problem: Problem<'_>, schedule: &PeriodicSchedule, periods: u64) -> Result<Timeline, ScheduleError> {
    let mut timeline = timeline_in_units(problem, schedule, periods)?;
    let pieces = timeline.events.iter_mut().flat_map(|event| &mut event.pieces);
    let dates = pieces.flat_map(|(start, end)| [start, end]);
    let merges = timeline.merges.iter_mut().flat_map(|merge| [&mut merge.start, &mut merge.end]);
    dates.chain(merges).for_each(|date| *date = date.reduced());
    Ok(timeline)
}

/// [`timeline`] with dates that are not in lowest terms: all have one denominator. So nobody computes greatest common
/// divisors, neither here nor where they are checked; numbers of `b` bits take `O(E b)` operations besides the sorting.
///
/// # Errors
/// As [`timeline`].
pub fn timeline_in_units(
    problem: Problem<'_>,
    schedule: &PeriodicSchedule,
    periods: u64,
) -> Result<Timeline, ScheduleError> {
    let too_many = || ScheduleError::TooManyEvents { periods, limit: EVENT_LIMIT };
    let mut per_period = BigInt::zero();
    let mut per_demand: BTreeMap<usize, BigInt> = BTreeMap::new();
    for scheduled in &schedule.patterns {
        let copies = BigInt::from(scheduled.copies.clone());
        per_period += &copies * scheduled.pattern.tasks.len();
        *per_demand.entry(scheduled.pattern.demand).or_default() += copies;
    }
    (per_period * periods).to_u64().filter(|&count| count <= EVENT_LIMIT).ok_or_else(too_many)?;
    let instances = schedule.instances.to_u64().ok_or_else(too_many)?;
    let (platform, volumes) = (problem.platform(), problem.volumes());
    let units = units(platform, volumes, schedule);
    let mut run = Run {
        platform,
        volumes,
        period: in_units(&schedule.period, &units),
        periods,
        clocks: clocks(schedule, &units),
        units,
        computed: BTreeMap::new(),
        events: Vec::new(),
        merges: Vec::new(),
    };
    let mut first_copy: BTreeMap<usize, u64> = BTreeMap::new();
    for scheduled in &schedule.patterns {
        let copies = scheduled.copies.to_u64().ok_or_else(too_many)?;
        let first = first_copy.entry(scheduled.pattern.demand).or_insert(0);
        let started = per_demand.get(&scheduled.pattern.demand).and_then(BigInt::to_u64);
        let started = started.ok_or_else(too_many)?;
        // The last instance's number; a pattern without tasks is not counted above.
        started.checked_mul(periods).ok_or_else(too_many)?;
        run.unroll(&scheduled.pattern, started, *first..first.saturating_add(copies));
        *first = first.saturating_add(copies);
    }
    Ok(run.finish(instances))
}

/// So many units are one unit of time: all dates of the schedule are whole numbers of units.
fn units(platform: &Platform, volumes: &Volumes, schedule: &PeriodicSchedule) -> BigInt {
    let mut units = BigInt::one();
    let mut include = |time: &Rational| {
        if !units.is_multiple_of(time.denom()) {
            units = units.lcm(time.denom());
        }
    };
    include(&schedule.period);
    schedule.slots.iter().for_each(|slot| include(&slot.length));
    for scheduled in &schedule.patterns {
        scheduled.pattern.tasks.iter().for_each(|task| include(&duration(platform, volumes, task)));
    }
    units
}

/// How long a task takes.
fn duration(platform: &Platform, volumes: &Volumes, task: &Task) -> Rational {
    match *task {
        Task::Send { link, part, .. } => volumes.size.of(part).unwrap_or_default() * &platform.link(link).cost,
        Task::Merge { node, part, .. } => volumes.merge_time(platform, node, part),
    }
}

/// A time in units, of which it is a whole number.
fn in_units(time: &Rational, units: &BigInt) -> BigInt {
    time.numer() * (units / time.denom())
}

/// A timeline in the making; times are in units.
struct Run<'a> {
    platform: &'a Platform,
    volumes: &'a Volumes,
    units: BigInt,
    period: BigInt,
    periods: u64,
    clocks: BTreeMap<LinkId, Clock>,
    /// How far into the period each processor computes.
    computed: BTreeMap<NodeId, BigInt>,
    events: Vec<Event>,
    merges: Vec<MergeEvent>,
}

impl Run<'_> {
    /// All tasks of some copies of a pattern, named by their instances in the first period; so many instances start in
    /// every period.
    fn unroll(&mut self, pattern: &Pattern, started: u64, copies: Range<u64>) {
        for (stage, task) in pattern.by_stage() {
            let message = pattern.message(task.part());
            let duration = in_units(&duration(self.platform, self.volumes, &task), &self.units);
            for copy in copies.clone() {
                match task {
                    Task::Send { link, .. } => {
                        let Some(clock) = self.clocks.get_mut(&link) else { break };
                        let pieces = clock.take(&duration);
                        for (instance, shift) in self.repeated(started, copy, stage) {
                            let date = |date: &BigInt| Rational::new_raw(date + &shift, self.units.clone());
                            let pieces = pieces.iter().map(|(start, end)| (date(start), date(end))).collect();
                            self.events.push(Event { instance, message, link, pieces });
                        }
                    }
                    Task::Merge { node, split, .. } => {
                        let clock = self.computed.entry(node).or_default();
                        let start = clock.clone();
                        *clock += &duration;
                        let end = clock.clone();
                        for (instance, shift) in self.repeated(started, copy, stage) {
                            let [start, end] =
                                [&start, &end].map(|date| Rational::new_raw(date + &shift, self.units.clone()));
                            self.merges.push(MergeEvent { instance, message, split, node, start, end });
                        }
                    }
                }
            }
        }
    }

    /// The instances that a copy of the first period stands for, and how much later each happens.
    fn repeated(&self, started: u64, copy: u64, stage: usize) -> Vec<(u64, BigInt)> {
        let shift = |period: u64| &self.period * (period + stage as u64);
        (0..self.periods).map(|period| (period * started + copy, shift(period))).collect()
    }

    /// In the order of dates.
    fn finish(self, instances: u64) -> Timeline {
        let period = Rational::new(self.period.clone(), self.units.clone());
        let Run { mut events, mut merges, .. } = self;
        events.sort_by(|a, b| (&a.pieces, a.link, a.instance).cmp(&(&b.pieces, b.link, b.instance)));
        let date = |merge: &MergeEvent| (merge.start.clone(), merge.end.clone(), merge.node, merge.instance);
        merges.sort_by_cached_key(date);
        let arrivals = events.iter().filter_map(|event| event.pieces.last()).map(|(_, end)| end);
        let last = arrivals.chain(merges.iter().map(|merge| &merge.end)).max();
        // Merges that take no time may leave the last stages without a period of their own.
        let needed = match last {
            Some(last) if self.period.is_positive() => last.numer().div_ceil(&self.period),
            _ => BigInt::zero(),
        };
        Timeline {
            period,
            starting_periods: self.periods,
            instances_per_period: instances,
            clean_up_periods: (needed - self.periods).to_u64().unwrap_or(0),
            events,
            merges,
        }
    }
}

/// The stretches of one period during which a link is busy, and how far they are used up.
#[derive(Default)]
struct Clock {
    stretches: Vec<Piece>,
    current: usize,
    used: BigInt,
}

/// Every link's stretches, from the slots.
fn clocks(schedule: &PeriodicSchedule, units: &BigInt) -> BTreeMap<LinkId, Clock> {
    let mut clocks: BTreeMap<LinkId, Clock> = BTreeMap::new();
    let mut start = BigInt::zero();
    for slot in &schedule.slots {
        let end = &start + in_units(&slot.length, units);
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
    fn take(&mut self, duration: &BigInt) -> Vec<Piece> {
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
                self.used = BigInt::zero();
            } else {
                self.used += &missing;
                pieces.push((from.clone(), from + &missing));
                break;
            }
        }
        pieces
    }
}
