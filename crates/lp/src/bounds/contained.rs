//! Lower bound on the price of a scheme for several nodes: it contains a reduction tree for each of them.
//!
//! In every scheme, the inputs of the value that arrives at one goal lead back to the operands. They are a reduction
//! tree for this goal whose tasks are tasks of the scheme. So the scheme's price is at least the most expensive of the
//! cheapest trees.

use oneport_plan::{Block, Pattern};
use oneport_platform::{NodeId, Rational};
use oneport_trees::cheapest::Prices;

use crate::oracle::{Oracle, Priced};
use crate::oracles::combine::Cheapest;
use crate::{LpError, Question};

/// Oracle for the most expensive of the goals' cheapest trees. Its patterns represent loads only. They are never
/// executed.
pub(crate) struct Contained<'a> {
    cheapest: Cheapest<'a>,
    targets: Vec<NodeId>,
}

impl<'a> Contained<'a> {
    /// Prepares the only demand of a block.
    pub(crate) fn new(question: &'a Question, block: &Block<'_>) -> Self {
        let cheapest = Cheapest::new(question, block.operands(), block.is_commutative());
        Contained {
            cheapest,
            targets: block
                .demand(0)
                .map_or(Vec::new(), |demand| demand.targets().to_vec()),
        }
    }

    fn dearest(
        found: impl Iterator<Item = Option<(Rational, Pattern)>>,
    ) -> Result<Vec<Priced>, LpError> {
        let mut dearest: Option<(Rational, Pattern)> = None;
        for one in found {
            let (cost, tree) = one.ok_or(LpError::Contradiction(
                "a connected platform has no reduction tree",
            ))?;
            if dearest.as_ref().is_none_or(|(known, _)| *known < cost) {
                dearest = Some((cost, tree));
            }
        }
        Ok(vec![Priced::one(dearest.ok_or(LpError::Contradiction(
            "a result is wanted nowhere",
        ))?)])
    }
}

impl Oracle for Contained<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        let found = self.cheapest.guide(prices, &self.targets);
        let first =
            |(least, trees): (Rational, Vec<Pattern>)| Some((least, trees.into_iter().next()?));
        Contained::dearest(found.into_iter().map(|found| found.and_then(first)))
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        Contained::dearest(self.cheapest.cheapest(prices, &self.targets).into_iter())
    }

    fn is_exact(&self) -> bool {
        false
    }
}
