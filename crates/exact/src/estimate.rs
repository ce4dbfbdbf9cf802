//! The floating-point optimum without an exact check, for column generation: it guides, and proves nothing.

use num_traits::One;

use crate::Rational;
use crate::float::{Claim, Engine};
use crate::program::{ExactError, Sense};
use crate::scaled::dyadic;
use crate::solver::{Options, Solver, Statistics};

/// The optimum as HiGHS estimates it. The numbers are exactly those that HiGHS computed (dyadic rationals), so they are
/// off by its tolerances: they may guide a search, and only [`Solver::solve`] decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// Per column.
    pub primal: Vec<Rational>,
    /// Per row, with the signs of [`Optimum::dual`](crate::Optimum::dual).
    pub dual: Vec<Rational>,
}

impl Solver {
    /// Runs HiGHS, warm from the last basis if there is one, and returns its floating-point answer. `None` if it claims
    /// no optimum (a limit, numerical trouble, an infeasible or unbounded program).
    ///
    /// After added columns the last basis is still feasible and the primal simplex goes on from it, so a round of
    /// column generation costs a few pivots and no exact arithmetic.
    ///
    /// # Errors
    /// Those of [`solve`](Solver::solve).
    pub fn estimate(&mut self, options: &Options) -> Result<Option<Estimate>, ExactError> {
        self.check_size()?;
        if self.program.columns() == 0 || self.program.rows() == 0 {
            return Ok(None);
        }
        self.statistics = Statistics::default();
        let claim = self.propose_by(options, Engine::PrimalSimplex)?;
        if let Some((model, _)) = &self.float {
            self.statistics.solver_time =
                model.elapsed().saturating_sub(self.statistics.solver_time);
        }
        let Some((model, scaling)) = self.float.as_ref().filter(|_| claim == Claim::Optimal) else {
            return Ok(None);
        };
        let Some((columns, rows)) = model.solution() else {
            return Ok(None);
        };
        let sign = if self.program.sense() == Sense::Maximize {
            -Rational::one()
        } else {
            Rational::one()
        };
        let primal = columns
            .into_iter()
            .zip(&scaling.columns)
            .map(|(value, own)| dyadic(value, own + scaling.rhs));
        let dual = rows
            .into_iter()
            .zip(&scaling.rows)
            .map(|(value, own)| &sign * dyadic(value, own + scaling.cost));
        Ok(Some(Estimate {
            primal: primal.collect(),
            dual: dual.collect(),
        }))
    }
}
