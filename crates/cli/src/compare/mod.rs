//! `oneport compare`: what people run today against the optimum.

mod report;
mod with;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use oneport::{Options, formats};
use oneport_baselines::Comparison;

use crate::End;
use crate::arguments::{LimitArguments, QuestionArguments};
use crate::limits;
use crate::measured;
use crate::optimum::rated;
use crate::output::{named, print, try_outputs};
use crate::question;

/// `oneport compare`.
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
    /// Also rate what you measured: a bus bandwidth as nccl-tests print it ("212 GB/s"; "212 GB/s algbw" for the
    /// algorithm bandwidth), the time of one operation ("3.1 ms"), operations per unit of time (a number), or the JSON
    /// file that nccl-tests write with -J.
    #[arg(long, value_name = "X|FILE.json", allow_hyphen_values = true)]
    pub measured: Option<String>,
    /// When to end with the best bound so far.
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
    let options = Options { watch: limits::watch(&arguments.limits)?, ..Options::default() };
    let mut inputs = vec![("--platform", arguments.platform.as_path())];
    inputs.extend(arguments.with.iter().map(|path| ("--with", path.as_path())));
    try_outputs(&inputs, &named(&[("--output", &arguments.output)]))?;
    let platform = question::platform(&arguments.platform, &arguments.question)?;
    let collective = question::collective(&platform, &arguments.question)?;
    let volumes = question::volumes(&platform, &collective, &arguments.question)?;
    let problem = question::problem(&platform, &collective, &volumes)?;
    let measured = arguments.measured.as_deref().map(|text| measured::read(problem, text)).transpose()?;
    let listed = arguments.with.iter().map(|path| with::read(problem, path)).collect::<Result<Vec<_>>>()?;
    let Some(rated) = rated(problem, &options)? else { return Ok(End::Refused) };
    let mut comparison = Comparison::of(problem)?;
    let own: Vec<String> = listed.iter().map(|(algorithm, _)| algorithm.name.clone()).collect();
    for (algorithm, routes) in listed {
        comparison.add(problem, algorithm, &routes)?;
    }
    let report = report::Report { problem, rated: &rated, comparison: &comparison, own: &own, measured };
    let written = arguments.output.as_ref().map_or(Ok(()), |path| {
        let text = report.chart();
        formats::write_atomically(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
    });
    print(&if arguments.json { report.json().to_string() } else { report.text() })?;
    written?;
    if let Some(wrong) = report.impossible() {
        eprintln!("error: {wrong}");
        return Ok(End::Refused);
    }
    Ok(End::Done)
}
