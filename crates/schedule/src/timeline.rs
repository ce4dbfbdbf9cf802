//! Timelines: a periodic schedule unrolled, every message and merge of every instance with its dates.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use oneport_plan::{Event, MergeEvent, PeriodicSchedule, Problem, Task, Timeline};
use oneport_platform::Rational;

use crate::ScheduleError;
use crate::execution::{EVENT_LIMIT, Execution, execution};

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
    let execution = execution(problem, schedule).map_err(|_| too_many())?;
    let tasks = execution.tasks.len() as u64;
    tasks.checked_mul(periods).filter(|&count| count <= EVENT_LIMIT).ok_or_else(too_many)?;
    // The last instance's number; a pattern without tasks is not counted above.
    let numbers = execution.started.values().map(|started| started.checked_mul(periods));
    numbers.collect::<Option<Vec<u64>>>().ok_or_else(too_many)?;
    Ok(unroll(&execution, periods))
}

/// So many periods in which instances start, one after the other, in the order of dates.
fn unroll(execution: &Execution, periods: u64) -> Timeline {
    let (mut events, mut merges) = (Vec::new(), Vec::new());
    for dated in &execution.tasks {
        let started = execution.started.get(&dated.message.demand).copied().unwrap_or(0);
        for period in 0..periods {
            let shift = &execution.period * (period + dated.stage as u64);
            let date = |date: &BigInt| Rational::new_raw(date + &shift, execution.units.clone());
            let mut pieces = dated.pieces.iter().map(|piece| (date(&piece.start), date(&piece.end)));
            let (instance, message) = (period * started + dated.copy, dated.message);
            match dated.task {
                Task::Send { link, .. } => events.push(Event { instance, message, link, pieces: pieces.collect() }),
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
    events.sort_by(|a, b| (&a.pieces, a.link, a.instance).cmp(&(&b.pieces, b.link, b.instance)));
    let date = |merge: &MergeEvent| (merge.start.clone(), merge.end.clone(), merge.node, merge.instance);
    merges.sort_by_cached_key(date);
    let arrivals = events.iter().filter_map(|event| event.pieces.last()).map(|(_, end)| end);
    let last = arrivals.chain(merges.iter().map(|merge| &merge.end)).max();
    // Merges that take no time may leave the last stages without a period of their own.
    let needed = match last {
        Some(last) if execution.period.is_positive() => last.numer().div_ceil(&execution.period),
        _ => BigInt::zero(),
    };
    Timeline {
        period: execution.time(&execution.period),
        starting_periods: periods,
        instances_per_period: execution.instances,
        clean_up_periods: (needed - periods).to_u64().unwrap_or(0),
        events,
        merges,
    }
}
