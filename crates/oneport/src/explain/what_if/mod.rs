//! The throughput of a changed platform: for every class of its parts, the gain or loss by more or less of it.

mod classes;
mod ends;
mod enough;
mod row;
mod sets;

use std::collections::BTreeSet;
use std::sync::Arc;

use oneport_plan::{Problem, ProblemError};
use oneport_platform::{Change, Rational};

use crate::{Answer, Error, Goal, Options, solve};

pub use classes::{Class, Kind, Trial, classes};
pub use ends::outgrown;
pub use enough::Enough;
pub use row::{ChangedAnswer, Effect};

/// The changed platform whose question is solved next.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct NextChange<'a> {
    /// How many were solved before.
    pub index: usize,
    /// How many there are.
    pub total: usize,
    /// The name of its row.
    pub name: &'a str,
    /// The trial of a class. `None` if several classes are changed together.
    pub trial: Option<Trial>,
}

/// Sets of classes that are doubled together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Together {
    /// Every pair, and every triple that gains more than each of its pairs.
    pub rows: Vec<ChangedAnswer>,
    /// Number of pairs tried.
    pub pairs: usize,
    /// Number of triples tried.
    pub triples: usize,
}

/// The throughput of a problem on a changed platform.
///
/// # Errors
/// Those of [`solve`]. A limit is an [`Effect`] and not an error.
pub fn effect(problem: &Problem, options: &Options) -> Result<Effect, Error> {
    let solved = match solve(problem, &options.clone().goal(Goal::Rate)) {
        Ok(solved) => solved,
        Err(Error::Stopped(limit)) => return Ok(Effect::Stopped(limit)),
        Err(error) => return Err(error),
    };
    let stopped = solved.unwritten.and_then(|unwritten| unwritten.limit);
    Ok(stopped.map_or_else(|| Effect::Solved(Box::new(solved)), Effect::Stopped))
}

/// A row for every class and every trial that applies to it. Each has an equal part of the time that is left.
///
/// # Errors
/// Those of [`effect`].
pub fn each(
    base: &Arc<Answer>,
    options: &Options,
    begins: &mut dyn FnMut(NextChange<'_>),
) -> Result<Vec<ChangedAnswer>, Error> {
    let mut trials = Vec::new();
    for class in classes(base.problem()) {
        trials.extend(
            Trial::ALL
                .into_iter()
                .filter_map(|trial| Some((class.changes(trial)?, (class.clone(), trial)))),
        );
    }
    let total = trials.len();
    let mut rows = Vec::with_capacity(total);
    for (index, (changes, (class, trial))) in trials.into_iter().enumerate() {
        begins(NextChange {
            index,
            total,
            name: &class.name,
            trial: Some(trial),
        });
        let options = part_of(options, total - index);
        let (effect, enough) = tried(base, &changes, Some((&class, trial)), &options)?;
        rows.push(ChangedAnswer {
            name: class.name.clone(),
            change: Some((class, trial)),
            effect,
            enough,
        });
    }
    Ok(rows)
}

/// Classes that limit together: if no row of [`each`] gains, the six classes whose halving costs most are doubled in
/// pairs and triples.
///
/// # Errors
/// Those of [`effect`].
pub fn together(
    base: &Arc<Answer>,
    rows: &[ChangedAnswer],
    options: &Options,
    begins: &mut dyn FnMut(NextChange<'_>),
) -> Result<Together, Error> {
    let sets = sets::sets(base, rows);
    let (total, mut found) = (sets.len(), Together::default());
    let mut gains: Vec<(BTreeSet<usize>, Rational)> = Vec::new();
    for (index, set) in sets.into_iter().enumerate() {
        begins(NextChange {
            index,
            total,
            name: &set.name,
            trial: None,
        });
        let options = part_of(options, total - index);
        let (effect, enough) = tried(base, &set.changes, None, &options)?;
        let is_pair = set.members.len() == 2;
        if is_pair {
            found.pairs += 1
        } else {
            found.triples += 1
        }
        let listed = effect.listed();
        let least = listed.map(|(_, state)| state.throughput.clone());
        let least = least.unwrap_or_default();
        let within = gains
            .iter()
            .filter(|(members, _)| members.is_subset(&set.members));
        let is_more = within.map(|(_, gain)| gain).all(|gain| *gain < least);
        if is_pair || is_more {
            gains.push((set.members, least));
            found.rows.push(ChangedAnswer {
                name: set.name,
                change: None,
                effect,
                enough,
            });
        }
    }
    Ok(found)
}

/// The options with an equal part of the time left, for the next of these questions.
fn part_of(options: &Options, questions: usize) -> Options {
    let percent = u32::try_from(100 / questions.max(1)).unwrap_or(1).max(1);
    Options {
        watch: options.watch.stage(percent),
        ..options.clone()
    }
}

/// The question on a platform that differs from the base, and for a doubled class the factor that suffices.
fn tried(
    base: &Arc<Answer>,
    changes: &[Change],
    class: Option<(&Class, Trial)>,
    options: &Options,
) -> Result<(Effect, Option<Enough>), Error> {
    if let Err(limit) = options.watch.ask() {
        return Ok((Effect::Stopped(limit), None));
    }
    let changed = match base.problem().platform().changed(changes) {
        Ok(changed) => changed.platform,
        Err(error) => return Ok((Effect::Impossible(error.to_string()), None)),
    };
    let new = match base.problem().on(changed) {
        Ok(new) => new,
        Err(ProblemError::Unreachable { missing, .. }) => {
            return Ok((Effect::Unreachable(missing), None));
        }
        Err(error) => return Ok((Effect::Impossible(error.to_string()), None)),
    };
    let effect = match effect(&new, &options.clone().knowing(Arc::clone(base))) {
        // For example a reduction without a processor: the row says so, and the other rows stand.
        Err(Error::Problem(refusal)) => {
            return Ok((Effect::Impossible(refusal.to_string()), None));
        }
        effect => effect?,
    };
    let enough = match (&effect, class) {
        (Effect::Solved(solved), Some((class, Trial::Doubled))) => {
            enough::enough(base, class, &solved.answer, options)?
        }
        _ => None,
    };
    Ok((effect, enough))
}
