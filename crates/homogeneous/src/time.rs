//! Dates and durations as integers over a common unit: machine integers if they fit, big ones otherwise.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};
use oneport_plan::Dates;
use oneport_platform::{Rational, whole};

use crate::EqualCosts;

/// A date or duration in ticks. Machine integers saturate: a result that is their largest number is not to be trusted,
/// and big integers are used. All sums only grow, so the last date shows it.
pub(crate) trait Time: Clone + Ord {
    fn zero() -> Self;
    fn one() -> Self;
    /// The number of ticks, unless it is too large (or the largest).
    fn of(ticks: &BigUint) -> Option<Self>;
    fn big(&self) -> BigUint;
    fn plus(&self, other: &Self) -> Self;
    /// 0 if `other` is larger.
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, factor: u128) -> Self;
    fn half(&self) -> Self;
    /// How often `other` fits, saturating. `other` is positive.
    fn over(&self, other: &Self) -> u128;
    /// Whether a sum may have been cut off.
    fn saturated(&self) -> bool;
    fn dates(unit: &Rational, ticks: Vec<Self>) -> Dates;
}

macro_rules! machine {
    ($integer:ty, $dates:expr) => {
        impl Time for $integer {
            fn zero() -> Self {
                0
            }

            fn one() -> Self {
                1
            }

            fn of(ticks: &BigUint) -> Option<Self> {
                <$integer>::try_from(ticks)
                    .ok()
                    .filter(|&ticks| ticks < <$integer>::MAX)
            }

            fn big(&self) -> BigUint {
                BigUint::from(*self)
            }

            fn plus(&self, other: &Self) -> Self {
                self.saturating_add(*other)
            }

            fn minus(&self, other: &Self) -> Self {
                self.saturating_sub(*other)
            }

            fn times(&self, factor: u128) -> Self {
                if *self == 0 {
                    0
                } else {
                    self.saturating_mul(<$integer>::try_from(factor).unwrap_or(<$integer>::MAX))
                }
            }

            fn half(&self) -> Self {
                self / 2
            }

            fn over(&self, other: &Self) -> u128 {
                self.checked_div(*other).map_or(u128::MAX, u128::from)
            }

            fn saturated(&self) -> bool {
                *self == <$integer>::MAX
            }

            fn dates(unit: &Rational, ticks: Vec<Self>) -> Dates {
                $dates(unit, ticks)
            }
        }
    };
}

machine!(u64, |unit: &Rational, ticks| Dates::Ticks {
    unit: unit.clone(),
    ticks
});
machine!(u128, exact);

impl Time for BigUint {
    fn zero() -> Self {
        BigUint::ZERO
    }

    fn one() -> Self {
        One::one()
    }

    fn of(ticks: &BigUint) -> Option<Self> {
        Some(ticks.clone())
    }

    fn big(&self) -> BigUint {
        self.clone()
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn minus(&self, other: &Self) -> Self {
        if self > other {
            self - other
        } else {
            BigUint::ZERO
        }
    }

    fn times(&self, factor: u128) -> Self {
        self * factor
    }

    fn half(&self) -> Self {
        self >> 1
    }

    fn over(&self, other: &Self) -> u128 {
        if other.is_zero() {
            u128::MAX
        } else {
            (self / other).to_u128().unwrap_or(u128::MAX)
        }
    }

    fn saturated(&self) -> bool {
        false
    }

    fn dates(unit: &Rational, ticks: Vec<Self>) -> Dates {
        exact(unit, ticks)
    }
}

fn exact<N: Time>(unit: &Rational, ticks: Vec<N>) -> Dates {
    Dates::Exact(
        ticks
            .iter()
            .map(|ticks| rational(unit, ticks.big()))
            .collect(),
    )
}

/// `ticks` units.
pub(crate) fn rational(unit: &Rational, ticks: BigUint) -> Rational {
    unit * whole(BigInt::from(ticks))
}

/// The greatest common divisor of numbers that are at least 0. 1 if all are 0.
pub(crate) fn common_unit<'a>(numbers: impl Iterator<Item = &'a Rational> + Clone) -> Rational {
    oneport_numbers::Scaled::coarsest(numbers).unit
}

/// How many whole units fit into `number`. 0 if it is negative.
pub(crate) fn in_units(number: &Rational, unit: &Rational) -> BigUint {
    let (sign, ticks) = (number / unit).floor().to_integer().into_parts();
    if sign == Sign::Minus {
        BigUint::ZERO
    } else {
        ticks
    }
}

/// Both costs as integers in a common unit.
#[derive(Debug)]
pub(crate) struct Scaled {
    pub(crate) unit: Rational,
    pub(crate) transfer: BigUint,
    pub(crate) compute: BigUint,
}

impl Scaled {
    pub(crate) fn new(costs: &EqualCosts) -> Scaled {
        Scaled::with_unit(
            costs,
            common_unit([costs.transfer(), costs.compute()].into_iter()),
        )
    }

    /// `unit` divides both costs.
    pub(crate) fn with_unit(costs: &EqualCosts, unit: Rational) -> Scaled {
        let (transfer, compute) = (
            in_units(costs.transfer(), &unit),
            in_units(costs.compute(), &unit),
        );
        Scaled {
            unit,
            transfer,
            compute,
        }
    }

    /// The costs as numbers of this kind, unless they do not fit.
    pub(crate) fn pair<N: Time>(&self) -> Option<Pair<N>> {
        Some(Pair {
            transfer: N::of(&self.transfer)?,
            compute: N::of(&self.compute)?,
        })
    }

    /// These numbers as big integers.
    pub(crate) fn big(&self) -> Pair<BigUint> {
        Pair {
            transfer: self.transfer.clone(),
            compute: self.compute.clone(),
        }
    }

    pub(crate) fn rational(&self, ticks: &impl Time) -> Rational {
        rational(&self.unit, ticks.big())
    }
}

/// Both costs in ticks.
#[derive(Debug, Clone)]
pub(crate) struct Pair<N> {
    pub(crate) transfer: N,
    pub(crate) compute: N,
}

impl<N: Time> Pair<N> {
    /// Read backwards: from one delivery of a processor to its next.
    pub(crate) fn step(&self) -> N {
        N::max(self.transfer.clone(), self.compute.clone())
    }

    /// Read backwards: from a processor's chance to deliver to the first chance of the delivered one.
    pub(crate) fn detour(&self) -> N {
        self.transfer.plus(&self.compute)
    }
}
