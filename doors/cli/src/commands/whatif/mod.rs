//! `oneport whatif`: the optimum of a platform that is changed, or what each class of its parts is worth.

mod change;
mod classes;
mod enough;
mod report;
mod row;
mod sets;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use oneport::platform::Change;
use oneport::{Error, Options, Platform, Problem, Rated, Rating, Rational, rate};

use crate::answers::answer::label;
use crate::answers::infeasible::{infeasible, unreachable};
use crate::flags::limits::LimitArguments;
use crate::flags::question::{self, QuestionArguments};
use crate::words::end::End;
use crate::words::output::print;
use crate::words::progress::Progress;
use classes::Trial;
use report::Report;
use row::{Outcome, Row, limiting};

/// Solve again with faster, slower or missing links, ports and processors: what is worth buying.
#[derive(Debug, Args)]
#[command(after_long_help = GRAMMAR)]
pub struct WhatIfArguments {
    /// Platform file: TOML, JSON, bandwidth matrix, GML, joined Tiers JSON.
    #[arg(long, value_name = "FILE")]
    platform: PathBuf,
    /// The question.
    #[command(flatten)]
    question: QuestionArguments,
    /// A change of the platform, such as 'tor3 -> core: bandwidth x2'; several together are one scenario (--help has
    /// the grammar). Without any: a table of what every class of links, ports and processors is worth.
    #[arg(long = "change", value_name = "CHANGE", allow_hyphen_values = true)]
    changes: Vec<String>,
    /// When to end; the table is told as far as it got.
    #[command(flatten)]
    limits: LimitArguments,
    /// Print fractions in full beside the decimals.
    #[arg(long)]
    exact: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

const GRAMMAR: &str = "\
Changes: TARGET: OPERATION
  'A -> B: bandwidth x2'      the link from A to B; also 'bandwidth /2', 'bandwidth = 25', '= 25 GB/s', 'cost x3/2'
  'A <-> B: remove'           both directions, as many as there are
  'rack*.switch <-> spine*: bandwidth x2'   * stands for any letters or none: every link between such nodes
  'A: compute x1/2'           time of a unit of work; 'compute = 1' also makes a processor of a router
  'A: ports = 2'              under multiport
  'A: model = links'          the node's own port model
  'A: bandwidth x2'           every link that enters or leaves A
  'A: remove'                 the node and its links are gone; 'all' processors are then the others
Changes apply one after another, and --source, --participants, ... are read on the platform that results.

The table: a class holds cables (a link and its way back), nodes' ports, or processors of equal kind, port model and
cost whose names differ in digits only (shown as *). Each is tried alone, the throughput is found anew and proved.
  doubled   cables: both directions carry twice as much; ports: every link that enters or leaves these nodes carries
            twice as much; processors: a merge takes half the time
  enough    a factor that gains as much as doubling, the least one unless it says 'or less'
  halved    the opposite
  removed   cables are gone; processors only forward. Not possible for ports, nor for participants of a reduction
Where no class alone gains by doubling, pairs and triples of the six classes that cost most when halved are doubled
together; triples are told where they gain more than each of their pairs.
Ports are left out where they have the same links as a class of cables, processors where merges take no time.
+5 % to +10 %: between these; no schedule for more is known, and no proof that there is none.";

/// Runs the command.
pub fn run(arguments: &WhatIfArguments) -> Result<End> {
    let started = Instant::now();
    let options = Options { watch: arguments.limits.watch()?, ..Options::default() };
    let platform = arguments.question.platform(&arguments.platform)?;
    let changes = change::changes(&platform, &arguments.changes)?;
    let collective = question::collective(&platform, &arguments.question)?;
    let volumes = question::volumes(&platform, &collective, &arguments.question)?;
    let problem = question::problem(&platform, &collective, &volumes)?;
    let progress = Progress::new();
    let base = match rating(problem, &options, None, &progress)? {
        Rating::Rated(rated) => *rated,
        Rating::Unlisted(unlisted) => bail!("{unlisted}"),
        Rating::Unreachable(commodities) => {
            let names = unreachable(&platform, &commodities);
            eprintln!("error: {}", infeasible(label(&collective), &names));
            return Ok(End::Refused);
        }
    };
    let (rows, (sets, tried)) = if changes.is_empty() {
        let rows = table(problem, &base, &options, &progress)?;
        let sets = together(problem, &base, &rows, &options, &progress)?;
        (rows, sets)
    } else {
        (vec![scenario(&platform, &changes, arguments, &options, &progress)?], Default::default())
    };
    drop(progress);
    let disconnected = match &rows[..] {
        [Row { class: None, outcome: Outcome::Infeasible(names), .. }] => Some(infeasible(label(&collective), names)),
        _ => None,
    };
    let (exact, seconds) = (arguments.exact, started.elapsed());
    let report = Report { problem, base, rows, sets, tried, exact, seconds, ended_by: options.watch.ended_by() };
    print(&if arguments.json { report.json().to_string() } else { report.text() })?;
    let Some(disconnected) = disconnected else { return Ok(End::Done) };
    eprintln!("error: no throughput after --change: {disconnected}");
    Ok(End::Refused)
}

/// The changes that were given. Names of the question are read on the platform that results.
fn scenario(
    platform: &Platform,
    changes: &[Change],
    arguments: &WhatIfArguments,
    options: &Options,
    progress: &Progress,
) -> Result<Row> {
    let platform = platform.changed(changes)?.platform;
    let collective = question::collective(&platform, &arguments.question)?;
    let volumes = question::volumes(&platform, &collective, &arguments.question)?;
    let problem = question::problem(&platform, &collective, &volumes)?;
    progress.about("changed: ".to_string());
    let outcome = rated(problem, options, None, progress)?;
    let bottleneck = match &outcome {
        Outcome::Rated(rated) => Some(limiting(problem, rated)),
        _ => None,
    };
    Ok(Row { name: arguments.changes.join("; "), class: None, outcome, bottleneck, enough: None })
}

/// A row for every class and applicable trial.
fn table(problem: Problem<'_>, base: &Rated, options: &Options, progress: &Progress) -> Result<Vec<Row>> {
    let mut trials = Vec::new();
    for class in classes::of(problem) {
        trials.extend(Trial::ALL.into_iter().filter_map(|trial| Some((class.changes(trial)?, (class.clone(), trial)))));
    }
    let total = trials.len();
    let mut rows = Vec::with_capacity(total);
    for (place, (changes, (class, trial))) in trials.into_iter().enumerate() {
        progress.about(format!("{} of {total}, {} {}: ", place + 1, class.name, trial.name()));
        // Each remaining trial gets an equal part of the time left.
        let percent = u32::try_from(100 / (total - place)).unwrap_or(1).max(1);
        let options = Options { watch: options.watch.stage(percent), ..options.clone() };
        let changed = problem.platform().changed(&changes)?.platform;
        let outcome = tried(problem, base, &changed, &options, progress)?;
        let enough = match (trial, &outcome) {
            (Trial::Doubled, Outcome::Rated(rated)) => {
                let new = Problem::new(&changed, problem.collective(), problem.volumes())?;
                enough::of(problem, base, &class, (new, rated), &options)?
            }
            _ => None,
        };
        rows.push(Row { name: class.name.clone(), class: Some((class, trial)), outcome, bottleneck: None, enough });
    }
    Ok(rows)
}

/// If no class alone gains anything: a row for every pair of classes that limit together, and for every triple that
/// gains more than its pairs. Also the numbers of pairs and triples tried.
fn together(
    problem: Problem<'_>,
    base: &Rated,
    rows: &[Row],
    options: &Options,
    progress: &Progress,
) -> Result<(Vec<Row>, [usize; 2])> {
    let sets = sets::of(base, rows);
    let (total, mut tried) = (sets.len(), [0; 2]);
    let mut rows = Vec::with_capacity(total);
    let mut gains: Vec<(BTreeSet<usize>, Rational)> = Vec::new();
    for (place, set) in sets.into_iter().enumerate() {
        progress.about(format!("{} of {total} sets, {}: ", place + 1, set.name));
        let percent = u32::try_from(100 / (total - place)).unwrap_or(1).max(1);
        let options = Options { watch: options.watch.stage(percent), ..options.clone() };
        let changed = problem.platform().changed(&set.changes)?.platform;
        let outcome = self::tried(problem, base, &changed, &options, progress)?;
        let is_pair = set.members.len() == 2;
        tried[usize::from(!is_pair)] += 1;
        let least = match &outcome {
            Outcome::Rated(rated) => rated.steady_state.throughput.clone(),
            _ => Rational::default(),
        };
        let within = gains.iter().filter(|(members, _)| members.is_subset(&set.members));
        let is_more = within.map(|(_, gain)| gain).all(|gain| *gain < least);
        if is_pair || is_more {
            gains.push((set.members, least));
            rows.push(Row { name: set.name, class: None, outcome, bottleneck: None, enough: None });
        }
    }
    Ok((rows, tried))
}

/// The question on a platform that differs from the base.
fn tried(
    problem: Problem<'_>,
    base: &Rated,
    changed: &Platform,
    options: &Options,
    progress: &Progress,
) -> Result<Outcome> {
    match (options.watch.ask(), Problem::new(changed, problem.collective(), problem.volumes())) {
        (Err(limit), _) => Ok(Outcome::Stopped(limit)),
        (Ok(()), Err(error)) => Ok(Outcome::Impossible(error.to_string())),
        (Ok(()), Ok(new)) => rated(new, options, Some((problem, base)), progress),
    }
}

fn rated(
    problem: Problem<'_>,
    options: &Options,
    known: Option<(Problem<'_>, &Rated)>,
    progress: &Progress,
) -> Result<Outcome> {
    match rating(problem, options, known, progress) {
        Ok(Rating::Rated(rated)) => Ok(Outcome::Rated(rated)),
        Ok(Rating::Unlisted(unlisted)) => match unlisted.limit {
            Some(limit) => Ok(Outcome::Stopped(limit)),
            None => bail!("{unlisted}"),
        },
        Ok(Rating::Unreachable(commodities)) => Ok(Outcome::Infeasible(unreachable(problem.platform(), &commodities))),
        Err(Error::Stopped(limit)) => Ok(Outcome::Stopped(limit)),
        Err(error) => Err(error.into()),
    }
}

/// The optimum, its search shown.
fn rating(
    problem: Problem<'_>,
    options: &Options,
    known: Option<(Problem<'_>, &Rated)>,
    progress: &Progress,
) -> Result<Rating, Error> {
    rate(problem, &Options { watch: progress.of(&options.watch), ..options.clone() }, known)
}
