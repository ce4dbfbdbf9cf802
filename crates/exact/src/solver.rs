//! The driver: HiGHS proposes, the exact evaluation disposes, refinement and pivots repair.

use std::time::Duration;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use oneport_watch::Watch;

use crate::Rational;
use crate::basis::{Evaluation, evaluate};
use crate::factor::Singular;
use crate::float::{Claim, Engine};
use crate::form::{AnyForm, Coefficient, IntegerForm, scaled_form};
use crate::fraction::{common_denominator, lowest};
use crate::highs::FloatModel;
use crate::kernel::Basis;
use crate::program::{Column, ExactError, LinearProgram, Relation, Row, Sense};
use crate::refine::Refinement;
use crate::scaled::{Scaling, compose, decompose};
use crate::simplex::{Pivoted, dual_pivots, pivot};
use crate::vector::RationalVector;

/// Fact: HiGHS numbers rows, columns and entries with 32 bits.
const LIMIT: usize = 1 << 30;
/// Rounds of refinement before exact pivots. Trades HiGHS runs for exact pivots, of which each factorises anew.
/// Measured on 600 scatter programs of six families of costs: refinement repairs 57 bases, pivots 97
/// (docs/measurements.md).
const REFINEMENT_ROUNDS: usize = 6;
/// Time for one round of refinement, besides twice HiGHS's time so far. Trades time of rounds that fail for exact
/// pivots. Not measured.
const REFINEMENT_TIME: Duration = Duration::from_millis(500);
/// Dual pivots that repair a nearly optimal basis, besides two per violation. Trades exact pivots from this basis for a
/// primal phase from the beginning. Not measured.
const DUAL_PIVOTS: usize = 50;
/// Rows per column above which HiGHS does not presolve. Trades simplex steps for presolve time. Measured: broadcast on
/// 3000 nodes 3.4 s of CPU, 3.7 s with presolve.
const TALL: usize = 16;
/// Added columns up to which exact pivots go on from their last basis. Trades exact pivots for a HiGHS run that cannot
/// distinguish near ties. Not measured.
const FEW_COLUMNS: usize = 24;

/// Which engine proposes the basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Simplex for small programs and after changes, interior point with crossover for large cold ones.
    #[default]
    Auto,
    /// Dual simplex.
    Simplex,
    /// Interior point with crossover.
    InteriorPoint,
    /// No floating point at all: exact pivots from the slack basis. For small programs and for checking.
    ExactPivots,
}

/// How to solve.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which engine proposes the basis.
    pub method: Method,
    /// Asked at every iteration of HiGHS, at every exact pivot and at every digit of an exact solution. The time left
    /// is the limit of HiGHS, by its own clock.
    pub watch: Watch,
    /// Limit on exact pivots.
    pub pivot_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            method: Method::Auto,
            watch: Watch::unlimited(),
            pivot_limit: 20_000,
        }
    }
}

/// An optimal pair of solutions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Optimum {
    /// The optimal value.
    pub objective: Rational,
    /// Per column.
    pub primal: RationalVector,
    /// Per row: the growth of the optimal value per unit of right-hand side. Non-negative on `<=` rows of a
    /// maximisation and `>=` rows of a minimisation.
    pub dual: RationalVector,
}

/// The outcome of a solve, with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Solved: the dual solution is the certificate ([`check_optimum`](crate::check_optimum)).
    Optimal(Optimum),
    /// No feasible point, proved by Farkas multipliers by row ([`check_farkas`](crate::check_farkas)).
    Infeasible(RationalVector),
    /// No finite optimum: a feasible point and an improving ray ([`check_ray`](crate::check_ray)).
    Unbounded {
        /// A feasible point, by column.
        point: RationalVector,
        /// A direction of unlimited length, by column.
        ray: RationalVector,
    },
    /// A limit ended the work. Bounds that are present are exact. A watch that has ended leaves no time to compute
    /// them.
    LimitReached {
        /// The objective of a feasible point.
        primal_bound: Option<Rational>,
        /// No feasible point has a better objective than this.
        dual_bound: Option<Rational>,
    },
}

/// Effort of the last solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Time inside HiGHS, by its own clock.
    pub solver_time: Duration,
    /// Rounds of refinement.
    pub refinements: usize,
    /// Whether exact pivots were needed.
    pub pivoted: bool,
}

/// A program and the warm state of its solver.
pub struct Solver {
    pub(crate) program: LinearProgram,
    pub(crate) float: Option<(FloatModel, Scaling)>,
    /// Whether the float model holds the basis of an earlier solve.
    warm: bool,
    /// A feasible basis to start from.
    start: Option<Basis>,
    /// The optimal basis that exact pivots ended at last, and how many columns have been added since.
    pivoted: Option<(Basis, usize)>,
    pub(crate) statistics: Statistics,
}

impl Solver {
    /// Takes a program.
    pub fn new(program: LinearProgram) -> Self {
        Solver {
            program,
            float: None,
            warm: false,
            start: None,
            pivoted: None,
            statistics: Statistics::default(),
        }
    }

    /// The program as it stands.
    pub fn program(&self) -> &LinearProgram {
        &self.program
    }

    /// Suggests a feasible basis for the next cold solve: as many members as there are rows, the other columns at zero
    /// and the other rows at their right-hand sides. A wrong suggestion costs time but never makes the answer wrong. A
    /// suggestion of the wrong size is ignored.
    pub fn suggest_basis(&mut self, columns: &[Column], rows: &[Row]) {
        let mut basis = Basis {
            columns: vec![false; self.program.columns()],
            rows: vec![false; self.program.rows()],
        };
        let mark = |list: &mut [bool], index: usize| {
            if let Some(basic) = list.get_mut(index) {
                *basic = true;
            }
        };
        for column in columns {
            mark(&mut basis.columns, column.0);
        }
        for row in rows {
            mark(&mut basis.rows, row.0);
        }
        self.start = basis.is_complete().then_some(basis);
    }

    /// Effort of the last [`solve`](Self::solve) or [`estimate`](Self::estimate).
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Adds a column. The next solve starts from the last basis.
    ///
    /// # Errors
    /// Those of [`LinearProgram::add_column`].
    pub fn add_column(
        &mut self,
        objective: Rational,
        entries: impl IntoIterator<Item = (Row, Rational)>,
    ) -> Result<Column, ExactError> {
        let column = self.program.add_column(objective, entries)?;
        if let Some(start) = &mut self.start {
            start.columns.push(false);
        }
        if let Some((basis, added)) = &mut self.pivoted {
            basis.columns.push(false);
            *added += 1;
        }
        if let Some((model, scaling)) = &mut self.float {
            scaling.add_column(&self.program, column.0);
            let cost = scaling.cost_of(&self.program, column.0);
            let (rows, values): (Vec<i32>, Vec<_>) = scaling
                .entries_of(&self.program, column.0)
                .into_iter()
                .unzip();
            model.add_columns(&[cost], &[0], &rows, &values)?;
        }
        Ok(column)
    }

    /// Adds a row over existing columns. The next solve starts from the last basis.
    ///
    /// # Errors
    /// Those of [`LinearProgram::add_row_with`].
    pub fn add_row(
        &mut self,
        relation: Relation,
        rhs: Rational,
        entries: impl IntoIterator<Item = (Column, Rational)>,
    ) -> Result<Row, ExactError> {
        let entries: Vec<_> = entries.into_iter().collect();
        let row = self
            .program
            .add_row_with(relation, rhs, entries.iter().cloned())?;
        if let Some(start) = &mut self.start {
            start.rows.push(true);
        }
        self.pivoted = None;
        if let Some((model, scaling)) = &mut self.float {
            let own: Vec<(usize, &Rational)> = entries
                .iter()
                .filter(|(_, value)| !value.is_zero())
                .map(|(column, value)| (column.0, value))
                .collect();
            let shift = scaling.add_row(&own);
            let (lower, upper) = scaling.row_bounds(&self.program, row.0);
            let scaled = own.iter().map(|(column, value)| {
                let (mantissa, exponent) = decompose(value.numer(), value.denom());
                (
                    *column as i32,
                    compose(mantissa, exponent + scaling.columns[*column] + shift),
                )
            });
            let (columns, values): (Vec<i32>, Vec<_>) = scaled.unzip();
            model.add_rows((&[lower], &[upper]), &[0], &columns, &values)?;
        }
        Ok(row)
    }

    /// Solves the program exactly.
    ///
    /// # Errors
    /// [`ExactError::TooLarge`] if HiGHS cannot number the entries, [`ExactError::Solver`] if HiGHS refuses a call.
    /// Numerical trouble is repaired, or reported as [`Outcome::LimitReached`].
    pub fn solve(&mut self, options: &Options) -> Result<Outcome, ExactError> {
        self.statistics = Statistics::default();
        self.check_size()?;
        if self.program.columns() == 0 || self.program.rows() == 0 {
            return Ok(trivial(&self.program));
        }
        match scaled_form(&self.program) {
            AnyForm::Small(form) => self.solve_form(&form, options),
            AnyForm::Big(form) => self.solve_form(&form, options),
        }
    }

    pub(crate) fn check_size(&self) -> Result<(), ExactError> {
        let sizes = [
            ("rows", self.program.rows()),
            ("columns", self.program.columns()),
            ("entries", self.program.entries()),
        ];
        match sizes.into_iter().find(|&(_, count)| count > LIMIT) {
            Some((what, count)) => Err(ExactError::TooLarge {
                what,
                count,
                limit: LIMIT,
            }),
            None => Ok(()),
        }
    }

    fn solve_form<C: Coefficient>(
        &mut self,
        form: &IntegerForm<C>,
        options: &Options,
    ) -> Result<Outcome, ExactError> {
        let slack = Basis::slack(self.program.columns(), self.program.rows());
        if options.method == Method::ExactPivots {
            return Ok(self.finish_by_pivots(form, slack, options));
        }
        // If exact pivots were needed for this program, keep using them after a few more columns.
        if let Some((basis, _)) = self
            .pivoted
            .take()
            .filter(|(_, added)| *added <= FEW_COLUMNS)
        {
            return Ok(self.finish_by_pivots(form, basis, options));
        }
        // Long numbers are beyond HiGHS. The suggested basis may be optimal.
        let suggested = self.start.clone().filter(|_| C::IS_LONG && !self.warm);
        let known =
            suggested.and_then(|basis| Some((evaluate(form, &basis, &options.watch).ok()?, basis)));
        let feasible = match known {
            Some((evaluation, _)) if evaluation.is_optimal() => {
                return Ok(Outcome::Optimal(self.optimum(form, evaluation)));
            }
            Some((evaluation, basis)) if evaluation.primal_violations.is_empty() => Some(basis),
            _ => zero_is_feasible(&self.program).then(|| slack.clone()),
        };
        // If HiGHS refuses the program, exact pivots solve it.
        let claim = self.propose(options).unwrap_or(Claim::Unknown);
        let proposed = self.float.as_ref().and_then(|(model, _)| model.basis());
        let outcome = match (claim, proposed) {
            (Claim::LimitReached, basis) => self.limit_reached(form, basis, &options.watch),
            (Claim::Infeasible, _) if feasible.is_some() => {
                self.refine(form, feasible.unwrap_or(slack), options)?
            }
            (Claim::Infeasible | Claim::Unbounded, basis) => match self.degenerate(options)? {
                Some(outcome) => outcome,
                None => self.refine(form, basis.unwrap_or(slack), options)?,
            },
            (_, basis) => self.refine(form, basis.unwrap_or(slack), options)?,
        };
        if let Some((model, _)) = &self.float {
            self.statistics.solver_time =
                model.elapsed().saturating_sub(self.statistics.solver_time);
        }
        Ok(outcome)
    }

    /// Runs HiGHS, cold or warm.
    fn propose(&mut self, options: &Options) -> Result<Claim, ExactError> {
        self.propose_by(options, Engine::Simplex)
    }

    /// Runs HiGHS, cold or warm. A warm start uses the given simplex.
    pub(crate) fn propose_by(
        &mut self,
        options: &Options,
        warm: Engine,
    ) -> Result<Claim, ExactError> {
        if self.float.is_none() {
            let scaling = Scaling::new(&self.program);
            self.float =
                FloatModel::new(&scaling.apply(&self.program))?.map(|model| (model, scaling));
            self.warm = false;
        }
        let (patience, at_upper) = (self.patience(), self.rows_at_upper());
        let Some((model, _)) = &mut self.float else {
            return Ok(Claim::Unknown);
        };
        self.statistics.solver_time = model.elapsed();
        let cold_interior = options.method == Method::InteriorPoint
            || (options.method == Method::Auto && !self.warm && interior_wins(&self.program));
        let start = self.start.take().filter(|_| !self.warm);
        let engine = match &start {
            Some(_) => Engine::PrimalSimplex,
            None if cold_interior && !self.warm => Engine::InteriorPoint,
            None if self.warm => warm,
            None => Engine::Simplex,
        };
        model.set_engine(engine)?;
        let is_tall = self.program.rows() > TALL * self.program.columns();
        model.set_presolve(!self.warm && start.is_none() && !is_tall)?;
        if let Some(basis) = &start {
            model.set_basis(basis, &at_upper)?;
        }
        model.set_time_limit(Some(
            options
                .watch
                .time_left()
                .map_or(patience, |left| left.min(patience)),
        ))?;
        let mut claim = model.run(&options.watch)?;
        if claim == Claim::Unknown && engine == Engine::InteriorPoint {
            model.set_engine(Engine::Simplex)?;
            claim = model.run(&options.watch)?;
        }
        if claim == Claim::LimitReached && options.watch.ask().is_ok() {
            // Not the limit that was set: HiGHS is stuck. Start afresh, or use exact pivots.
            let was_warm = std::mem::replace(&mut self.warm, true);
            if was_warm {
                self.float = None;
                return self.propose_by(options, warm);
            }
            claim = Claim::Unknown;
        }
        self.warm = true;
        Ok(claim)
    }

    /// Far more time than HiGHS needs for a program of this size. Some runs refactorise without end.
    fn patience(&self) -> Duration {
        let size = u32::try_from(self.program.rows() + self.program.columns()).unwrap_or(u32::MAX);
        Duration::from_secs(5) + size * Duration::from_millis(60)
    }

    /// Evaluates, refines, and finally pivots until the basis is exactly optimal.
    fn refine<C: Coefficient>(
        &mut self,
        form: &IntegerForm<C>,
        start: Basis,
        options: &Options,
    ) -> Result<Outcome, ExactError> {
        let mut basis = start;
        let mut refinement = None;
        // Feasible on one side is worth more than few violations on both: pivots of one kind then suffice.
        let mut best: Option<((bool, usize), Basis)> = None;
        for round in 0..=REFINEMENT_ROUNDS {
            let (completed, evaluation) = evaluate_completed(form, basis.clone(), &options.watch);
            let Some(evaluation) = evaluation else { break };
            if evaluation.is_optimal() {
                if round > 0 {
                    self.adopt(&completed);
                }
                return Ok(Outcome::Optimal(self.optimum(form, evaluation)));
            }
            let (primal, dual) = (
                evaluation.primal_violations.len(),
                evaluation.dual_violations.len(),
            );
            let wrong = (primal.min(dual) > 0, primal + dual);
            if best.as_ref().is_none_or(|(fewest, _)| wrong < *fewest) {
                best = Some((wrong, completed.clone()));
            }
            if round == REFINEMENT_ROUNDS {
                break;
            }
            self.statistics.refinements += 1;
            let step = self.refinement_step(
                &mut refinement,
                form,
                &completed,
                &evaluation,
                &options.watch,
            );
            let Ok(Some(next)) = step else { break };
            if next == completed {
                break;
            }
            basis = next;
        }
        let nearly = best.map_or(basis, |((_, wrong), basis)| {
            dual_pivots(form, basis, DUAL_PIVOTS + 2 * wrong, &options.watch)
        });
        Ok(self.finish_by_pivots(form, nearly, options))
    }

    /// One refinement. `None` if HiGHS gives no basis.
    fn refinement_step<C: Coefficient>(
        &self,
        refinement: &mut Option<Refinement>,
        form: &IntegerForm<C>,
        basis: &Basis,
        evaluation: &Evaluation,
        watch: &Watch,
    ) -> Result<Option<Basis>, ExactError> {
        let Some((model, scaling)) = &self.float else {
            return Ok(None);
        };
        if refinement.is_none() {
            *refinement = Refinement::new(&self.program, scaling)?;
        }
        let Some(refinement) = refinement else {
            return Ok(None);
        };
        // Some HiGHS runs refactorise without end, so the time of a round is limited.
        refinement.step(
            form,
            basis,
            evaluation,
            scaling,
            REFINEMENT_TIME + 2 * model.elapsed(),
            watch,
        )
    }

    /// Which rows sit at an upper bound when they are not basic.
    fn rows_at_upper(&self) -> Vec<bool> {
        self.program
            .relations
            .iter()
            .map(|&relation| relation == Relation::AtMost)
            .collect()
    }

    /// Lets HiGHS go on from a basis that it did not find itself. A model that refuses is given up.
    fn adopt(&mut self, basis: &Basis) {
        let at_upper = self.rows_at_upper();
        if let Some((model, _)) = &mut self.float
            && model.set_basis(basis, &at_upper).is_err()
        {
            self.float = None;
        }
    }

    /// The outcome of a basis that pivots ended at.
    fn settle<C: Coefficient>(
        &mut self,
        form: &IntegerForm<C>,
        basis: Basis,
        watch: &Watch,
    ) -> Outcome {
        self.adopt(&basis);
        match evaluate(form, &basis, watch) {
            Ok(evaluation) if evaluation.is_optimal() => {
                self.pivoted = Some((basis, 0));
                Outcome::Optimal(self.optimum(form, evaluation))
            }
            _ => Outcome::LimitReached {
                primal_bound: None,
                dual_bound: None,
            },
        }
    }

    fn finish_by_pivots<C: Coefficient>(
        &mut self,
        form: &IntegerForm<C>,
        start: Basis,
        options: &Options,
    ) -> Outcome {
        self.statistics.pivoted = true;
        let slack = Basis::slack(form.columns(), form.rhs.len());
        let (limit, watch) = (options.pivot_limit, &options.watch);
        let pivoted =
            pivot(form, start, limit, watch).or_else(|_| pivot(form, slack, limit, watch));
        match pivoted {
            Ok(Pivoted::Optimal(basis)) => self.settle(form, basis, watch),
            Ok(Pivoted::Infeasible(y)) => {
                Outcome::Infeasible(unscale_rows(form, y, &Rational::one()))
            }
            Ok(Pivoted::Unbounded { point, ray }) => Outcome::Unbounded {
                point: form.unscaled(point),
                ray: form.unscaled(ray),
            },
            Ok(Pivoted::Limit(basis)) => self.limit_reached(form, Some(basis), watch),
            Err(_) => Outcome::LimitReached {
                primal_bound: None,
                dual_bound: None,
            },
        }
    }

    /// The exact bounds that a basis yields.
    fn limit_reached<C: Coefficient>(
        &self,
        form: &IntegerForm<C>,
        basis: Option<Basis>,
        watch: &Watch,
    ) -> Outcome {
        let slack = || evaluate(form, &Basis::slack(form.columns(), form.rhs.len()), watch).ok();
        let evaluations = [
            basis.and_then(|basis| evaluate(form, &basis, watch).ok()),
            slack(),
        ];
        let (mut primal_bound, mut dual_bound) = (None, None);
        for evaluation in evaluations.into_iter().flatten() {
            if primal_bound.is_none() && evaluation.primal_violations.is_empty() {
                primal_bound = Some(value(&self.program, &form.unscaled(evaluation.primal)));
            }
            if dual_bound.is_none() && evaluation.dual_violations.is_empty() {
                dual_bound = Some(dual_value(
                    &self.program,
                    &self.program_dual(form, evaluation.dual),
                ));
            }
        }
        Outcome::LimitReached {
            primal_bound,
            dual_bound,
        }
    }

    /// The evaluation's multipliers in the program's units and sense.
    fn program_dual<C: Coefficient>(
        &self,
        form: &IntegerForm<C>,
        dual: RationalVector,
    ) -> RationalVector {
        let factor = form.cost_factor.recip();
        let signed = if self.program.sense() == Sense::Maximize {
            -factor
        } else {
            factor
        };
        unscale_rows(form, dual, &signed)
    }

    fn optimum<C: Coefficient>(&self, form: &IntegerForm<C>, evaluation: Evaluation) -> Optimum {
        let primal = form.unscaled(evaluation.primal);
        let objective = value(&self.program, &primal);
        Optimum {
            objective,
            primal,
            dual: self.program_dual(form, evaluation.dual),
        }
    }

    /// Infeasible or unbounded, decided exactly by auxiliary programs. `None` if the claim was wrong.
    fn degenerate(&self, options: &Options) -> Result<Option<Outcome>, ExactError> {
        let feasibility = feasibility_program(&self.program)?;
        let Outcome::Optimal(feasible) = Solver::new(feasibility).solve(options)? else {
            return Ok(None);
        };
        if feasible.objective.is_positive() {
            // Weak duality of the auxiliary program is Farkas' lemma for ours, with the opposite sign.
            let numerators = feasible
                .dual
                .numerators
                .into_iter()
                .map(|value| -value)
                .collect();
            return Ok(Some(Outcome::Infeasible(RationalVector::new(
                numerators,
                feasible.dual.denominator,
            ))));
        }
        let Outcome::Optimal(improving) =
            Solver::new(ray_program(&self.program)?).solve(options)?
        else {
            return Ok(None);
        };
        if improving.objective.is_zero() {
            return Ok(None);
        }
        let mut point = feasible.primal;
        point.numerators.truncate(self.program.columns());
        Ok(Some(Outcome::Unbounded {
            point,
            ray: improving.primal,
        }))
    }
}

/// Whether all variables may be zero.
fn zero_is_feasible(program: &LinearProgram) -> bool {
    program
        .relations
        .iter()
        .zip(&program.rhs)
        .all(|(relation, side)| match relation {
            Relation::AtMost => !side.is_negative(),
            Relation::Equal => side.is_zero(),
            Relation::AtLeast => !side.is_positive(),
        })
}

/// Whether interior point with crossover beats the dual simplex on a cold start.
fn interior_wins(program: &LinearProgram) -> bool {
    program.rows() > 700
}

/// Programs without rows or without columns need no solver.
fn trivial(program: &LinearProgram) -> Outcome {
    let zero = RationalVector::zeros(program.columns());
    let broken = (0..program.rows()).find(|&row| match program.relations[row] {
        Relation::AtMost => program.rhs[row].is_negative(),
        Relation::Equal => !program.rhs[row].is_zero(),
        Relation::AtLeast => program.rhs[row].is_positive(),
    });
    if let Some(row) = broken {
        let mut y = RationalVector::zeros(program.rows());
        let downward = program.rhs[row].is_positive();
        y.numerators[row] = if downward {
            -BigInt::one()
        } else {
            BigInt::one()
        };
        return Outcome::Infeasible(y);
    }
    let improves = |value: &Rational| match program.sense {
        Sense::Maximize => value.is_positive(),
        Sense::Minimize => value.is_negative(),
    };
    if let Some(column) = program.objective.iter().position(improves) {
        let mut ray = RationalVector::zeros(program.columns());
        ray.numerators[column] = BigInt::one();
        return Outcome::Unbounded { point: zero, ray };
    }
    let dual = RationalVector::zeros(program.rows());
    Outcome::Optimal(Optimum {
        objective: Rational::zero(),
        primal: zero,
        dual,
    })
}

/// `min` of the sum of artificial variables that make every row satisfiable.
fn feasibility_program(program: &LinearProgram) -> Result<LinearProgram, ExactError> {
    let mut auxiliary = program.clone();
    auxiliary.sense = Sense::Minimize;
    for cost in auxiliary.objective.iter_mut() {
        *cost = Rational::zero();
    }
    for row in 0..program.rows() {
        let artificial = match program.relations[row] {
            Relation::AtMost => -Rational::one(),
            Relation::AtLeast => Rational::one(),
            Relation::Equal if program.rhs[row].is_negative() => -Rational::one(),
            Relation::Equal => Rational::one(),
        };
        auxiliary.add_column(Rational::one(), [(Row(row), artificial)])?;
    }
    Ok(auxiliary)
}

/// The best direction of unit size that keeps every row.
fn ray_program(program: &LinearProgram) -> Result<LinearProgram, ExactError> {
    let mut auxiliary = program.clone();
    for side in auxiliary.rhs.iter_mut() {
        *side = Rational::zero();
    }
    let unit = (0..program.columns()).map(|column| (Column(column), Rational::one()));
    auxiliary.add_row_with(Relation::AtMost, Rational::one(), unit)?;
    Ok(auxiliary)
}

/// Evaluates a basis, replacing columns without a pivot by slacks until it is regular.
fn evaluate_completed<C: Coefficient>(
    form: &IntegerForm<C>,
    mut basis: Basis,
    watch: &Watch,
) -> (Basis, Option<Evaluation>) {
    loop {
        match evaluate(form, &basis, watch) {
            Ok(evaluation) => return (basis, Some(evaluation)),
            Err(Singular { rows, columns }) => {
                if rows.is_empty() && columns.is_empty() {
                    return (basis, None);
                }
                for &column in &columns {
                    basis.columns[column] = false;
                }
                for &row in &rows {
                    basis.rows[row] = true;
                }
            }
        }
    }
}

/// `c x` in the program's units.
fn value(program: &LinearProgram, x: &RationalVector) -> Rational {
    weighted_sum(&program.objective, x)
}

/// `y b` in the program's units.
fn dual_value(program: &LinearProgram, y: &RationalVector) -> Rational {
    weighted_sum(&program.rhs, y)
}

/// The products added up over one denominator, reduced once.
fn weighted_sum(weights: &[Rational], vector: &RationalVector) -> Rational {
    let mut by_denominator: Vec<(BigInt, BigInt)> = Vec::new();
    for (weight, numerator) in weights.iter().zip(&vector.numerators) {
        if weight.is_zero() || numerator.is_zero() {
            continue;
        }
        let product = weight.numer() * numerator;
        match by_denominator
            .iter_mut()
            .find(|(denominator, _)| denominator == weight.denom())
        {
            Some((_, sum)) => *sum += product,
            None => by_denominator.push((weight.denom().clone(), product)),
        }
    }
    let common = common_denominator(by_denominator.iter().map(|(denominator, _)| denominator));
    let sum: BigInt = by_denominator
        .iter()
        .map(|(denominator, sum)| sum * (&common / denominator))
        .sum();
    lowest(sum, common * &vector.denominator)
}

/// Multipliers of integer rows turned into multipliers of the program's rows, times a factor.
fn unscale_rows<C>(form: &IntegerForm<C>, y: RationalVector, factor: &Rational) -> RationalVector {
    let common = common_denominator(form.row_factors.iter().map(Rational::denom));
    let scale = |(value, row): (BigInt, &Rational)| {
        if value.is_zero() {
            value
        } else {
            value * row.numer() * (&common / row.denom()) * factor.numer()
        }
    };
    let numerators = y
        .numerators
        .into_iter()
        .zip(&form.row_factors)
        .map(scale)
        .collect();
    RationalVector::new(numerators, y.denominator * common * factor.denom())
}
