//! Capacities into weighted arborescences: Edmonds' branching theorem, as an algorithm.
//!
//! Capacities `x >= 0` on arcs hold arborescences out of `root` of total weight `L`, each spanning all nodes, if and
//! only if every node can be reached by a flow of `L` (Edmonds 1973). For fractions the proof walks down a face of the
//! polyhedron of all such `x`. [`pack`] grows an arborescence that satisfies with equality every cut that is tight,
//! subtracts it with the largest weight that keeps all cuts worth the rest, and repeats.
//!
//! *Growing.* Let the arborescence `B` reach some nodes. An arc `(u, v)` may join unless a tight set (one that exactly
//! `L` enters) would be entered twice. In whole numbers this is one flow: with capacities `n x - [arc in B + (u, v)]`
//! at least `n L - 1` has to reach `v`. Sets that are not tight offer `n` more, and at most `n - 1` is subtracted. An
//! arc once refused stays refused, and some arc may always join (Lovasz 1976): take a minimal tight set `W` that `B`
//! meets and does not hold whole. Less than `L` enters the part of `W` that `B` has not reached from outside `W`, so an
//! arc leads there from the part that `B` has reached. A tight set that forbade this arc would meet `W` in a smaller
//! one.
//!
//! *Weight.* The largest `w` with every cut of `x - w B` worth `L - w`: Newton's method over violated cuts. The number
//! of the arborescence's arcs into the cut falls from round to round, so there are fewer than `n` rounds.
//!
//! Every step exhausts an arc or makes a cut tight that was not, so there are at most `m - rho + 1` arborescences for
//! `m` arcs and tight cuts of rank `rho` at the start. If every node receives exactly `L`, there are at most
//! `m - n + 2`.

use std::cmp::Reverse;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};
use oneport_graph::cut_below;
use oneport_numbers::common_divisor;
use oneport_platform::{Rational, whole};
use oneport_watch::Watch;

use crate::error::ExtractError;

/// An arc with its capacity.
pub type Arc = (usize, usize, BigUint);

/// An arborescence: the indices of its arcs, each after the one that reaches its tail, and its weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branching {
    /// Its weight on each of its arcs, positive.
    pub weight: Rational,
    /// Its arcs.
    pub arcs: Vec<usize>,
}

/// Packs arborescences of total weight `worth` out of `root`, each spanning all of the nodes `0..nodes` that are marked
/// in `spanned`. A flow of `worth` leads to each of these. Arcs have both ends among them. Arcs into the root are
/// ignored. Widest arcs first, of equals the earlier one.
///
/// `O(m (m + n^2))` flows at most, in practice a few per arc and arborescence. The watch is checked before each.
///
/// # Errors
/// A limit of the watch. Flows that are less than `worth`.
pub fn pack(
    spanned: &[bool],
    root: usize,
    arcs: &[Arc],
    worth: &BigUint,
    watch: &Watch,
) -> Result<Vec<Branching>, ExtractError> {
    let usable = |(from, to, room): &Arc| {
        spanned[*from] && spanned[*to] && *to != root && from != to && !room.is_zero()
    };
    let indices: Vec<usize> = (0..arcs.len())
        .filter(|&index| usable(&arcs[index]))
        .collect();
    let mut packing = Packing {
        nodes: spanned
            .iter()
            .enumerate()
            .filter(|&(node, &in_it)| in_it && node != root)
            .map(|(node, _)| node)
            .collect(),
        bound: spanned.len(),
        root,
        arcs: indices.iter().map(|&index| arcs[index].clone()).collect(),
        left: worth.clone(),
        unit: Rational::one(),
        watch,
    };
    let mut found = Vec::new();
    while !packing.left.is_zero() {
        let tree = packing.grow()?;
        let weight = packing.take(&tree)?;
        found.push(Branching {
            weight,
            arcs: tree.into_iter().map(|arc| indices[arc]).collect(),
        });
    }
    Ok(found)
}

/// The rest to be packed.
struct Packing<'w> {
    /// The nodes to be spanned, without the root.
    nodes: Vec<usize>,
    /// More than the largest node.
    bound: usize,
    root: usize,
    arcs: Vec<Arc>,
    /// The amount that every node has yet to receive, in units.
    left: BigUint,
    unit: Rational,
    watch: &'w Watch,
}

impl Packing<'_> {
    /// An arborescence that enters no tight set twice.
    fn grow(&self) -> Result<Vec<usize>, ExtractError> {
        let count = BigUint::from(self.nodes.len() + 1);
        let mut thinned: Vec<Arc> = self
            .arcs
            .iter()
            .map(|(from, to, room)| (*from, *to, room * &count))
            .collect();
        let needed = &self.left * &count - BigUint::one();
        let mut candidates: Vec<usize> = (0..self.arcs.len())
            .filter(|&arc| !self.arcs[arc].2.is_zero())
            .collect();
        candidates.sort_by_key(|&arc| (Reverse(&self.arcs[arc].2), arc));
        let mut inside = vec![false; self.bound];
        inside[self.root] = true;
        let mut tree = Vec::with_capacity(self.nodes.len());
        while tree.len() < self.nodes.len() {
            let leads_out = |arc: usize| inside[self.arcs[arc].0] && !inside[self.arcs[arc].1];
            let Some(index) = candidates.iter().position(|&arc| leads_out(arc)) else {
                return Err(ExtractError::Contradiction(
                    "no arc may join an arborescence (Lovasz)",
                ));
            };
            self.watch.ask()?;
            let arc = candidates.remove(index);
            let head = self.arcs[arc].1;
            thinned[arc].2 -= 1u32;
            match cut_below(self.bound, &thinned, self.root, head, &needed) {
                None => {
                    inside[head] = true;
                    tree.push(arc);
                }
                Some(_) => thinned[arc].2 += 1u32,
            }
        }
        Ok(tree)
    }

    /// Subtracts the arborescence with the largest weight that leaves every cut worth the rest. Returns that weight.
    fn take(&mut self, tree: &[usize]) -> Result<Rational, ExtractError> {
        let narrowest = tree
            .iter()
            .map(|&arc| &self.arcs[arc].2)
            .chain([&self.left])
            .min();
        // The weight is `top / bottom`.
        let (mut top, mut bottom) = (narrowest.cloned().unwrap_or_default(), BigUint::one());
        let mut checked = 0;
        while checked < self.nodes.len() {
            self.watch.ask()?;
            let (arcs, needed) = self.without(tree, &top, &bottom);
            let node = self.nodes[checked];
            let Some(side) = cut_below(self.bound, &arcs, self.root, node, &needed) else {
                checked += 1;
                continue;
            };
            let crosses = |arc: usize| side[self.arcs[arc].0] && !side[self.arcs[arc].1];
            let worth: BigUint = (0..self.arcs.len())
                .filter(|&arc| crosses(arc))
                .map(|arc| &self.arcs[arc].2)
                .sum();
            let again = tree
                .iter()
                .filter(|&&arc| crosses(arc))
                .count()
                .saturating_sub(1);
            if worth <= self.left || again == 0 {
                return Err(ExtractError::Contradiction(
                    "an arborescence enters a tight set twice",
                ));
            }
            (top, bottom) = (worth - &self.left, BigUint::from(again));
        }
        let common = top.gcd(&bottom);
        self.subtract(tree, &(top / &common), &(bottom / common))
    }

    /// The arcs without the arborescence of weight `top / bottom`, and the flow that must reach every node then, times
    /// `bottom`.
    fn without(&self, tree: &[usize], top: &BigUint, bottom: &BigUint) -> (Vec<Arc>, BigUint) {
        let mut arcs: Vec<Arc> = self
            .arcs
            .iter()
            .map(|(from, to, room)| (*from, *to, room * bottom))
            .collect();
        for &arc in tree {
            arcs[arc].2 -= top;
        }
        (arcs, &self.left * bottom - top)
    }

    fn subtract(
        &mut self,
        tree: &[usize],
        top: &BigUint,
        bottom: &BigUint,
    ) -> Result<Rational, ExtractError> {
        (self.arcs, self.left) = self.without(tree, top, bottom);
        self.unit /= whole(bottom.clone());
        let weight = whole(top.clone()) * &self.unit;
        let divisor = common_divisor(
            self.arcs
                .iter()
                .map(|(_, _, room)| room)
                .chain([&self.left]),
        );
        if !divisor.is_one() {
            for (_, _, room) in &mut self.arcs {
                *room /= &divisor;
            }
            self.left /= &divisor;
            self.unit *= whole(divisor);
        }
        if top.is_zero() {
            Err(ExtractError::Contradiction("an arborescence of no weight"))
        } else {
            Ok(weight)
        }
    }
}
