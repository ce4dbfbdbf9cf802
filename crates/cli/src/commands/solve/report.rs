//! The answer of `oneport solve` as JSON: the keys of fixtures/README.md, fixtures/schemas/solve.schema.json.

use std::path::Path;
use std::time::Duration;

use oneport::schedule::cuts;
use oneport::{Planned, Problem};
use serde_json::{Map, Value, json};

use crate::answers::answer::{Operation, gap, label, loss_of, share};
use crate::answers::bottleneck::Bottleneck;
use crate::flags::limits;
use crate::words::numbers::decimal;

/// What was asked.
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

/// What was found.
pub fn planned(path: &Path, planned: &Planned, bottleneck: &Bottleneck, seconds: Duration) -> Value {
    let plan = &planned.plan;
    let mut report = plan.problem().map(|problem| question(path, problem)).unwrap_or_default();
    let operation = Operation::of(plan).map(|(_, operation)| operation);
    let cuts = plan.problem().ok().map(|problem| cuts(problem, &plan.schedule));
    let told = |of: fn(&Operation) -> &oneport::Rational| operation.as_ref().map(|one| of(one).to_string());
    let answer = json!({
        "throughput": plan.steady_state.throughput.to_string(),
        "throughput_decimal": decimal(&plan.steady_state.throughput),
        "upper_bound": plan.upper_bound.to_string(),
        "upper_bound_decimal": decimal(&plan.upper_bound),
        "gap": decimal(&gap(plan)),
        "status": plan.status.name(),
        "size": told(|one| &one.bytes),
        "algbw": told(|one| &one.gigabytes[0]),
        "busbw": told(|one| &one.gigabytes[1]),
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

/// That these messages cannot arrive.
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
