//! From slots to dates: the execution of a schedule.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use oneport_plan::{Pattern, PeriodicSchedule, Problem, Resource, Task};
use oneport_platform::{LinkId, Platform};
use oneport_watch::{Limit, Watch};

use crate::ScheduleError;
use crate::execution::{DatedTask, EVENT_LIMIT, Execution, OFTEN, Piece};
use crate::staging::placed;
use crate::units::{Speeds, duration, in_units, speeds, units};

/// Bytes of a task while it is listed. Trades lists that would just fit for memory. Measured: 3 million tasks 1.95 GB.
const TASK: u64 = 650;

/// Dates the tasks of one period of a schedule.
///
/// A link sends during the slots that name it. If all its messages take the same time, its windows follow one another
/// there, and each message takes the first free window after its arrival, in the same period or the next. Messages of
/// different lengths go in the order of patterns, stages of the pattern, tasks, copies. A processor has windows back to
/// back from the start of the period, each as long as its longest merge. If these are too few for all merges, merges
/// run back to back in that order. Windows are taken copy by copy, patterns with most stages first. `O(E log E)` for
/// `E` tasks and pieces. The room for the whole list is requested from the watch first.
///
/// # Errors
/// [`ScheduleError::TooManyEvents`] beyond five million tasks, [`ScheduleError::Unlisted`] if the watch ends the work.
pub fn execution(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    watch: &Watch,
) -> Result<Execution, ScheduleError> {
    let too_many = || ScheduleError::TooManyEvents {
        periods: 1,
        limit: EVENT_LIMIT,
    };
    let tasks = |count: BigInt| {
        count
            .to_u64()
            .filter(|&count| count <= EVENT_LIMIT)
            .ok_or_else(too_many)
    };
    let count = |copies: &BigInt, pattern: &Pattern| copies * pattern.tasks.len();
    let patterns = || {
        schedule
            .patterns
            .iter()
            .map(|it| (&it.pattern, BigInt::from(it.copies.clone())))
    };
    let count = tasks(
        patterns()
            .map(|(pattern, copies)| count(&copies, pattern))
            .sum(),
    )?;
    let unlisted = |limit| ScheduleError::Unlisted {
        limit,
        tasks: count,
    };
    watch
        .room_for(count.saturating_mul(TASK))
        .map_err(unlisted)?;
    let platform = problem.platform();
    let units = units(problem, schedule);
    let mut run = ExecutionBuilder {
        problem,
        speeds: speeds(schedule),
        units,
        tasks: Vec::new(),
    };
    let mut started: BTreeMap<usize, u64> = BTreeMap::new();
    for (number, (pattern, copies)) in patterns().enumerate() {
        let first = started.entry(pattern.demand).or_insert(0);
        let copies = copies.to_u64().ok_or_else(too_many)?;
        let end = first.checked_add(copies).ok_or_else(too_many)?;
        if !pattern.tasks.is_empty() {
            run.add(number, pattern, *first, copies, watch)
                .map_err(unlisted)?;
        }
        *first = end;
    }
    let ExecutionBuilder {
        units, mut tasks, ..
    } = run;
    let period = in_units(&schedule.period, &units);
    assign_dates(schedule, &units, &period, &mut tasks, watch).map_err(unlisted)?;
    lanes(platform, &mut tasks, watch).map_err(unlisted)?;
    let depth = tasks.iter().map(|dated| dated.stage + 1).max().unwrap_or(0);
    Ok(Execution {
        period,
        units,
        instances: schedule.instances.to_u64().ok_or_else(too_many)?,
        depth,
        started,
        tasks,
    })
}

/// Builder of an execution. Times are in units.
struct ExecutionBuilder<'a> {
    problem: &'a Problem,
    speeds: Speeds,
    units: BigInt,
    tasks: Vec<DatedTask>,
}

impl ExecutionBuilder<'_> {
    /// All tasks of some copies of a pattern, numbered from `first`.
    fn add(
        &mut self,
        number: usize,
        pattern: &Pattern,
        first: u64,
        copies: u64,
        watch: &Watch,
    ) -> Result<(), Limit> {
        let stages = pattern.stages();
        let mut order: Vec<usize> = (0..pattern.tasks.len()).collect();
        order.sort_by_key(|&index| stages[index]);
        let mut turn = vec![0; order.len()];
        for (at, &index) in order.iter().enumerate() {
            turn[index] = at;
        }
        let base = self.tasks.len();
        for index in order {
            let task = pattern.tasks[index];
            let duration = in_units(&duration(self.problem, &self.speeds, &task), &self.units);
            let behind = match task {
                Task::Send { after, .. } => [after, None],
                Task::Merge { left, right, .. } => [left, right],
            };
            for copy in 0..copies {
                if self.tasks.len().is_multiple_of(OFTEN) {
                    watch.ask()?;
                }
                let index_of = |input: u32| {
                    Some(base + turn.get(input as usize)? * copies as usize + copy as usize)
                };
                self.tasks.push(DatedTask {
                    pattern: number,
                    index,
                    copy: first + copy,
                    stage: stages[index],
                    task,
                    message: pattern.message(task.part()),
                    inputs: behind.map(|input| input.and_then(index_of)),
                    duration: duration.clone(),
                    pieces: Vec::new(),
                });
            }
        }
        Ok(())
    }
}

/// Gives every task its stage and its dates.
fn assign_dates(
    schedule: &PeriodicSchedule,
    units: &BigInt,
    period: &BigInt,
    tasks: &mut [DatedTask],
    watch: &Watch,
) -> Result<(), Limit> {
    let placed = placed(schedule, units, period, tasks, watch)?;
    for (number, (dated, placed)) in tasks.iter_mut().zip(placed).enumerate() {
        if number % OFTEN == 0 {
            watch.ask()?;
        }
        dated.stage = placed.stage;
        let pieces = placed.stretches.into_iter();
        dated.pieces = pieces
            .map(|(start, end)| Piece {
                start,
                end,
                lanes: [None; 2],
            })
            .collect();
    }
    Ok(())
}

/// Gives every piece the first port at each end that is free: in the order of dates, no more are needed than the node
/// has. Pieces of length 0 occupy none.
fn lanes(platform: &Platform, tasks: &mut [DatedTask], watch: &Watch) -> Result<(), Limit> {
    let mut pieces: Vec<(&mut Piece, LinkId)> = Vec::new();
    for dated in tasks {
        if let Task::Send { link, .. } = dated.task {
            let pieces_of = dated.pieces.iter_mut();
            pieces.extend(
                pieces_of
                    .filter(|it| it.start < it.end)
                    .map(|it| (it, link)),
            );
        }
    }
    pieces.sort_by(|(a, one), (b, other)| (&a.start, one).cmp(&(&b.start, other)));
    let mut free_from: BTreeMap<Resource, Vec<BigInt>> = BTreeMap::new();
    for (number, (piece, link)) in pieces.into_iter().enumerate() {
        if number % OFTEN == 0 {
            watch.ask()?;
        }
        for (end, port) in Resource::ends(platform, link).into_iter().enumerate() {
            let Some(port) = port else { continue };
            let ports = free_from.entry(port).or_default();
            let lane = ports
                .iter()
                .position(|free| *free <= piece.start)
                .unwrap_or(ports.len());
            match ports.get_mut(lane) {
                Some(free) => *free = piece.end.clone(),
                None => ports.push(piece.end.clone()),
            }
            piece.lanes[end] = u32::try_from(lane).ok();
        }
    }
    Ok(())
}
