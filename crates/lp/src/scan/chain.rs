//! Many participants: every prefix is passed on to the next participant, which adds its own value.
//!
//! A chain makes each prefix once and where it is wanted: `n - 1` merges and as many ways, the fewest possible. Which ways
//! the chain takes depends on the prices, so a steady state may mix several chains; and it cannot cost less than the
//! cheapest reduction of all operands into the last participant.

use num_bigint::BigUint;
use num_traits::One;
use oneport_plan::{Interval, Pattern, Scheme, SchemeTask};
use oneport_platform::{LinkId, NodeId, Rational};
use oneport_trees::arborescence::Number;
use oneport_trees::cheapest::Prices;

use crate::costs::{self, Times};
use crate::paths::ShortestPaths;
use crate::patterns::Offer;
use crate::reduce::Cheapest;
use crate::{LpError, Question};

const UNREACHABLE: LpError = LpError::Contradiction("a prefix cannot be reached");

/// Prices chains.
pub struct Chain<'a> {
    question: &'a Question<'a>,
    participants: &'a [NodeId],
    whole: Cheapest<'a>,
    times: Times,
}

impl<'a> Chain<'a> {
    /// Prepares the scan of these participants' values.
    pub fn new(question: &'a Question<'a>, participants: &'a [NodeId]) -> Self {
        let whole = Cheapest::new(question, participants, false);
        Chain { question, participants, whole, times: Times::of_size(question, &Rational::one()) }
    }

    fn last(&self) -> &[NodeId] {
        &self.participants[self.participants.len().saturating_sub(1)..]
    }

    /// A chain along cheap ways under guiding prices.
    pub fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Offer>, LpError> {
        let found = self.whole.guide(prices, self.last()).into_iter().next().flatten();
        let (at_least, _) = found.ok_or(UNREACHABLE)?;
        Ok(vec![Offer { at_least, patterns: vec![self.pattern(&self.times.costs(prices).links)?] }])
    }

    /// The cheapest chain.
    pub fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Offer>, LpError> {
        let found = self.whole.cheapest(prices, self.last()).into_iter().next().flatten();
        let (at_least, _) = found.ok_or(UNREACHABLE)?;
        let costs: Vec<BigUint> = costs::exact_of_size(self.question, &Rational::one(), prices).links;
        Ok(vec![Offer { at_least, patterns: vec![self.pattern(&costs)?] }])
    }

    fn pattern<N: Number>(&self, costs: &[N]) -> Result<Pattern, LpError> {
        let platform = self.question.platform();
        let mut tasks = Vec::new();
        // The task that brought or made the prefix; the first is the first participant's own value.
        let mut made = None;
        for (last, pair) in self.participants.windows(2).enumerate() {
            let paths = ShortestPaths::new(platform, costs, pair[0], |_| true);
            let (_, links): (N, Vec<LinkId>) = paths.to(platform, pair[1]).ok_or(UNREACHABLE)?;
            for link in links {
                tasks.push(SchemeTask::Transfer { link, part: Interval { first: 0, last }, after: made });
                made = Some(tasks.len() - 1);
            }
            let part = Interval { first: 0, last: last + 1 };
            tasks.push(SchemeTask::Merge { node: pair[1], part, split: last, left: made, right: None });
            made = Some(tasks.len() - 1);
        }
        Ok(Pattern::Scheme(Scheme { commodity: 0, order: None, tasks }))
    }
}
