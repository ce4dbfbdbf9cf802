//! How a plan runs: every task of one period of the steady state, with its dates.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use oneport_plan::{Message, Task};
use oneport_platform::{Rational, ratio};

/// Tasks between two checks of the watch. Trades lateness after a limit for calls. Not measured.
pub(crate) const OFTEN: usize = 1 << 10;
/// Limit: tasks of one execution, and transfers and merges of one timeline.
pub(crate) const EVENT_LIMIT: u64 = 5_000_000;

/// One period of the steady state: a finite table of all tasks of a schedule. Every later period has the same table,
/// shifted by the period's length. [`timeline`](crate::timeline) and every export are loops over it.
///
/// All dates are whole numbers of units, counted from the start of the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// The number of units in one unit of time.
    pub units: BigInt,
    /// Length of the period, in units.
    pub period: BigInt,
    /// Instances started in each period.
    pub instances: u64,
    /// Periods from the start of an instance to its end, both counted: one more than the largest stage.
    pub depth: usize,
    /// Per demand: how often its patterns start per period. Demands without a pattern are missing.
    pub started: BTreeMap<usize, u64>,
    /// In the order of patterns, stages of the pattern, tasks, copies. A task comes after its inputs.
    pub tasks: Vec<DatedTask>,
}

/// One task of one copy of a pattern, as every period runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedTask {
    /// Index of the pattern in the schedule.
    pub pattern: usize,
    /// Index of the task in the pattern.
    pub index: usize,
    /// Which of those carryings-out of its demand that start in one period, from 0. With `r` per instance, number `k`
    /// belongs to the `k / r`-th instance of the period.
    pub copy: u64,
    /// The copy that starts in period `p` runs this task in period `p + stage`.
    pub stage: usize,
    /// The send or merge.
    pub task: Task,
    /// The message that is sent or made.
    pub message: Message,
    /// Indices in `tasks` of the tasks behind the inputs: of a send one, of a merge the left and the right.
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
    /// Which of the ports of the sender, and of the receiver, from 0. `None` if links alone are exclusive, for merges,
    /// and for transfers in no time.
    pub lanes: [Option<u32>; 2],
}

impl Execution {
    /// A date or length in units of time, in lowest terms.
    pub fn time(&self, units: &BigInt) -> Rational {
        ratio(units.clone(), self.units.clone())
    }

    /// A date of a task's copy that starts in period 0, in units: `stage` periods later than within the period.
    pub fn date(&self, task: &DatedTask, date: &BigInt) -> BigInt {
        &self.period * task.stage + date
    }

    /// When a task's copy of period 0 starts, in units.
    pub fn start(&self, task: &DatedTask) -> BigInt {
        self.date(
            task,
            task.pieces
                .first()
                .map_or(&BigInt::ZERO, |piece| &piece.start),
        )
    }

    /// When a task's copy of period 0 ends, in units.
    pub fn end(&self, task: &DatedTask) -> BigInt {
        self.date(
            task,
            task.pieces.last().map_or(&BigInt::ZERO, |piece| &piece.end),
        )
    }

    /// The least `n` such that every cut of a message is at a multiple of `1/n` of it. 1 if no message is cut.
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

    /// The date, in units, at which the port, link or processor that is busy longest finishes its work of the period.
    /// The rest of the period is idle.
    pub fn busy_until(&self) -> BigInt {
        let ends = self
            .tasks
            .iter()
            .filter_map(|task| task.pieces.last())
            .map(|piece| &piece.end);
        ends.max().cloned().unwrap_or_default()
    }

    /// Which shares of its message a task's pieces carry: from, to.
    pub fn shares(task: &DatedTask) -> Vec<[Rational; 2]> {
        let mut sent = BigInt::zero();
        let share = |sent: &BigInt| {
            if task.duration.is_zero() {
                Rational::zero()
            } else {
                ratio(sent.clone(), task.duration.clone())
            }
        };
        let piece = |piece: &Piece| {
            let from = share(&sent);
            sent += &piece.end - &piece.start;
            [
                from,
                if task.duration.is_zero() {
                    Rational::one()
                } else {
                    share(&sent)
                },
            ]
        };
        task.pieces.iter().map(piece).collect()
    }
}
