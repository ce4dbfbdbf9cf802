//! Shared by slot flow and search: the question in ticks, the budget, the answer.

use std::ops::ControlFlow;

use num_bigint::BigInt;
use oneport_plan::{Proof, SlotPrices};
use oneport_platform::{Rational, whole};

use crate::placement::MethodResult;
use crate::snf_placement::Placed;
use crate::{Cluster, Error, PlacedSenders, Placement};

/// When to stop a search. A library reads no clock: the caller's `watch` does.
pub struct Budget<'a> {
    /// Most states visited.
    pub states: u64,
    /// Called now and then. `Break` stops the search.
    pub watch: &'a (dyn Fn(&SearchProgress) -> ControlFlow<()> + Sync),
}

impl Budget<'_> {
    /// At most `states` states, without a limit on time.
    pub fn of_states(states: u64) -> Self {
        Budget {
            states,
            watch: &|_| ControlFlow::Continue(()),
        }
    }
}

/// How far a search is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchProgress {
    /// States visited so far.
    pub states: u64,
    /// Length of the best schedule so far.
    pub length: Rational,
    /// The lower bound proved so far.
    pub lower_bound: Rational,
}

/// Fact: if times have at most this many bits in ticks, sums up to the length of a slowest-first schedule fit 64.
const MOST_BITS: u64 = 56;

/// A cluster in ticks.
pub(crate) struct Problem {
    /// One tick.
    pub unit: Rational,
    /// Per class, ascending.
    pub times: Vec<u64>,
    /// Per class.
    pub senders: Vec<u64>,
}

impl Problem {
    /// The cluster in ticks of the common unit.
    ///
    /// # Errors
    /// Times of more than 56 bits.
    pub(crate) fn new(cluster: &Cluster) -> Result<Problem, Error> {
        let ticks = cluster.ticks()?;
        let bits = u64::from(
            ticks
                .times
                .iter()
                .map(|time| 64 - time.leading_zeros())
                .max()
                .unwrap_or(0),
        );
        if bits > MOST_BITS {
            return Err(Error::Unit { bits });
        }
        let senders = cluster
            .classes()
            .iter()
            .map(|class| class.senders)
            .collect();
        Ok(Problem {
            unit: ticks.unit,
            times: ticks.times,
            senders,
        })
    }

    /// All senders.
    pub(crate) fn count(&self) -> u64 {
        self.senders.iter().sum()
    }

    /// A date.
    pub(crate) fn date(&self, ticks: u64) -> Rational {
        &self.unit * whole(ticks)
    }

    /// Prices by date (in ticks) as a proof.
    pub(crate) fn proof(&self, dates: &[u64], prices: &[i128]) -> Proof {
        let positive = dates.iter().zip(prices).filter(|(_, price)| **price > 0);
        let price = |(&date, &price): (&u64, &i128)| (self.date(date), whole(BigInt::from(price)));
        Proof::Prices(SlotPrices {
            prices: positive.map(price).collect(),
        })
    }

    /// The answer.
    pub(crate) fn found(
        &self,
        length: u64,
        lower: u64,
        proof: Proof,
        placed: &[Placed],
    ) -> MethodResult {
        let row = |placed: &Placed| PlacedSenders {
            date: self.date(placed.date),
            class: placed.class,
            senders: placed.senders,
        };
        MethodResult {
            length: self.date(length),
            lower_bound: self.date(lower.min(length)),
            proof,
            placement: Some(Placement {
                rows: placed.iter().map(row).collect(),
            }),
        }
    }
}

/// How far the work is, and whether to go on.
pub(crate) struct Progress<'a> {
    budget: &'a Budget<'a>,
    unit: Rational,
    /// States visited.
    pub states: u64,
    /// Length of the best placement, in ticks.
    pub length: u64,
    /// No schedule is shorter, in ticks.
    pub lower: u64,
    stopped: bool,
}

impl<'a> Progress<'a> {
    /// At the start.
    pub(crate) fn new(problem: &Problem, budget: &'a Budget<'a>, length: u64) -> Progress<'a> {
        Progress {
            budget,
            unit: problem.unit.clone(),
            states: 0,
            length,
            lower: 0,
            stopped: false,
        }
    }

    /// Whether the caller continues. Other threads may call this.
    pub(crate) fn goes_on(&self) -> bool {
        !self.stopped && (self.budget.watch)(&self.search()) == ControlFlow::Continue(())
    }

    fn search(&self) -> SearchProgress {
        let date = |ticks: u64| &self.unit * whole(ticks);
        SearchProgress {
            states: self.states,
            length: date(self.length),
            lower_bound: date(self.lower),
        }
    }

    /// Counts states. Returns false, from then on, if the budget is used up or the caller breaks.
    pub(crate) fn go_on(&mut self, states: u64) -> bool {
        self.states = self.states.saturating_add(states);
        if !self.stopped {
            self.stopped = self.states > self.budget.states || !self.goes_on();
        }
        !self.stopped
    }
}
