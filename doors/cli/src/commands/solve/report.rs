//! The answer of `oneport solve` as JSON: the keys of fixtures/README.md, fixtures/schemas/solve.schema.json.

use std::path::Path;
use std::time::Duration;

use oneport::schedule::cuts;
use oneport::{Bounded, Planned, Problem, Rational, Unlisted};
use serde_json::{Map, Value, json};

use crate::answers::answer::{Operation, gap, label, loss_of, share};
use crate::answers::bottleneck::Bottleneck;
use crate::flags::limits;
use crate::words::numbers::decimal;

/// The question.
fn question(path: &Path, problem: Problem<'_>) -> Map<String, Value> {
    let (platform, collective) = (problem.platform(), problem.collective());
    let pairs = [
        ("platform", path.display().to_string().into()),
        ("collective", label(collective).into()),
        ("groups", collective.members().len().into()),
        ("model", platform.model().name().into()),
        ("nodes", platform.nodes().len().into()),
        ("links", platform.links().len().into()),
        ("units", platform.units().map(|units| units.to_string()).into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// Throughput, bound and bandwidths.
fn sustained(problem: Problem<'_>, throughput: &Rational, bound: &Rational) -> Map<String, Value> {
    let operation = Operation::of(problem, throughput).map(|(_, operation)| operation);
    let told = |of: fn(&Operation) -> &Rational| operation.as_ref().map(|one| of(one).to_string());
    let answer = json!({
        "throughput": throughput.to_string(),
        "throughput_decimal": decimal(throughput),
        "upper_bound": bound.to_string(),
        "upper_bound_decimal": decimal(bound),
        "gap": decimal(&gap(throughput, bound)),
        "size": told(|one| &one.bytes),
        "algbw": told(|one| &one.gigabytes[0]),
        "busbw": told(|one| &one.gigabytes[1]),
    });
    answer.as_object().cloned().unwrap_or_default()
}

/// The answer without a listed schedule; the throughput is 0 if none is known.
pub fn unlisted(path: &Path, problem: Problem<'_>, unlisted: &Unlisted, seconds: Duration) -> Value {
    let Bounded { bound, known, ended_by, .. } = &unlisted.bounded;
    let mut report = question(path, problem);
    report.extend(sustained(problem, &known.clone().unwrap_or_default(), bound));
    let answer = json!({
        "status": if known.is_some() { unlisted.bounded.status().name() } else { "bound" },
        "tasks": unlisted.tasks,
        "unlisted": unlisted.to_string(),
        "solve_seconds": seconds.as_secs_f64(),
        "ended_by": unlisted.limit.or(*ended_by).map(limits::named),
    });
    report.extend(answer.as_object().cloned().unwrap_or_default());
    Value::Object(report)
}

/// The answer with a plan.
pub fn planned(path: &Path, planned: &Planned, bottleneck: &Bottleneck<'_>, seconds: Duration) -> Value {
    let plan = &planned.plan;
    let mut report = plan.problem().map(|problem| question(path, problem)).unwrap_or_default();
    let problem = plan.problem().ok();
    let known = problem.map(|problem| sustained(problem, &plan.steady_state.throughput, &plan.upper_bound));
    report.extend(known.unwrap_or_default());
    let cuts = problem.map(|problem| cuts(problem, &plan.schedule));
    let answer = json!({
        "status": plan.status.name(),
        "period": plan.schedule.period.to_string(),
        "instances": plan.schedule.instances.to_string(),
        "schedule_throughput": plan.schedule.throughput().to_string(),
        "schedule_share": share(plan).to_string(),
        "loss": loss_of(plan).to_string(),
        "patterns": plan.steady_state.patterns.len(),
        "slots": plan.schedule.slots.len(),
        "transfers": cuts.as_ref().map(|cuts| cuts.transfers.to_string()),
        "cut": cuts.as_ref().map(|cuts| cuts.cut.to_string()),
        "pieces": cuts.as_ref().map(|cuts| cuts.pieces),
        "period_factor": planned.whole.as_ref().map(|whole| whole.factor.to_string()),
        "bottleneck": bottleneck.json(),
        "hints": bottleneck.hints,
        "solve_seconds": seconds.as_secs_f64(),
        "solver_seconds": planned.solver_time.as_secs_f64(),
        "ended_by": planned.ended_by.map(limits::named),
    });
    report.extend(answer.as_object().cloned().unwrap_or_default());
    Value::Object(report)
}

/// The answer that these messages cannot arrive.
pub fn infeasible(path: &Path, problem: Problem<'_>, unreachable: &[String], seconds: Duration) -> Value {
    let mut report = question(path, problem);
    for key in ["throughput", "throughput_decimal", "upper_bound", "upper_bound_decimal"] {
        report.insert(key.into(), "0".into());
    }
    for key in ["schedule_throughput", "period"] {
        report.insert(key.into(), "0".into());
    }
    report.insert("status".into(), "infeasible".into());
    report.insert("patterns".into(), 0.into());
    report.insert("slots".into(), 0.into());
    report.insert("unreachable".into(), unreachable.into());
    report.insert("solve_seconds".into(), seconds.as_secs_f64().into());
    Value::Object(report)
}
