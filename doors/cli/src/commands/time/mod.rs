//! `oneport time`: times of one operation, by size.

mod report;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use oneport::Options;
use oneport_questions::time::TimeAnswer;
use oneport_questions::{Paths, Question};

use crate::flags::limits::LimitArguments;
use crate::flags::question::QuestionArguments;
use crate::words::drawing;
use crate::words::exit::End;
use crate::words::objects::{joined, line};
use crate::words::output::{Content, named as given, print, try_outputs, with_written};
use crate::words::progress::Progress;
use crate::words::settings::hear;
use crate::words::tables::{FormatArguments, TableFormat};
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
    let measured = arguments.measured.as_deref();
    let question = Question {
        sizes: arguments.sizes.clone(),
        measured: measured.map(|path| path.to_string_lossy().into_owned()),
        with: Paths(arguments.with.clone()),
        ..arguments.question.on(path)?
    };
    let answer = TimeAnswer::of(&question, &options, &hear)?;
    drop(progress);
    let report = Report { answer: &answer };
    let written = arguments.output.as_ref().map_or(Ok(()), |path| {
        let csv = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        drawing::write(path, &if csv { report.csv() } else { report.curve() })
    });
    print(&match arguments.table.format {
        _ if arguments.json => line(joined([report.json(), answer.left_out.json()])),
        TableFormat::Text if written.is_ok() => with_written(
            answer.left_out.line() + &report.text(),
            &given(&[("--output", &arguments.output)]),
        ),
        TableFormat::Text => answer.left_out.line() + &report.text(),
        format => report.sheet().show(format),
    })?;
    written?;
    Ok(End::Done)
}
