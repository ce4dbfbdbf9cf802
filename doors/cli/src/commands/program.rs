//! `oneport program`.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use oneport::plan;
use oneport::watch::Watch;
use oneport::{Options, Period, Problem, Solved, files, solve};
use oneport_programs::{Form, ProgramError, Size, Which, write, write_restricted};
use oneport_questions::{Asked, Question};

use crate::flags::limits::LimitArguments;
use crate::flags::platform::{PlatformArguments, ReadingArguments};
use crate::flags::question::PartArguments;
use crate::words::exit::End;
use crate::words::output::{Content, count, named, print, replaced, try_outputs};
use crate::words::settings::note;
use crate::words::usage::usage;

/// Write one of the papers' linear programs as a CPLEX LP file.
#[derive(Debug, Args)]
pub struct ProgramArguments {
    /// The program.
    #[arg(value_parser = programs(), index = 1)]
    pub program: String,
    /// The platform.
    #[command(flatten)]
    pub platform: PlatformArguments,
    /// p, p-prime, d: the collective: broadcast (the default), scatter, gather, all-to-all, all-gather.
    #[arg(long, value_name = "COLLECTIVE")]
    pub collective: Option<String>,
    /// Roles and volumes, as for solve.
    #[command(flatten)]
    pub part: PartArguments,
    /// Model and units of the platform.
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Write the program as the paper prints it (docs/errata.md lists the corrections left out). Rates are at least 0,
    /// and in SSR the owners and the last value are right (E000-11, E000-12): a comment in the file says so.
    #[arg(long)]
    pub as_printed: bool,
    /// Limits. Rows are written one by one; a limit ends the command with an error, and no file appears.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Write the program to this file instead of standard output.
    #[arg(short = 'o', long = "output", value_name = "M.lp")]
    pub output: Option<PathBuf>,
}

/// The names of the programs, each with its meaning.
fn programs() -> PossibleValuesParser {
    let about = |which| match which {
        Which::Sssp => "Scatter (RR-4872, section 3.1)",
        Which::Sspa2a => "All-to-all (RR-4872, section 3.5)",
        Which::Ssr => "Reduce in the participants' order (RR-4872, section 4.2)",
        Which::Broadcast => {
            "Broadcast by port times (RR-2004-32, section 2.2.1; half-duplex: 2.2.2, an upper bound)"
        }
        Which::P => {
            "All patterns and matchings (RR-2004-32, sections 3.2 and 4); at most 20,000 of each"
        }
        Which::PPrime => "The patterns and matchings of an optimal plan (RR-2004-32, section 3.4)",
        Which::D => "The dual of p, prices of time and of links (RR-2004-32, section 3.3)",
    };
    PossibleValuesParser::new(
        Which::ALL.map(|which| PossibleValue::new(which.name()).help(about(which))),
    )
}

/// Runs the command.
pub fn run(arguments: &ProgramArguments) -> Result<End> {
    let watch = arguments.limits.watch()?;
    let which = Which::ALL
        .into_iter()
        .find(|which| which.name() == arguments.program);
    let which =
        which.ok_or_else(|| usage(format!("there is no program '{}'", arguments.program)))?;
    if arguments.collective.is_some() && !which.is_general() {
        let (name, collective) = (which.name(), which.collective());
        return Err(usage(format!(
            "{name} is the program of {collective}; leave --collective out"
        )));
    }
    let form = arguments.collective.as_deref().and_then(plan::Form::called);
    if let Some(form) = form.filter(|form| form.counted) {
        return Err(usage(format!(
            "{} has no program: programs know no counts; choose broadcast, scatter, gather, all-to-all or all-gather",
            form.name
        )));
    }
    let path = arguments.platform.path()?;
    try_outputs(
        Content::Other,
        &[("--platform", path)],
        &named(&[("--output", &arguments.output)]),
    )?;
    let asked = Asked::read(
        arguments.reading.read(path)?.platform,
        &asked(arguments, which),
    )?;
    let problem = asked.problem()?;
    let left_out = asked.left_out.sentence();
    if !left_out.is_empty() {
        note(&format!("left out: {left_out}"));
    }
    let form = if arguments.as_printed {
        Form::Printed
    } else {
        Form::Corrected
    };
    let solved = match which {
        Which::PPrime => Some(solved(&problem, &watch)?),
        _ => None,
    };
    let plan = solved.as_ref().map(Solved::plan).transpose()?;
    let written = |out: &mut dyn Write| match &plan {
        Some(plan) => write_restricted(plan, form, out, &watch),
        None => write(which, &problem, form, out, &watch),
    };
    let Some(path) = &arguments.output else {
        return match written(&mut BufWriter::new(io::stdout().lock())) {
            Err(ProgramError::Output {
                kind: ErrorKind::BrokenPipe,
                ..
            }) => Ok(End::Done),
            written => Ok(written.map(|_| End::Done)?),
        };
    };
    let Size { variables, rows } = to_file(path, written)?;
    print(&format!(
        "{}: {}, {}{}",
        path.display(),
        count(variables, "variable"),
        count(rows, "row"),
        replaced(path),
    ))?;
    Ok(End::Done)
}

/// A file that appears whole or not at all.
fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::result::Result<Size, ProgramError>,
) -> Result<Size> {
    let mut outcome = None;
    let written = files::write_atomically_with(path, |file| {
        match outcome.insert(write(&mut BufWriter::new(file))) {
            Ok(_) => Ok(()),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    });
    match (outcome, written) {
        (Some(Err(error @ ProgramError::Output { .. })), _) => {
            Err(error).with_context(|| format!("cannot write {}", path.display()))
        }
        (Some(Err(error)), _) => Err(error.into()),
        (Some(Ok(size)), Ok(())) => Ok(size),
        (_, written) => {
            written.with_context(|| format!("cannot write {}", path.display()))?;
            Ok(Size::default())
        }
    }
}

/// The question in the form of `solve`.
fn asked(arguments: &ProgramArguments, which: Which) -> Question {
    Question {
        collective: arguments
            .collective
            .clone()
            .unwrap_or_else(|| which.collective().to_string()),
        // The papers combine operands in their order.
        commutative: (which == Which::Ssr).then_some(false),
        idle: arguments.reading.idle(),
        ..arguments.part.question()
    }
}

/// (P'): the question is solved for every period.
fn solved(problem: &Problem, watch: &Watch) -> Result<Solved> {
    let options = Options {
        watch: watch.clone(),
        period: Period::Exact,
        ..Options::default()
    };
    Ok(solve(problem, &options)?)
}
