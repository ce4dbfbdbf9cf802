//! The theorems that certificates rest on: of each the conditions, the proof, and the charges. Its data stand in
//! `oneport_plan::inequality`; the meaning stated there is never asked here, so that two readings can be compared.

mod balance;
mod border;
mod cut;
mod exchange;
mod gathering;
mod merges;
mod place;
mod tree;

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_plan::Demand;
use oneport_plan::inequality::{Inequality, Need};
use oneport_platform::{NodeId, Platform, Rational};

use crate::Violation;
use crate::case::{Case, is_all_reduce};
use crate::needs::Charges;
use crate::violation::{fault, no_node, unordered};

pub(crate) use cut::Crossing;

/// The demand that an inequality is about.
pub(crate) struct Asked<'a, 'c> {
    pub(crate) case: &'a Case<'c>,
    pub(crate) demand: &'a Demand<'c>,
}

/// Whether the theorem may be used.
pub(crate) fn check(case: &Case<'_>, need: &Need) -> Result<(), Violation> {
    let demands = case.demands();
    if let Some(demand) = need.demand.filter(|&demand| demand >= demands) {
        let right = format!("an instance has {demands}, numbered from 0");
        return Err(fault!(Certificate, "demand {demand} does not exist"; "{right}"));
    }
    let demand = match (need.demand, &need.inequality) {
        (_, Inequality::Cut(cut)) => return cut::check(case, cut),
        (None, Inequality::Merges(_)) => return Ok(()),
        (Some(demand), _) => case.demand(demand),
        (None, other) => {
            let found = format!("a {} names no demand", other.name());
            return Err(fault!(Certificate, "{found}"; "only a cut, or merges, may be of all demands"));
        }
    };
    let Some(demand) = demand else { return Ok(()) };
    let asked = Asked { case, demand: &demand };
    match &need.inequality {
        Inequality::Cut(_) => Ok(()),
        Inequality::Border(one) => border::check(&asked, one),
        Inequality::Gathering(one) => gathering::check(&asked, one),
        Inequality::Balance(one) => balance::check(&asked, one),
        Inequality::Merges(_) => merges::check(&asked),
        Inequality::Place(_) => participants(&asked).map(drop),
        Inequality::Exchange(one) => exchange::check(&asked, one),
        Inequality::Tree(one) => tree::check(&asked, one),
    }
}

/// Charges the columns, and returns weight times right side, in the unit of the scale.
pub(crate) fn charge(asked: &Asked<'_, '_>, need: &Need, charges: &mut Charges<'_>) -> Result<Rational, Violation> {
    let weight = BigInt::from(charges.scale.scaled(&need.weight));
    let right_side = match &need.inequality {
        Inequality::Cut(one) => cut::charge(asked, one, &weight, charges),
        Inequality::Border(one) => border::charge(asked, one, &weight, charges),
        Inequality::Gathering(one) => gathering::charge(asked, one, &weight, charges),
        Inequality::Balance(one) => balance::charge(one, &weight, charges),
        Inequality::Merges(_) => merges::charge(asked, &weight, charges),
        Inequality::Place(_) => place::charge(&weight, charges),
        Inequality::Exchange(one) => return exchange::charge(asked, one, &need.weight, charges),
        Inequality::Tree(one) => return tree::charge(asked, one, &need.weight, charges),
    };
    Ok(Rational::from_integer(weight * right_side))
}

/// All numbers that are charged: the weight, or what it makes of lengths and prices.
pub(crate) fn numbers(need: &Need) -> Vec<Rational> {
    match &need.inequality {
        Inequality::Exchange(one) => one.lengths.iter().map(|(_, length)| length * &need.weight).collect(),
        Inequality::Tree(one) => one.prices.iter().map(|(_, price)| price * &need.weight).collect(),
        _ => vec![need.weight.clone()],
    }
}

/// Whether the inequality proves nothing alone, or no more than any cheapest pattern does.
pub(crate) fn only_helps(inequality: &Inequality) -> bool {
    matches!(inequality, Inequality::Balance(_) | Inequality::Merges(_) | Inequality::Place(_))
}

/// The nodes inside a cut; `None` for other inequalities.
pub(crate) fn side(inequality: &Inequality, nodes: usize) -> Option<Vec<bool>> {
    match inequality {
        Inequality::Cut(cut) => Some(inside(&cut.nodes, nodes)),
        _ => None,
    }
}

/// The participants of an all-reduce.
fn participants<'c>(asked: &Asked<'_, 'c>) -> Result<&'c [NodeId], Violation> {
    match is_all_reduce(asked.demand) {
        true => Ok(asked.demand.operands),
        false => Err(fault!(Certificate, "the demand is no all-reduce"; "leave it out")),
    }
}

/// Sets are sorted, of existing nodes, and hold a participant each.
fn check_sets(platform: &Platform, sets: &[Vec<NodeId>], participants: &[NodeId]) -> Result<(), Violation> {
    if sets.is_empty() {
        return Err(fault!(Certificate, "it has no sets"; "list the nodes of at least one"));
    }
    let takes_part = inside(participants, platform.nodes().len());
    for (number, set) in sets.iter().enumerate() {
        check_set(platform, set)?;
        if !set.iter().any(|node| takes_part[node.index()]) {
            return Err(fault!(Certificate, "set {number} holds no participant"; "every set holds at least one"));
        }
    }
    Ok(())
}

fn check_set(platform: &Platform, set: &[NodeId]) -> Result<(), Violation> {
    if let Some(node) = set.iter().find(|node| node.index() >= platform.nodes().len()) {
        return Err(no_node("the member", *node, platform));
    }
    if set.is_sorted_by(|a, b| a < b) { Ok(()) } else { Err(unordered("its nodes")) }
}

/// Per node, whether it is listed.
fn inside(set: &[NodeId], nodes: usize) -> Vec<bool> {
    let mut inside = vec![false; nodes];
    set.iter().for_each(|node| inside[node.index()] = true);
    inside
}

/// Per node, the places of the sets that hold it, ascending.
fn holding(sets: &[Vec<NodeId>], nodes: usize) -> Vec<Vec<usize>> {
    let mut holding = vec![Vec::new(); nodes];
    for (place, set) in sets.iter().enumerate() {
        set.iter().for_each(|node| holding[node.index()].push(place));
    }
    holding
}

/// A list of positive numbers by link or task, over the unit of the scale after multiplication with a weight.
fn scaled<'n, K: 'n>(
    list: impl IntoIterator<Item = &'n (K, Rational)>,
    weight: &Rational,
    charges: &Charges<'_>,
) -> Vec<(K, num_bigint::BigUint)>
where
    K: Copy,
{
    list.into_iter().map(|(key, number)| (*key, charges.scale.scaled(&(number * weight)))).collect()
}

/// A count as a number that may be negative.
fn whole(count: usize) -> BigInt {
    BigInt::from(count)
}

fn zero() -> BigInt {
    BigInt::zero()
}
