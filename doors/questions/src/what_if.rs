//! The throughput of changed platforms as values: a row for each class of parts, for classes that are doubled together,
//! or for changes that the caller gives.

use std::sync::Arc;

use num_traits::Zero;
use oneport::explain::what_if::{self, ChangedAnswer, Effect};
use oneport::platform::NodeId;
use oneport::{Answer, Options, Problem, Rational, Status};
use serde_json::{Map, Value, json};

pub use oneport::explain::what_if::{Class, Enough, Kind, NextChange, Trial};

use crate::answer::paths;
use crate::asked::Asked;
use crate::error::{self, Result};
use crate::limiting::{Limiting, limiting};
use crate::limits::named;
use crate::words::decimal;

/// Limit on the unreachable pairs of a row that [`ChangeRow::json`] lists.
const PAIRS: usize = 5;

/// The effect of one change on the throughput of a base.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ChangeRow {
    /// The changes as their caller wrote them, or the name of the class (of the classes) that is changed.
    pub name: String,
    /// The class and its trial. `None` if the caller gave the changes, or if several classes are doubled together.
    pub change: Option<(Class, Trial)>,
    /// The kind of answer.
    pub status: ChangeStatus,
    /// Instances per unit of time. `None` if it is unknown.
    pub throughput: Option<Rational>,
    /// The bound that the referee checked. `None` if the throughput is unknown.
    pub upper_bound: Option<Rational>,
    /// Lower and upper bound on the best throughput over the best throughput of the base. They are equal if both optima
    /// are proved. `None` if the throughput is unknown.
    pub share: Option<[Rational; 2]>,
    /// The speed-up that gains as much as doubling. Only a doubled class has one.
    pub enough: Option<Enough>,
    /// The nodes whose ports become slower than their links. Only a doubled class has some.
    pub outgrown: Vec<NodeId>,
    /// The source and the target of each message that cannot arrive.
    pub unreachable: Vec<(String, String)>,
    /// The classes of resources that limit. `None` except for changes that the caller gave.
    pub bottleneck: Option<Vec<Limiting>>,
    /// The reason why the throughput is unknown or 0, if a sentence states one.
    pub reason: Option<String>,
}

/// The kind of answer of a changed platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeStatus {
    /// The throughput is proved to be the best one.
    Optimal,
    /// A throughput, and a larger bound.
    Feasible,
    /// Messages cannot arrive.
    Infeasible,
    /// The changed platform does not admit the collective.
    Impossible,
    /// A limit ended the search before a throughput was known.
    Stopped,
    /// The patterns are too many to be listed.
    Unlisted,
    /// None of these.
    Unknown,
}

impl ChangeStatus {
    /// The name in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            ChangeStatus::Optimal => "optimal",
            ChangeStatus::Feasible => "feasible",
            ChangeStatus::Infeasible => "infeasible",
            ChangeStatus::Impossible => "impossible",
            ChangeStatus::Stopped => "stopped",
            ChangeStatus::Unlisted => "unlisted",
            ChangeStatus::Unknown => "unknown",
        }
    }
}

/// The value of each class of parts of a platform.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClassRows {
    /// A row for each class and each trial that applies to it. The rows of a class are adjacent.
    pub rows: Vec<ChangeRow>,
    /// Classes that are doubled together. Empty if a class alone gains.
    pub together: Vec<ChangeRow>,
    /// Number of pairs that were tried.
    pub pairs: usize,
    /// Number of triples that were tried.
    pub triples: usize,
}

/// The names of the classes of parts of a problem's platform.
pub fn class_names(problem: &Problem) -> Vec<String> {
    let classes = what_if::classes(problem).into_iter();
    classes.map(|class| class.name).collect()
}

/// Doubles, halves and removes every class of parts of the base's platform. If no class alone gains, doubles pairs and
/// triples of classes. `hear` receives each problem before it is solved. A row takes an equal part of the time left.
///
/// # Errors
/// A defect of oneport. A limit is a row and not an error.
pub fn each_class(
    base: &Arc<Answer>,
    options: &Options,
    hear: &mut dyn FnMut(NextChange<'_>),
) -> Result<ClassRows> {
    let rows = what_if::each(base, options, hear)?;
    let sets = what_if::together(base, &rows, options, hear)?;
    let row = |changed: &ChangedAnswer| of_class(base, changed);
    Ok(ClassRows {
        rows: rows.iter().map(row).collect(),
        together: sets.rows.iter().map(row).collect(),
        pairs: sets.pairs,
        triples: sets.triples,
    })
}

/// The effect of changes that the caller gave, and the answer on the changed platform, if it has patterns. `changed` is
/// the question on that platform. A collective whose messages cannot arrive there has throughput 0.
///
/// # Errors
/// The question does not fit the changed platform. A defect of oneport.
pub fn changed(
    base: &Answer,
    name: String,
    changed: &Asked,
    options: &Options,
) -> Result<(ChangeRow, Option<Answer>)> {
    let (effect, reason) = match changed.problem() {
        Ok(problem) => (what_if::effect(&problem, options)?, None),
        Err(error) if error.kind == error::Kind::Infeasible => {
            (Effect::Unreachable(error.unreachable), Some(error.message))
        }
        Err(error) => return Err(error),
    };
    let mut row = ChangeRow::new(name, effect.shares(base), &effect);
    let answer = effect.listed().map(|(answer, _)| answer.clone());
    row.bottleneck = answer.as_ref().map(limiting);
    row.reason = row.reason.or(reason);
    Ok((row, answer))
}

fn of_class(base: &Answer, changed: &ChangedAnswer) -> ChangeRow {
    let row = ChangeRow::new(changed.name.clone(), changed.shares(base), &changed.effect);
    ChangeRow {
        change: changed.change.clone(),
        enough: changed.enough.clone(),
        outgrown: outgrown(base, changed),
        ..row
    }
}

/// The nodes whose ports a doubled class outgrows.
fn outgrown(base: &Answer, changed: &ChangedAnswer) -> Vec<NodeId> {
    let Some((class, Trial::Doubled)) = &changed.change else {
        return Vec::new();
    };
    let changes = class.changes(Trial::Doubled).unwrap_or_default();
    what_if::outgrown(base.problem().platform(), &changes).unwrap_or_default()
}

impl ChangeRow {
    fn new(name: String, share: Option<[Rational; 2]>, effect: &Effect) -> ChangeRow {
        let zero = || Some(Rational::zero());
        let (status, [throughput, upper_bound], reason) = match (effect, effect.listed()) {
            (_, Some((answer, state))) => {
                let status = match answer.status() {
                    Status::Optimal => ChangeStatus::Optimal,
                    Status::Feasible => ChangeStatus::Feasible,
                };
                let numbers = [&state.throughput, answer.bound()];
                (status, numbers.map(|number| Some(number.clone())), None)
            }
            (Effect::Unreachable(_), _) => (ChangeStatus::Infeasible, [zero(), zero()], None),
            (Effect::Impossible(why), _) => {
                (ChangeStatus::Impossible, [None, None], Some(why.clone()))
            }
            (Effect::Stopped(limit), _) => {
                let why = named(*limit).to_string();
                (ChangeStatus::Stopped, [None, None], Some(why))
            }
            (Effect::Solved(solved), _) => {
                let why = solved.patterns().err();
                let why = why.map_or_else(String::new, |why| why.to_string());
                (ChangeStatus::Unlisted, [None, None], Some(why))
            }
            _ => (ChangeStatus::Unknown, [None, None], Some(String::new())),
        };
        ChangeRow {
            name,
            change: None,
            status,
            throughput,
            upper_bound,
            share,
            enough: None,
            outgrown: Vec::new(),
            unreachable: match effect {
                Effect::Unreachable(missing) => missing.clone(),
                _ => Vec::new(),
            },
            bottleneck: None,
            reason,
        }
    }

    /// The row as an object of `oneport whatif --json` (fixtures/schemas/whatif.schema.json). `name_of` returns the
    /// name of a node.
    pub fn json(&self, name_of: impl Fn(NodeId) -> String) -> Value {
        let exact = self.share.as_ref().filter(|[low, high]| low == high);
        let share = exact.map(|[low, _]| low);
        let text = |number: Option<&Rational>| number.map(Rational::to_string);
        let [least, most] = self
            .share
            .as_ref()
            .map_or([None; 2], |[low, high]| [Some(low), Some(high)]);
        let [throughput, bound] = [&self.throughput, &self.upper_bound].map(Option::as_ref);
        let mut keys = object(json!({
            "name": self.name,
            "change": self.change.as_ref().map_or(self.name.as_str(), |(_, trial)| trial.name()),
            "share": text(share),
            "share_decimal": share.map(decimal),
            "share_at_least": text(least),
            "share_at_most": text(most),
            "status": self.status.name(),
            "throughput": text(throughput),
            "throughput_decimal": throughput.map(decimal),
            "upper_bound": text(bound),
            "upper_bound_decimal": bound.map(decimal),
        }));
        if let Some((class, _)) = &self.change {
            keys.extend(object(json!({
                "kind": class.kind.name(),
                "members": class.members,
                "cost": class.cost.to_string(),
            })));
        }
        if let Some(enough) = &self.enough {
            keys.extend(object(json!({
                "enough": enough.factor.to_string(),
                "enough_is_least": enough.is_least,
            })));
        }
        if !self.outgrown.is_empty() {
            let names: Vec<String> = self.outgrown.iter().map(|&node| name_of(node)).collect();
            keys.insert("outgrown".to_string(), json!(names));
        }
        if let Some(bottleneck) = &self.bottleneck {
            keys.insert("bottleneck".to_string(), json!(bottleneck));
        }
        if self.status == ChangeStatus::Infeasible {
            let shown = self.unreachable.len().min(PAIRS);
            keys.extend(object(json!({
                "unreachable": paths(&self.unreachable[..shown]),
                "unreachable_count": self.unreachable.len(),
            })));
        } else if let Some(reason) = &self.reason {
            keys.insert("reason".to_string(), json!(reason));
        }
        Value::Object(keys)
    }
}

/// The keys of an object.
fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(keys) => keys,
        _ => Map::new(),
    }
}
