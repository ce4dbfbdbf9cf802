//! `oneport extract`: turns rates into a plan.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use num_traits::Zero;
use oneport::extract::LeftOver;
use oneport::{FromRates, Options, Period, Plan, Platform, files, plan_of_rates};
use oneport_questions::period::{length, most};

use crate::answers::answer::{loss_of, pieces};
use crate::flags::limits::{self, LimitArguments};
use crate::flags::platform::{PlatformArguments, ReadingArguments};
use crate::words::exit::End;
use crate::words::numbers::{Shown, percent, readable, readable_count};
use crate::words::output::{Content, count, print, try_outputs, with_written};

/// Turn rates of transfers and merges into patterns, matchings and a schedule. `show --rates --json` writes the format,
/// and so may other solvers.
#[derive(Debug, Args)]
pub struct ExtractArguments {
    /// The rates: a file of the format oneport-rates/1.
    #[arg(value_name = "RATES", index = 1)]
    pub rates: PathBuf,
    /// The platform of the rates.
    #[command(flatten)]
    pub platform: PlatformArguments,
    /// Model and units of the platform.
    #[command(flatten)]
    reading: ReadingArguments,
    /// Fix the period's length, in units of time.
    #[arg(long, value_name = "T", allow_hyphen_values = true, conflicts_with_all = ["max_instances", "exact_period"])]
    pub period: Option<String>,
    /// Schedule the whole throughput, however long the period is.
    #[arg(long)]
    pub exact_period: bool,
    /// Limit on instances per period: the fewest that attain the throughput, else the best within M, with its loss.
    #[arg(
        long,
        value_name = "M",
        allow_hyphen_values = true,
        conflicts_with = "exact_period"
    )]
    pub max_instances: Option<String>,
    /// Cut no message; the period is repeated if that is necessary. Without this option, the cut messages are counted.
    #[arg(long)]
    pub whole_messages: bool,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Write the plan, self-contained JSON.
    #[arg(short = 'o', long = "output", value_name = "PLAN")]
    pub output: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &ExtractArguments) -> Result<End> {
    let watch = arguments.limits.watch()?;
    let (rates, output) = (&arguments.rates, &arguments.output);
    let path = arguments.platform.path()?;
    try_outputs(
        Content::Answer,
        &[("RATES", rates), ("--platform", path)],
        &[("--output", output)],
    )?;
    let platform = arguments.reading.read(path)?.platform;
    let file = files::read_rates(rates, &platform)?;
    let period = match (&arguments.period, &arguments.max_instances) {
        (Some(period), _) => Period::Fixed(length(period)?),
        (None, Some(text)) => Period::AtMost(most(text)?),
        (None, None) if arguments.exact_period => Period::Exact,
        (None, None) => Period::default(),
    };
    let problem = file.problem;
    let made = plan_of_rates(
        &problem,
        &file.rates,
        &file.certificate,
        &Options {
            period,
            whole_messages: arguments.whole_messages,
            watch: watch.clone(),
            ..Options::default()
        },
    );
    let made = made.with_context(|| rates.display().to_string())?;
    let plan = made.answer.plan().context("the rates have no schedule")?;
    let text = files::plan_to_json(plan);
    files::write_atomically(output, text.as_bytes())
        .with_context(|| format!("cannot write {}", output.display()))?;
    let mut text = summary(&platform, &plan, &made);
    if let Some(limit) = watch.ended_by() {
        text.push_str(&format!("\n{}", limits::effect(limit, plan.status)));
    }
    print(&with_written(text, &[("--output", output)]))?;
    Ok(End::Done)
}

/// The plan in a line, one on the messages that are cut, and one for each transfer that is in no pattern.
fn summary(
    platform: &Platform,
    plan: &Plan<'_>,
    FromRates {
        left_over, whole, ..
    }: &FromRates,
) -> String {
    let loss = loss_of(plan);
    let lost = if loss.is_zero() {
        String::new()
    } else {
        format!(", {} below the throughput", percent(&loss))
    };
    let mut lines = vec![format!(
        "{}: throughput {} ({}), proved upper bound {}, {}, schedule {} with period {} for {}{lost}",
        plan.collective().name(),
        readable(&plan.steady_state.throughput),
        plan.status.name(),
        readable(plan.upper_bound),
        count(plan.steady_state.patterns.len(), "pattern"),
        readable(&plan.schedule.throughput()),
        readable(&plan.schedule.period),
        count(readable_count(&plan.schedule.instances), "instance"),
    )];
    let pieces = pieces(plan, whole.as_ref(), Shown::of(platform, false));
    lines.extend(pieces.lines().map(str::to_string));
    lines.extend(left_over.iter().map(|left| {
        let LeftOver {
            demand,
            link,
            value,
            rate,
        } = left;
        let what = value
            .as_ref()
            .map_or(String::new(), |value| format!(", {value}"));
        let whose = demand.map_or(String::new(), |demand| format!(" of demand {demand}"));
        format!(
            "left over: send({}{what}){whose} {rate}",
            platform.link_name(*link)
        )
    }));
    lines.join("\n")
}
