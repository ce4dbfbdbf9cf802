//! All-reduce by composition: values are reduced to some root, and the result is broadcast from there.
//!
//! The steady state mixes roots and trees optimally among compositions. The bound on all schedules is computed
//! directly, from the necessary exchanges: see `bounds`.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use oneport_numbers::Exact;
use oneport_plan::{Block, Interval, Pattern};
use oneport_platform::{NodeId, Rational, ratio};
use oneport_trees::cheapest::{Prices, Reduction};

use crate::costs::{self, LinkCosts, Times, amount};
use crate::oracle::{Oracle, Priced};
use crate::oracles::combine::Cheapest;
use crate::oracles::copy::{CopyTree, Hop, Network, Routes};

use crate::{LpError, Question};

/// Fact: above each composition's guiding price. Sums of `2^17` fit 128 bits.
const DEAREST: u128 = 1 << 110;

const NOWHERE: LpError =
    LpError::Contradiction("no node can combine the values and spread the result");

/// Prices compositions of a reduction tree and an arborescence.
pub(crate) struct AllReduction<'a> {
    question: &'a Question,
    times: Times,
    network: Network,
    cheapest: Cheapest<'a>,
    operands: usize,
    /// Where the result is wanted.
    targets: Vec<NodeId>,
    /// Size of the result.
    size: Rational,
    /// Where the result may be made: every processor that replicates.
    roots: Vec<NodeId>,
}

impl<'a> AllReduction<'a> {
    /// Prepares the only demand of a block.
    pub(crate) fn new(question: &'a Question, block: &Block<'_>) -> Self {
        let platform = question.platform();
        let operands = block.operands();
        let targets = block
            .demand(0)
            .map_or(Vec::new(), |demand| demand.targets().to_vec());
        let whole = Interval {
            first: 0,
            last: operands.len().saturating_sub(1),
        };
        let size = question.volumes().size.of(whole).unwrap_or_default();
        AllReduction {
            question,
            times: Times::of_size(question, &size),
            size,
            network: Network::new(platform).watched(question.watch().clone()),
            cheapest: Cheapest::new(question, operands, block.is_commutative()),
            operands: operands.len(),
            targets,
            roots: question
                .roots()
                .iter()
                .copied()
                .filter(|&node| platform.node(node).merges())
                .collect(),
        }
    }

    /// Price of spreading the result from every root.
    fn spread<N: Exact>(&self, costs: &LinkCosts<N>, guide: bool) -> Vec<Option<CopyTree<N>>> {
        let routes = self.network.routes(self.question.platform(), &costs.links);
        let found = |&root: &NodeId| {
            self.question.watch().ask().ok()?;
            self.network
                .cheapest(&routes, &self.network.spread(root, &self.targets), guide)
        };
        self.roots.iter().map(found).collect()
    }

    /// The best root. Of equally cheap roots, one with a shallow reduction and shallow copies.
    fn offer<N: Exact + Into<BigUint>>(
        &self,
        reductions: Vec<Option<(Rational, Pattern)>>,
        unit: &Rational,
        spread: Vec<Option<CopyTree<N>>>,
    ) -> Result<Vec<Priced>, LpError> {
        let mut best: Option<(Rational, Rational, usize)> = None;
        let mut depth = usize::MAX;
        let found: Vec<_> = reductions
            .into_iter()
            .zip(spread)
            .map(|(reduction, spread)| reduction.zip(spread))
            .collect();
        for (vertex, pair) in found.iter().enumerate() {
            let Some(((least, tree), spread)) = pair else {
                continue;
            };
            let (at_least, cost) = (
                least + amount(unit, &spread.at_least),
                least + amount(unit, &spread.cost),
            );
            let (bound, order) = match &best {
                Some((bound, cheapest, _)) => (at_least.min(bound.clone()), cost.cmp(cheapest)),
                None => (at_least, Ordering::Less),
            };
            // A composition is built only if its depth is needed.
            let depth_of_tree = || composition(self.operands, tree.clone(), &spread.hops).depth();
            let own_depth = if order.is_gt() {
                usize::MAX
            } else {
                depth_of_tree()
            };
            best = Some(match best {
                Some((_, cheapest, chosen))
                    if order.is_gt() || order.is_eq() && depth <= own_depth =>
                {
                    (bound, cheapest, chosen)
                }
                _ => {
                    depth = own_depth;
                    (bound, cost, vertex)
                }
            });
        }
        let Some((at_least, _, vertex)) = best else {
            return Err(NOWHERE);
        };
        let Some(Some(((_, tree), spread))) = found.into_iter().nth(vertex) else {
            return Err(NOWHERE);
        };
        Ok(vec![Priced {
            at_least,
            patterns: vec![composition(self.operands, tree, &spread.hops)],
        }])
    }
}

impl AllReduction<'_> {
    /// The reduction, if operands keep their order and the result is copied to all nodes that replicate: then the best
    /// root is found before any tree.
    fn ordered(&self) -> Option<&Reduction> {
        match &self.cheapest {
            Cheapest::Ordered(reduction) if self.network.is_all(&self.targets) => Some(reduction),
            _ => None,
        }
    }

    /// The root that minimises its reduction's price plus the arborescence's: one arborescence from a super-source.
    /// Also returns its index among the roots.
    fn best_root<N: Exact + One>(
        &self,
        reductions: &[Option<N>],
        routes: &Routes<'_, N>,
    ) -> Result<(usize, CopyTree<N>), LpError> {
        self.question.watch().ask()?;
        let vertex = |(root, price): (&NodeId, &Option<N>)| {
            Some((self.network.vertex(*root)?, price.clone()?))
        };
        let roots: Vec<(usize, N)> = self
            .roots
            .iter()
            .zip(reductions)
            .filter_map(vertex)
            .collect();
        let found = self
            .network
            .cheapest_from_any(routes, &self.targets, &roots, true);
        let (root, found) = found.ok_or(NOWHERE)?;
        let is_root = |node: &NodeId| self.network.vertex(*node) == Some(root);
        Ok((self.roots.iter().position(is_root).ok_or(NOWHERE)?, found))
    }

    /// Guiding price for ordered operands: lower bounds replace the reductions' prices and choose the root. Then one
    /// reduction tree is priced.
    fn guide_in_order(
        &self,
        reduction: &Reduction,
        prices: &Prices<u64>,
    ) -> Result<Priced, LpError> {
        let costs = self.times.costs(prices);
        let guide = reduction.guide(prices);
        // Rounded down to units of the other costs. Larger prices are above all of them together.
        let units = |price: Rational| {
            (price / &costs.unit)
                .to_integer()
                .to_u128()
                .unwrap_or(DEAREST)
                .min(DEAREST)
        };
        let bounds: Vec<Option<u128>> = self
            .roots
            .iter()
            .map(|&root| guide.lower_bound(root).map(units))
            .collect();
        let routes = self.network.routes(self.question.platform(), &costs.links);
        let (vertex, found) = self.best_root(&bounds, &routes)?;
        let tree = guide.tree(self.roots[vertex]).ok_or(NOWHERE)?;
        let patterns = vec![composition(self.operands, tree, &found.hops)];
        Ok(Priced {
            at_least: amount(&costs.unit, &found.at_least),
            patterns,
        })
    }

    /// Exact price: starts from lower bounds, and replaces the chosen root's bound by its exact price until the choice
    /// is a root whose price is exact.
    fn cheapest_in_order(
        &self,
        reduction: &Reduction,
        prices: &Prices<Rational>,
    ) -> Result<Priced, LpError> {
        let mut exact = reduction.exactly(prices, &self.roots);
        let costs = costs::exact_of_size(self.question, &self.size, prices);
        // Everything over one denominator: a unit is one over an integer.
        let denominator = BigInt::from(exact.denominator().clone()).lcm(costs.unit.denom());
        let factor = (&denominator * costs.unit.numer() / costs.unit.denom())
            .magnitude()
            .clone();
        let links = costs.links.iter().map(|cost| cost * &factor).collect();
        let costs = LinkCosts {
            links,
            unit: ratio(BigInt::one(), denominator.clone()),
        };
        let units = |price: &Rational| {
            (price.numer() * (&denominator / price.denom()))
                .magnitude()
                .clone()
        };
        let mut prices: Vec<Option<BigUint>> = self
            .roots
            .iter()
            .map(|&root| exact.at_least(root).as_ref().map(units))
            .collect();
        let mut trees: Vec<Option<Pattern>> = vec![None; self.roots.len()];
        let routes = self.network.routes(self.question.platform(), &costs.links);
        loop {
            let (vertex, found) = self.best_root(&prices, &routes)?;
            if let Some(tree) = &trees[vertex] {
                let patterns = vec![composition(self.operands, tree.clone(), &found.hops)];
                return Ok(Priced {
                    at_least: amount(&costs.unit, &found.at_least),
                    patterns,
                });
            }
            let cheapest = exact.cheapest(self.roots[vertex]);
            prices[vertex] = cheapest.as_ref().map(|(price, _)| units(price));
            trees[vertex] = cheapest.map(|(_, tree)| tree);
        }
    }
}

impl Oracle for AllReduction<'_> {
    fn guide(&self, prices: &Prices<u64>) -> Result<Vec<Priced>, LpError> {
        if let Some(reduction) = self.ordered() {
            return Ok(vec![self.guide_in_order(reduction, prices)?]);
        }
        let trees = self.cheapest.guide(prices, &self.roots);
        let first =
            |(least, trees): (Rational, Vec<Pattern>)| Some((least, trees.into_iter().next()?));
        let trees = trees
            .into_iter()
            .map(|found| found.and_then(first))
            .collect();
        let costs = self.times.costs(prices);
        self.offer(trees, &costs.unit, self.spread(&costs, true))
    }

    fn cheapest(&self, prices: &Prices<Rational>) -> Result<Vec<Priced>, LpError> {
        if let Some(reduction) = self.ordered() {
            return Ok(vec![self.cheapest_in_order(reduction, prices)?]);
        }
        let costs = costs::exact_of_size(self.question, &self.size, prices);
        self.offer(
            self.cheapest.cheapest(prices, &self.roots),
            &costs.unit,
            self.spread(&costs, false),
        )
    }

    fn is_exact(&self) -> bool {
        let spanning = |&root: &NodeId| {
            self.network
                .is_spanning(&self.network.spread(root, &self.targets))
        };
        self.cheapest.is_exact() && self.roots.iter().all(spanning)
    }
}

/// A reduction tree, and copies of its result.
fn composition(operands: usize, mut tree: Pattern, hops: &[Hop]) -> Pattern {
    let whole = Interval {
        first: 0,
        last: operands.saturating_sub(1),
    };
    // The last task makes the result, or brings it to the root.
    tree.copy(whole, tree.last(), hops.iter().copied());
    tree
}
