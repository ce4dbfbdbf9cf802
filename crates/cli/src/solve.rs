//! `oneport solve`.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use oneport::{
    Commodity, DEFAULT_MAX_INSTANCES, Formulation, Options, Outcome, Period, Planned, Platform, Rational, formats,
    parse_rational, solve_watched,
};
use serde_json::{Map, Value, json};

use crate::End;
use crate::answer::{self, gap, label, loss_of, share};
use crate::arguments::{FormulationName, SolveArguments};
use crate::bottleneck::{self, Bottleneck};
use crate::limits;
use crate::numbers::decimal;
use crate::output::{named, print, try_outputs};
use crate::progress::Progress;
use crate::question;
use crate::usage::usage;

/// Runs the command.
pub fn run(arguments: &SolveArguments) -> Result<End> {
    let mut options = options(arguments)?;
    options.watch = limits::watch(&arguments.limits)?;
    try_outputs(&[("--platform", &arguments.platform)], &named(&[("--output", &arguments.output)]))?;
    let platform = question::platform(&arguments.platform, &arguments.question)?;
    let collective = question::collective(&platform, &arguments.question)?;
    let volumes = question::volumes(&platform, &collective, &arguments.question)?;
    let problem = question::problem(&platform, &collective, &volumes)?;
    let started = Instant::now();
    let outcome = {
        let progress = Progress::new();
        solve_watched(problem, &options, &mut |stage| {
            progress.stage(stage);
            ControlFlow::Continue(())
        })?
    };
    let seconds = started.elapsed();
    match outcome {
        Outcome::Planned(planned) => {
            // The answer is printed even if its file cannot be written after all.
            let written = arguments.output.as_ref().map_or(Ok(()), |path| {
                let text = formats::plan_to_json(&planned.plan);
                formats::write_atomically(path, text.as_bytes())
                    .with_context(|| format!("cannot write {}", path.display()))
            });
            let plan = &planned.plan;
            let bottleneck = bottleneck::of(problem, &plan.steady_state, &plan.certificate, plan.status);
            if arguments.json {
                print(&json_report(&planned, &bottleneck, seconds).to_string())?;
            } else {
                print(&answer::text(&planned, &bottleneck, seconds, arguments.exact)?)?;
            }
            written?;
            Ok(End::Done)
        }
        Outcome::Unreachable(commodities) => {
            let names = unreachable(&platform, &commodities);
            if arguments.json {
                print(&infeasible_report(label(&collective), &platform, &names, seconds).to_string())?;
            }
            eprintln!("error: {}", infeasible(label(&collective), &names));
            Ok(End::Refused)
        }
    }
}

fn options(arguments: &SolveArguments) -> Result<Options> {
    let formulation = match arguments.formulation {
        FormulationName::Columns => Formulation::Columns,
        FormulationName::Compact => Formulation::Compact,
    };
    Ok(Options { formulation, period: period(arguments)?, ..Options::default() })
}

/// Which periodic schedule is asked for.
fn period(arguments: &SolveArguments) -> Result<Period> {
    if let Some(period) = &arguments.period {
        return Ok(Period::Fixed(positive("--period", period)?));
    }
    if arguments.exact_period {
        return Ok(Period::Exact);
    }
    let instances = |most: &String| {
        let wrong = || usage(format!("--max-instances: '{most}' is not a whole number from 1 on"));
        most.parse().ok().filter(|&most| most > 0).ok_or_else(wrong)
    };
    let instances = arguments.max_instances.as_ref().map(instances).transpose()?;
    Ok(match (arguments.max_loss.as_deref().map(loss).transpose()?, instances) {
        (None, None) => Period::Short,
        (None, Some(instances)) => Period::AtMost(instances),
        (Some(most), instances) => Period::Losing { most, instances: instances.unwrap_or(DEFAULT_MAX_INSTANCES) },
    })
}

/// A share of the throughput, as a number or a percentage.
fn loss(text: &str) -> Result<Rational> {
    let wrong =
        |what: &dyn std::fmt::Display| usage(format!("--max-loss: {what}; give a share such as 1%, 0.01 or 1/100"));
    let (number, parts) = text.trim_end().strip_suffix('%').map_or((text, 1), |number| (number.trim_end(), 100));
    let value = parse_rational(number).map_err(|error| wrong(&error))? / Rational::from_integer(parts.into());
    let share = Rational::from_integer(0.into())..Rational::from_integer(1.into());
    if share.contains(&value) {
        Ok(value)
    } else {
        Err(wrong(&format!("'{text}' is not from 0 up to but not including 1")))
    }
}

fn positive(option: &str, text: &str) -> Result<Rational> {
    let value = parse_rational(text).map_err(|error| usage(format!("{option}: {error}")))?;
    if value > Rational::from_integer(0.into()) {
        Ok(value)
    } else {
        Err(usage(format!("{option}: {text} is not positive; give a number such as 12, 0.5 or 5/2")))
    }
}

/// That messages cannot arrive, and which.
pub fn infeasible(collective: &str, names: &[String]) -> String {
    let shown = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() > 5 { format!(" and {} more", names.len() - 5) } else { String::new() };
    format!("{collective} is infeasible: no path {shown}{more}; connect the nodes, or leave them out of the collective")
}

/// From which node to which.
pub fn unreachable(platform: &Platform, commodities: &[Commodity]) -> Vec<String> {
    let name = |commodity: &Commodity| {
        format!("from '{}' to '{}'", platform.name(commodity.source), platform.name(commodity.target))
    };
    commodities.iter().map(name).collect()
}

/// The contract's object.
fn json_report(planned: &Planned, bottleneck: &Bottleneck, seconds: Duration) -> Value {
    let plan = &planned.plan;
    json!({
        "collective": label(&plan.collective),
        "groups": plan.collective.members().len(),
        "model": plan.platform.model().name(),
        "throughput": plan.steady_state.throughput.to_string(),
        "upper_bound": plan.upper_bound.to_string(),
        "status": plan.status.name(),
        "period": plan.schedule.period.to_string(),
        "instances": plan.schedule.instances.to_string(),
        "schedule_throughput": plan.schedule.throughput().to_string(),
        "schedule_share": share(plan).to_string(),
        "loss": loss_of(plan).to_string(),
        "patterns": plan.steady_state.patterns.len(),
        "slots": plan.schedule.slots.len(),
        "solve_seconds": seconds.as_secs_f64(),
        "solver_seconds": planned.solver_time.as_secs_f64(),
        "ended_by": planned.ended_by.map(limits::named),
        "throughput_decimal": decimal(&plan.steady_state.throughput),
        "upper_bound_decimal": decimal(&plan.upper_bound),
        "gap": decimal(&gap(plan)),
        "bottleneck": bottleneck.json(),
        "hints": bottleneck.hints,
        "nodes": plan.platform.nodes().len(),
        "links": plan.platform.links().len(),
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn infeasible_report(collective: &str, platform: &Platform, names: &[String], seconds: Duration) -> Value {
    let mut report = Map::new();
    report.insert("collective".into(), collective.into());
    report.insert("model".into(), platform.model().name().into());
    for key in ["throughput", "upper_bound", "schedule_throughput", "period"] {
        report.insert(key.into(), "0".into());
    }
    report.insert("status".into(), "infeasible".into());
    report.insert("patterns".into(), 0.into());
    report.insert("slots".into(), 0.into());
    report.insert("unreachable".into(), names.into());
    report.insert("solve_seconds".into(), seconds.as_secs_f64().into());
    Value::Object(report)
}
