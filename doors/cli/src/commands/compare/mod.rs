//! `oneport compare`: compares known algorithms with the optimum.

mod best;
mod report;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use oneport::Options;
use oneport_baselines::Comparison;

use crate::answers::in_network::InNetwork;
use crate::answers::listed;
use crate::answers::measured;
use crate::answers::nccl;
use crate::flags::limits::LimitArguments;
use crate::flags::question::QuestionArguments;
use crate::words::drawing;
use crate::words::exit::End;
use crate::words::objects::{joined, line};
use crate::words::output::{Content, named, print, try_outputs, with_written};
use crate::words::progress::Progress;
use crate::words::settings::hear;
use crate::words::tables::{FormatArguments, TableFormat};
use best::Times;
use oneport_questions::{Asked, KnownLatencies};

/// Percent of the time left for rating and timing algorithms. Trades rows for an answer in time. Not measured.
const RATED: u32 = 85;

/// Rate the algorithms that people run today, and yours, against the optimum: NCCL's rings and trees, recursive
/// doubling, ... With a size, rows are in the order of the time of one operation.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The question.
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Also rate your own algorithm, a JSON or TOML file: the order of a ring, a tree, or rounds of sends; or a
    /// schedule that `oneport check` reads (MSCCL XML, MSCCL++ JSON). Repeatable.
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// Also rate a measurement: a bus bandwidth as nccl-tests print it ("212 GB/s"; "212 GB/s algbw" for the
    /// algorithm bandwidth), the time of one operation ("3.1 ms"), operations per unit of time (a number), or a log
    /// of nccl-tests, OSU or IMB-MPI1, or what nccl-tests write with -J: its row of --bytes counts, else that of its
    /// largest size.
    #[arg(long, value_name = "X|FILE.json", allow_hyphen_values = true)]
    pub measured: Option<String>,
    /// Log of a run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING: NCCL's own model is taken from it instead of from
    /// our copy of the model.
    #[arg(long, value_name = "LOG")]
    pub tuning: Option<PathBuf>,
    /// Limits. The best bound so far is reported.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// The table's format.
    #[command(flatten)]
    pub table: FormatArguments,
    /// Draw the shares as bars.
    #[arg(short = 'o', long = "output", value_name = "F.svg")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &CompareArguments) -> Result<End> {
    let progress = Progress::on_terminal();
    let options = Options {
        watch: progress.of(&arguments.limits.watch()?),
        ..Options::default()
    };
    let path = arguments.question.path()?;
    let mut inputs = vec![("--platform", path)];
    inputs.extend(
        arguments
            .tuning
            .iter()
            .map(|path| ("--tuning", path.as_path())),
    );
    inputs.extend(arguments.with.iter().map(|path| ("--with", path.as_path())));
    try_outputs(
        Content::Other,
        &inputs,
        &named(&[("--output", &arguments.output)]),
    )?;
    arguments
        .output
        .as_ref()
        .map_or(Ok(()), |path| drawing::check("--output", path, &[]))?;
    let question = arguments.question.on(path)?;
    let (platform, latencies) = if question.is_sized() {
        question.read_platform_for_times(&hear)?
    } else {
        (question.read_platform(&hear)?, KnownLatencies::default())
    };
    let asked = Asked::read(platform, &question)?;
    let problem = asked.problem()?;
    let measured = arguments
        .measured
        .as_deref()
        .map(|text| measured::read(&problem, text, question.is_sized()))
        .transpose()?;
    let log = arguments
        .tuning
        .as_deref()
        .map(nccl::read)
        .transpose()?
        .unwrap_or_default();
    let listed = arguments
        .with
        .iter()
        .map(|path| listed::read(&problem, path))
        .collect::<Result<Vec<_>>>()?;
    let alike = problem.with_largest_messages();
    let nccl = nccl::of(&alike, question.is_sized(), &log, &options.watch);
    let best = best::of(&alike, &options, arguments.limits.time_limit.is_some())?;
    // An algorithm that has begun is rated to its end.
    let watch = options.watch.turn(RATED);
    let mut comparison = Comparison::of(&alike, &watch)?;
    if let Some(rings) = best::rings(&alike, &options)? {
        comparison.add_rings(&alike, &rings)?;
    }
    for (algorithm, routes) in listed {
        comparison.add(&alike, algorithm, Arc::new(routes))?;
    }
    let times = question
        .is_sized()
        .then(|| Times::of(&alike, &best, &comparison, &watch))
        .transpose()?;
    // The shapes are steady states, without a time of one operation.
    let shapes = if times.is_none() {
        best::shapes(&best, &options)?
    } else {
        Vec::new()
    };
    let in_network = measured
        .as_ref()
        .and_then(|measured| InNetwork::of(&alike, measured, best.bound(), &options));
    drop(progress);
    let report = report::Report {
        problem: &problem,
        best: &best,
        comparison: &comparison,
        shapes,
        measured,
        nccl,
        in_network,
        times,
        latencies,
        ended_by: options.watch.ended_by(),
    };
    let written = arguments
        .output
        .as_ref()
        .map_or(Ok(()), |path| drawing::write(path, &report.chart()));
    print(&match arguments.table.format {
        _ if arguments.json => line(joined([report.json(), asked.left_out.json()])),
        TableFormat::Text if written.is_ok() => with_written(
            asked.left_out.line() + &report.text(),
            &named(&[("--output", &arguments.output)]),
        ),
        TableFormat::Text => asked.left_out.line() + &report.text(),
        format => report.table().show(format),
    })?;
    written?;
    Ok(End::Done)
}
