//! A schedule without its dates: everything as soon as possible, in the schedule's order.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_plan::{PeriodicSchedule, Problem, Resource, Task, Timeline};
use oneport_platform::Platform;

use crate::ScheduleError;
use crate::execution::Execution;
use crate::timeline::{in_lowest_terms, limited, written};
use crate::windows::Stretch;

/// [`timeline`](crate::timeline) without its dates: every port, link and processor does the same tasks in the same
/// order, each piece and merge as soon as its inputs have arrived and its resources are free. If a node has several
/// ports, a transfer takes the one that is free first. Nothing ends later than by the schedule's dates.
///
/// `O(E log E)` for `E` pieces and merges.
///
/// # Errors
/// Those of [`timeline`](crate::timeline).
pub fn eager_timeline(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    periods: u64,
) -> Result<Timeline, ScheduleError> {
    let execution = limited(problem, schedule, periods)?;
    let run = dates(problem.platform(), &execution, periods);
    let mut timeline = written(&execution, periods, true, |task, period| {
        run[task][period as usize].clone()
    });
    in_lowest_terms(&mut timeline);
    Ok(timeline)
}

/// A piece of a task of one period, with its position in the schedule.
struct Turn {
    start: BigInt,
    takes_time: bool,
    task: usize,
    period: u64,
    piece: usize,
}

/// Per task and period: the dates of its pieces. Pieces without a break between them are joined.
fn dates(platform: &Platform, execution: &Execution, periods: u64) -> Vec<Vec<Vec<Stretch>>> {
    let mut run: Vec<Vec<Vec<Stretch>>> =
        vec![vec![Vec::new(); periods as usize]; execution.tasks.len()];
    let mut free = Free {
        platform,
        from: BTreeMap::new(),
    };
    for turn in turns(execution, periods) {
        let dated = &execution.tasks[turn.task];
        let inputs = dated.inputs.into_iter().flatten();
        let arrivals = inputs.filter_map(|input| Some(&run[input][turn.period as usize].last()?.1));
        let before = run[turn.task][turn.period as usize]
            .last()
            .map(|(_, end)| end);
        let ready = arrivals.chain(before).max().cloned().unwrap_or_default();
        let piece = &dated.pieces[turn.piece];
        let (start, end) = free.take(&dated.task, ready, &(&piece.end - &piece.start));
        match run[turn.task][turn.period as usize].last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ => run[turn.task][turn.period as usize].push((start, end)),
        }
    }
    run
}

/// All pieces of all periods, in the order of the schedule's dates. A task comes after its inputs.
fn turns(execution: &Execution, periods: u64) -> Vec<Turn> {
    let mut turns = Vec::new();
    for (task, dated) in execution.tasks.iter().enumerate() {
        for period in 0..periods {
            let shift = &execution.period * (period + dated.stage as u64);
            let pieces = dated.pieces.iter().enumerate();
            turns.extend(pieces.map(|(piece, at)| {
                let (start, takes_time) = (&at.start + &shift, at.start < at.end);
                Turn {
                    start,
                    takes_time,
                    task,
                    period,
                    piece,
                }
            }));
        }
    }
    let key = |turn: &Turn| (turn.takes_time, turn.task, turn.period);
    turns.sort_by(|a, b| (&a.start, key(a)).cmp(&(&b.start, key(b))));
    turns
}

/// From when on the ports, links and processors are free.
struct Free<'r> {
    platform: &'r Platform,
    /// One date for each that it can do at a time.
    from: BTreeMap<Resource, Vec<BigInt>>,
}

impl Free<'_> {
    /// Occupies the resources of a task, from the first date not before `ready` at which all of them are free.
    fn take(&mut self, task: &Task, ready: BigInt, duration: &BigInt) -> Stretch {
        if duration.is_zero() {
            return (ready.clone(), ready);
        }
        let needed: Vec<Resource> = match *task {
            // Links of shared capacities keep the rates of the schedule, which fit together.
            Task::Send { link, .. } if !self.platform.shared_by(link).is_empty() => {
                vec![Resource::Link(link)]
            }
            Task::Send { link, .. } => Resource::uses(self.platform, link)
                .map(|used| used.resource)
                .collect(),
            Task::Merge { node, .. } => vec![Resource::Compute(node)],
        };
        let mut start = ready;
        for &resource in &needed {
            let lanes = || vec![BigInt::ZERO; resource.capacity(self.platform) as usize];
            let lanes = self.from.entry(resource).or_insert_with(lanes);
            if let Some(first) = lanes.iter().min().filter(|first| **first > start) {
                start.clone_from(first);
            }
        }
        let end = &start + duration;
        for resource in needed {
            if let Some(lane) = self
                .from
                .get_mut(&resource)
                .and_then(|lanes| lanes.iter_mut().min())
            {
                lane.clone_from(&end);
            }
        }
        (start, end)
    }
}
