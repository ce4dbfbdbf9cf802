//! The reference of a comparison: the optimum, the best rings, and times of one operation.

use std::time::Duration;

use oneport::plan::{EqualRings, Form};
use oneport::watch::Watch;
use oneport::{
    Answer, Error, Goal, LpError, Options, PackingError, Problem, Rational, RingError, Shape,
    Shaped, Status, best_shape, explain, solve,
};
use oneport_baselines::{Compared, Comparison, on_rings, ranks};
use oneport_timing::{BestPieces, NamedSearch, lower_bound, lower_bound_from_certificate};
use rayon::prelude::*;

use crate::error::{Result, chain, defect};
use crate::layers;
use crate::limiting::limiting_names;
use crate::limits::within;
use crate::once;

/// Processors up to which a schedule is sought, unless a time limit is given. Trades a schedule for time: above, only
/// the bound is computed. Measured: 1024 GPUs, all-to-all 0.7 s, reduce 0.9 s of CPU.
const PROCESSORS: usize = 512;
/// Demands up to which a schedule is sought, unless a time limit is given. Trades a schedule for time. Not measured.
const DEMANDS: usize = 100_000;

/// The reference that algorithms are compared with: the optimum, or its bound on large platforms without a time limit.
pub(crate) fn of(problem: &Problem, options: &Options, limited: bool) -> Result<Answer> {
    let large = problem.platform().processors().count() > PROCESSORS
        || problem.collective().demands() > DEMANDS;
    let goal = if large && !limited {
        Goal::Bound
    } else {
        Goal::Rate
    };
    Ok(solve(problem, &options.clone().goal(goal))?.answer)
}

/// Time limit of the search for rings. Trades a larger share for time. Not measured.
const RINGS: Duration = Duration::from_secs(10);
const MOST_RINGS: u32 = 32;

/// The best equal rings through all participants. `None` if the collective does not run on rings, or if none is
/// found.
pub(crate) fn rings(problem: &Problem, options: &Options) -> Result<Option<EqualRings>> {
    if !on_rings(problem) {
        return Ok(None);
    }
    match oneport::rings(
        problem.platform(),
        &ranks(problem),
        MOST_RINGS,
        &within(&options.watch, RINGS),
    ) {
        Ok(rings) => Ok(Some(rings.equal)),
        Err(PackingError::Rings(RingError::Program(LpError::Stopped(_)))) => Ok(None),
        Err(error @ (PackingError::Rings(RingError::Program(_)) | PackingError::Referee(_))) => {
            Err(defect(chain(&error)))
        }
        // Too many processors, half-duplex ports, no ring at all.
        Err(_) => Ok(None),
    }
}

/// Time limit of each search: for the best single tree, and for the best acyclic graph. Trades a proof for time. Not
/// measured.
const SHAPES: Duration = Duration::from_secs(2);

/// The best of a shape that a search found.
#[derive(Debug, Clone)]
pub struct ShapeFound {
    /// The shape's name.
    pub name: &'static str,
    /// Its links, its throughput, and the bound of the search.
    pub shaped: Shaped,
    /// Resources that limit these links. `None` if the time limit came first.
    pub limited_by: Option<String>,
}

/// The best single tree and acyclic graph of a broadcast, which sustain no more than all links together. A shape
/// that is not found in time is left out.
pub(crate) fn shapes(best: &Answer, options: &Options) -> Result<Vec<ShapeFound>> {
    let problem = best.problem();
    let copies = problem
        .platform()
        .nodes()
        .iter()
        .all(|node| node.replicates);
    if !problem.collective().is(Form::BROADCAST) || !copies || best.patterns().is_none() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (name, shape) in [
        ("best single tree", Shape::Tree),
        ("best DAG", Shape::Acyclic),
    ] {
        let options = Options {
            watch: within(&options.watch, SHAPES),
            ..options.clone()
        };
        match best_shape(problem, &options, shape) {
            Ok(shaped) => found.push(ShapeFound {
                name,
                limited_by: limited_by(problem, &shaped, &options),
                shaped: shaped.within(best.bound()),
            }),
            Err(Error::Stopped(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// The ports and sets of ports that limit a shape's links, from the certificate of their optimum.
fn limited_by(problem: &Problem, shaped: &Shaped, options: &Options) -> Option<String> {
    let problem = problem.on(&shaped.platform).ok()?;
    let options = options.clone().goal(Goal::Rate);
    let answer = solve(&problem, &options).ok()?.answer;
    answer.patterns()?;
    let names = limiting_names(problem.platform(), &explain::limits(&answer));
    (answer.status() == Status::Optimal && !names.is_empty()).then_some(names)
}

/// Times of one operation.
#[derive(Debug, Clone)]
pub struct Times {
    /// Proved lower bound on the time.
    pub least: Rational,
    /// Our own best run. `None` without a steady state.
    pub own: Option<BestPieces>,
    /// Per row of the comparison, the algorithm's best run. `None` if it has too many messages to date.
    pub rows: Vec<Option<BestPieces>>,
}

impl Times {
    pub(crate) fn of(
        problem: &Problem,
        best: &Answer,
        comparison: &Comparison,
        watch: &Watch,
    ) -> Result<Times> {
        let by_prices = lower_bound_from_certificate(problem, best.certificate(), best.bound());
        let least = lower_bound(problem, best.bound(), watch).max(by_prices);
        let search = once::search(problem, watch);
        let own = best
            .patterns()
            .map(|state| once::own(problem, state, &search, &least))
            .transpose()?
            .flatten();
        let named = |row: &Compared| {
            let mut way = NamedSearch::new(problem, &row.algorithm, &row.routes);
            Ok(once::named(problem, &mut way, &search, None)?.map(|found| found.shortest))
        };
        let rows: Vec<Option<BestPieces>> = comparison
            .rows
            .par_iter()
            .map(named)
            .collect::<Result<_>>()?;
        let known = own.iter().chain(rows.iter().flatten());
        let Some(shortest) = known.map(|one| one.length.clone()).min() else {
            return Ok(Times { least, own, rows });
        };
        let raised = layers::raised(problem, &least, &shortest, &layers::limited(watch, 1));
        if shortest < raised.least {
            return Err(defect(format!(
                "a run takes {shortest}, and no schedule less than {}; please report it with the platform file",
                raised.least
            )));
        }
        let along = raised.run.filter(|run| run.shortest.length < shortest);
        if let Some(run) = &along {
            once::executed(problem, run)?;
        }
        let along = along.map(|run| run.shortest);
        let own = own
            .into_iter()
            .chain(along)
            .min_by(|one, other| one.length.cmp(&other.length));
        Ok(Times {
            least: raised.least,
            own,
            rows,
        })
    }
}
