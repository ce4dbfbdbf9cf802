//! The parts of a plan, which tests change one by one.

use oneport_plan::{
    Certificate, Claim, Collective, PeriodicSchedule, Plan, Problem, State, Stated, Status,
    SteadyState,
};
use oneport_platform::{Platform, Rational};

/// A claim with patterns and a schedule, and the numbers stated beside it, each in a field of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The question.
    pub problem: Problem,
    /// The stated status.
    pub status: Status,
    /// The weighted patterns.
    pub steady_state: SteadyState,
    /// The prices.
    pub certificate: Certificate,
    /// The stated bound.
    pub upper_bound: Rational,
    /// The periodic schedule.
    pub schedule: PeriodicSchedule,
}

impl Parts {
    /// The parts of a claim. `None` unless it lists patterns and has a schedule.
    pub fn of(claim: &Claim, stated: &Stated) -> Option<Self> {
        Plan::of(claim, &stated.upper_bound, stated.status).map(Parts::from)
    }

    /// The claim.
    pub fn claim(&self) -> Claim {
        Claim {
            problem: self.problem.clone(),
            certificate: self.certificate.clone(),
            state: Some(State::Listed(self.steady_state.clone())),
            schedule: Some(self.schedule.clone()),
        }
    }

    /// The numbers stated beside the claim.
    pub fn stated(&self) -> Stated {
        Stated {
            upper_bound: self.upper_bound.clone(),
            status: self.status,
        }
    }

    /// Calls a function with these parts as a plan.
    pub fn with<T>(&self, function: impl FnOnce(Plan<'_>) -> T) -> Option<T> {
        let claim = self.claim();
        Plan::of(&claim, &self.upper_bound, self.status).map(function)
    }

    /// The platform.
    pub fn platform(&self) -> &Platform {
        self.problem.platform()
    }

    /// The collective.
    pub fn collective(&self) -> &Collective {
        self.problem.collective()
    }
}

impl From<Plan<'_>> for Parts {
    fn from(plan: Plan<'_>) -> Self {
        Parts {
            problem: plan.problem.clone(),
            status: plan.status,
            steady_state: plan.steady_state.clone(),
            certificate: plan.certificate.clone(),
            upper_bound: plan.upper_bound.clone(),
            schedule: plan.schedule.clone(),
        }
    }
}
