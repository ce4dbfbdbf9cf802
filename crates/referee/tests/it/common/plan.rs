//! A plan in parts, so that each can be changed to anything.

use oneport_plan::{
    Certificate, Collective, PeriodicSchedule, Problem, Status, SteadyState, Volumes,
};
use oneport_platform::{Platform, Rational};
use oneport_referee::{Verdict, Violation};
use oneport_watch::Watch;

/// The parts of a plan; they need not make a problem.
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
    /// The plan, where there is a problem.
    pub fn whole(&self) -> Result<oneport_plan::Plan, Violation> {
        Ok(oneport_plan::Plan {
            problem: Problem::new(&self.platform, &self.collective, &self.volumes)?,
            status: self.status,
            steady_state: self.steady_state.clone(),
            certificate: self.certificate.clone(),
            upper_bound: self.upper_bound.clone(),
            schedule: self.schedule.clone(),
        })
    }
}

pub fn check_plan(plan: &Plan) -> Result<Verdict, Violation> {
    check_plan_watched(plan, &Watch::unlimited())
}

pub fn check_plan_watched(plan: &Plan, watch: &Watch) -> Result<Verdict, Violation> {
    oneport_referee::check_plan_watched(&plan.whole()?, watch)
}
