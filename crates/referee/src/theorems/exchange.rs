//! The exchange theorem: the cost of an all-reduce's transfers, if some nodes are put together into parts.
//!
//! Parts are disjoint sets of nodes, each with a participant. Links inside them are free. A node outside all parts
//! *merges* if it is a processor, and *copies* if it replicates.
//!
//! **Theorem** (it generalises the count of calls that gossiping takes: Harary and Schwenk 1974). Some part `r` exists
//! such that every scheme contains
//!
//! 1. routes that make up an arborescence into `r` from all parts, over outside nodes that merge if that helps. A
//!    route's inner nodes are outside and do not merge. No two routes share a transfer.
//! 2. for every other part `j` the end of a route into it, from a part or from an outside node that copies. Its inner
//!    nodes are outside and do not copy. None of these transfers is one of 1, and no two parts share one.
//!
//! *Proof.* Choose a participant in every part, and let `t` be the first index in the list of transfers by which, for
//! some part `r`, the operands of all of them have reached a node of `r`. Follow each operand's path into `r` by `t`,
//! and cut the paths at each visit of a part or a node that merges. A node that does not merge sends on what a single
//! arriving transfer brought, so a transfer determines where its piece began: pieces that begin elsewhere share none,
//! and the pieces contain the arborescence. Every other part lacks an operand until `t`. Let `x` be the first transfer
//! into it on the path that brings the operand later, and go back from `x` to the last node that copies, or to a part.
//! A node that does not copy uses an arriving transfer once, so each of these transfers determines `x`: the transfers
//! of other parts are different. A transfer of 1 lies on a path that is in `r` by `t`, but from here the only path
//! leads to `x`, after `t`.
//!
//! The list read backwards, with all links turned, is a scheme in which copying nodes merge and merging nodes copy: the
//! same holds with an arborescence out of `r`, and both kinds exchanged.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use oneport_plan::inequality::Exchange;
use oneport_platform::Rational;

use super::asked::{Asked, check_sets, holding, participants, scaled};
use crate::Violation;
use crate::arborescences::least_exchange;
use crate::arithmetic::is_positive;
use crate::charges::Charges;
use crate::violation::{bad_price, fault, no_link, unordered};

pub(super) fn check(asked: &Asked<'_, '_>, exchange: &Exchange) -> Result<(), Violation> {
    let platform = asked.case.platform;
    check_sets(platform, &exchange.parts, participants(asked)?)?;
    if exchange.parts.len() < 2 {
        return Err(fault!(Certificate, "it has a single part"; "list at least two"));
    }
    let holding = holding(&exchange.parts, platform);
    if let Some((node, parts)) = platform
        .nodes()
        .iter()
        .zip(&holding)
        .find(|(_, parts)| parts.len() > 1)
    {
        let found = format!("'{}' lies in {} of its parts", node.name, parts.len());
        return Err(fault!(Certificate, "{found}"; "parts are disjoint"));
    }
    if let Some((link, _)) = exchange
        .lengths
        .iter()
        .find(|(link, _)| link.index() >= platform.links().len())
    {
        return Err(no_link("the", *link, platform));
    }
    if !exchange.lengths.is_sorted_by(|a, b| a.0 < b.0) {
        return Err(unordered("its links"));
    }
    match exchange
        .lengths
        .iter()
        .find(|(_, length)| !is_positive(length))
    {
        Some((_, length)) => Err(bad_price("a length", length)),
        None => Ok(()),
    }
}

pub(super) fn charge(
    asked: &Asked<'_, '_>,
    exchange: &Exchange,
    weight: &Rational,
    charges: &mut Charges<'_>,
) -> Result<Rational, Violation> {
    let free = (BigUint::zero(), BigUint::from(1u32));
    let mut lengths = asked.case.platform.per_link(free);
    for (link, length) in scaled(&exchange.lengths, weight, charges) {
        lengths[link].0.clone_from(&length);
        charges.transfers[link.index()] += BigInt::from(length);
    }
    least_exchange(asked.case, exchange.direction, &exchange.parts, &lengths)
}
