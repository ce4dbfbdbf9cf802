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
    /// No share of the throughput that a schedule may lose.
    #[error("max-loss is {0}; it must be a share of the throughput, from 0 up to but not including 1, such as 1/100")]
    BadLoss(Box<Rational>),
    /// Weights that are no steady state.
    #[error(
        "the weights of demand {demand} add up to {found}; they must be positive and add up to the throughput \
             (times the rate of its group), {throughput}"
    )]
    Unbalanced {
        /// The demand's place in its list.
        demand: usize,
        /// The sum of its weights.
        found: Box<Rational>,
        /// The right sum: the throughput, times the rate of the demand's group.
        throughput: Box<Rational>,
    },
    /// A port, a link or a processor is asked to work longer than the period.
    #[error(
        "the patterns keep the {resource} busy for {busy}, longer than the period of {period}; the period must \
             be at least that long"
    )]
    Overfull {
        /// The busiest of all, by kind and name.
        resource: String,
        /// Its busy time; where it serves several transfers at a time, all their times over their number.
        busy: Box<Rational>,
        /// The period.
        period: Box<Rational>,
    },
    /// No port is too busy, but links that get in one another's way are: half-duplex nodes in odd cycles.
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
