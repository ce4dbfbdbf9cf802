//! Options of the programs, and their results.

use std::time::Duration;

use oneport_plan::{Certificate, Pattern, Status, SteadyState};
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
    /// When the search may end before its optimum.
    pub until: Until,
}

impl From<Formulation> for Options {
    fn from(formulation: Formulation) -> Self {
        Options {
            formulation,
            until: Until::default(),
        }
    }
}

/// When a search may end before its optimum. The default is never.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Until {
    /// A bound of this or less is enough.
    pub bound: Option<Rational>,
    /// After this number of rounds.
    pub rounds: Option<usize>,
}

impl Until {
    /// Until this bound, or less, is proved.
    pub fn proved(bound: &Rational) -> Self {
        Until {
            bound: Some(bound.clone()),
            rounds: None,
        }
    }

    /// After this number of rounds.
    pub fn rounds(rounds: usize) -> Self {
        Until {
            bound: None,
            rounds: Some(rounds),
        }
    }

    /// Whether this bound is enough.
    pub(crate) fn is_met(&self, bound: &Rational) -> bool {
        self.bound.as_ref().is_some_and(|enough| bound <= enough)
    }

    /// Whether the search ends after this number of rounds, with this bound.
    pub(crate) fn ends(&self, rounds: usize, bound: &Rational) -> bool {
        self.rounds.is_some_and(|most| rounds >= most) || self.is_met(bound)
    }
}

/// A steady state with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// Weighted patterns.
    pub steady_state: SteadyState,
    /// Further patterns that are cheapest under these prices, so optimal steady states may use them. For collectives
    /// solved by column generation, some of those found on the way.
    pub tight: Vec<Pattern>,
    /// Prices that prove `upper_bound`, with cuts if a broadcast or all-gather has many targets and helpers. These
    /// prove as much as cuts can. For a scan, prices and shares that prove it. If the cheapest scheme itself had to be
    /// priced, they prove a weaker bound.
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
