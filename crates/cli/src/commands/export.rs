//! `oneport export`: plans for other programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use num_traits::{Signed, ToPrimitive};
use oneport::formats::AnswerFile;
use oneport::{formats, referee};
use oneport_exports::{FORMATS, File, OneRun, Request, format};

use crate::words::bytes::bytes;
use crate::words::end::End;
use crate::words::output::{Named, count, print, try_outputs};
use crate::words::usage::usage;

/// Write a plan or one reduction for other programs: events, traces, graphs, GPU libraries, simulators, MPI.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The plan file.
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// The format.
    #[arg(long, value_name = "FORMAT", value_parser = names())]
    to: String,
    /// The file to write; formats of several files add to its name.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// Periods in which instances start, for formats that hold a run (default: two more than the plan is deep).
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    periods: Option<u64>,
    /// Pieces that each message is divided into, for formats that hold one operation (default: one per instance of the
    /// period).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pieces: Option<u64>,
    /// Bytes of a message, for formats of operations with sizes: Chakra, and GOAL without dates.
    #[arg(long, value_name = "SIZE", default_value = "1 MiB")]
    bytes: String,
    /// GOAL: one operation of messages in bytes, without dates, for simulators with networks of their own.
    #[arg(long)]
    without_dates: bool,
    /// Events: sends go from processor to processor, routers on their way are left out.
    #[arg(long)]
    between_processors: bool,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about)))
}

/// Runs the command.
pub fn run(arguments: &ExportArguments) -> Result<End> {
    let output = &arguments.output;
    try_outputs(&[("PLAN", &arguments.plan)], &[("OUT", output)])?;
    let name = arguments.plan.display();
    match formats::read_answer(&arguments.plan)? {
        AnswerFile::Plan(plan) => {
            let problem = plan.problem().with_context(|| format!("{name}"))?;
            referee::check_schedule(problem, &plan.schedule).with_context(|| format!("{name}: violation"))?;
            write(arguments, Request::new(problem, &plan.schedule))
        }
        AnswerFile::Reduction(one) => {
            referee::check_one(&one).with_context(|| format!("{name}: violation"))?;
            let run = OneRun::new(&one).with_context(|| format!("{name}"))?;
            write(arguments, run.request()?)
        }
    }
}

fn write(arguments: &ExportArguments, request: Request<'_>) -> Result<End> {
    let (output, name) = (&arguments.output, arguments.plan.display());
    if arguments.without_dates && arguments.to != "goal" {
        return Err(usage("--without-dates is for --to goal; leave it out"));
    }
    let request = Request {
        bytes: Some(whole_bytes(&arguments.bytes)?),
        without_dates: arguments.without_dates,
        periods: arguments.periods.or(request.periods),
        pieces: arguments.pieces,
        between_processors: arguments.between_processors,
        ..request
    };
    let is_csv = output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let format = format(if arguments.to == "events" && is_csv { "events-csv" } else { &arguments.to })?;
    let files = format.write(&request).with_context(|| format!("{name}"))?;
    let paths: Vec<PathBuf> = files.iter().map(|file| path(output, file)).collect();
    let outputs: Vec<Named<'_>> = paths.iter().map(|path| ("OUT", path.as_path())).collect();
    try_outputs(&[("PLAN", &arguments.plan)], &outputs)?;
    for (file, path) in files.iter().zip(&paths) {
        formats::write_atomically(path, &file.bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let lacks = if format.lacks.is_empty() { String::new() } else { format!("; not in it: {}", format.lacks) };
    print(&format!("{}: {}{lacks}", format.name, written(output, &files)))?;
    Ok(End::Done)
}

/// A whole number of bytes, at least one.
fn whole_bytes(text: &str) -> Result<u64> {
    let size = bytes("--bytes", text)?;
    let whole = if size.is_integer() && size.is_positive() { size.to_integer().to_u64() } else { None };
    whole.ok_or_else(|| usage(format!("--bytes: '{text}' is not a whole number of bytes from 1 to 2^64 - 1")))
}

/// Where a file goes.
fn path(output: &Path, file: &File) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(&file.suffix);
    PathBuf::from(name)
}

fn written(output: &Path, files: &[File]) -> String {
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    let first = files.first().map(|file| path(output, file).display().to_string()).unwrap_or_default();
    match files.len() {
        1 => format!("{first}, {}", count(bytes, "byte")),
        several => format!("{first} and so on, {several} files, {}", count(bytes, "byte")),
    }
}
