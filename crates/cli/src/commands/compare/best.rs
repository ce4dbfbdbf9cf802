//! What algorithms are compared with, and what one operation takes.

use anyhow::Result;
use oneport::plan::{Certificate, SteadyState};
use oneport::watch::Watch;
use oneport::{Bounded, Bounding, Options, Problem, Rated, Rational, Status};
use oneport_baselines::{Compared, Comparison};
use oneport_once::{Named, Shortest, least_time, least_time_by_prices};
use rayon::prelude::*;

use crate::answers::once;
use crate::answers::optimum::rated;

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
    pub fn of(problem: Problem<'_>, options: &Options, limited: bool) -> Result<Option<Best>> {
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
    pub fn of(problem: Problem<'_>, best: &Best, comparison: &Comparison, watch: &Watch) -> Result<Times> {
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
