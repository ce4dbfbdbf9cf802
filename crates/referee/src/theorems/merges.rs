//! **Theorem.** Behind a result of `n` operands are `n - 1` merges: a merge makes one value of two.

use num_bigint::BigInt;

use super::asked::{Asked, whole};
use crate::Violation;
use crate::charges::Charges;
use crate::violation::fault;

pub(super) fn check(asked: &Asked<'_, '_>) -> Result<(), Violation> {
    match asked.demand.operands.len() {
        0 | 1 => Err(fault!(Certificate, "the demand combines nothing"; "leave it out")),
        _ => Ok(()),
    }
}

pub(super) fn charge(asked: &Asked<'_, '_>, weight: &BigInt, charges: &mut Charges<'_>) -> BigInt {
    for charge in charges.merges.iter_mut() {
        *charge += weight;
    }
    whole(asked.demand.operands.len()) - 1
}
