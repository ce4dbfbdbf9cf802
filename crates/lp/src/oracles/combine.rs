//! Series of reduces (RR-4872 section 4), and reduce-scatter: the cheapest patterns are reduction trees.

use oneport_plan::{Block, Pattern};
use oneport_platform::{NodeId, Rational};
use oneport_trees::cheapest::{Prices, Reduction};
use oneport_trees::commutative::{Commutative, Exactness};

use crate::oracle::{Oracle, Priced};
use crate::{LpError, Question};

/// Prices reduction trees. Demands are the reductions of an instance.
pub(crate) struct Trees<'a> {
    cheapest: Cheapest<'a>,
    targets: Vec<NodeId>,
}

/// The search for cheapest trees.
pub(crate) enum Cheapest<'a> {
    /// Operands in order.
    Ordered(Reduction),
    /// Operands in any order.
    Commutative(Commutative<'a>),
}

impl<'a> Cheapest<'a> {
    /// Prepares the combination of the operands' values.
    pub(crate) fn new(question: &'a Question, operands: &[NodeId], commutative: bool) -> Self {
        if !commutative {
            let reduction = Reduction::new(question.platform(), operands, question.volumes());
            let reduction = reduction.watched(question.watch().clone());
            Cheapest::Ordered(match question.sent() {
                Some(sent) => reduction.sending_only(|part| sent.has(part)),
                None => reduction,
            })
        } else {
            let commutative = Commutative::new(question.platform(), operands, question.volumes());
            Cheapest::Commutative(commutative.watched(question.watch().clone()))
        }
    }

    /// Per target: a bound and cheap trees under guiding prices. `None` if there is no tree.
    pub(crate) fn guide(
        &self,
        prices: &Prices<u64>,
        targets: &[NodeId],
    ) -> Vec<Option<(Rational, Vec<Pattern>)>> {
        match self {
            Cheapest::Ordered(reduction) => {
                let guide = reduction.guide(prices);
                let answer = |&target: &NodeId| {
                    Some((guide.lower_bound(target)?, vec![guide.tree(target)?]))
                };
                targets.iter().map(answer).collect()
            }
            Cheapest::Commutative(commutative) => commutative.guide(prices, targets),
        }
    }

    /// Per target: the cheapest tree and its price (a bound if not exact). `None` if there is no tree.
    pub(crate) fn cheapest(
        &self,
        prices: &Prices<Rational>,
        targets: &[NodeId],
    ) -> Vec<Option<(Rational, Pattern)>> {
        match self {
            Cheapest::Ordered(reduction) => reduction.cheapest(prices, targets),
            Cheapest::Commutative(commutative) => commutative.cheapest(prices, targets),
        }
    }

    /// Whether the cheapest trees are found for all prices.
    pub(crate) fn is_exact(&self) -> bool {
        match self {
            Cheapest::Ordered(_) => true,
            Cheapest::Commutative(commutative) => commutative.exactness() == Exactness::Exact,
        }
    }
}

const UNREACHABLE: LpError = LpError::Contradiction("a connected platform has no reduction tree");

impl<'a> Trees<'a> {
    /// Prepares the reductions of a block.
    pub(crate) fn new(question: &'a Question, block: &Block<'_>) -> Self {
        let cheapest = Cheapest::new(question, block.operands(), block.is_commutative());
        Trees {
            cheapest,
            targets: block
                .demands()
                .flat_map(|demand| demand.targets().to_vec())
                .collect(),
        }
    }
}

impl Oracle for Trees<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        let offer = |found: Option<(Rational, Vec<Pattern>)>| {
            let (at_least, trees) = found.ok_or(UNREACHABLE)?;
            Ok(Priced {
                at_least,
                patterns: trees,
            })
        };
        self.cheapest
            .guide(prices, &self.targets)
            .into_iter()
            .map(offer)
            .collect()
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        let offer = |found: Option<(Rational, Pattern)>| {
            let (at_least, tree) = found.ok_or(UNREACHABLE)?;
            Ok(Priced {
                at_least,
                patterns: vec![tree],
            })
        };
        self.cheapest
            .cheapest(prices, &self.targets)
            .into_iter()
            .map(offer)
            .collect()
    }

    fn is_exact(&self) -> bool {
        self.cheapest.is_exact()
    }
}
