//! The two costs.

use num_traits::Signed;
use oneport_platform::Rational;

use crate::Error;

/// Time of a transfer and time of a merge, neither negative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EqualCosts {
    transfer: Rational,
    compute: Rational,
}

impl EqualCosts {
    /// Costs of `transfer` (the paper's `d`) and `compute` (its `c`). 0 is allowed.
    ///
    /// # Errors
    /// [`Error::NegativeCost`].
    pub fn new(transfer: Rational, compute: Rational) -> Result<EqualCosts, Error> {
        for (name, value) in [("transfer", &transfer), ("compute", &compute)] {
            if value.is_negative() {
                return Err(Error::NegativeCost {
                    name,
                    value: value.clone(),
                });
            }
        }
        Ok(EqualCosts { transfer, compute })
    }

    /// Time of one transfer.
    pub fn transfer(&self) -> &Rational {
        &self.transfer
    }

    /// Time of one merge.
    pub fn compute(&self) -> &Rational {
        &self.compute
    }
}
