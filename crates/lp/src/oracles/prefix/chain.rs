//! Many participants: every prefix is passed on to the next participant, which adds its own value.
//!
//! A chain makes each prefix once, at its receiver: `n - 1` merges and as many paths, the fewest possible. The paths
//! depend on the prices, so a steady state may mix several chains. A chain never costs less than the cheapest reduction
//! of all operands into the last participant.
//!
//! The best mixture of chains is found step by step: see `chains`.

use num_bigint::BigUint;
use num_traits::One;
use oneport_numbers::Exact;
use oneport_plan::{Interval, Pattern};
use oneport_platform::{LinkId, NodeId, Platform, Rational};
use oneport_trees::cheapest::Prices;

use crate::costs::{self, Times};
use crate::oracles::Priced;
use crate::oracles::combine::Cheapest;
use crate::oracles::route::ShortestPaths;

use crate::{LpError, Question};

pub(crate) const UNREACHABLE: LpError = LpError::Contradiction("a prefix cannot be reached");

/// Prices chains.
pub(crate) struct Chain<'a> {
    question: &'a Question,
    participants: &'a [NodeId],
    whole: Cheapest<'a>,
    times: Times,
}

impl<'a> Chain<'a> {
    /// Prepares the scan of these participants' values.
    pub(crate) fn new(question: &'a Question, participants: &'a [NodeId]) -> Self {
        let whole = Cheapest::new(question, participants, false);
        Chain {
            question,
            participants,
            whole,
            times: Times::of_size(question, &Rational::one()),
        }
    }

    fn last(&self) -> &[NodeId] {
        &self.participants[self.participants.len().saturating_sub(1)..]
    }

    /// A chain along cheap paths under guiding prices.
    pub(crate) fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        let found = self
            .whole
            .guide(prices, self.last())
            .into_iter()
            .next()
            .flatten();
        let (at_least, _) = found.ok_or(UNREACHABLE)?;
        Ok(vec![Priced {
            at_least,
            patterns: vec![self.pattern(&self.times.costs(prices).links)?],
        }])
    }

    /// The cheapest chain.
    pub(crate) fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        let found = self
            .whole
            .cheapest(prices, self.last())
            .into_iter()
            .next()
            .flatten();
        let (at_least, _) = found.ok_or(UNREACHABLE)?;
        let costs: Vec<BigUint> =
            costs::exact_of_size(self.question, &Rational::one(), prices).links;
        Ok(vec![Priced {
            at_least,
            patterns: vec![self.pattern(&costs)?],
        }])
    }

    fn pattern<N: Exact>(&self, costs: &[N]) -> Result<Pattern, LpError> {
        let mut pattern = Pattern::new(0);
        for step in 0..self.participants.len().saturating_sub(1) {
            let (_, links) = way(self.question.platform(), costs, self.participants, step)?;
            append(&mut pattern, self.participants, step, links);
        }
        Ok(pattern)
    }
}

/// The cheapest path from a participant to the next one.
pub(crate) fn way<N: Exact>(
    platform: &Platform,
    costs: &[N],
    participants: &[NodeId],
    step: usize,
) -> Result<(N, Vec<LinkId>), LpError> {
    let paths = ShortestPaths::new(platform, costs, participants[step], |_| true);
    paths.to(participants[step + 1]).ok_or(UNREACHABLE)
}

/// Appends the transfers of a prefix, which the last task has made, and the merge at the next participant.
pub(crate) fn append(
    chain: &mut Pattern,
    participants: &[NodeId],
    step: usize,
    links: impl IntoIterator<Item = LinkId>,
) {
    let part = Interval {
        first: 0,
        last: step,
    };
    // The first prefix is the first participant's own value.
    chain.route(links, part, chain.last());
    let part = Interval {
        first: 0,
        last: step + 1,
    };
    chain.merge(participants[step + 1], part, step, [chain.last(), None]);
}
