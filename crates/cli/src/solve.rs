//! `oneport solve`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use oneport::{
    Commodity, DEFAULT_MAX_INSTANCES, Formulation, Options, Outcome, Period, Platform, Rational, formats,
    parse_rational, solve_watched,
};
use serde_json::json;

use crate::End;
use crate::answer::{self, label};
use crate::any_order;
use crate::arguments::{FormulationName, SolveArguments};
use crate::bottleneck;
use crate::limits;
use crate::output::{Named, named, print, try_outputs};
use crate::progress::Progress;
use crate::question;
use crate::report;
use crate::usage::{Usage, on_one_line, usage};

/// Runs the command.
pub fn run(arguments: &SolveArguments) -> Result<End> {
    let mut options = options(arguments)?;
    options.watch = limits::watch(&arguments.limits)?;
    let inputs: Vec<Named<'_>> = arguments.platforms.iter().map(|path| ("--platform", path.as_path())).collect();
    if let [_, _, ..] = inputs[..]
        && arguments.output.is_some()
    {
        return Err(usage("--output: a file holds one plan; give one --platform, or leave --output out"));
    }
    try_outputs(&inputs, &named(&[("--output", &arguments.output)]))?;
    match &arguments.platforms[..] {
        [path] => one(arguments, path, "", &options),
        paths => several(arguments, paths, &options),
    }
}

/// One platform after another, each with an equal part of the time left; what goes wrong with one of them does not keep
/// the others from their answers, but for a mistake in the options.
fn several(arguments: &SolveArguments, paths: &[PathBuf], options: &Options) -> Result<End> {
    let mut end = End::Done;
    for (place, path) in paths.iter().enumerate() {
        let percent = u32::try_from(100 / (paths.len() - place)).unwrap_or(1).max(1);
        let options = Options { watch: options.watch.stage(percent), ..options.clone() };
        let name = path.display().to_string();
        if !arguments.json {
            print(&format!("{}{name}", if place == 0 { "" } else { "\n" }))?;
        }
        match one(arguments, path, &format!("{name}: "), &options) {
            Ok(End::Done) => {}
            Ok(End::Refused) => end = End::Refused,
            Err(error) if error.is::<Usage>() => return Err(error),
            Err(error) => {
                let told = on_one_line(&error);
                // What cannot be read says so itself.
                let about = if told.starts_with(&name) { String::new() } else { format!("{name}: ") };
                eprintln!("error: {about}{told}");
                if arguments.json {
                    print(&json!({ "platform": name, "status": "error", "error": told }).to_string())?;
                }
                end = End::Refused;
            }
        }
    }
    Ok(end)
}

/// The answer for one platform; what is told while it is sought, and that it is infeasible, begins with `about`.
fn one(arguments: &SolveArguments, path: &Path, about: &str, options: &Options) -> Result<End> {
    let platform = question::platform(path, &arguments.question)?;
    let collective = question::collective(&platform, &arguments.question)?;
    let volumes = question::volumes(&platform, &collective, &arguments.question)?;
    let problem = question::problem(&platform, &collective, &volumes)?;
    let started = Instant::now();
    let outcome = {
        let progress = Progress::new();
        progress.about(about.to_string());
        solve_watched(problem, options, &mut |stage| {
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
            let mut bottleneck = bottleneck::of(problem, &plan.steady_state, &plan.certificate, plan.status);
            if arguments.json {
                print(&report::planned(path, &planned, &bottleneck, seconds).to_string())?;
            } else {
                // People are told how much, programs at once.
                let hint = |text: String| match text == bottleneck::IN_ORDER {
                    true => any_order::hint(plan, &arguments.question, options, seconds),
                    false => Some(text),
                };
                bottleneck.hints = bottleneck.hints.into_iter().filter_map(hint).collect();
                print(&answer::text(&planned, &bottleneck, seconds, arguments.exact)?)?;
            }
            written?;
            Ok(End::Done)
        }
        Outcome::Unreachable(commodities) => {
            let names = unreachable(&platform, &commodities);
            if arguments.json {
                print(&report::infeasible(path, problem, &names, seconds).to_string())?;
            }
            eprintln!("error: {about}{}", infeasible(label(&collective), &names));
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
