//! Refinement: HiGHS solves for the correction to an exact pair of solutions that is not optimal, magnified.
//!
//! Every inequality is given a separate slack `s >= 0`, so that all rows are equations. With an exact basic solution
//! `x*, s*` and its multipliers `y*`, put `x = x* + x' / S` and `c' = T (c - y* A)`, where `c - y* A` are the reduced
//! costs (of slacks, too):
//!
//! ```text
//! minimise c' (x', s')  subject to  A x' + s' = S (b - A x* - s*),  x' >= -S x*,  s' >= -S s*
//! ```
//!
//! The two objectives differ by the constant `y* b`. So both programs have the same bases and the same optimal ones,
//! but an error below the solver's tolerance becomes `S` or `T` times as large. (Among inequalities the difference `y*
//! A x` would not be constant.)
//!
//! Reference: Gleixner, Steffy, Wolter, Iterative refinement for linear programming, INFORMS J. Comput. 28 (2016).

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // magnified programs, for HiGHS

use std::time::Duration;

use num_bigint::BigInt;
use num_traits::One;
use oneport_watch::Watch;

use crate::basis::{Evaluation, Member, Violation, excess};
use crate::float::Engine;
use crate::form::{Coefficient, IntegerForm, bits};
use crate::highs::FloatModel;
use crate::kernel::Basis;
use crate::program::{ExactError, LinearProgram, Relation};
use crate::scaled::{Scaling, compose, decompose};

/// Exponent to which a violation is magnified: far above HiGHS's tolerance, far below numbers that swamp others. Trades
/// gain per round for rounds that fail. Not measured.
const MAGNIFIED: i64 = -18;

/// The program in equations, ready for one step after another.
pub(crate) struct Refinement {
    model: FloatModel,
    /// Columns of the program. The slacks come after them.
    columns: usize,
    /// The rows that have a slack, with the sign that it has there.
    slacks: Vec<(usize, f64)>,
    /// As large as they ever were: a solution that is right on one side must not be given up for the other.
    zooms: Zooms,
}

impl Refinement {
    /// Prepares a program in this scaling. `None` without HiGHS.
    ///
    /// # Errors
    /// HiGHS refuses it.
    pub(crate) fn new(
        program: &LinearProgram,
        scaling: &Scaling,
    ) -> Result<Option<Self>, ExactError> {
        let sign = |row: usize| match program.relations[row] {
            Relation::AtMost => Some((row, 1.0)),
            Relation::AtLeast => Some((row, -1.0)),
            Relation::Equal => None,
        };
        let slacks: Vec<(usize, f64)> = (0..program.rows()).filter_map(sign).collect();
        let mut float = scaling.apply(program);
        for &(row, sign) in &slacks {
            float.cost.push(0.0);
            float.column_lower.push(0.0);
            float.rows.push(row as i32);
            float.values.push(sign);
            float.starts.push(float.rows.len() as i32);
            let side = if sign > 0.0 {
                float.row_upper[row]
            } else {
                float.row_lower[row]
            };
            (float.row_lower[row], float.row_upper[row]) = (side, side);
        }
        let refinement = |model| Refinement {
            model,
            columns: program.columns(),
            slacks,
            zooms: Zooms::default(),
        };
        Ok(FloatModel::new(&float)?.map(refinement))
    }

    /// The basis that HiGHS finds for the magnified program, starting from this one. `None` if it finds none.
    ///
    /// # Errors
    /// HiGHS refuses a call.
    pub(crate) fn step<C: Coefficient>(
        &mut self,
        form: &IntegerForm<C>,
        basis: &Basis,
        evaluation: &Evaluation,
        scaling: &Scaling,
        patience: Duration,
        watch: &Watch,
    ) -> Result<Option<Basis>, ExactError> {
        let zooms = self.zooms.raised(form, evaluation, scaling);
        self.zooms = zooms;
        let (mut cost, mut lower) = zooms.columns(form, evaluation, scaling);
        let mut sides = vec![0.0; form.rhs.len()];
        for (row, side) in sides
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| form.relations[*row] == Relation::Equal)
        {
            *side = zooms.room(form, evaluation, scaling, row);
        }
        for &(row, sign) in &self.slacks {
            cost.push(-sign * zooms.multiplier(form, evaluation, scaling, row));
            lower.push(-sign * zooms.room(form, evaluation, scaling, row));
        }
        self.model.change(&cost, &lower, &sides, &sides)?;
        // The simplex that preserves the feasibility, primal or dual, of the basis.
        let feasible = evaluation.primal_violations.is_empty();
        self.model.set_engine(if feasible {
            Engine::PrimalSimplex
        } else {
            Engine::Simplex
        })?;
        self.model.set_presolve(false)?;
        self.model.set_time_limit(Some(
            watch
                .time_left()
                .map_or(patience, |left| left.min(patience)),
        ))?;
        self.model.set_basis(
            &self.in_equations(form, basis),
            &vec![false; form.rhs.len()],
        )?;
        self.model.run(watch)?;
        Ok(self
            .model
            .basis()
            .map(|found| self.in_rows(&found))
            .filter(Basis::is_complete))
    }

    /// Slacks are columns here and rows there.
    fn in_equations<C>(&self, form: &IntegerForm<C>, basis: &Basis) -> Basis {
        let slacks = self.slacks.iter().map(|&(row, _)| basis.rows[row]);
        let rows = basis.rows.iter().zip(&form.relations);
        Basis {
            columns: basis.columns.iter().copied().chain(slacks).collect(),
            rows: rows
                .map(|(&basic, &relation)| basic && relation == Relation::Equal)
                .collect(),
        }
    }

    fn in_rows(&self, found: &Basis) -> Basis {
        let mut rows = found.rows.clone();
        for (index, &(row, _)) in self.slacks.iter().enumerate() {
            rows[row] |= found.columns[self.columns + index];
        }
        Basis {
            columns: found.columns[..self.columns].to_vec(),
            rows,
        }
    }
}

/// The powers of two that magnify the primal and the dual solution, in the float model's scaling.
#[derive(Clone, Copy, Default)]
struct Zooms {
    primal: i64,
    dual: i64,
}

impl Zooms {
    fn raised<C: Coefficient>(
        self,
        form: &IntegerForm<C>,
        evaluation: &Evaluation,
        scaling: &Scaling,
    ) -> Self {
        let primal = zoom(
            &evaluation.primal_violations,
            &evaluation.primal.denominator,
            |member| match member {
                Member::Column(column) => factor_bits(form, column) - scaling.columns[column],
                Member::Row(row) => scaling.rows[row] - factor(form, row),
            },
        );
        let dual = zoom(
            &evaluation.dual_violations,
            &evaluation.dual.denominator,
            |member| match member {
                Member::Column(column) => scaling.columns[column] - factor_bits(form, column),
                Member::Row(row) => factor(form, row) - scaling.rows[row],
            },
        );
        Zooms {
            primal: primal.max(self.primal),
            dual: dual.max(self.dual),
        }
    }

    /// Reduced costs, and bounds from below.
    fn columns<C: Coefficient>(
        &self,
        form: &IntegerForm<C>,
        evaluation: &Evaluation,
        scaling: &Scaling,
    ) -> (Vec<f64>, Vec<f64>) {
        let column_scale = |column: usize| {
            form.column_factor(column).map_or((1.0, 0), |column_scale| {
                decompose(column_scale, &BigInt::one())
            })
        };
        let cost = |(column, reduced): (usize, &BigInt)| {
            let (mantissa, exponent) = column_scale(column);
            let exponent = scaling.columns[column] + self.dual - exponent;
            scale(reduced, &evaluation.dual.denominator, exponent) / mantissa
        };
        let lower = |(column, value): (usize, &BigInt)| {
            let (mantissa, exponent) = column_scale(column);
            let exponent = self.primal - scaling.columns[column] + exponent;
            -scale(value, &evaluation.primal.denominator, exponent) * mantissa
        };
        let reduced = evaluation.reduced.iter().enumerate().map(cost).collect();
        (
            reduced,
            evaluation
                .primal
                .numerators
                .iter()
                .enumerate()
                .map(lower)
                .collect(),
        )
    }

    /// The difference of a row's right-hand side and its activity.
    fn room<C: Coefficient>(
        &self,
        form: &IntegerForm<C>,
        evaluation: &Evaluation,
        scaling: &Scaling,
        row: usize,
    ) -> f64 {
        let denominator = &evaluation.primal.denominator;
        let over = excess(form, row, &evaluation.activity[row], denominator);
        let factor = &form.row_factors[row];
        scale(
            &(-over * factor.denom()),
            &(denominator * factor.numer()),
            scaling.rows[row] + self.primal,
        )
    }

    fn multiplier<C>(
        &self,
        form: &IntegerForm<C>,
        evaluation: &Evaluation,
        scaling: &Scaling,
        row: usize,
    ) -> f64 {
        let factor = &form.row_factors[row];
        let multiplier = &evaluation.dual.numerators[row] * factor.numer();
        scale(
            &multiplier,
            &(&evaluation.dual.denominator * factor.denom()),
            self.dual - scaling.rows[row],
        )
    }
}

/// `value / denominator * 2^exponent`.
fn scale(value: &BigInt, denominator: &BigInt, exponent: i64) -> f64 {
    let (mantissa, own) = decompose(value, denominator);
    compose(mantissa, own + exponent)
}

/// Binary logarithm of a column's factor, rounded.
fn factor_bits<C: Coefficient>(form: &IntegerForm<C>, column: usize) -> i64 {
    form.column_factor(column)
        .map_or(0, |factor| bits(factor) as i64)
}

/// Binary logarithm of a row's factor, rounded.
fn factor<C>(form: &IntegerForm<C>, row: usize) -> i64 {
    let factor = &form.row_factors[row];
    bits(factor.numer()) as i64 - bits(factor.denom()) as i64
}

/// The power of two that brings the largest violation (in the float model's scaling) to the size aimed at.
fn zoom(
    violations: &[Violation],
    denominator: &BigInt,
    exponent_of: impl Fn(Member) -> i64,
) -> i64 {
    let sizes = violations.iter().map(|violation| {
        decompose(&violation.amount, denominator).1 + exponent_of(violation.member)
    });
    sizes
        .max()
        .map_or(0, |largest| (MAGNIFIED - largest).max(0))
}
