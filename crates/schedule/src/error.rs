//! Reasons why a schedule does not exist.

use oneport_matching::MatchingError;
use oneport_platform::Rational;
use oneport_watch::Limit;

/// Why a schedule cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// A port, a link or a processor has more work than the period has time.
    #[error(
        "the patterns keep the {resource} busy for {busy}, longer than the period of {period}; the period must \
             be at least that long"
    )]
    Overfull {
        /// The busiest of all, by kind and name.
        resource: String,
        /// Its busy time. If it serves several transfers at a time, all their times over their number.
        busy: Box<Rational>,
        /// The period.
        period: Box<Rational>,
    },
    /// Every port fits the period, but an odd set of links does not: half-duplex nodes in odd cycles.
    #[error(
        "of the links among {members} at most {at_a_time} can be busy at a time, so their transfers take {busy}, longer than \
             the period of {period}; the period must be at least that long"
    )]
    OddSet {
        /// The nodes whose ports the links share, and further links that are counted.
        members: String,
        /// How many of the links can be busy at a time.
        at_a_time: String,
        /// Their times over that number.
        busy: Box<Rational>,
        /// The period.
        period: Box<Rational>,
    },
    /// The timeline would be too long to write down.
    #[error(
        "{} more than {limit} transfers and merges; ask for {}",
        match periods {
            1 => "one period has".to_string(),
            periods => format!("a timeline over {periods} periods has"),
        },
        match periods {
            1 => "a schedule with fewer instances per period",
            _ => "fewer periods or instances",
        }
    )]
    TooManyEvents {
        /// Number of periods requested.
        periods: u64,
        /// The limit.
        limit: u64,
    },
    /// A limit ended the listing of one period.
    #[error("{limit} ended the listing of one period, which has {tasks} transfers and merges")]
    Unlisted {
        /// The limit.
        limit: Limit,
        /// Transfers and merges of one period.
        tasks: u64,
    },
    /// A limit ended the one-port decomposition.
    #[error("{0} ended the one-port decomposition")]
    Stopped(Limit),
    /// The decomposition refused its input. This is a defect of oneport.
    #[error("the one-port decomposition failed: {0}")]
    Matching(MatchingError),
}

impl From<MatchingError> for ScheduleError {
    fn from(error: MatchingError) -> Self {
        match error {
            MatchingError::Stopped(limit) => ScheduleError::Stopped(limit),
            error => ScheduleError::Matching(error),
        }
    }
}
