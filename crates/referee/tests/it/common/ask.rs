//! The referee, without a limit, on a problem that may be invalid: then the refusal is that of the problem.

use oneport_plan::{
    Certificate, Collective, PeriodicSchedule, Problem, SteadyState, Timeline, Volumes,
};
use oneport_platform::{Platform, Rational};
use oneport_referee::{TimelineReport, Violation};
use oneport_watch::Watch;

pub fn bound(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    certificate: &Certificate,
) -> Result<Rational, Violation> {
    oneport_referee::bound(
        &Problem::new(platform, collective, volumes)?,
        certificate,
        &Watch::unlimited(),
    )
}

pub fn check_steady_state(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    steady_state: &SteadyState,
) -> Result<(), Violation> {
    oneport_referee::check_steady_state(
        &Problem::new(platform, collective, volumes)?,
        steady_state,
        &Watch::unlimited(),
    )
}

pub fn check_schedule(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    schedule: &PeriodicSchedule,
) -> Result<(), Violation> {
    oneport_referee::check_schedule(&Problem::new(platform, collective, volumes)?, schedule)
}

pub fn check_timeline(
    platform: &Platform,
    collective: &Collective,
    volumes: &Volumes,
    timeline: &Timeline,
) -> Result<TimelineReport, Violation> {
    oneport_referee::check_timeline(&Problem::new(platform, collective, volumes)?, timeline)
}
