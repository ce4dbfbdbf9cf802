//! A periodic schedule as one operation: its copies are the pieces, its dates are the order.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use oneport_plan::{LinkId, PeriodicSchedule, Piece, Problem, Rational, RunTask, Task};
use oneport_schedule::{DatedTask, Execution, ScheduleError, execution};
use oneport_watch::Watch;

use crate::task_list::{MOST, TASK};
use crate::{TaskList, TimingError};

/// Cuts of a copy, as shares of it, ascending: from 0, to 1.
type Borders = Vec<Rational>;

/// A piece of a task that begins at one date of the first period.
struct Turn {
    /// The period of the run in which it is, if its copy starts in the first.
    round: u64,
    task: usize,
    piece: usize,
}

impl TaskList {
    /// The values of one operation, passed in this number of periods of a schedule: every copy of a pattern has an
    /// equal part of its demand. A part is cut at every point at which the schedule cuts one of its messages, on all
    /// links, so that each piece is sent without a break at its date in the schedule. Sends and merges are in the
    /// order of the schedule, so that [`TaskGraph::simulate_in_order`](crate::TaskGraph::simulate_in_order) follows its
    /// matchings. Nothing ends later than in the schedule's eager run. `O(d)` for `d` sends and merges, after one
    /// period is sorted.
    ///
    /// # Errors
    /// More than four million sends and merges, or pieces. [`TimingError::Stopped`] if the watch has no room for them.
    pub fn of_schedule(
        problem: &Problem,
        schedule: &PeriodicSchedule,
        periods: u32,
        watch: &Watch,
    ) -> Result<TaskList, TimingError> {
        let too_many = || TimingError::TooMany(MOST);
        let execution = match execution(problem, schedule, watch) {
            Err(ScheduleError::Unlisted { limit, .. }) => return Err(limit.into()),
            execution => execution.map_err(|_| too_many())?,
        };
        let periods = u64::from(periods.max(1));
        let borders = borders(&execution);
        let turns = turns(&execution, &borders);
        let of_a_period = borders
            .values()
            .map(|borders| borders.len() - 1)
            .sum::<usize>();
        let most = turns.len().max(of_a_period) as u64;
        most.checked_mul(periods)
            .filter(|&count| count <= MOST as u64)
            .ok_or_else(too_many)?;
        watch.room_for(most.saturating_mul(periods).saturating_mul(TASK))?;
        let (pieces, firsts) = pieces(problem, &execution, &borders, periods);
        let mut list = TaskList {
            pieces,
            shares: shares(schedule),
            tasks: Vec::with_capacity(turns.len() * periods as usize),
        };
        // For each task: the index of its first turn in a period.
        let mut first_turns = Vec::with_capacity(execution.tasks.len());
        let mut next_turn = 0;
        for dated in &execution.tasks {
            first_turns.push(next_turn);
            next_turn += count(&borders, dated);
        }
        let mut numbers = vec![0_u32; turns.len() * periods as usize];
        let last = turns.iter().map(|turn| turn.round).max().unwrap_or(0);
        for round in 0..=last + periods {
            watch.ask()?;
            for turn in &turns {
                let Some(period) = round
                    .checked_sub(turn.round)
                    .filter(|&period| period < periods)
                else {
                    continue;
                };
                let index_of =
                    |task: usize| period as usize * turns.len() + first_turns[task] + turn.piece;
                let dated = &execution.tasks[turn.task];
                let first = firsts
                    .get(&(dated.message.demand, dated.copy))
                    .copied()
                    .unwrap_or(0);
                let of = first + period as usize * of_a_period + turn.piece;
                let of = of.to_u32().ok_or_else(too_many)?;
                let [one, two] = dated
                    .inputs
                    .map(|input| input.map(|input| numbers[index_of(input)]));
                numbers[index_of(turn.task)] = list.push(match dated.task {
                    Task::Send { link, .. } => RunTask::Send {
                        link,
                        carried: vec![(of, one)],
                    },
                    Task::Merge { node, .. } => RunTask::Merge {
                        node,
                        piece: of,
                        left: one,
                        right: two,
                    },
                })?;
            }
        }
        Ok(list)
    }
}

/// The rates of links with shared capacities, which are the same in all slots.
fn shares(schedule: &PeriodicSchedule) -> BTreeMap<LinkId, Rational> {
    let slots = schedule.slots.iter();
    slots.flat_map(|slot| slot.shares.iter().cloned()).collect()
}

/// Number of pieces of a task's message.
fn count(borders: &BTreeMap<(usize, u64), Borders>, dated: &DatedTask) -> usize {
    borders
        .get(&(dated.message.demand, dated.copy))
        .map_or(0, |borders| borders.len() - 1)
}

/// All pieces, period by period, and by copy the first of its pieces in the first period.
fn pieces(
    problem: &Problem,
    execution: &Execution,
    borders: &BTreeMap<(usize, u64), Borders>,
    periods: u64,
) -> (Vec<Piece>, BTreeMap<(usize, u64), usize>) {
    let (mut pieces, mut firsts) = (Vec::new(), BTreeMap::new());
    for (&copy, borders) in borders {
        firsts.insert(copy, pieces.len());
        let started = execution.started.get(&copy.0).copied().unwrap_or(1).max(1);
        let rate = problem.collective().rate(copy.0);
        let all = Rational::new(BigInt::from(started) * periods, rate.into());
        let piece = |pair: &[Rational]| Piece {
            demand: copy.0,
            share: (&pair[1] - &pair[0]) / &all,
        };
        pieces.extend(borders.windows(2).map(piece));
    }
    let of_a_period = pieces.clone();
    for _ in 1..periods {
        pieces.extend_from_slice(&of_a_period);
    }
    (pieces, firsts)
}

/// The pieces that begin in one period, by date. At equal dates, pieces that take no time come first.
fn turns(execution: &Execution, borders: &BTreeMap<(usize, u64), Borders>) -> Vec<Turn> {
    let mut all: Vec<(BigInt, bool, Turn)> = Vec::new();
    let period = execution.period.clone().max(BigInt::one());
    for (task, dated) in execution.tasks.iter().enumerate() {
        let borders = borders
            .get(&(dated.message.demand, dated.copy))
            .map_or(&[][..], Vec::as_slice);
        for (piece, from) in borders
            .iter()
            .take(borders.len().saturating_sub(1))
            .enumerate()
        {
            let date = execution.date(dated, &date(dated, from));
            let (round, within) = ((&date / &period).to_u64().unwrap_or(0), date % &period);
            all.push((
                within,
                !dated.duration.is_zero(),
                Turn { round, task, piece },
            ));
        }
    }
    all.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
    all.into_iter().map(|(_, _, turn)| turn).collect()
}

/// The points at which any message of a copy is cut.
fn borders(execution: &Execution) -> BTreeMap<(usize, u64), Borders> {
    let mut all: BTreeMap<(usize, u64), BTreeSet<Rational>> = BTreeMap::new();
    for (&demand, &started) in &execution.started {
        for copy in 0..started {
            all.insert(
                (demand, copy),
                BTreeSet::from([Rational::zero(), Rational::one()]),
            );
        }
    }
    for dated in execution
        .tasks
        .iter()
        .filter(|dated| dated.pieces.len() > 1)
    {
        let of_copy = all.entry((dated.message.demand, dated.copy)).or_default();
        of_copy.extend(Execution::shares(dated).into_iter().map(|[_, to]| to));
    }
    all.into_iter()
        .map(|(copy, borders)| (copy, borders.into_iter().collect()))
        .collect()
}

/// The date within the period at which a task has carried this share of its message and goes on.
fn date(dated: &DatedTask, share: &Rational) -> BigInt {
    let mut sent = share * Rational::from_integer(dated.duration.clone());
    for piece in &dated.pieces {
        let length = Rational::from_integer(&piece.end - &piece.start);
        if sent < length {
            return (Rational::from_integer(piece.start.clone()) + sent)
                .floor()
                .to_integer();
        }
        sent -= length;
    }
    dated
        .pieces
        .last()
        .map(|piece| piece.end.clone())
        .unwrap_or_default()
}
