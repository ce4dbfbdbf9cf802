//! The answer for one changed platform.

use num_traits::{One, Zero};
use oneport_plan::SteadyState;
use oneport_platform::{Rational, ratio};
use oneport_watch::Limit;

use super::classes::{Class, Trial};
use super::enough::Enough;
use crate::{Answer, Solved};

/// The answer for one changed platform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// A bound, and patterns if there is room for them.
    Solved(Box<Solved>),
    /// No throughput: messages cannot arrive on the changed platform. Source and target of each, as in
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
pub struct ChangedAnswer {
    /// The name of the class, or of the classes that are changed together.
    pub name: String,
    /// The class and its trial. `None` if several classes are changed together.
    pub change: Option<(Class, Trial)>,
    /// The answer.
    pub effect: Effect,
    /// For a doubled class: the factor that suffices.
    pub enough: Option<Enough>,
}

impl ChangedAnswer {
    /// Lower and upper bound on the best throughput over the base's best. They are equal if both optima are proved.
    /// `None` if nothing is known.
    ///
    /// Doubling multiplies the optimum by 1 to 2: slowed down by two, every schedule of the doubled platform runs on
    /// the base. So halving multiplies it by 1/2 to 1, and removing never gains.
    pub fn shares(&self, base: &Answer) -> Option<[Rational; 2]> {
        let [low, high] = self.effect.shares(base)?;
        let one = Rational::one();
        Some(match self.change.as_ref().map(|(_, trial)| trial) {
            None => [low, high],
            Some(Trial::Doubled) => [low.max(one.clone()), high.min(&one + &one)],
            Some(Trial::Halved) => [low.max(ratio(1, 2)), high.min(one)],
            Some(Trial::Removed) => [low, high.min(one)],
        })
    }
}

impl Effect {
    /// The answer with patterns.
    pub fn listed(&self) -> Option<(&Answer, &SteadyState)> {
        let Effect::Solved(solved) = self else {
            return None;
        };
        Some((&solved.answer, solved.answer.patterns()?))
    }

    /// Lower and upper bound on its best throughput over the base's best. `None` if nothing is known.
    pub fn shares(&self, base: &Answer) -> Option<[Rational; 2]> {
        if let Effect::Unreachable(_) = self {
            return Some([Rational::zero(), Rational::zero()]);
        }
        let (answer, state) = self.listed()?;
        Some([
            &state.throughput / base.bound(),
            answer.bound() / base.throughput()?,
        ])
    }
}
