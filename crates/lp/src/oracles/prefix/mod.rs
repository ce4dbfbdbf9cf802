//! Parallel prefix: the patterns are schemes, whose tasks serve several prefixes at once.
//!
//! Participant `i` receives `v[0,i]`. A value is copied for free at a node that keeps it, so one transfer or merge may
//! serve many prefixes, and finding a cheapest scheme is NP-hard. Small schemes are found by branch and bound within a
//! budget. Beyond it schemes are good and bounds are valid, and an answer is optimal only if the two meet.

mod ascent;
pub(crate) mod chain;
mod fixed;
mod forest;
mod potentials;
mod search;
pub(crate) mod tasks;

use num_bigint::BigUint;
use num_traits::One;
use oneport_numbers::Exact;
use oneport_plan::{Block, Demand};
use oneport_platform::{LinkId, Platform, Rational};
use oneport_trees::cheapest::Prices;

use crate::costs::amount;
use crate::oracle::{Oracle, Priced};
use crate::{LpError, Question};

use chain::Chain;
use search::{CheapSchemes, search};
use tasks::{Scaled, Tasks, whole_prices};

/// Branches times tasks times goals, and branches, of the search for a cheapest scheme. Trades time for a proof that it
/// is cheapest. Not measured.
const THOROUGH: [usize; 2] = [2_000_000, 2_000];
/// This limit for cheap schemes under guiding prices. Trades cheaper schemes for time. Not measured.
const GUIDED: [usize; 2] = [2_000_000, 20];
/// Schemes per pricing. Trades rounds for columns of the program. Not measured.
const SCHEMES: usize = 3;

/// Intervals of operands times links and processors. On larger platforms only chains are tried. Trades throughput for
/// time: a search would take minutes. Not measured.
const MOST_VARIABLES: usize = 30_000;

/// Whether only chains are tried for this number of participants.
pub(crate) fn is_large(platform: &Platform, participants: usize) -> bool {
    let intervals = participants.saturating_mul(participants) / 2;
    intervals.saturating_mul(platform.links().len() + platform.nodes().len()) > MOST_VARIABLES
}

/// Prices prefix schemes.
pub(crate) struct Prefixes<'a> {
    question: &'a Question,
    /// `None` if there are many participants.
    known: Option<(Tasks, Scaled)>,
    /// The oracle for many participants.
    chain: Option<Chain<'a>>,
}

impl<'a> Prefixes<'a> {
    /// Prepares the scan.
    pub(crate) fn new(question: &'a Question, block: &Block<'a>) -> Self {
        let participants = block.operands();
        if is_large(question.platform(), participants.len()) {
            return Prefixes {
                question,
                known: None,
                chain: Some(Chain::new(question, participants)),
            };
        }
        let of_demand = |demand: Demand<'_>| {
            let tasks = Tasks::new(question.platform(), &demand, false);
            let scaled = Scaled::new(question, &tasks);
            (tasks, scaled)
        };
        Prefixes {
            question,
            known: block.demand(0).map(of_demand),
            chain: None,
        }
    }

    fn thorough<N: Exact + Into<BigUint>>(
        &self,
        tasks: &Tasks,
        priced: &tasks::Priced<N>,
        routes: &[Vec<LinkId>],
    ) -> Result<Vec<Priced>, LpError> {
        let found = search(
            tasks,
            priced,
            budget(tasks, THOROUGH),
            SCHEMES,
            self.question.watch(),
        );
        Self::offer(tasks, found, &priced.unit, routes)
    }

    fn offer<N: Exact + Into<BigUint>>(
        tasks: &Tasks,
        found: Option<CheapSchemes<N>>,
        unit: &Rational,
        routes: &[Vec<LinkId>],
    ) -> Result<Vec<Priced>, LpError> {
        let CheapSchemes { at_least, schemes } =
            found.ok_or(LpError::Contradiction("a prefix cannot be reached"))?;
        let patterns = schemes
            .iter()
            .map(|(_, ordered)| forest::pattern(tasks, ordered, routes))
            .collect();
        Ok(vec![Priced {
            at_least: amount(unit, &at_least),
            patterns,
        }])
    }
}

const NO_SCAN: LpError = LpError::Contradiction("a scan without a demand");

fn budget(tasks: &Tasks, [work, most]: [usize; 2]) -> usize {
    (work / (tasks.count * tasks.goals.len()).max(1)).min(most)
}

impl Oracle for Prefixes<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        if let Some(chain) = &self.chain {
            return chain.guide(prices);
        }
        let (tasks, scaled) = self.known.as_ref().ok_or(NO_SCAN)?;
        let big = |prices: &[u64]| prices.iter().map(|&price| price.into()).collect();
        let prices = Prices {
            links: big(&prices.links),
            compute: big(&prices.compute),
        };
        let (priced, routes) =
            scaled.price(self.question.platform(), tasks, &prices, &Rational::one());
        let priced = priced.rounded();
        Self::offer(
            tasks,
            search(
                tasks,
                &priced,
                budget(tasks, GUIDED),
                SCHEMES,
                self.question.watch(),
            ),
            &priced.unit,
            &routes,
        )
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        if let Some(chain) = &self.chain {
            return chain.cheapest(prices);
        }
        let (tasks, scaled) = self.known.as_ref().ok_or(NO_SCAN)?;
        let (prices, unit) = whole_prices(prices);
        let (priced, routes) = scaled.price(self.question.platform(), tasks, &prices, &unit);
        if let Some(priced) = priced.narrowed() {
            return self.thorough(tasks, &priced, &routes);
        }
        if let Some(priced) = priced.fixed::<8>() {
            return self.thorough(tasks, &priced, &routes);
        }
        match priced.fixed::<24>() {
            Some(priced) => self.thorough(tasks, &priced, &routes),
            None => self.thorough(tasks, &priced, &routes),
        }
    }

    fn is_exact(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
