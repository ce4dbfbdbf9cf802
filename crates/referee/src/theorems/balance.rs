//! **Theorem.** Let a node own no operand of an all-reduce and want no result. If it is a router, no more transfers
//! enter it than leave it, if tasks that serve nothing are left out. If it does not replicate, no more leave it than
//! enter it.
//!
//! *Proof.* Every arriving value serves something, so it is sent on. Only a merge makes one of two, and a router merges
//! nothing. A leaving value came from somewhere. Only a node that replicates sends it twice. QED

use num_bigint::BigInt;
use oneport_plan::inequality::{Balance, Keeps};

use super::asked::{Asked, participants, zero};
use crate::Violation;
use crate::charges::Charges;
use crate::violation::{fault, no_node};

pub(super) fn check(asked: &Asked<'_, '_>, balance: &Balance) -> Result<(), Violation> {
    let participants = participants(asked)?;
    let Some(node) = asked.case.platform.nodes().get(balance.node.index()) else {
        return Err(no_node("the balance", balance.node, asked.case.platform));
    };
    let right = match balance.keeps {
        _ if participants.contains(&balance.node) => "participants have none; leave it out",
        Keeps::AllThatArrives if node.merges() => {
            "only a node that merges nothing keeps none of it"
        }
        Keeps::NoMoreThanArrives if node.replicates => {
            "only a node that does not replicate copies nothing"
        }
        Keeps::AllThatArrives | Keeps::NoMoreThanArrives => return Ok(()),
    };
    Err(fault!(Certificate, "'{}' is not balanced", node.name; "{right}"))
}

pub(super) fn charge(balance: &Balance, weight: &BigInt, charges: &mut Charges<'_>) -> BigInt {
    let sign = if balance.keeps == Keeps::AllThatArrives {
        1
    } else {
        -1
    };
    let node = balance.node;
    charges.transfers(weight, |from, to| {
        sign * (i64::from(from == node) - i64::from(to == node))
    });
    zero()
}
