//! Timelines: a periodic schedule unrolled, every message and merge of every instance with its dates.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use oneport_plan::{Event, MergeEvent, PeriodicSchedule, Problem, Task, Timeline};
use oneport_platform::Rational;
use oneport_watch::Watch;

use crate::ScheduleError;
use crate::execution::{DatedTask, EVENT_LIMIT, Execution};
use crate::one_period::execution;
use crate::windows::Stretch;

/// Unrolls `periods` periods in which instances start, and the clean-up periods after them.
///
/// Stage `s` of the copies started in period `p` runs in period `p + s`, at the same date within the period as in
/// steady state (start-up and clean-up of RR-4872 section 3.4). Every message arrives before it is sent or merged.
/// Instance `p d + j` takes the `j`-th copy of each demand in period `p`, `d` instances per period. If a process group
/// runs `r` times per instance, its demands are numbered separately: their `j`-th copy in period `p` has number `p r d
/// + j` and is the `r`-th part of instance `(p r d + j) / r`. `O(E log E)` for `E` transfers and merges.
///
/// # Errors
/// [`ScheduleError::TooManyEvents`] beyond five million transfers and merges.
pub fn timeline(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    periods: u64,
) -> Result<Timeline, ScheduleError> {
    let mut timeline = timeline_in_units(problem, schedule, periods)?;
    in_lowest_terms(&mut timeline);
    Ok(timeline)
}

/// [`timeline`] with dates that are not in lowest terms: all have one denominator. Neither this function nor the check
/// of its result computes greatest common divisors. Numbers of `b` bits take `O(E b)` operations besides the sorting.
///
/// # Errors
/// Those of [`timeline`].
pub fn timeline_in_units(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    periods: u64,
) -> Result<Timeline, ScheduleError> {
    let execution = limited(problem, schedule, periods)?;
    let dates = |dated: &DatedTask, period: u64| {
        let shift = &execution.period * (period + dated.stage as u64);
        dated
            .pieces
            .iter()
            .map(|piece| (&piece.start + &shift, &piece.end + &shift))
            .collect()
    };
    Ok(written(&execution, periods, false, |task, period| {
        dates(&execution.tasks[task], period)
    }))
}

/// One period: every transfer and merge, dated from the period's start, numbered by copy. It is not a run: tasks do
/// not wait for their inputs.
pub fn period_of(execution: &Execution) -> Timeline {
    let dates = |task: usize, _| {
        let pieces = execution.tasks[task].pieces.iter();
        pieces
            .map(|piece| (piece.start.clone(), piece.end.clone()))
            .collect()
    };
    let mut timeline = written(execution, 1, false, dates);
    in_lowest_terms(&mut timeline);
    timeline
}

/// One period, if `periods` periods are within the limit of events.
pub(crate) fn limited(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    periods: u64,
) -> Result<Execution, ScheduleError> {
    let too_many = || ScheduleError::TooManyEvents {
        periods,
        limit: EVENT_LIMIT,
    };
    let execution = execution(problem, schedule, &Watch::unlimited()).map_err(|_| too_many())?;
    let tasks = execution.tasks.len() as u64;
    tasks
        .checked_mul(periods)
        .filter(|&count| count <= EVENT_LIMIT)
        .ok_or_else(too_many)?;
    // The last instance's number. A pattern without tasks is not counted above.
    let numbers = execution
        .started
        .values()
        .map(|started| started.checked_mul(periods));
    numbers.collect::<Option<Vec<u64>>>().ok_or_else(too_many)?;
    Ok(execution)
}

/// A run of `periods` periods in which instances start, in the order of dates. `dates` returns the dates of a task's
/// pieces for the copy that starts in a period.
pub(crate) fn written(
    execution: &Execution,
    periods: u64,
    eager: bool,
    dates: impl Fn(usize, u64) -> Vec<Stretch>,
) -> Timeline {
    let (mut events, mut merges) = (Vec::new(), Vec::new());
    let date = |date: BigInt| Rational::new_raw(date, execution.units.clone());
    for (number, dated) in execution.tasks.iter().enumerate() {
        let started = execution
            .started
            .get(&dated.message.demand)
            .copied()
            .unwrap_or(0);
        for period in 0..periods {
            let mut pieces = dates(number, period)
                .into_iter()
                .map(|(start, end)| (date(start), date(end)));
            let (instance, message) = (period * started + dated.copy, dated.message);
            match dated.task {
                Task::Send { link, .. } => {
                    let event = Event {
                        instance,
                        message,
                        link,
                        pieces: pieces.collect(),
                    };
                    // Over links of cost 0 a message comes and goes at one date, in the order of its tasks.
                    let turn = if dated.duration.is_zero() { number } else { 0 };
                    events.push((turn, event));
                }
                Task::Merge { node, split, .. } => {
                    merges.extend(pieces.next().map(|(start, end)| MergeEvent {
                        instance,
                        message,
                        split,
                        node,
                        start,
                        end,
                    }));
                }
            }
        }
    }
    let key = |(turn, event): &(usize, Event)| (*turn, event.link, event.instance);
    events.sort_by(|a, b| (&a.1.pieces, key(a)).cmp(&(&b.1.pieces, key(b))));
    let events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
    let order = |merge: &MergeEvent| {
        (
            merge.start.clone(),
            merge.end.clone(),
            merge.node,
            merge.instance,
        )
    };
    merges.sort_by_cached_key(order);
    let arrivals = events
        .iter()
        .filter_map(|event| event.pieces.last())
        .map(|(_, end)| end);
    let last = arrivals.chain(merges.iter().map(|merge| &merge.end)).max();
    // Merges without duration may leave the last stages without a separate period.
    let needed = match last {
        Some(last) if execution.period.is_positive() => last.numer().div_ceil(&execution.period),
        _ => BigInt::zero(),
    };
    Timeline {
        period: execution.time(&execution.period),
        starting_periods: periods,
        instances_per_period: execution.instances,
        clean_up_periods: (needed - periods).to_u64().unwrap_or(0),
        eager,
        events,
        merges,
    }
}

pub(crate) fn in_lowest_terms(timeline: &mut Timeline) {
    let pieces = timeline
        .events
        .iter_mut()
        .flat_map(|event| &mut event.pieces);
    let dates = pieces.flat_map(|(start, end)| [start, end]);
    let merges = timeline
        .merges
        .iter_mut()
        .flat_map(|merge| [&mut merge.start, &mut merge.end]);
    for date in dates.chain(merges) {
        *date = date.reduced();
    }
}
