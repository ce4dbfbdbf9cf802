//! The cheapest reduction tree of a commutative operator under given prices.
//!
//! Operands may be combined in any order, so partial results are sets of operands instead of intervals. Prices are
//! those of [`cheapest`](crate::cheapest): a message of size `s` costs `D(i,j) = s dist(i,j)` from node `i` to node
//! `j` over a cheapest path, a merge at processor `i` costs `q_i = work compute_i price_i`. Sizes and works depend on
//! the number of operands at most. The found order of operands is part of each tree, [`Pattern::order`].
//!
//! # Exactness
//!
//! | volumes | participants | other processors | answer |
//! |---|---|---|---|
//! | constant | any | at most 6 | exact: arborescences |
//! | any | at most 12 | any | exact: dynamic program over sets of operands |
//! | constant | more than 12 | more than 6 | Steiner arborescences: exact if prices rule out all but 6 of the other processors, and if at most 2000 subproblems of a branch and bound prove it; else a lower bound and a good tree |
//! | by number of operands | more than 12 | any | lower bounds from problems of one size, and a tree |
//!
//! [`Commutative::exactness`] distinguishes the first two rows from the others.
//!
//! # Theorem: constant volumes make arborescences
//!
//! Let `V` be the participants, all of them processors with a value each. *If there are no other processors, the
//! cheapest tree to `t` costs the minimum over `r` in `V` of `D(r,t)` plus the least cost of a spanning arborescence of
//! `V` into `r` with arc costs `D(i,j) + q_j`.*
//!
//! An arborescence is a tree of that price: every node merges its value with all streams that arrive, one merge per
//! stream, and sends the result on. Conversely, let `R` be a cheapest reduction tree. It remains to find an
//! arborescence that costs at most as much. Both sides are continuous in `D` and `q`, so we may assume, after an
//! arbitrarily small change, `q_x != D(x,y) + q_y` for all `x != y`. `D` keeps the triangle inequality.
//!
//! 1. *If `x` merges at all, its own value `v_x` is first merged at `x`.* Otherwise it is first merged at some `y`, and
//!    there is a merge at `x`, of `A` and `B` say, and `A` does not contain `v_x`. If `q_x > D(x,y) + q_y`: send `A`
//!    on from `x` to `y`, merge it there with `v_x`, and let `B` pass `x` in place of the result. One merge at `x`
//!    becomes one merge at `y` and one path from `x` to `y`: cheaper, a contradiction. If `q_x < D(x,y) + q_y`: merge
//!    `v_x` at `x` with `A`, and let the partner of its merge at `y` pass `y` unmerged: cheaper again.
//! 2. *All merges at `x` may be taken to hang together*, that is, only one partial result leaves `x`. Otherwise take a
//!    merge of `A` and `B` at `x` that does not hang together with the first merge of `v_x`, and `A` does not contain
//!    that merge. Merge `A` at `x` with `v_x` first, and let `B` pass in place of the result. The number of merges at
//!    `x` stays, paths do not get longer (triangle inequality), so the tree is still cheapest and 1 still holds. One
//!    merge less is apart here, and no further one elsewhere. So after finitely many changes all hang together.
//! 3. *Now every node sends exactly one stream*, its own value or its only partial result. So streams form an
//!    arborescence into the node `r` that makes the result, with one merge per arc, at its head. ∎
//!
//! # Helpers: processors without a value
//!
//! A processor `w` outside `V` that merges `k` streams makes `k - 1` merges. Step 2 holds for its merges, too: of two
//! groups apart, take a merge of `A` and `B` from one and a merge from the other that `A` does not contain, and merge
//! `A` with an operand of the latter that does not contain `A`. *So the cheapest tree costs the minimum over sets `H`
//! of helpers of the arborescence over `V + H`, plus `D(r,t)`, less the sum of `q_w` over `H`*, and every helper has
//! to receive at least two streams. That demand can be replaced by another one that is easily checked:
//! `q_w <= D(w,p) + q_p` for all `w` in `H` and `p` in `V + H`. For a cheapest tree satisfies it: otherwise all but one
//! of the streams that `w` merges could be merged at `p` instead, at a lower price (the remaining one passes `w`. It is
//! the one that comes from `p`, if any does). And under it, no helper is paid for nothing: leaving out a helper that
//! receives nothing, or letting the only stream pass, does not increase the price. So all sets `H` that satisfy it
//! are tried, if few helpers satisfy it with the participants alone. For many see `steiner`. If no helper does and
//! participants are many, `near` finds the arborescence without the distances of all pairs.

mod answer;
mod arborescences;
mod merge_tree;
mod methods;
mod near;
mod relaxed;
mod scaled;
mod steiner;
mod subsets;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use num_bigint::BigUint;
use num_traits::{One, Signed, Zero};
use oneport_plan::{Pattern, Volumes};
use oneport_platform::{NodeId, Platform, Rational};
use oneport_watch::Watch;

use crate::cheapest::Prices;
use merge_tree::Shape;
use methods::{SETS, answers, method};
use near::Near;
use scaled::{FEW, Factors, Fixed, Offer, Priced, integers};

/// Trees per target of [`Commutative::guide`]. Trades rounds for columns of the program. Measured on reductions of 32
/// operands: 215, 211 and 214 rounds with 1, 4 and 8 trees.
const TREES: usize = 4;

/// Exactness of the prices of cheapest trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// The least price, for all prices.
    Exact,
    /// A lower bound and the price of a tree. They may coincide.
    Bound,
}

/// One reduction problem with a commutative operator, prepared once for many pricings.
#[derive(Debug, Clone)]
pub struct Commutative<'a> {
    platform: &'a Platform,
    participants: usize,
    /// The participants, then the other processors.
    processors: Vec<NodeId>,
    /// `None` for a problem without answers.
    factors: Option<(Factors<BigUint>, Factors<u128>)>,
    watch: Watch,
}

impl<'a> Commutative<'a> {
    /// Prepares the reduction of the participants' values.
    ///
    /// Participants and volumes are those of a valid collective: distinct processors, no tables, no negative amounts.
    /// (Otherwise all answers are `None`.) `O(n + links)` exact operations.
    pub fn new(platform: &'a Platform, participants: &[NodeId], volumes: &Volumes) -> Self {
        let own: BTreeSet<NodeId> = participants.iter().copied().collect();
        let known = |&processor: &NodeId| {
            platform
                .nodes()
                .get(processor.index())
                .is_some_and(|node| node.merges())
        };
        let valid = own.len() == participants.len() && own.iter().all(known) && !own.is_empty();
        let others = platform
            .mergers()
            .filter(|processor| !own.contains(processor));
        let processors: Vec<NodeId> = participants.iter().copied().chain(others).collect();
        let exact = if valid {
            Factors::new(platform, &processors, participants.len(), volumes)
        } else {
            None
        };
        let factors = exact.map(|exact| (exact.clone(), exact.rounded()));
        Commutative {
            platform,
            participants: participants.len(),
            processors,
            factors,
            watch: Watch::unlimited(),
        }
    }

    /// This reduction under a watch. Answers after the end of the watch are meaningless: check the watch before using
    /// an answer.
    pub fn watched(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// Whether [`cheapest`](Self::cheapest) finds the least price for all prices. See the module's table.
    pub fn exactness(&self) -> Exactness {
        let constant = self
            .factors
            .as_ref()
            .is_none_or(|(factors, _)| factors.constant());
        let few_others = self.processors.len() - self.participants <= FEW;
        if self.participants <= SETS || constant && few_others {
            Exactness::Exact
        } else {
            Exactness::Bound
        }
    }

    /// Per target: a rigorous lower bound on the price of every tree, in the unit of the given prices, and up to four
    /// trees, cheapest first. `None` if no tree exists.
    ///
    /// Any price up to `u64::MAX` is welcome. Costs are rounded down to 40 bits relative to the largest one, sizes and
    /// works to 24 bits each (nothing is rounded if these suffice), prices of tasks to the room of 128-bit sums: the
    /// bound and the first tree's price are apart by such rounding, and, if the answer is not exact, by an unknown gap.
    /// The trees are pairwise distinct, and within 12.5 % of the cheapest. There is one tree if participants are many
    /// and no other processor may help.
    pub fn guide(
        &self,
        prices: &Prices<u64>,
        targets: &[NodeId],
    ) -> Vec<Option<(Rational, Vec<Pattern>)>> {
        let Some((_, factors)) = &self.factors else {
            return targets.iter().map(|_| None).collect();
        };
        let wide = |prices: &[u64]| prices.iter().map(|&price| u128::from(price)).collect();
        let prices = Prices {
            links: wide(&prices.links),
            compute: wide(&prices.compute),
        };
        let priced = self.priced(factors, &prices, &Rational::one()).guiding();
        let convert = |offer: Option<Offer<u128>>| {
            let offer = offer?;
            let (least, _) = offer.trees.first()?;
            let most = least + least / 8;
            let near = offer
                .trees
                .into_iter()
                .take_while(|(price, _)| *price <= most);
            Some((offer.bound, near.map(|(_, tree)| tree).collect()))
        };
        self.offers(priced, targets, TREES)
            .into_iter()
            .map(convert)
            .collect()
    }

    /// Per target: a lower bound on the cheapest price and a tree. `None` if no tree exists. If
    /// [`exactness`](Self::exactness) says so, the bound is the price and the tree is cheapest, among equally cheap
    /// ones with the fewest links (times sizes). The trees' demand is 0.
    ///
    /// Negative prices count 0. Exact arithmetic. For many participants without helpers: arborescences over the paths
    /// that their dual solutions select. For `p` processors and `h <= 6` helpers: `2^h` arborescences over `p^2` arcs
    /// each. For sets of `n` operands: `O(3^n p)` machine operations, and exact ones for choices that rounding leaves
    /// open.
    pub fn cheapest(
        &self,
        prices: &Prices<Rational>,
        targets: &[NodeId],
    ) -> Vec<Option<(Rational, Pattern)>> {
        let none = || targets.iter().map(|_| None).collect();
        let Some((factors, _)) = &self.factors else {
            return none();
        };
        let all: Vec<Rational> = prices
            .links
            .iter()
            .chain(&prices.compute)
            .map(not_negative)
            .collect();
        let Some((mut links, unit)) = integers(&all) else {
            return none();
        };
        let compute = links.split_off(prices.links.len());
        let priced = self.priced(factors, &Prices { links, compute }, &unit);
        let convert = |offer: Option<Offer<BigUint>>| {
            let offer = offer?;
            Some((offer.bound, offer.trees.into_iter().next()?.1))
        };
        self.offers(priced, targets, 1)
            .into_iter()
            .map(convert)
            .collect()
    }

    /// For each target a bound and up to `wanted` trees.
    fn offers<N: Fixed>(
        &self,
        priced: Priced<N>,
        targets: &[NodeId],
        wanted: usize,
    ) -> Vec<Option<Offer<N>>> {
        if let Some(mut near) = Near::new(self.platform, &priced) {
            return targets.iter().map(|&target| near.offer(target)).collect();
        }
        let priced = priced.with_paths(self.platform);
        let answers = answers(&priced, method(&priced), targets, wanted);
        let offer = |(answer, &target): (Option<answer::Answer<N>>, &NodeId)| {
            let answer = answer?;
            let path = |from: usize, to: NodeId| priced.path(from, to);
            let tree = |(price, shape): (N, Shape)| {
                Some((price, shape.tree(&priced.processors, target, path)?))
            };
            Some(Offer {
                bound: priced.amount(answer.bound),
                trees: answer.trees.into_iter().filter_map(tree).collect(),
            })
        };
        answers.into_iter().zip(targets).map(offer).collect()
    }

    fn priced<N: Fixed>(
        &self,
        factors: &Factors<N>,
        prices: &Prices<N>,
        unit: &Rational,
    ) -> Priced<N> {
        Priced::new(
            self.platform,
            self.participants,
            &self.processors,
            factors,
            prices,
            unit,
        )
        .watched(&self.watch)
    }
}

fn not_negative(price: &Rational) -> Rational {
    if price.is_negative() {
        Rational::zero()
    } else {
        price.clone()
    }
}
