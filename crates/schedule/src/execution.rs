//! How a plan runs: every task of one period of the steady state, with its dates.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use oneport_plan::{Message, Pattern, PeriodicSchedule, Problem, Resource, Task, Volumes};
use oneport_platform::{LinkId, Platform, Rational};

use crate::ScheduleError;
use crate::staging::placed;

/// Most tasks of one execution, and most transfers and merges of one timeline.
pub(crate) const EVENT_LIMIT: u64 = 5_000_000;

/// One period of the steady state: a finite table that says all that a schedule does. Every period is like it, the
/// period's length later; [`timeline`](crate::timeline) and every export are loops over it.
///
/// All dates are whole numbers of units, counted from the start of the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// So many units are one unit of time.
    pub units: BigInt,
    /// Length of the period, in units.
    pub period: BigInt,
    /// Instances started in each period.
    pub instances: u64,
    /// Periods from the start of an instance to its end, both counted: one more than the largest stage.
    pub depth: usize,
    /// By demand: how often it is carried out per period; demands without a pattern are missing.
    pub started: BTreeMap<usize, u64>,
    /// By patterns, stages of the pattern, tasks, copies: behind their inputs.
    pub tasks: Vec<DatedTask>,
}

/// One task of one copy of a pattern, as every period runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedTask {
    /// Place of the pattern in the schedule.
    pub pattern: usize,
    /// Place of the task in the pattern.
    pub place: usize,
    /// Which of those carryings-out of its demand that start in one period, from 0. With `r` per instance, number `k`
    /// belongs to the `k / r`-th instance of the period.
    pub copy: u64,
    /// The copy that starts in period `p` runs this task in period `p + stage`.
    pub stage: usize,
    /// The send or merge.
    pub task: Task,
    /// What travels or is made.
    pub message: Message,
    /// Places, in the execution, of the tasks behind the inputs: of a send one, of a merge the left and the right.
    /// `None`: the owner's value, or no second input.
    pub inputs: [Option<usize>; 2],
    /// Total length, in units.
    pub duration: BigInt,
    /// When it runs, in units: disjoint stretches, ascending, in one period. A merge has one.
    pub pieces: Vec<Piece>,
}

/// A stretch of time without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Start, in units.
    pub start: BigInt,
    /// End, in units.
    pub end: BigInt,
    /// Which of the ports of the sender, and of the receiver, from 0; `None` where links alone are exclusive, and for
    /// merges.
    pub lanes: [Option<u32>; 2],
}

impl Execution {
    /// A date or length in units of time, in lowest terms.
    pub fn time(&self, units: &BigInt) -> Rational {
        Rational::new(units.clone(), self.units.clone())
    }

    /// A date of a task's copy that starts in period 0, in units: `stage` periods later than within the period.
    pub fn date(&self, task: &DatedTask, date: &BigInt) -> BigInt {
        &self.period * task.stage + date
    }

    /// When a task's copy of period 0 starts, in units.
    pub fn start(&self, task: &DatedTask) -> BigInt {
        self.date(task, task.pieces.first().map_or(&BigInt::ZERO, |piece| &piece.start))
    }

    /// When a task's copy of period 0 ends, in units.
    pub fn end(&self, task: &DatedTask) -> BigInt {
        self.date(task, task.pieces.last().map_or(&BigInt::ZERO, |piece| &piece.end))
    }

    /// The least `n` such that every message that is cut is cut at multiples of `1/n` of it; 1 where none is.
    pub fn divisibility(&self) -> BigInt {
        let mut parts = BigInt::one();
        for task in self.tasks.iter().filter(|task| task.pieces.len() > 1) {
            let mut sent = BigInt::zero();
            for piece in &task.pieces {
                sent += &piece.end - &piece.start;
                parts = parts.lcm(&(&task.duration / sent.gcd(&task.duration)));
            }
        }
        parts
    }

    /// When the port, link or processor that is busy longest rests for good, in units: what is left of the period is
    /// idle.
    pub fn busy_until(&self) -> BigInt {
        let ends = self.tasks.iter().filter_map(|task| task.pieces.last()).map(|piece| &piece.end);
        ends.max().cloned().unwrap_or_default()
    }

    /// Which shares of its message a task's pieces carry: from, to.
    pub fn shares(task: &DatedTask) -> Vec<[Rational; 2]> {
        let mut sent = BigInt::zero();
        let share = |sent: &BigInt| match task.duration.is_zero() {
            true => Rational::zero(),
            false => Rational::new(sent.clone(), task.duration.clone()),
        };
        let piece = |piece: &Piece| {
            let from = share(&sent);
            sent += &piece.end - &piece.start;
            [from, if task.duration.is_zero() { Rational::one() } else { share(&sent) }]
        };
        task.pieces.iter().map(piece).collect()
    }
}

/// Writes down one period of a schedule: who does what, when, in which order.
///
/// A link sends during the slots that name it. Where all its messages take the same time, their places follow one
/// another there, and each message takes the first free place after its arrival, in the same period or the next; those
/// of different lengths go in the order of patterns, stages of the pattern, tasks, copies. A processor likewise has
/// places back to back from the start of the period, each as long as its longest merge; where there are too few for all
/// merges, they run back to back in that order. Places are taken copy by copy, those of the patterns with most stages
/// first.
/// `O(E log E)` for `E` tasks and pieces.
///
/// # Errors
/// [`ScheduleError::TooManyEvents`] beyond five million tasks.
pub fn execution(problem: Problem<'_>, schedule: &PeriodicSchedule) -> Result<Execution, ScheduleError> {
    let too_many = || ScheduleError::TooManyEvents { periods: 1, limit: EVENT_LIMIT };
    let tasks = |count: BigInt| count.to_u64().filter(|&count| count <= EVENT_LIMIT).ok_or_else(too_many);
    let count = |copies: &BigInt, pattern: &Pattern| copies * pattern.tasks.len();
    let patterns = || schedule.patterns.iter().map(|it| (&it.pattern, BigInt::from(it.copies.clone())));
    tasks(patterns().map(|(pattern, copies)| count(&copies, pattern)).sum())?;
    let (platform, volumes) = (problem.platform(), problem.volumes());
    let units = units(platform, volumes, schedule);
    let mut run = Run { platform, volumes, units, tasks: Vec::new() };
    let mut started: BTreeMap<usize, u64> = BTreeMap::new();
    for (number, (pattern, copies)) in patterns().enumerate() {
        let first = started.entry(pattern.demand).or_insert(0);
        let copies = copies.to_u64().ok_or_else(too_many)?;
        let end = first.checked_add(copies).ok_or_else(too_many)?;
        if !pattern.tasks.is_empty() {
            run.add(number, pattern, *first, copies);
        }
        *first = end;
    }
    let Run { units, mut tasks, .. } = run;
    let period = in_units(&schedule.period, &units);
    place(schedule, &units, &period, &mut tasks);
    lanes(platform, &mut tasks);
    let depth = tasks.iter().map(|dated| dated.stage + 1).max().unwrap_or(0);
    Ok(Execution { period, units, instances: schedule.instances.to_u64().ok_or_else(too_many)?, depth, started, tasks })
}

/// So many units are one unit of time: all dates of the schedule are whole numbers of units.
pub(crate) fn units(platform: &Platform, volumes: &Volumes, schedule: &PeriodicSchedule) -> BigInt {
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
pub(crate) fn duration(platform: &Platform, volumes: &Volumes, task: &Task) -> Rational {
    match *task {
        Task::Send { link, part, .. } => volumes.size.of(part).unwrap_or_default() * &platform.link(link).cost,
        Task::Merge { node, part, split, .. } => volumes.merge_time(platform, node, part, split),
    }
}

/// A time in units, of which it is a whole number.
pub(crate) fn in_units(time: &Rational, units: &BigInt) -> BigInt {
    time.numer() * (units / time.denom())
}

/// An execution in the making; times are in units.
struct Run<'a> {
    platform: &'a Platform,
    volumes: &'a Volumes,
    units: BigInt,
    tasks: Vec<DatedTask>,
}

impl Run<'_> {
    /// All tasks of some copies of a pattern, numbered from `first`.
    fn add(&mut self, number: usize, pattern: &Pattern, first: u64, copies: u64) {
        let stages = pattern.stages();
        let mut order: Vec<usize> = (0..pattern.tasks.len()).collect();
        order.sort_by_key(|&place| stages[place]);
        let mut turn = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &place)| turn[place] = at);
        let base = self.tasks.len();
        for place in order {
            let task = pattern.tasks[place];
            let duration = in_units(&duration(self.platform, self.volumes, &task), &self.units);
            let behind = match task {
                Task::Send { after, .. } => [after, None],
                Task::Merge { left, right, .. } => [left, right],
            };
            for copy in 0..copies {
                let place_of = |input: u32| Some(base + turn.get(input as usize)? * copies as usize + copy as usize);
                self.tasks.push(DatedTask {
                    pattern: number,
                    place,
                    copy: first + copy,
                    stage: stages[place],
                    task,
                    message: pattern.message(task.part()),
                    inputs: behind.map(|input| input.and_then(place_of)),
                    duration: duration.clone(),
                    pieces: Vec::new(),
                });
            }
        }
    }
}

/// Gives every task its stage and its dates.
fn place(schedule: &PeriodicSchedule, units: &BigInt, period: &BigInt, tasks: &mut [DatedTask]) {
    let placed = placed(schedule, units, period, tasks);
    for (dated, placed) in tasks.iter_mut().zip(placed) {
        dated.stage = placed.stage;
        let pieces = placed.stretches.into_iter();
        dated.pieces = pieces.map(|(start, end)| Piece { start, end, lanes: [None; 2] }).collect();
    }
}

/// Gives every piece the first port at each end that is free: in the order of dates, no more are needed than the node
/// has.
fn lanes(platform: &Platform, tasks: &mut [DatedTask]) {
    let mut pieces: Vec<(&mut Piece, LinkId)> = Vec::new();
    for dated in tasks {
        if let Task::Send { link, .. } = dated.task {
            pieces.extend(dated.pieces.iter_mut().map(|piece| (piece, link)));
        }
    }
    pieces.sort_by(|(a, one), (b, other)| (&a.start, one).cmp(&(&b.start, other)));
    let mut free_from: BTreeMap<Resource, Vec<BigInt>> = BTreeMap::new();
    for (piece, link) in pieces {
        for (end, port) in Resource::ends(platform, link).into_iter().enumerate() {
            let Some(port) = port else { continue };
            let ports = free_from.entry(port).or_default();
            let lane = ports.iter().position(|free| *free <= piece.start).unwrap_or(ports.len());
            match ports.get_mut(lane) {
                Some(free) => *free = piece.end.clone(),
                None => ports.push(piece.end.clone()),
            }
            piece.lanes[end] = u32::try_from(lane).ok();
        }
    }
}
