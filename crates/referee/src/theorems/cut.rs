//! A demand crosses a cut if all of some operand is inside and something that contains it is wanted outside.
//!
//! **Theorem.** Let cuts that a demand crosses have weights such that, for every link, the cuts that it leaves weigh no
//! more together than the smallest message of the demand over the link costs. Then every pattern of the demand costs at
//! least the total weight of the cuts.
//!
//! *Proof.* A value that is wanted outside a cut goes back, task by task, to the operand inside. Merges stay where they
//! are, so some transfer of the pattern leaves the cut. Each transfer costs at least the weight of the cuts that it
//! leaves. The sum over the transfers counts every cut.
//!
//! **Copies.** A message that only nodes that replicate can copy is worth more: there it is enough that, for every two
//! such nodes `i` and `j`, the cuts with `i` inside and `j` outside weigh no more together than the cheapest route from
//! `i` to `j` through nodes that do not replicate. (A link between nodes that replicate is such a route. The side of
//! other nodes does not matter.)
//!
//! *Proof.* Source and targets replicate. Follow a copy at a target back to the source and break its path where it
//! visits nodes that replicate: the pieces are routes, and one of them goes from the inside of the cut to the outside.
//! A node that does not replicate sends on once at most what a transfer brought, so a transfer belongs to one piece
//! only, for any targets of its copies: different pieces have different transfers, and a piece costs at least the
//! total weight of the cuts that it leaves. Every cut is left by some piece.

use num_bigint::BigInt;
use oneport_plan::inequality::{Cut, Inequality};
use oneport_plan::{Demand, Goals};
use oneport_platform::NodeId;

use super::asked::{Asked, check_set, inside, whole};
use crate::Violation;
use crate::case::Case;
use crate::charges::Charges;
use crate::violation::fault;

pub(super) fn check(case: &Case<'_>, cut: &Cut) -> Result<(), Violation> {
    if cut.nodes.is_empty() {
        return Err(
            fault!(Certificate, "it has no nodes"; "list those that something has to leave"),
        );
    }
    check_set(case.platform, &cut.nodes)
}

pub(super) fn charge(
    asked: &Asked<'_, '_>,
    cut: &Cut,
    weight: &BigInt,
    charges: &mut Charges<'_>,
) -> BigInt {
    let inside = inside(&cut.nodes, asked.case.platform);
    charges.transfers(weight, |from, to| i64::from(inside[from] && !inside[to]));
    whole(1)
}

/// An inequality, and a cached answer for the last list of targets.
pub(crate) struct Crossing<'c> {
    inequality: &'c Inequality,
    /// The last list of targets, and whether one of them is outside the cut. An all-gather has one list for all
    /// demands.
    known: Option<(&'c [NodeId], bool)>,
}

impl<'c> Crossing<'c> {
    pub(crate) fn new(inequality: &'c Inequality) -> Crossing<'c> {
        Crossing {
            inequality,
            known: None,
        }
    }

    /// Whether the inequality says something of this demand: a cut if the demand crosses it, merges if it combines.
    pub(crate) fn concerns(&mut self, demand: &Demand<'c>) -> bool {
        match self.inequality {
            Inequality::Cut(cut) => self.crosses(cut, demand),
            Inequality::Merges(_) => demand.operands.len() > 1,
            _ => true,
        }
    }

    fn crosses(&mut self, cut: &'c Cut, demand: &Demand<'c>) -> bool {
        let inside = |node: &NodeId| cut.nodes.binary_search(node).is_ok();
        match demand.goals {
            Goals::At(target) => !inside(&target) && demand.operands.iter().any(inside),
            Goals::Everywhere(targets) => {
                self.leaves(cut, targets) && demand.operands.iter().any(inside)
            }
            // In a scan, the owners of all later operands need operand `i`.
            Goals::Prefixes => {
                let first = demand.operands.iter().position(inside);
                first.is_some_and(|first| demand.operands[first..].iter().any(|node| !inside(node)))
            }
        }
    }

    fn leaves(&mut self, cut: &Cut, targets: &'c [NodeId]) -> bool {
        if let Some((known, leaves)) = self
            .known
            .filter(|(known, _)| std::ptr::eq(*known, targets))
        {
            debug_assert_eq!(known.len(), targets.len());
            return leaves;
        }
        let leaves = targets
            .iter()
            .any(|node| cut.nodes.binary_search(node).is_err());
        self.known = Some((targets, leaves));
        leaves
    }
}
