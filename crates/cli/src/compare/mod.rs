//! `oneport compare`: what people run today against the optimum.

mod report;
mod with;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use oneport::plan::{Certificate, SteadyState};
use oneport::watch::Watch;
use oneport::{Bounded, Bounding, Options, Problem, Rated, Rational, Status};
use oneport_baselines::{Compared, Comparison};
use oneport_once::{Named, Shortest, least_time, least_time_by_prices};
use rayon::prelude::*;

use crate::End;
use crate::arguments::{LimitArguments, QuestionArguments};
use crate::drawing;
use crate::limits;
use crate::measured;
use crate::once;
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

/// What algorithms are compared with.
pub struct Best {
    /// The best steady state; `None` where the bound alone is sought.
    pub steady_state: Option<SteadyState>,
    /// The proof of the bound.
    pub certificate: Certificate,
    /// What no schedule exceeds.
    pub upper_bound: Rational,
    /// Whether the two meet.
    pub status: Status,
}

/// On more processors, and for more demands, the bound alone is sought unless a time limit says how long to seek more.
const PROCESSORS: usize = 512;
const DEMANDS: usize = 100_000;

impl Best {
    /// `None`, and why on standard error, where messages cannot arrive.
    fn of(problem: Problem<'_>, options: &Options, limited: bool) -> Result<Option<Best>> {
        let large = problem.platform().processors().count() > PROCESSORS || problem.collective().demands() > DEMANDS;
        if large
            && !limited
            && let Bounding::Bounded(found) = oneport::bound(problem, options)?
        {
            let Bounded { bound, certificate, .. } = *found;
            return Ok(Some(Best { steady_state: None, certificate, upper_bound: bound, status: Status::Feasible }));
        }
        Ok(rated(problem, options)?.map(|Rated { steady_state, certificate, upper_bound, status, .. }| Best {
            steady_state: Some(steady_state),
            certificate,
            upper_bound,
            status,
        }))
    }
}

/// What one operation takes.
pub struct Times {
    /// What no schedule undercuts.
    pub least: Rational,
    /// Our own way, where a steady state is known.
    pub own: Option<Shortest>,
    /// By row of the comparison; `None` where there are too many messages to date.
    pub rows: Vec<Option<Shortest>>,
}

impl Times {
    fn of(problem: Problem<'_>, best: &Best, comparison: &Comparison, watch: &Watch) -> Result<Times> {
        let by_prices = least_time_by_prices(problem, &best.certificate, &best.upper_bound);
        let least = least_time(problem, &best.upper_bound).max(by_prices);
        let search = once::search(problem, watch);
        let own = best.steady_state.as_ref().map(|state| once::own(problem, state, &search, &least)).transpose()?;
        let named = |row: &Compared| {
            let mut way = Named::new(problem, &row.algorithm, &row.routes);
            Ok(once::named(problem, &mut way, &search, None)?.map(|found| found.shortest))
        };
        Ok(Times { own, rows: comparison.rows.par_iter().map(named).collect::<Result<_>>()?, least })
    }
}

/// Runs the command.
pub fn run(arguments: &CompareArguments) -> Result<End> {
    let options = Options { watch: limits::watch(&arguments.limits)?, ..Options::default() };
    let mut inputs = vec![("--platform", arguments.platform.as_path())];
    inputs.extend(arguments.with.iter().map(|path| ("--with", path.as_path())));
    try_outputs(&inputs, &named(&[("--output", &arguments.output)]))?;
    arguments.output.as_ref().map_or(Ok(()), |path| drawing::check("--output", path, &[]))?;
    let platform = question::platform(&arguments.platform, &arguments.question)?;
    let collective = question::collective(&platform, &arguments.question)?;
    let volumes = question::volumes(&platform, &collective, &arguments.question)?;
    let problem = question::problem(&platform, &collective, &volumes)?;
    let measured = arguments.measured.as_deref().map(|text| measured::read(problem, text)).transpose()?;
    let listed = arguments.with.iter().map(|path| with::read(problem, path)).collect::<Result<Vec<_>>>()?;
    let Some(best) = Best::of(problem, &options, arguments.limits.time_limit.is_some())? else {
        return Ok(End::Refused);
    };
    let mut comparison = Comparison::of(problem)?;
    for (algorithm, routes) in listed {
        comparison.add(problem, algorithm, Arc::new(routes))?;
    }
    let times =
        arguments.question.is_sized().then(|| Times::of(problem, &best, &comparison, &options.watch)).transpose()?;
    let report = report::Report { problem, best: &best, comparison: &comparison, measured, times };
    let written = arguments.output.as_ref().map_or(Ok(()), |path| drawing::write(path, &report.chart()));
    print(&if arguments.json { report.json().to_string() } else { report.text() })?;
    written?;
    if let Some(wrong) = report.impossible() {
        eprintln!("error: {wrong}");
        return Ok(End::Refused);
    }
    Ok(End::Done)
}
