//! Lower bound on the transfers into a set of nodes, given the merges inside it.
//!
//! **Gathering theorem.** Let a scheme of an all-reduce of `n >= 2` operands join all of them at some place `t`, a
//! merge. Going back from `t` meets `n - 1` merges and some transfers: a tree, since what is merged has no operand in
//! common. Let `m` of these merges be inside a set of nodes that holds `p > 0` participants. Then at least `m - p + 2`
//! transfers enter the set; `m - p + 1` if `t` is inside.
//!
//! *Proof.* Follow the tree's values inside the set: `p` operands start there, `a` values enter, every merge makes one
//! of two, `b` values leave, and in the end there is one if `t` is inside and none if it is not. So `p + a - m - b` is
//! 1 or 0. If `t` is inside, `a >= m - p + 1`. If it is not, `b >= 1`, since the operands inside get to `t`. If `b >=
//! 2`, `a >= m - p + 2`. If `b = 1`, all that the tree ever brings in or finds inside leaves as part of one value,
//! which is not of all operands, as these meet at `t` only. The participants inside need the result, so an operand that
//! this value lacks has to enter; no transfer of the tree brings it: one more than `a` enters. QED
//!
//! **Bound.** With weights `w` of sets `A`, let `Y(v)` be the total weight of the sets that hold processor `v`, and
//! `m(v)` the tree's merges there. The entries weigh together at least `sum of w(A) (2 - p(A)) + sum over v of m(v)
//! Y(v) - Y(t)`, and the `m(v)` add up to `n - 1`. So entries and merges cost together at least `sum of w(A) (2 -
//! p(A))`, less the largest `Y`, plus `n - 1` times the least of `Y(v)` and the price of a merge at `v`, added up.
//!
//! (Disjoint sets of equal weight that hold all processors: the counting theorem, for `Y` is the same everywhere.)

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_plan::Gathering;
use oneport_platform::{NodeId, Rational};

use crate::arithmetic::{Scale, fraction};
use crate::case::{Case, least};
use crate::prices::Prices;

/// The gatherings of one all-reduce.
pub(crate) struct Gatherings<'a> {
    pub(crate) case: &'a Case<'a>,
    pub(crate) list: Vec<&'a Gathering>,
    /// The unit of the weights.
    pub(crate) scale: &'a Scale,
}

impl Gatherings<'_> {
    fn weight(&self, gathering: &Gathering) -> BigInt {
        BigInt::from(self.scale.scaled(&gathering.weight))
    }

    /// Adds to every link the weights of the sets that a transfer over it enters.
    pub(crate) fn charge(&self, charges: &mut [BigInt]) {
        for gathering in &self.list {
            let weight = self.weight(gathering);
            let has = |node: NodeId| gathering.nodes.binary_search(&node).is_ok();
            for (charge, link) in charges.iter_mut().zip(self.case.platform.links()) {
                if has(link.to) && !has(link.from) {
                    *charge += &weight;
                }
            }
        }
    }

    /// Least price of an instance's entries and merges together, in the unit of the scaled prices; `unit` is the unit
    /// of the scaled weights. Without gatherings, the least price of the merges.
    pub(crate) fn least(&self, prices: &Prices, unit: &Rational) -> Rational {
        let (platform, operands) = (self.case.platform, self.case.operands());
        let mut holding = vec![BigInt::zero(); platform.nodes().len()];
        let mut entries = BigInt::zero();
        for gathering in &self.list {
            let weight = self.weight(gathering);
            gathering.nodes.iter().for_each(|node| holding[node.index()] += &weight);
            let inside = operands.iter().filter(|node| gathering.nodes.binary_search(node).is_ok()).count();
            entries += weight * (BigInt::from(2) - BigInt::from(inside));
        }
        let most = platform.processors().map(|node| &holding[node.index()]).max();
        entries -= most.cloned().unwrap_or_default();
        let work = least(&self.case.volumes.work, operands.len(), 2);
        let merge = |((numerator, denominator), holding): ((_, _), &BigInt)| {
            fraction(numerator, &denominator) * &work + Rational::from_integer(holding.clone()) * unit
        };
        let merges = prices.merges(self.case).into_iter().zip(&holding);
        let cheapest = merges.filter_map(|(price, holding)| Some(merge((price?, holding)))).min().unwrap_or_default();
        let merges = Rational::from_integer(operands.len().saturating_sub(1).into());
        Rational::from_integer(entries) * unit + cheapest * merges
    }
}
