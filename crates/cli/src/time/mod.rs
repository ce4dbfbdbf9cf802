//! `oneport time`: one operation of so many bytes.

mod report;
mod sizes;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use num_traits::Zero;
use oneport::watch::Watch;
use oneport::{Options, Problem, Rated, Rational, Volumes};
use oneport_baselines::{Algorithm, Over, Routes, known, places};
use oneport_once::{Draft, Search, Shortest, least_time};
use rayon::prelude::*;

use crate::End;
use crate::arguments::{LimitArguments, QuestionArguments};
use crate::drawing;
use crate::limits;
use crate::once;
use crate::optimum::rated;
use crate::output::{named as given, print, try_outputs};
use crate::question;
use crate::usage::usage;
use report::Report;

/// `oneport time`.
#[derive(Debug, Args)]
pub struct TimeArguments {
    /// Platform file: TOML, JSON, bandwidth matrix, GML, joined Tiers JSON. Links may have latency and overhead.
    #[arg(long, value_name = "FILE")]
    pub platform: PathBuf,
    /// The question.
    #[command(flatten)]
    pub question: QuestionArguments,
    /// Sizes of the operation, each the one before times FACTOR: 8:4GiB:x2.
    #[arg(long, value_name = "FROM:TO:xFACTOR", conflicts_with_all = ["bytes", "size"])]
    pub sizes: Option<String>,
    /// When to end with the best bound so far.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Draw the bus bandwidth against the size (F.svg), or write the table (F.csv).
    #[arg(short = 'o', long = "output", value_name = "F.svg")]
    pub output: Option<PathBuf>,
}

/// What one way of doing it takes.
#[derive(Debug, Clone)]
pub struct Timed {
    /// Name of the algorithm.
    pub name: String,
    /// How many segments, or pieces of a steady state.
    pub pieces: u32,
    /// Time of the operation.
    pub length: Rational,
}

/// One size.
pub struct Row {
    /// The volumes.
    pub volumes: Volumes,
    /// The shortest first.
    pub timed: Vec<Timed>,
    /// What no schedule undercuts.
    pub least: Rational,
}

/// The name of our own.
pub const OPTIMUM: &str = "oneport";

/// Runs the command.
pub fn run(arguments: &TimeArguments) -> Result<End> {
    let options = Options { watch: limits::watch(&arguments.limits)?, ..Options::default() };
    try_outputs(&[("--platform", &arguments.platform)], &given(&[("--output", &arguments.output)]))?;
    arguments.output.as_ref().map_or(Ok(()), |path| drawing::check("--output", path, &["csv"]))?;
    let platform = question::platform(&arguments.platform, &arguments.question)?;
    let collective = question::collective(&platform, &arguments.question)?;
    let volumes = |bytes: Option<&str>| question::volumes_of(&platform, &collective, &arguments.question, bytes);
    let all: Vec<Volumes> = match &arguments.sizes {
        Some(text) => sizes::read(text)?.iter().map(|bytes| volumes(Some(bytes))).collect::<Result<_>>()?,
        None => vec![volumes(arguments.question.bytes.as_deref())?],
    };
    let Some(first) = all.first() else { bail!(usage("--sizes: no size; write FROM:TO:xFACTOR, such as 8:4GiB:x2")) };
    let problem = question::problem(&platform, &collective, first)?;
    if let Some(demand) = (0..collective.demands()).find(|&demand| collective.rate(demand) != 1) {
        let rate = collective.rate(demand);
        bail!(usage(format!(
            "time counts one operation of every group, or one of every demand: a rate of {rate} is none of it; leave rates out"
        )));
    }
    let routes = Routes::new(&platform, &places(problem), Over::Anything);
    let algorithms = suitable(problem, known(problem, &routes));
    let mut rated: Option<(Volumes, Rated)> = None;
    let mut rows: Vec<Row> = Vec::with_capacity(all.len());
    for volumes in &all {
        let problem = question::problem(&platform, &collective, volumes)?;
        let factor = rated.as_ref().and_then(|(known, _)| proportion(known, volumes));
        if factor.is_none() {
            match self::rated(problem, &options)? {
                Some(found) => rated = Some((volumes.clone(), found)),
                None => return Ok(End::Refused),
            }
        }
        let Some((_, rated)) = &rated else { return Ok(End::Refused) };
        let factor = factor.unwrap_or_else(|| Rational::from_integer(1.into()));
        let before = rows.last().map(|row| row.timed.clone()).unwrap_or_default();
        let least = least_time(problem, &(&rated.upper_bound / factor));
        let timed = time(problem, rated, &algorithms, &routes, &before, &least, &options.watch)?;
        rows.push(Row { volumes: volumes.clone(), timed, least });
    }
    let report = Report { problem, rows: &rows, single: arguments.sizes.is_none() };
    let written = arguments.output.as_ref().map_or(Ok(()), |path| {
        let csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        drawing::write(path, &if csv { report.csv() } else { report.curve() })
    });
    print(&if arguments.json { report.json().to_string() } else { report.text() })?;
    written?;
    Ok(End::Done)
}

/// Those whose order of operands is right.
fn suitable(problem: Problem<'_>, algorithms: Vec<Algorithm>) -> Vec<Algorithm> {
    let commutes = problem.demands().all(|demand| demand.commutative);
    algorithms.into_iter().filter(|algorithm| commutes || algorithm.is_in_order(problem)).collect()
}

/// How many times the known volumes these are, if sizes and work grow alike.
fn proportion(known: &Volumes, volumes: &Volumes) -> Option<Rational> {
    let factor = volumes.size.constant()? / known.size.constant()?;
    let (old, new) = (known.work.constant()?, volumes.work.constant()?);
    (*new == old * &factor || old.is_zero() && new.is_zero()).then_some(factor)
}

/// All algorithms, each with its best number of pieces; the best is executed by the referee.
fn time(
    problem: Problem<'_>,
    rated: &Rated,
    algorithms: &[Algorithm],
    routes: &Routes,
    before: &[Timed],
    least: &Rational,
    watch: &Watch,
) -> Result<Vec<Timed>> {
    let search = once::search(problem, watch);
    let search = |name: &str| {
        let guess = before.iter().find(|timed| timed.name == name).map_or(1, |timed| timed.pieces);
        Search { guess, ..search }
    };
    let timed = |name: &str, Shortest { pieces, length }| Timed { name: name.to_string(), pieces, length };
    let own = once::own(problem, &rated.steady_state, &search(OPTIMUM), least)?;
    // Where one size follows another, an algorithm that cannot be the best is not searched as far.
    let goal = (!before.is_empty()).then_some(&own.length);
    let named = algorithms.par_iter().map(|algorithm| {
        let found = once::named(problem, algorithm, routes, &search(&algorithm.name), goal)?;
        Ok(found.map(|found| timed(&algorithm.name, found)))
    });
    let mut all: Vec<Timed> = named.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    all.insert(0, timed(OPTIMUM, own));
    all.sort_by(|one, other| one.length.cmp(&other.length));
    if let Some(best) = all.first() {
        let draft = match algorithms.iter().find(|algorithm| algorithm.name == best.name) {
            Some(algorithm) => Draft::of_algorithm(problem, algorithm, routes, best.pieces)?,
            None => Draft::of_patterns(problem, &rated.steady_state, best.pieces)?,
        };
        once::executed(problem, draft, &best.length)?;
    }
    Ok(all)
}
