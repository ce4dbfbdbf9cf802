//! `oneport time`: times of one operation, by size.

mod measured;
mod report;
mod rows;
mod sizes;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use clap::Args;
use oneport::{Options, Volumes};
use oneport_questions::{problem, taking_part, volumes_of};

use crate::answers::listed;
use crate::answers::nccl;
use crate::flags::limits::LimitArguments;
use crate::flags::question::QuestionArguments;
use crate::words::drawing;
use crate::words::exit::End;
use crate::words::objects::{joined, line};
use crate::words::output::{Content, named as given, print, try_outputs, with_written};
use crate::words::progress::Progress;
use crate::words::settings::hear;
use crate::words::tables::{FormatArguments, TableFormat};
use crate::words::usage::usage;
use measured::MeasuredTimes;
use report::Report;

/// Time one operation of a given size, with latency and start-up, against a proved lower bound.
#[derive(Debug, Args)]
pub struct TimeArguments {
    /// The question.
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Sizes of the operation, each FACTOR times the size before: 8:4GiB:x2; or a list: 8,64KiB,1GiB.
    #[arg(long, value_name = "FROM:TO:xFACTOR|A,B", conflicts_with_all = ["bytes", "size"])]
    pub sizes: Option<String>,
    /// Also show measured times, each beside the row of its size, and fit latency and bandwidth to them: a file that
    /// nccl-tests print, or write with -J, or what OSU or IMB-MPI1 print. Without --bytes, --size and --sizes, its
    /// sizes are timed.
    #[arg(long, value_name = "LOG")]
    pub measured: Option<PathBuf>,
    /// Also time your own algorithm, a JSON or TOML file: the order of a ring, a tree, or rounds of sends; or a
    /// schedule that `oneport check` reads (MSCCL XML, MSCCL++ JSON). Repeatable.
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// Limits. The best bound so far is reported.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// The table's format.
    #[command(flatten)]
    pub table: FormatArguments,
    /// Draw the bus bandwidth against the size (F.svg), or write the table (F.csv).
    #[arg(short = 'o', long = "output", value_name = "F.svg")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &TimeArguments) -> Result<End> {
    let progress = Progress::on_terminal();
    let options = Options {
        watch: progress.of(&arguments.limits.watch()?),
        ..Options::default()
    };
    let path = arguments.question.path()?;
    let mut inputs = vec![("--platform", path)];
    inputs.extend(
        arguments
            .measured
            .iter()
            .map(|path| ("--measured", path.as_path())),
    );
    inputs.extend(arguments.with.iter().map(|path| ("--with", path.as_path())));
    try_outputs(
        Content::Other,
        &inputs,
        &given(&[("--output", &arguments.output)]),
    )?;
    arguments
        .output
        .as_ref()
        .map_or(Ok(()), |path| drawing::check("--output", path, &["csv"]))?;
    let asked = arguments.question.on(path)?;
    let (platform, latencies) = asked.read_platform_for_times(&hear)?;
    let (platform, collective, left_out) = taking_part(platform, &asked)?;
    let (platform, collective) = (Arc::new(platform), Arc::new(collective));
    let volumes = |bytes: Option<&str>| volumes_of(&platform, &collective, &asked, bytes);
    let measured = arguments
        .measured
        .as_deref()
        .map(|path| {
            let volumes = Volumes::default();
            let any = problem(platform.clone(), collective.clone(), volumes)?;
            MeasuredTimes::read(path, &any)
        })
        .transpose()?;
    let own_sizes = measured.as_ref().filter(|_| !asked.is_sized());
    let listed: Option<Vec<String>> = match (&arguments.sizes, own_sizes) {
        (Some(text), _) => Some(sizes::read(text)?),
        (None, own) => own.map(MeasuredTimes::sizes),
    };
    let all: Vec<Volumes> = match &listed {
        Some(sizes) => sizes
            .iter()
            .map(|bytes| volumes(Some(bytes)))
            .collect::<std::result::Result<_, _>>()?,
        None => vec![volumes(asked.bytes.as_deref())?],
    };
    let all = all
        .into_iter()
        .map(|volumes| problem(platform.clone(), collective.clone(), volumes))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let Some(problem) = all.first() else {
        bail!(usage(
            "--sizes: no size; write FROM:TO:xFACTOR, such as 8:4GiB:x2"
        ))
    };
    let single = listed.is_none();
    let nccl = single
        .then(|| nccl::of(problem, true, &[], &options.watch))
        .flatten();
    let listed = arguments
        .with
        .iter()
        .map(|path| {
            let (mut algorithm, routes) = listed::read(&problem.with_largest_messages(), path)?;
            algorithm.name.push_str(" (yours)");
            Ok((algorithm, routes))
        })
        .collect::<Result<Vec<_>>>()?;
    let (rows, limits) = rows::of(&all, &listed, &options)?;
    drop(progress);
    let report = Report {
        problem,
        rows: &rows,
        single,
        measured,
        limits,
        latencies,
        nccl: nccl.and_then(Result::ok),
        ended_by: options.watch.ended_by(),
    };
    let written = arguments.output.as_ref().map_or(Ok(()), |path| {
        let csv = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        drawing::write(path, &if csv { report.csv() } else { report.curve() })
    });
    print(&match arguments.table.format {
        _ if arguments.json => line(joined([report.json(), left_out.json()])),
        TableFormat::Text if written.is_ok() => with_written(
            left_out.line() + &report.text(),
            &given(&[("--output", &arguments.output)]),
        ),
        TableFormat::Text => left_out.line() + &report.text(),
        format => report.sheet().show(format),
    })?;
    written?;
    Ok(End::Done)
}
