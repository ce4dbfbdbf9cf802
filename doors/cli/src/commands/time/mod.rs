//! `oneport time`: times of one operation, by size.

mod report;
mod rows;
mod sizes;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use oneport::{Options, Volumes};

use crate::flags::limits::LimitArguments;
use crate::flags::question::{self, QuestionArguments};
use crate::words::drawing;
use crate::words::end::End;
use crate::words::objects::joined;
use crate::words::output::{named as given, print, try_outputs};
use crate::words::usage::usage;
use report::Report;

/// Time one operation of a given size, with latency and start-up, against a proved lower bound.
#[derive(Debug, Args)]
pub struct TimeArguments {
    /// Platform file: TOML, JSON, bandwidth matrix, GML, joined Tiers JSON. Links may have latency and overhead.
    #[arg(long, value_name = "FILE")]
    pub platform: PathBuf,
    /// The question.
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Sizes of the operation, each FACTOR times the size before: 8:4GiB:x2.
    #[arg(long, value_name = "FROM:TO:xFACTOR", conflicts_with_all = ["bytes", "size"])]
    pub sizes: Option<String>,
    /// Limits. The best bound so far is reported.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Draw the bus bandwidth against the size (F.svg), or write the table (F.csv).
    #[arg(short = 'o', long = "output", value_name = "F.svg")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &TimeArguments) -> Result<End> {
    let options = Options {
        watch: arguments.limits.watch()?,
        ..Options::default()
    };
    try_outputs(
        &[("--platform", &arguments.platform)],
        &given(&[("--output", &arguments.output)]),
    )?;
    arguments
        .output
        .as_ref()
        .map_or(Ok(()), |path| drawing::check("--output", path, &["csv"]))?;
    let platform = arguments.question.platform(&arguments.platform)?;
    let (platform, collective, left_out) = question::taking_part(platform, &arguments.question)?;
    let volumes = |bytes: Option<&str>| {
        question::volumes_of(&platform, &collective, &arguments.question, bytes)
    };
    let all: Vec<Volumes> = match &arguments.sizes {
        Some(text) => sizes::read(text)?
            .iter()
            .map(|bytes| volumes(Some(bytes)))
            .collect::<Result<_>>()?,
        None => vec![volumes(arguments.question.bytes.as_deref())?],
    };
    let (platform, collective) = (Arc::new(platform), Arc::new(collective));
    let all = all
        .into_iter()
        .map(|volumes| question::problem(platform.clone(), collective.clone(), volumes))
        .collect::<Result<Vec<_>>>()?;
    let Some(problem) = all.first() else {
        bail!(usage(
            "--sizes: no size; write FROM:TO:xFACTOR, such as 8:4GiB:x2"
        ))
    };
    let rows = rows::of(&all, &options)?;
    let report = Report {
        problem,
        rows: &rows,
        single: arguments.sizes.is_none(),
        ended_by: options.watch.ended_by(),
    };
    let written = arguments.output.as_ref().map_or(Ok(()), |path| {
        let csv = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        drawing::write(path, &if csv { report.csv() } else { report.curve() })
    });
    print(&if arguments.json {
        joined([report.json(), left_out.json()]).to_string()
    } else {
        left_out.line() + &report.text()
    })?;
    written?;
    Ok(End::Done)
}
