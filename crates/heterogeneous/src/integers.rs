//! Integers for dates: machine words if they fit, big ones otherwise.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use oneport_platform::Rational;

use crate::cluster::common_unit;

/// Times in units, as small as their sums allow.
pub(crate) enum Scaled {
    /// All dates fit 64 bits.
    Small(Vec<u64>),
    /// They do not.
    Big(Vec<BigInt>),
}

/// The times in their common unit. `most(ticks)` is a bound on every date, in units.
pub(crate) fn scale(times: &[&Rational], most: impl Fn(&[BigInt]) -> BigInt) -> (Rational, Scaled) {
    let (unit, ticks) = common_unit(times);
    let small = most(&ticks).to_u64().is_some();
    let words = if small {
        ticks
            .iter()
            .map(BigInt::to_u64)
            .collect::<Option<Vec<u64>>>()
    } else {
        None
    };
    (unit, words.map_or(Scaled::Big(ticks), Scaled::Small))
}
