//! An answer, and the facts of the search for it.

use std::fmt;
use std::time::Duration;

use oneport_plan::{Plan, SteadyState};
use oneport_referee::Answer;
use oneport_schedule::Whole;
use oneport_watch::Limit;

/// An answer that the referee has judged, and the facts of the search. Only the answer is proved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Solved {
    /// Bound, throughput and, if the goal was a schedule and there is room for one, a schedule.
    pub answer: Answer,
    /// The limit that ended a search before its time: with more, a better answer may be found.
    pub ended_by: Option<Limit>,
    /// The reason why patterns or a schedule are missing although they were the goal.
    pub unwritten: Option<Unwritten>,
    /// Time inside the floating-point solver on the linear program, by its own clock.
    pub solver_time: Duration,
    /// If no message may be cut: how many times as long the period is for it. The referee found no message cut.
    pub whole: Option<Whole>,
}

impl Solved {
    pub(crate) fn of(answer: Answer, ended_by: Option<Limit>) -> Self {
        Solved {
            answer,
            ended_by,
            unwritten: None,
            solver_time: Duration::default(),
            whole: None,
        }
    }

    /// Drops patterns and schedule, which may be large: [`Answer::slim`].
    pub fn slim(self) -> Self {
        Solved {
            answer: self.answer.slim(),
            ..self
        }
    }

    /// The weighted patterns.
    ///
    /// # Errors
    /// The reason why none are listed.
    pub fn patterns(&self) -> Result<&SteadyState, NoSchedule> {
        self.answer.patterns().ok_or(NoSchedule(self.unwritten))
    }

    /// All parts of an answer with patterns and a schedule.
    ///
    /// # Errors
    /// [`NoSchedule`]: the reason why no schedule was written, or none for another goal than a schedule.
    pub fn plan(&self) -> Result<Plan<'_>, NoSchedule> {
        self.answer.plan().ok_or(NoSchedule(self.unwritten))
    }
}

/// The reason why patterns or a schedule are missing. As a sentence ([`Display`](fmt::Display)) it says what would make
/// room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unwritten {
    /// Fewest transfers and merges that a schedule would list.
    pub tasks: u64,
    /// The limit that left no room: time, memory, the caller's. `None`: no plan has room.
    pub limit: Option<Limit>,
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unwritten { tasks, limit } = self;
        write!(
            f,
            "no schedule is listed: it has at least {tasks} transfers and merges, "
        )?;
        match limit {
            None => write!(
                f,
                "more than a plan has room for; ask about fewer participants"
            ),
            Some(Limit::Time) => {
                write!(
                    f,
                    "too many for the time limit; allow more time or ask about fewer participants"
                )
            }
            Some(Limit::Memory) => {
                write!(
                    f,
                    "too many for the memory limit; allow more memory or ask about fewer participants"
                )
            }
            Some(limit @ (Limit::Interrupt | Limit::Caller)) => {
                write!(f, "and {limit} came first; wait longer")
            }
        }
    }
}

/// A solved problem has no schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSchedule(Option<Unwritten>);

impl fmt::Display for NoSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(unwritten) => unwritten.fmt(f),
            None => f.write_str("no schedule was asked for; set the goal to Goal::Schedule"),
        }
    }
}

impl std::error::Error for NoSchedule {}
