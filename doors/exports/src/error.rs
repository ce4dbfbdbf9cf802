//! Reasons why a plan is not exported.

use oneport_schedule::ScheduleError;

/// Reasons why a plan is not exported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A name that no format has.
    #[error("there is no format '{name}'; give one of {known}")]
    UnknownFormat {
        /// The requested name.
        name: String,
        /// The names of all formats, with commas between them.
        known: String,
    },
    /// The format cannot carry this plan.
    #[error("{format}: {reason}")]
    Refused {
        /// The format's name.
        format: &'static str,
        /// The missing part, and a correct one.
        reason: String,
    },
    /// The schedule cannot be written down.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

impl ExportError {
    /// A refusal by a format.
    pub(crate) fn refused(format: &'static str, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        ExportError::Refused { format, reason }
    }
}
