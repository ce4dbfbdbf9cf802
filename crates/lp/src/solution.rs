//! Options of the programs, and their results.

use std::ops::ControlFlow;
use std::time::Duration;

use oneport_plan::{Certificate, Commodity, Pattern, Status, SteadyState};
use oneport_platform::Rational;

/// Which program is solved. Both have the same optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulation {
    /// Messages that travel alone: an aggregated flow, one commodity per source or per target. Everything else: column
    /// generation over patterns.
    #[default]
    Columns,
    /// The papers' own program, corrected: one commodity per message (SSSP, SSPA2A of RR-4872), rates of transfers and
    /// merges by interval (SSR), or one flow per target (broadcasts).
    Compact,
}

/// How to solve.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Which program.
    pub formulation: Formulation,
    /// Limit on the time inside HiGHS.
    pub time_limit: Option<Duration>,
}

/// A steady state with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// Weighted patterns.
    pub steady_state: SteadyState,
    /// Further patterns that are cheapest under these prices, so that optimal steady states may use them; for
    /// collectives solved by column generation, some that were found meanwhile.
    pub tight: Vec<Pattern>,
    /// Prices that prove `upper_bound`; with cuts where a broadcast or all-gather has many targets and helpers: these
    /// prove as much as cuts can. For a scan, prices and shares that prove it or, where the cheapest scheme itself had
    /// to be priced, as much as can be proved without.
    pub certificate: Certificate,
    /// No schedule has a larger throughput.
    pub upper_bound: Rational,
    /// Whether the two meet.
    pub status: Status,
    /// Time spent inside HiGHS, by its own clock.
    pub solver_time: Duration,
    /// Whether the first basis proposed was not exactly optimal and had to be repaired.
    pub repaired: bool,
}

/// How far column generation has come.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Patterns found so far; of an all-reduce, their stages.
    pub patterns: usize,
    /// Their throughput, up to rounding.
    pub throughput: Rational,
    /// Upper bound on the throughput.
    pub upper_bound: Rational,
}

/// Called after every round; `Break` asks for the best answer so far.
pub type Observer<'w> = &'w mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// The result of a solve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A steady state; see its status.
    Steady(Box<Solution>),
    /// These messages cannot arrive: their targets are not connected to their sources.
    Unreachable(Vec<Commodity>),
}
