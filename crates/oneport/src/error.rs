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
    /// The question has no answer. The caller has to change it.
    #[error(transparent)]
    Problem(Refusal),
    /// A limit came before an answer was found and checked. Unchecked answers are not shown.
    #[error(
        "{0} ended the work before an answer was found and checked; allow more, or ask about fewer participants"
    )]
    Stopped(Limit),
    /// A defect of oneport: ours.
    #[error("{0}")]
    Defect(String),
}

/// The fault of a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It makes no sense.
    #[error(transparent)]
    Problem(ProblemError),
    /// No program answers it.
    #[error(transparent)]
    Question(LpError),
    /// The period that the options require does not exist.
    #[error(transparent)]
    Period(PeriodError),
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
}

impl From<ProblemError> for Error {
    fn from(error: ProblemError) -> Self {
        Error::Problem(Refusal::Problem(error))
    }
}

impl From<LpError> for Error {
    fn from(error: LpError) -> Self {
        match error {
            LpError::Stopped(limit) => Error::Stopped(limit),
            LpError::Contradiction(_) | LpError::Exact(_) => Error::Defect(error.to_string()),
            error => Error::Problem(Refusal::Question(error)),
        }
    }
}

impl From<PeriodError> for Error {
    fn from(error: PeriodError) -> Self {
        match error {
            PeriodError::Program(error) => error.into(),
            PeriodError::Schedule(error) => error.into(),
            error => Error::Problem(Refusal::Period(error)),
        }
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        let report = || {
            format!(
                "the referee objects to the plan found: {violation}; please report it with the platform file"
            )
        };
        violation
            .stopped()
            .map_or_else(|| Error::Defect(report()), Error::Stopped)
    }
}

impl From<ScheduleError> for Error {
    fn from(error: ScheduleError) -> Self {
        match error {
            ScheduleError::Stopped(limit) => Error::Stopped(limit),
            error => Error::Defect(error.to_string()),
        }
    }
}
