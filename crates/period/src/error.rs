//! Reasons why no whole messages are found.

use oneport_lp::LpError;
use oneport_platform::Rational;
use oneport_schedule::ScheduleError;

/// Why no whole messages were found for a period.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeriodError {
    /// The requested period is not positive.
    #[error("period is {0}; it must be positive")]
    BadPeriod(Box<Rational>),
    /// Not even one instance fits.
    #[error(
        "no whole instance was fitted into a period of {period}; the shortest period found for one instance is {needed}"
    )]
    PeriodTooShort {
        /// The requested period.
        period: Box<Rational>,
        /// A period long enough for one instance.
        needed: Box<Rational>,
    },
    /// The requested number of instances is 0.
    #[error("max-instances is 0; a period needs at least one instance")]
    NoInstances,
    /// No share of the throughput that a schedule may lose.
    #[error(
        "max-loss is {0}; it must be a share of the throughput, from 0 up to but not including 1, such as 1/100"
    )]
    BadLoss(Box<Rational>),
    /// Weights that are not a steady state.
    #[error(
        "the weights of demand {demand} add up to {found}; they must be positive and add up to the throughput \
             (times the rate of its group), {throughput}"
    )]
    Unbalanced {
        /// The demand's index in its list.
        demand: usize,
        /// The sum of its weights.
        found: Box<Rational>,
        /// The right sum: the throughput, times the rate of the demand's group.
        throughput: Box<Rational>,
    },
    /// An integer program failed.
    #[error(transparent)]
    Program(#[from] LpError),
    /// The decomposition into slots, which half-duplex nodes need, failed.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}
