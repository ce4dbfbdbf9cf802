//! Why there is no schedule.

use oneport_matching::MatchingError;
use oneport_platform::Rational;

/// Why a schedule cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The period asked for is not positive.
    #[error("period is {0}; it must be positive")]
    BadPeriod(Box<Rational>),
    /// Not even one instance fits.
    #[error(
        "no whole instance was fitted into a period of {period}; the shortest period found for one instance is {needed}"
    )]
    PeriodTooShort {
        /// The period asked for.
        period: Box<Rational>,
        /// A period long enough for one instance.
        needed: Box<Rational>,
    },
    /// No instance was asked for.
    #[error("max-instances is 0; a period needs at least one instance")]
    NoInstances,
    /// Weights that are no steady state.
    #[error(
        "the weights of commodity {commodity} add up to {found}; they must be positive and add up to the throughput, \
             {throughput}"
    )]
    Unbalanced {
        /// The commodity's place in its list.
        commodity: usize,
        /// The sum of its weights.
        found: Box<Rational>,
        /// The throughput.
        throughput: Box<Rational>,
    },
    /// A port or a processor is asked to work longer than the period.
    #[error(
        "the patterns keep the {resource} of '{node}' busy for {busy}, longer than the period of {period}; the period must \
             be at least that long"
    )]
    Overfull {
        /// "send port", "receive port" or "processor": the busiest of all.
        resource: &'static str,
        /// The node's name.
        node: String,
        /// Its busy time.
        busy: Box<Rational>,
        /// The period.
        period: Box<Rational>,
    },
    /// The timeline would be too long to write down.
    #[error(
        "a timeline over {periods} periods has more than {limit} transfers and merges; ask for fewer periods or instances"
    )]
    TooManyEvents {
        /// Periods asked for.
        periods: u64,
        /// The limit.
        limit: u64,
    },
    /// The decomposition refused its input; this is a defect of oneport.
    #[error("the one-port decomposition failed: {0}")]
    Matching(#[from] MatchingError),
}
