//! Upper bound on the throughput of every all-reduce, by the exchange theorem for single participants: see `exchange`.
//!
//! Besides, combining `n` operands takes `n - 1` merges somewhere. So under prices an instance costs at least the
//! cheapest collection of transfers, each as small as any, and of merges, each as little work as any. The best bound
//! is found by column generation, over these collections.

use crate::known::Known;
use num_bigint::BigUint;
use num_traits::{One, Signed, Zero};
use oneport_numbers::Exact;
use oneport_plan::inequality::Direction;
use oneport_plan::{Block, Interval, Pattern, Task};
use oneport_platform::{LinkId, NodeId, Rational, whole};
use oneport_trees::cheapest::Prices;

use super::exchange::Exchange;
use super::volume::least;
use crate::column_generation::generate;
use crate::costs::{self, LinkCosts, Times, amount};
use crate::oracle::{Oracle, Priced};
use crate::oracles::Patterns;
use crate::resources::Resources;
use crate::{LpError, Question, Until};

/// The two directions' bounds for an all-reduce, with the prices that prove them, offered one by one until enough is
/// proved.
///
/// # Errors
/// The errors of the solver.
pub(crate) fn bound(
    question: &Question,
    resources: &Resources,
    until: &Until,
    known: &mut Known,
) -> Result<(), LpError> {
    let participants = question.block().map_or(&[][..], |block| block.operands());
    for direction in [Direction::Into, Direction::OutOf] {
        let collections = Collections::of(question, participants, direction);
        let found = generate(
            question,
            resources.clone(),
            &Patterns::of_one(question, collections, 1),
            until,
        )?;
        let is_enough = until.is_met(&found.at_most);
        // Collections are no patterns, and no scheme does less.
        known.offer_bound(found.bound());
        if is_enough {
            break;
        }
    }
    Ok(())
}

/// Prices the theorem's collections of transfers and merges.
struct Collections<'a> {
    question: &'a Question,
    exchange: Exchange<'a>,
    times: Times,
    operands: usize,
    /// A partial result that is as small as any, and a merge that is as little work as any.
    smallest: Interval,
    lightest: Interval,
}

impl<'a> Collections<'a> {
    fn of(question: &'a Question, participants: &[NodeId], direction: Direction) -> Self {
        let operands = participants.len();
        let volumes = question.volumes();
        Collections {
            question,
            exchange: Exchange::of_single(question, direction, participants),
            times: Times::of_size(question, &least(&volumes.size, operands, 1).1),
            operands,
            smallest: least(&volumes.size, operands, 1).0,
            lightest: least(&volumes.work, operands, 2).0,
        }
    }

    /// The cheapest collection of transfers: a lower bound on its cost, and its links.
    fn transfers<N: Exact + One + Into<BigUint>>(
        &self,
        costs: &LinkCosts<N>,
        guide: bool,
    ) -> Option<(Rational, Vec<LinkId>)> {
        let found = self.exchange.cheapest(&costs.links, guide)?;
        Some((amount(&costs.unit, &found.at_least), found.links))
    }

    /// The processor with the cheapest merges, and the cost of a merge there.
    fn merge(&self, price: impl Fn(NodeId) -> Rational) -> Option<(Rational, NodeId)> {
        let platform = self.question.platform();
        let (volumes, part) = (self.question.volumes(), self.lightest);
        let cost =
            |node: NodeId| volumes.merge_time(platform, node, part, part.first) * price(node);
        platform.mergers().map(|node| (cost(node), node)).min()
    }

    fn pattern(&self, links: Vec<LinkId>, merges: NodeId) -> Pattern {
        let part = self.lightest;
        let transfer = |link| Task::send(link, self.smallest);
        let merge = Task::merge(merges, part, part.first);
        let merges = std::iter::repeat_n(merge, self.operands.saturating_sub(1));
        Pattern {
            demand: 0,
            order: None,
            tasks: links.into_iter().map(transfer).chain(merges).collect(),
        }
    }

    fn collection(
        &self,
        transfers: Option<(Rational, Vec<LinkId>)>,
        price: impl Fn(NodeId) -> Rational,
    ) -> Result<(Rational, Pattern), LpError> {
        const NOWHERE: LpError = LpError::Contradiction("no node can learn all operands");
        let (cost, links) = transfers.ok_or(NOWHERE)?;
        let (merge, node) = self.merge(price).ok_or(NOWHERE)?;
        let merges = whole(self.operands.saturating_sub(1));
        Ok((cost + merge * merges, self.pattern(links, node)))
    }
}

impl Collections<'_> {
    fn guided(&self, prices: &Prices<u64>) -> Result<(Rational, Pattern), LpError> {
        let price = |node: NodeId| whole(prices.compute[node.index()]);
        self.collection(self.transfers(&self.times.costs(prices), true), price)
    }

    fn exact(&self, prices: &Prices<Rational>) -> Result<(Rational, Pattern), LpError> {
        let price = |node: NodeId| {
            let price = &prices.compute[node.index()];
            if price.is_negative() {
                Rational::zero()
            } else {
                price.clone()
            }
        };
        let size = least(&self.question.volumes().size, self.operands, 1).1;
        let costs = costs::exact_of_size(self.question, &size, prices);
        self.collection(self.transfers(&costs, false), price)
    }
}

impl Oracle for Collections<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        Ok(vec![Priced::one(self.guided(prices)?)])
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        Ok(vec![Priced::one(self.exact(prices)?)])
    }

    fn is_exact(&self) -> bool {
        self.exchange.is_exact()
    }
}

/// Lower bound on the price of an all-reduce among other collectives, under given prices.
pub(crate) struct Least<'a> {
    directions: [Collections<'a>; 2],
}

impl<'a> Least<'a> {
    /// Prepares the all-reduce.
    pub(crate) fn new(question: &'a Question, block: &Block<'_>) -> Self {
        let collections = |direction| Collections::of(question, block.operands(), direction);
        Least {
            directions: [Direction::Into, Direction::OutOf].map(collections),
        }
    }

    fn offer(least: [Result<(Rational, Pattern), LpError>; 2]) -> Result<Vec<Priced>, LpError> {
        let [forwards, backwards] = least;
        Ok(vec![Priced::one(std::cmp::max_by(
            forwards?,
            backwards?,
            |one, other| one.0.cmp(&other.0),
        ))])
    }
}

impl Oracle for Least<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        Least::offer(
            self.directions
                .each_ref()
                .map(|direction| direction.guided(prices)),
        )
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        Least::offer(
            self.directions
                .each_ref()
                .map(|direction| direction.exact(prices)),
        )
    }

    fn is_exact(&self) -> bool {
        false
    }
}
