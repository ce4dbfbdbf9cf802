//! A row of the answer: a changed platform and its outcome.

use oneport::watch::Limit;
use oneport::{Problem, Rated};

use super::classes::{Class, Trial};
use super::enough::Enough;
use crate::answers::bottleneck::{self, Bottleneck};

/// The outcome for one platform.
pub enum Outcome {
    /// The optimum.
    Rated(Box<Rated>),
    /// The pairs of nodes without a path.
    Infeasible(Vec<String>),
    /// The reason why the changed platform does not admit the problem.
    Impossible(String),
    /// The limit that ended the search.
    Stopped(Limit),
}

/// A platform that differs from the base.
pub struct Row {
    /// The changed class's name, or the changes as they were given.
    pub name: String,
    /// The class and its trial; `None` for changes given by the user.
    pub class: Option<(Class, Trial)>,
    /// The outcome.
    pub outcome: Outcome,
    /// The bottleneck, for changes given by the user.
    pub bottleneck: Option<Bottleneck>,
    /// The sufficient factor, for doubled classes.
    pub enough: Option<Enough>,
}

/// The bottleneck of a platform.
pub fn limiting(problem: Problem<'_>, rated: &Rated) -> Bottleneck {
    bottleneck::of(problem, &rated.steady_state, &rated.certificate, rated.status)
}
