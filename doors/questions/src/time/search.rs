//! Times one operation, size by size.

use std::collections::BTreeSet;

use num_traits::One;
use oneport::watch::Watch;
use oneport::{Answer, Goal, Options, Problem, Rational, Volumes, explain, solve};
use oneport_baselines::{Algorithm, Forwarders, Routes, Ties, in_two_levels, known, ranks};
use oneport_timing::{
    BestPieces, NamedSearch, TimedPieces, lower_bound, lower_bound_from_certificate, proportion,
};
use rayon::prelude::*;

use crate::error::{Result, defect, unfit};
use crate::layers::{self, Layered};
use crate::limiting::limiting_names;
use crate::once::{self, Own};

/// The name of our own schedules.
pub const OPTIMUM: &str = "oneport";

/// Percent of the time left for the searches. The rest is for the check of the best run. Trades shorter runs for an
/// answer in time. Not measured.
const SEARCH: u32 = 75;
/// Percent of the time left for the throughput. The rest is for runs. Trades throughput for runs in time. Not measured.
const THROUGHPUT: u32 = 60;
/// Percent of the time left after it for the bound. Trades a tighter bound for runs in time. Not measured.
const BOUND: u32 = 50;

/// The best time of one algorithm.
#[derive(Debug, Clone)]
pub struct Timed {
    /// Name of the algorithm.
    pub name: String,
    /// The number of segments, or of pieces of a steady state.
    pub pieces: u32,
    /// Time of the operation.
    pub length: Rational,
}

impl Timed {
    fn new(name: &str, BestPieces { pieces, length, .. }: &BestPieces) -> Self {
        Timed {
            name: name.to_string(),
            pieces: *pieces,
            length: length.clone(),
        }
    }
}

/// One size.
#[derive(Debug, Clone)]
pub struct Row {
    /// The volumes.
    pub volumes: Volumes,
    /// The times, the shortest first. Empty if a limit came before the first run was dated.
    pub timed: Vec<Timed>,
    /// Proved lower bound on the time.
    pub least: Rational,
}

/// A size that is to be timed.
struct Size<'a> {
    /// The volumes of the question.
    asked: &'a Volumes,
    /// The question in its [largest messages](Problem::with_largest_messages).
    problem: &'a Problem,
    /// Index of the answer with the steady state.
    answer: usize,
    least: Rational,
}

/// The optimum with its patterns.
fn listed_optimum(problem: &Problem, options: Options) -> Result<Answer> {
    let solved = solve(problem, &options.goal(Goal::Rate))?;
    solved.patterns()?;
    Ok(solved.answer)
}

/// Times all sizes of one question. Returns a row per size, and the names of the resources that limit the optimum of
/// the last one.
pub(crate) fn of(
    asked: &[Problem],
    listed: &[(Algorithm, Routes)],
    options: &Options,
) -> Result<(Vec<Row>, String)> {
    let all: Vec<Problem> = asked.iter().map(Problem::with_largest_messages).collect();
    let mut answers: Vec<(&Volumes, Answer)> = Vec::new();
    let mut sizes = Vec::with_capacity(all.len());
    for (asked, problem) in asked.iter().zip(&all) {
        let volumes = problem.volumes();
        let factor = answers
            .last()
            .and_then(|(known, _)| proportion(known, volumes));
        if factor.is_none() {
            let options = options.clone().watched(options.watch.turn(THROUGHPUT));
            answers.push((volumes, listed_optimum(problem, options)?));
        }
        let Some((_, answer)) = answers.last() else {
            return Ok((Vec::new(), String::new()));
        };
        let throughput = answer.bound() / factor.unwrap_or_else(Rational::one);
        let by_prices = lower_bound_from_certificate(problem, answer.certificate(), &throughput);
        let watch = options.watch.turn(BOUND);
        let least = lower_bound(problem, &throughput, &watch).max(by_prices);
        sizes.push(Size {
            asked: asked.volumes(),
            problem,
            answer: answers.len() - 1,
            least,
        });
    }
    let Some(first) = sizes.first() else {
        return Ok((Vec::new(), String::new()));
    };
    for (algorithm, _) in listed {
        if !commutes(first.problem) && !algorithm.is_in_order(first.problem) {
            return Err(unfit(format!(
                "'{}' combines operands in another order; leave --in-order out",
                algorithm.name
            )));
        }
    }
    let answers: Vec<Answer> = answers.into_iter().map(|(_, answer)| answer).collect();
    let platform = first.problem.platform();
    // The check of the best run comes after the search.
    let watch = options.watch.turn(SEARCH);
    let (all, forwarders) = (ranks(first.problem), Forwarders::Anything);
    let routes = Routes::new(platform, &all, forwarders, Ties::Turns, &watch).ok();
    // A message may take the cheaper or the quicker path. The better run counts.
    let size = first.problem.volumes().size.constant();
    let quick =
        size.and_then(|size| Routes::quickest(platform, &all, forwarders, size, &watch).ok());
    let quick = quick.filter(|quick| routes.as_ref() != Some(quick));
    let of = |routes: &Routes| {
        let mut all = known(first.problem, routes, &watch);
        all.extend(in_two_levels(first.problem, &watch));
        suitable(first.problem, all)
    };
    let ways: Vec<(&Routes, Vec<Algorithm>)> = routes
        .iter()
        .chain(&quick)
        .map(|routes| (routes, of(routes)))
        .collect();
    let named = ways.iter().flat_map(|(routes, algorithms)| {
        let search = |algorithm| NamedSearch::new(first.problem, algorithm, routes);
        algorithms.iter().map(search)
    });
    let own = listed
        .iter()
        .map(|(algorithm, routes)| NamedSearch::new(first.problem, algorithm, routes));
    let rows = timed(&sizes, &answers, named.chain(own).collect(), &watch)?;
    let last = answers.last();
    let limits = last.map(|answer| limiting_names(platform, &explain::limits(answer)));
    Ok((rows, limits.unwrap_or_default()))
}

/// Keeps the algorithms that respect the order of operands, if an operator does not commute.
fn suitable(problem: &Problem, algorithms: Vec<Algorithm>) -> Vec<Algorithm> {
    algorithms
        .into_iter()
        .filter(|algorithm| commutes(problem) || algorithm.is_in_order(problem))
        .collect()
}

fn commutes(problem: &Problem) -> bool {
    problem.demands().all(|demand| demand.commutative)
}

/// Times all sizes. Named algorithms of one size are searched in parallel with our own run of the next size.
fn timed<'a>(
    sizes: &[Size<'a>],
    answers: &'a [Answer],
    mut named: Vec<NamedSearch<'_>>,
    watch: &Watch,
) -> Result<Vec<Row>> {
    // Every size would have to follow so long a run, and the referee after it.
    let tasks = if sizes.len() == 1 { once::FOLLOWED } else { 0 };
    let way = |size: &Size<'a>| match answers[size.answer].patterns() {
        Some(state) => Ok(Own::new(size.problem, state, watch).following(tasks)),
        None => Err(defect("no patterns are listed")),
    };
    let mut rows: Vec<Row> = Vec::with_capacity(sizes.len());
    let Some(first) = sizes.first() else {
        return Ok(rows);
    };
    let mut own = (first.answer, way(first)?);
    let mut find = |size: &Size<'a>| {
        if own.0 != size.answer {
            own = (size.answer, way(size)?);
        }
        own.1.shortest(
            size.problem,
            &once::search(size.problem, watch),
            &size.least,
        )
    };
    let mut found = find(first)?;
    let (layered, mut along) = (layers::limited(watch, sizes.len()), None);
    for (index, size) in sizes.iter().enumerate() {
        let (timed, next) = rayon::join(
            || {
                let known = Known {
                    before: rows.last(),
                    along: along.as_ref(),
                    layered: &layered,
                };
                time(size, found, &mut named, &known, watch)
            },
            || sizes.get(index + 1).map(&mut find).transpose(),
        );
        let AtSize {
            timed,
            best,
            least,
            along: run,
        } = timed?;
        along = run.or(along);
        rows.push(Row {
            volumes: size.asked.clone(),
            timed,
            least,
        });
        if let Some(best) = best {
            no_longer(&sizes[..index], &mut rows, best, watch)?;
        }
        match next? {
            Some(next) => found = next,
            None => break,
        }
    }
    Ok(rows)
}

/// If the best run of the last size takes less time than the best of a smaller size, it replaces that one. Pieces must
/// not be less than a byte.
fn no_longer(
    before: &[Size<'_>],
    rows: &mut [Row],
    (name, mut best): (String, TimedPieces),
    watch: &Watch,
) -> Result<()> {
    for (size, row) in before.iter().zip(rows).rev() {
        let pieces = once::search(size.problem, watch).pieces;
        let is_longer = row
            .timed
            .first()
            .is_some_and(|timed| timed.length > best.shortest.length);
        if !is_longer || best.shortest.pieces > pieces {
            break;
        }
        let Ok(found) = best.at(size.problem, watch) else {
            break;
        };
        if row
            .timed
            .first()
            .is_some_and(|timed| timed.length <= found.shortest.length)
        {
            break;
        }
        once::executed(size.problem, &found)?;
        row.timed.retain(|timed| timed.name != name);
        row.timed.insert(0, Timed::new(&name, &found.shortest));
        best = found;
    }
    Ok(())
}

/// The name of the best algorithm, and its run.
type Best = (String, TimedPieces);

/// Results for one size.
struct AtSize {
    timed: Vec<Timed>,
    best: Option<Best>,
    least: Rational,
    /// The run along a steady state in layers.
    along: Option<TimedPieces>,
}

/// The results that precede a size.
struct Known<'a> {
    /// The row of the size before.
    before: Option<&'a Row>,
    /// The last run along a steady state in layers.
    along: Option<&'a TimedPieces>,
    /// The limits of the searches in layers.
    layered: &'a Layered,
}

/// Our own run and all algorithms, each with its best number of pieces, and the best of them. The referee executes the
/// best. Algorithms that a limit leaves without dates are missing.
fn time(
    size: &Size<'_>,
    own: Option<TimedPieces>,
    named: &mut [NamedSearch<'_>],
    known: &Known<'_>,
    watch: &Watch,
) -> Result<AtSize> {
    let before = known.before;
    let problem = size.problem;
    let search = once::search(problem, watch);
    // From the second size on, the search of an algorithm that cannot be the best is shorter.
    let goal = own.as_ref().map(|own| &own.shortest.length);
    let goal = goal.filter(|_| before.is_some());
    let found = |way: &mut NamedSearch<'_>| {
        Ok((
            way.name().to_string(),
            once::named(problem, way, &search, goal)?,
        ))
    };
    let found: Vec<(String, Option<TimedPieces>)> =
        named.par_iter_mut().map(found).collect::<Result<_>>()?;
    let found = found
        .into_iter()
        .filter_map(|(name, found)| Some((name, found?)));
    let own = own.map(|own| (OPTIMUM.to_string(), own));
    let mut all: Vec<(String, TimedPieces)> = own.into_iter().chain(found).collect();
    let by_length = |all: &mut Vec<(String, TimedPieces)>| {
        all.sort_by(|(_, one), (_, other)| one.shortest.length.cmp(&other.shortest.length));
    };
    // The bound of a smaller operation holds for a larger one, too.
    let mut least = before.map_or_else(
        || size.least.clone(),
        |row| row.least.clone().max(size.least.clone()),
    );
    let longer = known.along.and_then(|run| run.at(problem, watch).ok());
    all.extend(longer.map(|run| (OPTIMUM.to_string(), run)));
    by_length(&mut all);
    let mut along = None;
    if let Some((_, best)) = all.first() {
        let raised = layers::raised(problem, &least, &best.shortest.length, known.layered);
        least = raised.least;
        along = raised.run.clone();
        all.extend(raised.run.map(|run| (OPTIMUM.to_string(), run)));
        by_length(&mut all);
        let mut seen = BTreeSet::new();
        all.retain(|(name, _)| seen.insert(name.clone()));
    }
    let timed = all
        .iter()
        .map(|(name, found)| Timed::new(name, &found.shortest))
        .collect();
    let best = (!all.is_empty()).then(|| all.swap_remove(0));
    if let Some((_, best)) = &best {
        once::executed(problem, best)?;
        let length = &best.shortest.length;
        if *length < least {
            return Err(defect(format!(
                "a run takes {length}, and no schedule less than {least}; please report it with the platform file"
            )));
        }
    }
    Ok(AtSize {
        timed,
        best,
        least,
        along,
    })
}
