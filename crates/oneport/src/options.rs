//! The goal of a solve and the limits of its search.

use std::sync::Arc;
use std::time::Duration;

use oneport_lp::{self as lp, Formulation, Until};
use oneport_period::Period;
use oneport_referee::Answer;
use oneport_watch::Watch;

/// The goal of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// A bound on the throughput of every schedule, and the largest throughput found on the way.
    Bound,
    /// The throughput with its patterns, without a schedule.
    Rate,
    /// A periodic schedule.
    #[default]
    Schedule,
}

/// How to solve.
#[derive(Debug, Clone)]
pub struct Options {
    /// The goal.
    pub goal: Goal,
    /// Which linear program.
    pub formulation: Formulation,
    /// Which periodic schedule.
    pub period: Period,
    /// When the search for the throughput may end before the optimum.
    pub until: Until,
    /// Whether messages may not be cut: then the period is multiplied by the factor that this needs
    /// ([`Solved::whole`](crate::Solved::whole)).
    pub whole_messages: bool,
    /// The answer to a similar problem: the same collective, volumes, nodes and links, perhaps other costs. Its
    /// patterns, scaled to the capacities, and its certificate come first. If they prove an optimum, [`Goal::Rate`]
    /// solves no program. Else the search starts from its patterns. Other goals ignore it.
    pub known: Option<Arc<Answer>>,
    /// Says when to end, and hears how far the work has come: see [`solve`](crate::solve). Under a limit on time no
    /// integer program looks for a smaller period.
    pub watch: Watch,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            goal: Goal::default(),
            formulation: Formulation::default(),
            period: Period::default(),
            until: Until::default(),
            whole_messages: false,
            known: None,
            watch: Watch::unlimited(),
        }
    }
}

impl Options {
    /// The default options with this goal.
    pub fn of(goal: Goal) -> Self {
        Options {
            goal,
            ..Options::default()
        }
    }

    /// Sets the goal.
    pub fn goal(self, goal: Goal) -> Self {
        Options { goal, ..self }
    }

    /// Sets the answer to a similar problem.
    pub fn knowing(self, known: Arc<Answer>) -> Self {
        Options {
            known: Some(known),
            ..self
        }
    }

    /// Sets the watch.
    pub fn watched(self, watch: Watch) -> Self {
        Options { watch, ..self }
    }

    /// Adds a limit on time from now on, by the caller's clock: `within(Duration::from_secs(10), Instant::now)`.
    pub fn within<I>(self, time: Duration, now: fn() -> I) -> Self
    where
        I: Copy + std::ops::Sub<Output = Duration> + Send + Sync + 'static,
    {
        let watch = self.watch.clone().within(time, now);
        self.watched(watch)
    }

    /// Adds a limit on memory, in bytes of the caller's meter.
    pub fn memory(self, bytes: u64, used: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        let watch = self.watch.clone().memory(bytes, used);
        self.watched(watch)
    }

    /// The options of the program.
    pub(crate) fn program(&self) -> lp::Options {
        lp::Options {
            formulation: self.formulation,
            until: self.until.clone(),
        }
    }
}
