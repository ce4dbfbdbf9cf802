//! **Theorem.** The place that joins all operands of an all-reduce first is one merge, at one processor.

use num_bigint::BigInt;

use crate::needs::Charges;

pub(super) fn charge(weight: &BigInt, charges: &mut Charges<'_>) -> BigInt {
    charges.places.iter_mut().for_each(|charge| *charge -= weight);
    BigInt::from(-1)
}
