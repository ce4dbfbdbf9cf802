//! The answer for one changed platform.

use num_traits::{One, Zero};
use oneport_platform::Rational;
use oneport_watch::Limit;

use super::classes::{Class, Trial};
use super::enough::Enough;
use crate::{Rated, Unlisted};

/// The answer for one changed platform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The optimum, or what is known of it.
    Rated(Box<Rated>),
    /// Throughput and bound alone.
    Unlisted(Box<Unlisted>),
    /// No throughput: messages cannot arrive on the changed platform; source and target of each, as in
    /// [`ProblemError::Unreachable`](oneport_plan::ProblemError).
    Unreachable(Vec<(String, String)>),
    /// The changed platform does not admit the problem, and why.
    Impossible(String),
    /// The limit that ended the search before anything was known.
    Stopped(Limit),
}

/// A platform that differs from the base.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The name of the class, or of the classes that are changed together.
    pub name: String,
    /// The class and its trial; `None` where several classes are changed together.
    pub change: Option<(Class, Trial)>,
    /// The answer.
    pub outcome: Outcome,
    /// For a doubled class: the factor that suffices.
    pub enough: Option<Enough>,
}

impl Row {
    /// Lower and upper bound on the best throughput over the base's best; they are equal if both optima are proved.
    /// `None` if nothing is known.
    ///
    /// Doubling multiplies the optimum by 1 to 2: slowed down by two, every schedule of the doubled platform runs on
    /// the base. So halving multiplies it by 1/2 to 1, and removing never gains.
    pub fn shares(&self, base: &Rated) -> Option<[Rational; 2]> {
        let [low, high] = self.outcome.shares(base)?;
        let one = Rational::one();
        Some(match self.change.as_ref().map(|(_, trial)| trial) {
            None => [low, high],
            Some(Trial::Doubled) => [low.max(one.clone()), high.min(&one + &one)],
            Some(Trial::Halved) => [low.max(Rational::new(1.into(), 2.into())), high.min(one)],
            Some(Trial::Removed) => [low, high.min(one)],
        })
    }
}

impl Outcome {
    /// Lower and upper bound on its best throughput over the base's best; `None` if nothing is known.
    pub fn shares(&self, base: &Rated) -> Option<[Rational; 2]> {
        match self {
            Outcome::Rated(rated) => Some([
                &rated.steady_state.throughput / &base.upper_bound,
                &rated.upper_bound / &base.steady_state.throughput,
            ]),
            Outcome::Unreachable(_) => Some([Rational::zero(), Rational::zero()]),
            Outcome::Unlisted(_) | Outcome::Impossible(_) | Outcome::Stopped(_) => None,
        }
    }
}
