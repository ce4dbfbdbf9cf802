//! `oneport compare`: compares known algorithms with the optimum.

mod best;
mod report;
mod with;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use oneport::Options;
use oneport_baselines::Comparison;

use crate::answers::in_network::InNetwork;
use crate::answers::measured;
use crate::flags::limits::LimitArguments;
use crate::flags::question::{Asked, QuestionArguments};
use crate::words::drawing;
use crate::words::end::End;
use crate::words::output::{named, print, try_outputs};
use best::{Best, Times};

/// Percent of the time left for rating and timing algorithms. Trades rows for an answer in time. Not measured.
const RATED: u32 = 85;

/// Rate the algorithms that people run today, and yours, against the optimum: rings, trees, recursive doubling, ...
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// Platform file: TOML, JSON, bandwidth matrix, GML, joined Tiers JSON.
    #[arg(long, value_name = "FILE")]
    pub platform: PathBuf,
    /// The question.
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Also rate your own algorithm, a JSON or TOML file: the order of a ring, a tree, or rounds of sends. Repeatable.
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// Also rate a measurement: a bus bandwidth as nccl-tests print it ("212 GB/s"; "212 GB/s algbw" for the algorithm
    /// bandwidth), the time of one operation ("3.1 ms"), operations per unit of time (a number), or a file that
    /// nccl-tests print, or write with -J: the row of its largest size counts.
    #[arg(long, value_name = "X|FILE.json", allow_hyphen_values = true)]
    pub measured: Option<String>,
    /// Limits. The best bound so far is reported.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Draw the shares as bars.
    #[arg(short = 'o', long = "output", value_name = "F.svg")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &CompareArguments) -> Result<End> {
    let options = Options {
        watch: arguments.limits.watch()?,
        ..Options::default()
    };
    let mut inputs = vec![("--platform", arguments.platform.as_path())];
    inputs.extend(arguments.with.iter().map(|path| ("--with", path.as_path())));
    try_outputs(&inputs, &named(&[("--output", &arguments.output)]))?;
    arguments
        .output
        .as_ref()
        .map_or(Ok(()), |path| drawing::check("--output", path, &[]))?;
    let asked = Asked::read(
        arguments.question.platform(&arguments.platform)?,
        &arguments.question,
    )?;
    let problem = asked.problem()?;
    let measured = arguments
        .measured
        .as_deref()
        .map(|text| measured::read(&problem, text))
        .transpose()?;
    let listed = arguments
        .with
        .iter()
        .map(|path| with::read(&problem, path))
        .collect::<Result<Vec<_>>>()?;
    let alike = problem.with_largest_messages();
    let best = Best::of(&alike, &options, arguments.limits.time_limit.is_some())?;
    // An algorithm that has begun is rated to its end.
    let watch = options.watch.turn(RATED);
    let mut comparison = Comparison::watched(&alike, &watch)?;
    if let Some(rings) = Best::rings(&alike, &options)? {
        comparison.add_rings(&alike, &rings)?;
    }
    for (algorithm, routes) in listed {
        comparison.add(&alike, algorithm, Arc::new(routes))?;
    }
    let times = arguments
        .question
        .is_sized()
        .then(|| Times::of(&alike, &best, &comparison, &watch))
        .transpose()?;
    // The shapes are steady states, without a time of one operation.
    let shapes = if times.is_none() {
        best.shapes(&alike, &options)?
    } else {
        Vec::new()
    };
    let in_network = measured
        .as_ref()
        .and_then(|measured| InNetwork::of(&alike, measured, &best.upper_bound, &options));
    let report = report::Report {
        problem: &problem,
        alike: &alike,
        best: &best,
        comparison: &comparison,
        shapes,
        measured,
        in_network,
        times,
        ended_by: options.watch.ended_by(),
    };
    let written = arguments
        .output
        .as_ref()
        .map_or(Ok(()), |path| drawing::write(path, &report.chart()));
    print(&if arguments.json {
        report.json().to_string()
    } else {
        report.text()
    })?;
    written?;
    Ok(End::Done)
}
