//! `oneport program`.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use oneport::plan;
use oneport::{Options, Outcome, Period, Problem, files, solve};
use oneport_programs::{Form, Program, Which, build, restricted};

use crate::flags::limits::LimitArguments;
use crate::flags::platform::ReadingArguments;
use crate::flags::question::{Asked, PartArguments, QuestionArguments};
use crate::words::end::End;
use crate::words::output::{count, named, print, try_outputs};
use crate::words::usage::usage;

/// Write one of the papers' linear programs as a CPLEX LP file.
#[derive(Debug, Args)]
pub struct ProgramArguments {
    /// The program.
    #[arg(value_parser = programs())]
    pub program: String,
    /// Platform file.
    #[arg(long, value_name = "FILE")]
    pub platform: PathBuf,
    /// p, p-prime, d: the collective: broadcast (the default), scatter, gather, all-to-all, all-gather.
    #[arg(long, value_name = "COLLECTIVE")]
    pub collective: Option<String>,
    /// Roles and volumes, as for solve.
    #[command(flatten)]
    pub part: PartArguments,
    /// Model and units of the platform.
    #[command(flatten)]
    pub reading: ReadingArguments,
    /// Write the program as the paper prints it, without corrections (docs/errata.md lists them).
    #[arg(long)]
    pub as_printed: bool,
    /// p-prime: limits; a limit ends the command with an error.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Write the program to this file instead of standard output.
    #[arg(short = 'o', long = "output", value_name = "M.lp")]
    pub output: Option<PathBuf>,
}

/// The names of the programs, and what each is.
fn programs() -> PossibleValuesParser {
    let about = |which| match which {
        Which::Sssp => "Scatter (RR-4872, section 3.1)",
        Which::Sspa2a => "All-to-all (RR-4872, section 3.5)",
        Which::Ssr => "Reduce in the participants' order (RR-4872, section 4.2)",
        Which::Broadcast => "Broadcast, bidirectional (RR-2004-32, section 2.2.1)",
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
    let form = arguments.collective.as_deref().and_then(plan::Form::find);
    if let Some(form) = form.filter(|form| form.counted) {
        return Err(usage(format!(
            "{} has no program: programs know no counts; choose broadcast, scatter, gather, all-to-all or all-gather",
            form.name
        )));
    }
    try_outputs(
        &[("--platform", &arguments.platform)],
        &named(&[("--output", &arguments.output)]),
    )?;
    let asked = Asked::read(
        arguments.reading.read(&arguments.platform)?.platform,
        &asked(arguments, which),
    )?;
    let problem = asked.problem()?;
    let form = if arguments.as_printed {
        Form::Printed
    } else {
        Form::Corrected
    };
    let program = match which {
        Which::PPrime => of_a_plan(arguments, &problem, form)?,
        which => build(which, &problem, form)?,
    };
    let text = program.to_lp();
    let Some(path) = &arguments.output else {
        print(&text)?;
        return Ok(End::Done);
    };
    files::write_atomically(path, text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    let (variables, rows) = (program.variables().count(), program.rows().count());
    print(&format!(
        "{}: {}, {}",
        path.display(),
        count(variables, "variable"),
        count(rows, "row")
    ))?;
    Ok(End::Done)
}

/// The question in the form of `solve`.
fn asked(arguments: &ProgramArguments, which: Which) -> QuestionArguments {
    QuestionArguments {
        collective: arguments
            .collective
            .clone()
            .unwrap_or_else(|| which.collective().to_string()),
        part: arguments.part.clone(),
        groups: Vec::new(),
        demands: None,
        counts: None,
        reading: arguments.reading.clone(),
        bytes: None,
        commutative: false,
    }
}

/// (P'): the question is solved, whatever the period.
fn of_a_plan(arguments: &ProgramArguments, problem: &Problem, form: Form) -> Result<Program> {
    let options = Options {
        watch: arguments.limits.watch()?,
        period: Period::Exact,
        ..Options::default()
    };
    match solve(problem, &options)? {
        Outcome::Planned(planned) => Ok(restricted(&planned.plan, form)?),
        Outcome::Unlisted(unlisted) => Err(anyhow!("{unlisted}")),
    }
}
