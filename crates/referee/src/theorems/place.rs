//! **Theorem.** One merge, at one processor, joins all operands of an all-reduce first.

use num_bigint::BigInt;

use super::asked::{Asked, participants};
use crate::Violation;
use crate::charges::Charges;

pub(super) fn check(asked: &Asked<'_, '_>) -> Result<(), Violation> {
    participants(asked).map(drop)
}

pub(super) fn charge(weight: &BigInt, charges: &mut Charges<'_>) -> BigInt {
    for charge in charges.joins.iter_mut() {
        *charge -= weight;
    }
    BigInt::from(-1)
}
