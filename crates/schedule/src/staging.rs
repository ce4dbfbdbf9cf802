//! Assigns each task a stage and dates, as early as its inputs and its link or processor allow.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use oneport_plan::{PeriodicSchedule, Task};
use oneport_watch::{Limit, Watch};

use crate::execution::{DatedTask, OFTEN};
use crate::windows::{Stretch, Windows, clocks};

/// A date: periods from the copy's start, and units within the period.
type Date = (usize, BigInt);

/// When a task runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Placed {
    /// In which period, counted from its copy's start.
    pub stage: usize,
    /// When within the period.
    pub stretches: Vec<Stretch>,
}

impl Placed {
    fn end(&self) -> Date {
        (
            self.stage,
            self.stretches
                .last()
                .map_or(BigInt::ZERO, |(_, end)| end.clone()),
        )
    }
}

/// The links and processors of a period, and which of them each task keeps busy.
struct Workers {
    windows: Vec<Windows>,
    of: Vec<usize>,
    /// Per task: its index among the tasks of its link or processor.
    turn: Vec<usize>,
}

impl Workers {
    fn new(
        schedule: &PeriodicSchedule,
        units: &BigInt,
        period: &BigInt,
        tasks: &[DatedTask],
        watch: &Watch,
    ) -> Result<Workers, Limit> {
        let mut number: BTreeMap<(bool, usize), usize> = BTreeMap::new();
        let mut durations: Vec<Vec<BigInt>> = Vec::new();
        let (mut of, mut turn) = (
            Vec::with_capacity(tasks.len()),
            Vec::with_capacity(tasks.len()),
        );
        for (index, dated) in tasks.iter().enumerate() {
            if index % OFTEN == 0 {
                watch.ask()?;
            }
            let key = match dated.task {
                Task::Send { link, .. } => (false, link.index()),
                Task::Merge { node, .. } => (true, node.index()),
            };
            let worker = *number.entry(key).or_insert(durations.len());
            if worker == durations.len() {
                durations.push(Vec::new());
            }
            of.push(worker);
            turn.push(durations[worker].len());
            durations[worker].push(dated.duration.clone());
        }
        let mut windows = vec![Windows::Instant; durations.len()];
        let clocks: BTreeMap<usize, _> = clocks(schedule, units)
            .into_iter()
            .map(|(link, clock)| (link.index(), clock))
            .collect();
        for (&(merges, at), &worker) in &number {
            watch.ask()?;
            windows[worker] = if merges {
                Windows::of_processor(period, &durations[worker])
            } else {
                Windows::of_link(
                    clocks.get(&at).cloned().unwrap_or_default(),
                    &durations[worker],
                )
            };
        }
        Ok(Workers { windows, of, turn })
    }
}

/// Builder of the stages and dates.
struct Staging<'r> {
    tasks: &'r [DatedTask],
    workers: Workers,
    placed: Vec<Placed>,
}

impl Staging<'_> {
    /// When all inputs are there.
    fn ready(&self, task: usize) -> Date {
        let inputs = self.tasks[task].inputs.into_iter().flatten();
        inputs
            .map(|input| self.placed[input].end())
            .max()
            .unwrap_or_default()
    }

    fn assign(&mut self, task: usize) {
        let (stage, date) = self.ready(task);
        let (worker, turn) = (self.workers.of[task], self.workers.turn[task]);
        let (stretches, next) =
            self.workers.windows[worker].take(&date, turn, &self.tasks[task].duration);
        self.placed[task] = Placed {
            stage: stage + usize::from(next),
            stretches,
        };
    }
}

/// Stages and dates of all tasks. The tasks come after their inputs and have their stages in the pattern. Windows are
/// taken copy by copy, patterns with most stages first: the longest paths take the first windows. `O(E log E)` for `E`
/// tasks. A limit ends it without a result.
pub(crate) fn placed(
    schedule: &PeriodicSchedule,
    units: &BigInt,
    period: &BigInt,
    tasks: &[DatedTask],
    watch: &Watch,
) -> Result<Vec<Placed>, Limit> {
    let workers = Workers::new(schedule, units, period, tasks, watch)?;
    let mut staging = Staging {
        tasks,
        workers,
        placed: vec![Placed::default(); tasks.len()],
    };
    let depths: Vec<usize> = schedule
        .patterns
        .iter()
        .map(|scheduled| scheduled.pattern.depth())
        .collect();
    let mut turns: Vec<usize> = (0..tasks.len()).collect();
    turns.sort_by_key(|&task| {
        (
            Reverse(depths[tasks[task].pattern]),
            tasks[task].pattern,
            tasks[task].copy,
        )
    });
    for (index, task) in turns.into_iter().enumerate() {
        if index % OFTEN == 0 {
            watch.ask()?;
        }
        staging.assign(task);
    }
    Ok(staging.placed)
}
