//! The findings of the attempts on one question.

use crate::known::{Bound, Known};
use oneport_plan::{Certificate, SteadyState};

use crate::mixture::{Effort, Mixture};
use crate::{Options, Until};

/// The best answer so far.
#[derive(Default)]
pub(crate) struct Findings {
    /// Steady state and bound.
    pub known: Known,
    /// Prices valid for some patterns only. If no bound is known at the end, a bound for all patterns is derived from
    /// them.
    pub prices: Option<Certificate>,
    /// Whether no further attempt is worth its time.
    pub settled: bool,
    /// The effort of all programs.
    pub effort: Effort,
}

impl Findings {
    /// Records the patterns and prices of a mixture. Its bound is not taken: it may not hold for all schedules.
    pub(crate) fn mixture(
        &mut self,
        Mixture {
            state,
            tight,
            prices,
            effort,
            ..
        }: Mixture,
    ) {
        self.known.offer_tight(state, tight);
        self.prices = Some(prices);
        self.effort += effort;
    }

    /// Records an answer and ends the list of attempts.
    pub(crate) fn settle(&mut self, state: SteadyState, bound: Bound) {
        self.known.offer_state(state);
        self.known.offer_bound(bound);
        self.settled = true;
    }

    /// Limits of the next program: the rounds that are left, and the throughput that it must prove.
    pub(crate) fn until(&self, options: &Options) -> Until {
        let Until { bound, rounds } = &options.until;
        let rounds = rounds.map(|most| most.saturating_sub(self.effort.rounds));
        Until {
            bound: self.known.throughput().max(bound.as_ref()).cloned(),
            rounds,
        }
    }

    /// Whether no further attempt is to follow.
    pub(crate) fn is_done(&self) -> bool {
        self.settled || self.known.is_optimal()
    }
}
