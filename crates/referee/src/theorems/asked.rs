//! The demand in question, and conditions that several theorems have in common.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_plan::Demand;
use oneport_platform::{NodeId, PerNode, Platform, Rational};

use crate::Violation;
use crate::case::{Case, is_all_reduce};
use crate::charges::Charges;
use crate::violation::{fault, no_node, unordered};

/// The demand that an inequality is about.
pub(crate) struct Asked<'a, 'c> {
    pub(crate) case: &'a Case<'c>,
    pub(crate) demand: &'a Demand<'c>,
}

/// The participants of an all-reduce.
pub(super) fn participants<'c>(asked: &Asked<'_, 'c>) -> Result<&'c [NodeId], Violation> {
    if is_all_reduce(asked.demand) {
        Ok(asked.demand.operands)
    } else {
        Err(fault!(Certificate, "the demand is no all-reduce"; "leave it out"))
    }
}

/// Sets are sorted, of existing nodes, and hold a participant each.
pub(super) fn check_sets(
    platform: &Platform,
    sets: &[Vec<NodeId>],
    participants: &[NodeId],
) -> Result<(), Violation> {
    if sets.is_empty() {
        return Err(fault!(Certificate, "it has no sets"; "list the nodes of at least one"));
    }
    let takes_part = inside(participants, platform);
    for (number, set) in sets.iter().enumerate() {
        check_set(platform, set)?;
        if !set.iter().any(|node| takes_part[*node]) {
            return Err(
                fault!(Certificate, "set {number} holds no participant"; "every set holds at least one"),
            );
        }
    }
    Ok(())
}

pub(super) fn check_set(platform: &Platform, set: &[NodeId]) -> Result<(), Violation> {
    if let Some(node) = set
        .iter()
        .find(|node| node.index() >= platform.nodes().len())
    {
        return Err(no_node("the member", *node, platform));
    }
    if set.is_sorted_by(|a, b| a < b) {
        Ok(())
    } else {
        Err(unordered("its nodes"))
    }
}

/// Per node, whether it is listed.
pub(super) fn inside(set: &[NodeId], platform: &Platform) -> PerNode<bool> {
    let mut inside = platform.per_node(false);
    for node in set.iter() {
        inside[*node] = true;
    }
    inside
}

/// Per node, the indices of the sets that hold it, ascending.
pub(super) fn holding(sets: &[Vec<NodeId>], platform: &Platform) -> PerNode<Vec<usize>> {
    let mut holding = platform.per_node(Vec::new());
    for (index, set) in sets.iter().enumerate() {
        for node in set.iter() {
            holding[*node].push(index);
        }
    }
    holding
}

/// A list of positive numbers by link or task, over the unit of the scale after multiplication with a weight.
pub(super) fn scaled<'n, K>(
    list: impl IntoIterator<Item = &'n (K, Rational)>,
    weight: &Rational,
    charges: &Charges<'_>,
) -> Vec<(K, BigUint)>
where
    K: Copy + 'n,
{
    list.into_iter()
        .map(|(key, number)| (*key, charges.scale.scaled(&(number * weight))))
        .collect()
}

/// A count as a number that may be negative.
pub(super) fn whole(count: usize) -> BigInt {
    BigInt::from(count)
}

pub(super) fn zero() -> BigInt {
    BigInt::zero()
}
