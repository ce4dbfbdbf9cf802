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
    /// Prices that prove something of some patterns. Where nothing else is known, they are asked what they prove of
    /// all.
    pub prices: Option<Certificate>,
    /// Whether no further attempt is worth its time.
    pub settled: bool,
    /// The effort of all programs.
    pub effort: Effort,
}

impl Findings {
    /// Takes in the patterns and prices of a mixture; its bound is another matter.
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

    /// Takes in an answer that no further attempt is worth its time to improve.
    pub(crate) fn settle(&mut self, state: SteadyState, bound: Bound) {
        self.known.offer_state(state);
        self.known.offer_bound(bound);
        self.settled = true;
    }

    /// When the next program may end: after what is left of the rounds, or where it proves what is attained.
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
