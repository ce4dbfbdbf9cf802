#![doc = include_str!("../README.md")]

mod error;
mod instances;
pub mod integral;
pub mod rounding;

use oneport_platform::Rational;

pub use error::PeriodError;
pub use instances::whole_patterns;
pub use oneport_lp::{Question, Solution};
pub use oneport_plan::{Problem, WholePatterns};

/// Limit on the instances per period by default. Trades throughput for a short schedule. Measured: an all-to-all among
/// 32 nodes loses 1e-6 to 3e-6 of its throughput within 10,000 instances.
pub const DEFAULT_MAX_INSTANCES: u64 = 10_000;

/// Instances per period up to which a period that attains the optimum is taken by default. Trades longer periods for
/// the last percent of throughput. Not measured.
pub const SHORT_INSTANCES: u64 = 64;

/// Share of the throughput that a schedule may lose by default: numerator and denominator. Trades throughput for a
/// short schedule. Not measured.
pub const DEFAULT_MAX_LOSS: (u32, u32) = (1, 100);

/// Which periodic schedule is wanted.
///
/// The loss of a schedule is a share of the throughput of the steady state that was found. "Fewest" is the smallest
/// number of instances found: numbers up to some hundreds are tried by rounding, larger ones by bisection, and on tiny
/// platforms integer programs look at every smaller number. Other whole messages may need fewer still.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Period {
    /// The smallest found that attains the optimum, if it has at most [`SHORT_INSTANCES`]. Otherwise [`Period::Losing`]
    /// with [`DEFAULT_MAX_LOSS`] and [`DEFAULT_MAX_INSTANCES`].
    #[default]
    Short,
    /// The fewest instances found that lose little.
    Losing {
        /// Largest share of the throughput that may be lost, from 0 up to but not including 1. 0 is [`Period::AtMost`].
        most: Rational,
        /// Limit on the instances. If no number of them loses as little, the best whole-message schedule within the
        /// limit.
        instances: u64,
    },
    /// The smallest number found that attains the optimum with at most this many instances. If none does, the best
    /// whole-message schedule within that number.
    AtMost(u64),
    /// Exactly this long.
    Fixed(Rational),
    /// The smallest found that attains the optimum, of any length.
    Exact,
}
