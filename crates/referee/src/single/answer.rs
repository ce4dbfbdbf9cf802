//! From a claim about one operation to an answer.

use oneport_plan::{Shortest, SingleAllReduce, SingleBroadcast, SingleReduction, Status};
use oneport_platform::Rational;

use super::everywhere::{check_all_reduce, check_single_broadcast};
use super::one::check_single;
use super::shortest::{Recheck, check_shortest};
use crate::Violation;

/// A claim about one operation executed once: schedule or length, a bound, and perhaps its proof.
pub trait SingleClaim {
    /// Checks schedule and bound, and repeats the argument for the bound.
    ///
    /// # Errors
    /// The first rule broken.
    fn check(&self) -> Result<Recheck, Violation>;

    /// The length that is claimed.
    fn length(&self) -> Rational;

    /// The bound that is claimed: no schedule is shorter.
    fn lower_bound(&self) -> &Rational;
}

/// A claim about one operation that the referee has checked, and the result of repeating the argument for its bound.
/// Nobody else makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleAnswer<C> {
    claim: C,
    recheck: Recheck,
}

impl<C: SingleClaim> SingleAnswer<C> {
    /// Checks a claim.
    ///
    /// # Errors
    /// The first rule broken.
    pub fn judge(claim: C) -> Result<Self, Violation> {
        let recheck = claim.check()?;
        Ok(SingleAnswer { claim, recheck })
    }

    /// The claim.
    pub fn claim(&self) -> &C {
        &self.claim
    }

    /// The claim, which anybody may change.
    pub fn into_claim(self) -> C {
        self.claim
    }

    /// Whether the argument for the bound was repeated, and if not, why.
    pub fn recheck(&self) -> &Recheck {
        &self.recheck
    }

    /// Whether the argument for the bound was repeated.
    pub fn is_proved(&self) -> bool {
        self.recheck == Recheck::Proved
    }

    /// [`Status::Optimal`] exactly if the bound is proved and equals the length.
    pub fn status(&self) -> Status {
        if self.is_proved() {
            Status::of(&self.claim.length(), self.claim.lower_bound())
        } else {
            Status::Feasible
        }
    }
}

impl SingleAnswer<Shortest> {
    /// [`judge`](Self::judge). A long check ends if `go_on` returns false: see
    /// [`check_shortest`](crate::check_shortest()).
    ///
    /// # Errors
    /// The first rule broken.
    pub fn judge_while(claim: Shortest, go_on: &dyn Fn() -> bool) -> Result<Self, Violation> {
        let recheck = check_shortest(&claim, go_on)?;
        Ok(SingleAnswer { claim, recheck })
    }
}

impl SingleClaim for Shortest {
    fn check(&self) -> Result<Recheck, Violation> {
        check_shortest(self, &|| true)
    }

    fn length(&self) -> Rational {
        self.length.clone()
    }

    fn lower_bound(&self) -> &Rational {
        &self.lower_bound
    }
}

impl SingleClaim for SingleReduction {
    fn check(&self) -> Result<Recheck, Violation> {
        check_single(self)
    }

    fn length(&self) -> Rational {
        self.reduction.length.clone()
    }

    fn lower_bound(&self) -> &Rational {
        &self.lower_bound
    }
}

impl SingleClaim for SingleBroadcast {
    fn check(&self) -> Result<Recheck, Violation> {
        check_single_broadcast(self)
    }

    fn length(&self) -> Rational {
        self.broadcast.length.clone()
    }

    fn lower_bound(&self) -> &Rational {
        &self.lower_bound
    }
}

impl SingleClaim for SingleAllReduce {
    fn check(&self) -> Result<Recheck, Violation> {
        check_all_reduce(self)
    }

    fn length(&self) -> Rational {
        SingleAllReduce::length(self)
    }

    fn lower_bound(&self) -> &Rational {
        &self.lower_bound
    }
}
