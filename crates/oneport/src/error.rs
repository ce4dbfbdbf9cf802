//! Reasons why no answer is returned, and the time that a refusal may take.

use std::time::Duration;

use oneport_lp::LpError;
use oneport_period::PeriodError;
use oneport_plan::ProblemError;
use oneport_referee::Violation;
use oneport_schedule::ScheduleError;
use oneport_watch::Limit;

/// Time of slots and referee after an interrupt or a caller's end. Trades lateness for a checked answer. Not measured.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// Reasons why no answer is returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The question makes no sense.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The program could not be solved.
    #[error(transparent)]
    Question(#[from] LpError),
    /// The period asked for does not exist.
    #[error(transparent)]
    Period(#[from] PeriodError),
    /// The whole messages fit no schedule: a defect of oneport.
    #[error(transparent)]
    Schedule(ScheduleError),
    /// There are more messages than can be looked at one by one.
    #[error(
        "{collective}: {messages} messages, each counted where it is wanted, are more than {most}; ask about fewer participants"
    )]
    TooLarge {
        /// The collective's name.
        collective: &'static str,
        /// How many they are.
        messages: u64,
        /// The limit.
        most: u64,
    },
    /// The referee objects to our own plan: a defect of oneport.
    #[error("the referee objects to the plan found: {0}; please report it with the platform file")]
    Referee(Violation),
    /// A limit came before the referee had checked the plan found; what is not checked is not shown.
    #[error("{0} ended the work before the plan found was checked; allow more")]
    Unchecked(Limit),
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        match violation.stopped() {
            Some(limit) => Error::Unchecked(limit),
            None => Error::Referee(violation),
        }
    }
}

impl From<ScheduleError> for Error {
    fn from(error: ScheduleError) -> Self {
        match error {
            ScheduleError::Stopped(limit) => Error::Unchecked(limit),
            error => Error::Schedule(error),
        }
    }
}
