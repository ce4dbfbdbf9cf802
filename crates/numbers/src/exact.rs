//! Operations that algorithms need of a number.

use std::ops::{AddAssign, SubAssign};

use num_traits::Zero;

/// An ordered number with exact sums and differences: integers and rationals of any length, and machine integers if
/// they do not overflow. Floats do not implement it: they have no total order.
///
/// Each type with these operations has the trait. The operations take references, so that long numbers are not copied.
pub trait Exact:
    Clone + Ord + Zero + for<'n> AddAssign<&'n Self> + for<'n> SubAssign<&'n Self>
{
    /// `self + other`.
    #[must_use]
    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum += other;
        sum
    }

    /// `self - other`. If the numbers have no sign, `other` must not be the larger one.
    #[must_use]
    fn minus(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest -= other;
        rest
    }

    /// `self - other`, or 0 if that is negative.
    #[must_use]
    fn surplus(&self, other: &Self) -> Self {
        if self <= other {
            Self::zero()
        } else {
            self.minus(other)
        }
    }
}

impl<N: Clone + Ord + Zero + for<'n> AddAssign<&'n N> + for<'n> SubAssign<&'n N>> Exact for N {}
