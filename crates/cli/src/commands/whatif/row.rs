//! What is told of a platform that differs from the base.

use oneport::watch::Limit;
use oneport::{Problem, Rated};

use super::classes::{Class, Trial};
use super::enough::Enough;
use crate::answers::bottleneck::{self, Bottleneck};

/// What came out of one platform.
pub enum Outcome {
    /// The optimum.
    Rated(Box<Rated>),
    /// From which node to which there is no path.
    Infeasible(Vec<String>),
    /// The question makes no sense on the changed platform, for this reason.
    Impossible(String),
    /// A limit came first.
    Stopped(Limit),
}

/// A platform that differs from the base.
pub struct Row {
    /// What is changed: a class's name, or the changes as they were given.
    pub name: String,
    /// The class and what is tried with it.
    pub class: Option<(Class, Trial)>,
    /// What came out.
    pub outcome: Outcome,
    /// What limits; told of changes that were given.
    pub bottleneck: Option<Bottleneck>,
    /// Told where something is doubled.
    pub enough: Option<Enough>,
}

/// What limits.
pub fn limiting(problem: Problem<'_>, rated: &Rated) -> Bottleneck {
    bottleneck::of(problem, &rated.steady_state, &rated.certificate, rated.status)
}
