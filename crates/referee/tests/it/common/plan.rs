//! A plan in parts, so that each can be changed freely.

use oneport_plan::{
    Certificate, Claim, Collective, PeriodicSchedule, Problem, State, Stated, Status, SteadyState,
    Volumes,
};
use oneport_platform::{Platform, Rational};
use oneport_referee::Violation;
use oneport_watch::Watch;

/// The parts of a plan. They need not make a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub platform: Platform,
    pub collective: Collective,
    pub volumes: Volumes,
    pub status: Status,
    pub steady_state: SteadyState,
    pub certificate: Certificate,
    pub upper_bound: Rational,
    pub schedule: PeriodicSchedule,
}

impl Plan {
    /// The claim, if there is a problem.
    pub fn claim(&self) -> Result<Claim, Violation> {
        Ok(Claim {
            problem: Problem::new(&self.platform, &self.collective, &self.volumes)?,
            certificate: self.certificate.clone(),
            state: Some(State::Listed(self.steady_state.clone())),
            schedule: Some(self.schedule.clone()),
        })
    }
}

/// The numbers that the referee computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub throughput: Rational,
    pub bound: Rational,
    pub schedule_throughput: Rational,
    pub status: Status,
}

pub fn check_plan(plan: &Plan) -> Result<Verdict, Violation> {
    let stated = Stated {
        upper_bound: plan.upper_bound.clone(),
        status: plan.status,
    };
    let answer = oneport_referee::verify(plan.claim()?, &stated, &Watch::unlimited())?;
    let found = answer.plan().expect("patterns and a schedule");
    Ok(Verdict {
        throughput: found.steady_state.throughput.clone(),
        bound: answer.bound().clone(),
        schedule_throughput: found.schedule.throughput(),
        status: answer.status(),
    })
}
