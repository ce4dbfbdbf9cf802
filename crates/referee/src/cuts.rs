//! Cuts: what they weigh together is a lower bound of the price of any pattern that has to cross them.
//!
//! A demand crosses a cut if all of some operand is inside and something that contains it is wanted outside.
//!
//! **Theorem.** Let cuts that a demand crosses have weights such that, for every link, the cuts that it leaves weigh no
//! more together than the smallest message of the demand over the link costs. Then every pattern of the demand costs at
//! least what all the cuts weigh together.
//!
//! *Proof.* What is wanted outside a cut goes back, task by task, to the operand inside. Merges stay where they are, so
//! some transfer of the pattern leaves the cut. Each transfer costs at least what the cuts that it leaves weigh; the
//! sum over the transfers counts every cut.
//!
//! **Copies.** A message that only nodes that replicate can copy is worth more: there it is enough that, for every two
//! such nodes `i` and `j`, the cuts with `i` inside and `j` outside weigh no more together than the cheapest route from
//! `i` to `j` through nodes that do not replicate. (A link between nodes that replicate is such a route. The side of
//! other nodes does not matter.)
//!
//! *Proof.* Source and targets replicate. Follow a copy at a target back to the source and break its path where it
//! visits nodes that replicate: the pieces are routes, and one of them goes from the inside of the cut to the outside.
//! A node that does not replicate sends on once at most what a transfer brought, so a transfer belongs to one piece
//! only, whichever targets its copies serve: different pieces have different transfers, and a piece costs at least the
//! total weight of the cuts that it leaves. Every cut is left by some piece.
//!
//! Nothing is searched for, and the solver's weights need not be trusted: every cut is checked to be crossed, and the
//! weights are added up per link or route. A cut without the source inside, without a target outside, or with a weight
//! that is too large by however little is refused and proves nothing.

use std::collections::BTreeMap;

use num_bigint::BigUint;
use oneport_plan::{Certificate, Cut, Demand, Goals};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, fraction, is_positive, parts};
use crate::case::{Case, Group};
use crate::prices::Prices;
use crate::violation::{fault, shown, unordered};

/// The nodes inside each cut, and its weight.
pub(crate) type Sides = Vec<(Vec<bool>, BigUint)>;

/// The cuts of a certificate, checked one by one.
pub(crate) struct Cuts<'a> {
    case: Case<'a>,
    cuts: &'a [Cut],
    /// Per demand (`None`: all demands): the indices of its cuts.
    by_demand: BTreeMap<Option<usize>, Vec<usize>>,
    scale: Scale,
    /// Prices are scaled by this factor, so weights are, too: numerator and denominator.
    factor: (BigUint, BigUint),
    lengths: &'a [(BigUint, BigUint)],
}

impl<'a> Cuts<'a> {
    /// Checks that cuts are sorted, of existing nodes and demands, and of positive weight.
    pub(crate) fn new(
        case: &Case<'a>,
        certificate: &'a Certificate,
        prices: &Prices,
        lengths: &'a [(BigUint, BigUint)],
    ) -> Result<Cuts<'a>, Violation> {
        let cuts = certificate.cuts.as_slice();
        let mut by_demand: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (place, cut) in cuts.iter().enumerate() {
            check(case, place, cut)?;
            by_demand.entry(cut.demand).or_default().push(place);
        }
        if !cuts.is_sorted() {
            return Err(unordered("certificate: the cuts"));
        }
        let entries = cuts.len() + case.platform.links().len();
        let scale = Scale::new("the weights of the cuts", cuts.iter().map(|cut| &cut.weight), entries)?;
        Ok(Cuts { case: *case, cuts, by_demand, scale, factor: prices.factor.clone(), lengths })
    }

    /// Per demand of a group, ascending: the indices of the cuts that it crosses and that apply to it.
    ///
    /// O(cuts x participants x log nodes) for cuts of all demands.
    pub(crate) fn of_group(&self, group: &Group<'_>) -> Vec<Vec<usize>> {
        let demands: Vec<Demand<'_>> =
            if self.cuts.is_empty() { Vec::new() } else { (0..).map_while(|i| group.case.demand(i)).collect() };
        let mut crossed = vec![Vec::new(); group.case.demands()];
        for &place in self.by_demand.get(&None).into_iter().flatten() {
            let mut crossing = Crossing::new(&self.cuts[place]);
            for (crossed, demand) in crossed.iter_mut().zip(&demands) {
                if crossing.crossed_by(demand) {
                    crossed.push(place);
                }
            }
        }
        for (i, demand) in demands.iter().enumerate() {
            for &place in self.by_demand.get(&Some(group.first + i)).into_iter().flatten() {
                if Crossing::new(&self.cuts[place]).crossed_by(demand) {
                    crossed[i].push(place);
                }
            }
        }
        crossed
    }

    /// The nodes inside each cut, and its weight.
    pub(crate) fn sides(&self, cuts: &[usize]) -> Sides {
        let side = |cut: &Cut| {
            let mut inside = vec![false; self.case.platform.nodes().len()];
            cut.nodes.iter().for_each(|node| inside[node.index()] = true);
            (inside, self.scale.scaled(&cut.weight))
        };
        cuts.iter().filter_map(|&place| self.cuts.get(place)).map(side).collect()
    }

    /// The total weight of these cuts, in the unit of the scaled prices. An error if the cuts charge a link for more
    /// than a message of this size over it costs. `demand` is the demand that they are used for.
    ///
    /// O(cuts x links) additions.
    pub(crate) fn weight(&self, cuts: &[usize], size: &Rational, demand: usize) -> Result<Rational, Violation> {
        let platform = self.case.platform;
        let ways = platform.link_ids().zip(self.lengths).map(|(link, (length, over))| {
            let ends = platform.link(link);
            Way { from: ends.from, to: ends.to, length, over, link: Some(link) }
        });
        self.weight_over(ways, cuts, size, demand)
    }

    /// The same for links or routes: an error if one is charged for more than a message of this size on it costs.
    pub(crate) fn weight_over<'w>(
        &self,
        ways: impl Iterator<Item = Way<'w>>,
        cuts: &[usize],
        size: &Rational,
        demand: usize,
    ) -> Result<Rational, Violation> {
        let cuts = self.sides(cuts);
        let (size, size_over) = parts(size);
        let over = &self.factor.1 * self.scale.denominator();
        for way in ways {
            let left = cuts.iter().filter(|(inside, _)| inside[way.from.index()] && !inside[way.to.index()]);
            let charged = left.map(|(_, weight)| weight).sum::<BigUint>() * &self.factor.0;
            let (cost, cost_over) = (way.length * size, way.over * size_over);
            if &charged * &cost_over > &cost * &over {
                // In the unit of the certificate.
                let unit = fraction(self.factor.1.clone(), &self.factor.0);
                let charged = shown(fraction(charged, &over) * &unit);
                let cost = shown(fraction(cost, &cost_over) * unit);
                let (demand, way) = (self.case.demand_name(demand), way.name(&self.case));
                let found = format!("the cuts for {demand} charge {charged} for {way}");
                return Err(fault!(Overcharge, "{found}"; "a message over it costs {cost}"));
            }
        }
        let total: BigUint = cuts.into_iter().map(|(_, weight)| weight).sum();
        Ok(fraction(total * &self.factor.0, &over))
    }
}

/// A link, or a route through nodes that do not replicate, and what a unit of message costs on it.
pub(crate) struct Way<'w> {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    /// Numerator and denominator.
    pub(crate) length: &'w BigUint,
    pub(crate) over: &'w BigUint,
    pub(crate) link: Option<LinkId>,
}

impl Way<'_> {
    fn name(&self, case: &Case<'_>) -> String {
        match self.link {
            Some(link) => format!("link '{}'", case.platform.link_name(link)),
            None => format!("the cheapest route from '{}' to '{}'", case.name(self.from), case.name(self.to)),
        }
    }
}

/// A cut, and a cached answer for the last list of targets.
struct Crossing<'c> {
    cut: &'c Cut,
    /// The last list of targets, and whether one of them is outside the cut. An all-gather has one list for all
    /// demands.
    known: Option<(&'c [NodeId], bool)>,
}

impl<'c> Crossing<'c> {
    fn new(cut: &'c Cut) -> Crossing<'c> {
        Crossing { cut, known: None }
    }

    fn crossed_by(&mut self, demand: &Demand<'c>) -> bool {
        let cut = self.cut;
        let inside = |node: &NodeId| has(cut, *node);
        match demand.goals {
            Goals::At(target) => !inside(&target) && demand.operands.iter().any(inside),
            Goals::Everywhere(targets) => self.leaves(targets) && demand.operands.iter().any(inside),
            // In a scan, the owners of all later operands need operand `i`.
            Goals::Prefixes => {
                let first = demand.operands.iter().position(inside);
                first.is_some_and(|first| demand.operands[first..].iter().any(|node| !inside(node)))
            }
        }
    }

    fn leaves(&mut self, targets: &'c [NodeId]) -> bool {
        if let Some((known, leaves)) = self.known.filter(|(known, _)| std::ptr::eq(*known, targets)) {
            debug_assert_eq!(known.len(), targets.len());
            return leaves;
        }
        let leaves = targets.iter().any(|&node| !has(self.cut, node));
        self.known = Some((targets, leaves));
        leaves
    }
}

fn has(cut: &Cut, node: NodeId) -> bool {
    cut.nodes.binary_search(&node).is_ok()
}

fn check(case: &Case<'_>, place: usize, cut: &Cut) -> Result<(), Violation> {
    let (nodes, demands) = (case.platform.nodes().len(), case.demands());
    if let Some(demand) = cut.demand.filter(|&demand| demand >= demands) {
        let right = format!("an instance has {demands}, numbered from 0");
        return Err(fault!(Certificate, "cut {place}: demand {demand} does not exist"; "{right}"));
    }
    if cut.nodes.is_empty() {
        return Err(fault!(Certificate, "cut {place}: it has no nodes"; "list nodes that a value must leave"));
    }
    if let Some(node) = cut.nodes.iter().map(|node| node.index()).find(|&node| node >= nodes) {
        let right = format!("the platform has {nodes} nodes, numbered from 0");
        return Err(fault!(Certificate, "cut {place}: node id {node} does not exist"; "{right}"));
    }
    if !cut.nodes.is_sorted_by(|a, b| a < b) {
        return Err(unordered(&format!("cut {place}: its nodes")));
    }
    if !is_positive(&cut.weight) {
        let found = shown(&cut.weight);
        return Err(
            fault!(Certificate, "cut {place}: its weight is {found}"; "a weight must be positive (leave the cut out)"),
        );
    }
    Ok(())
}
