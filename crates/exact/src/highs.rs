//! The only module that calls HiGHS: a floating-point model that proposes bases. Every proposal is checked exactly
//! elsewhere.
#![allow(unsafe_code)]
#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // HiGHS computes in floats; nothing of it is believed

use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::time::Duration;

use highs::{ColProblem, HighsOptionValue, Model, Row};
use highs_sys::*;
use oneport_watch::Watch;

use crate::Rational;
use crate::float::{Claim, Engine, FloatProgram};
use crate::kernel::Basis;
use crate::program::ExactError;

/// A HiGHS model. The package `highs` makes it, sets its options and destroys it.
pub(crate) struct FloatModel {
    model: Model,
    columns: usize,
    rows: usize,
}

// SAFETY: a HiGHS instance has no thread affinity. `FloatModel` owns it and hands out no alias.
unsafe impl Send for FloatModel {}

/// A HiGHS status: -1 is an error, 0 ok, 1 a warning.
fn ok(call: &'static str, status: HighsInt) -> Result<(), ExactError> {
    if status < 0 {
        Err(ExactError::Solver {
            call,
            status: i64::from(status),
        })
    } else {
        Ok(())
    }
}

/// Makes HiGHS stop when the watch behind `data` has ended.
unsafe extern "C" fn interrupt(
    _kind: c_int,
    _message: *const c_char,
    _out: *const HighsCallbackDataOut,
    answer: *mut HighsCallbackDataIn,
    data: *mut c_void,
) {
    // SAFETY: `FloatModel::follow` passed a watch that outlives the run. HiGHS passes its answer.
    unsafe {
        if let (Some(watch), Some(answer)) = (data.cast::<Watch>().as_ref(), answer.as_mut()) {
            answer.user_interrupt |= c_int::from(watch.ask().is_err());
        }
    }
}

/// Fact: `kHighsBasisStatusBasic`.
const BASIC: HighsInt = 1;

/// The error of a call without a status of its own.
fn failed(call: &'static str) -> ExactError {
    ExactError::Solver { call, status: -1 }
}

impl FloatModel {
    /// Loads a program to minimise. Always `Some`. Without HiGHS (`absent.rs`) always `None`.
    pub(crate) fn new(program: &FloatProgram) -> Result<Option<Self>, ExactError> {
        let mut problem = ColProblem::default();
        let bounds = program.row_lower.iter().zip(&program.row_upper);
        let rows: Vec<Row> = bounds
            .map(|(&lower, &upper)| problem.add_row(lower..=upper))
            .collect();
        let ends = program.starts.iter().skip(1).copied();
        let all = i32::try_from(program.values.len()).unwrap_or(i32::MAX);
        let ranges = program.starts.iter().zip(ends.chain([all]));
        let columns = program.cost.iter().zip(&program.column_lower);
        for ((&cost, &lower), (&start, end)) in columns.zip(ranges) {
            let entries = start as usize..end as usize;
            let rows_of = program.rows.get(entries.clone()).unwrap_or_default();
            let values = program.values.get(entries).unwrap_or_default();
            let entries = rows_of.iter().zip(values);
            let entries =
                entries.filter_map(|(&row, &value)| Some((*rows.get(row as usize)?, value)));
            problem.add_column(cost, lower.., entries);
        }
        let (columns, rows) = (program.cost.len(), rows.len());
        let mut model = FloatModel {
            model: Model::try_new(problem).map_err(|_| failed("Highs_passLp"))?,
            columns,
            rows,
        };
        model.option("threads", 1)?;
        model.option("random_seed", 1)?;
        // A simplex that cycles must come to an end. Exact pivots then take over.
        let iterations = 100_000 + 20 * (columns + rows);
        model.option(
            "simplex_iteration_limit",
            HighsInt::try_from(iterations).unwrap_or(HighsInt::MAX),
        )?;
        model.option("primal_feasibility_tolerance", 1e-9)?;
        model.option("dual_feasibility_tolerance", 1e-9)?;
        model.option("ipm_optimality_tolerance", 1e-9)?;
        Ok(Some(model))
    }

    /// Loads a model file. HiGHS finds the format by the ending of the name: `.lp`, `.mps`.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, ExactError> {
        let empty = Model::try_new(ColProblem::default()).map_err(|_| failed("Highs_passLp"))?;
        let mut model = FloatModel {
            model: empty,
            columns: 0,
            rows: 0,
        };
        model.option("threads", 1)?;
        let path = path.to_str().and_then(|path| CString::new(path).ok());
        let path = path.ok_or(failed("Highs_readModel"))?;
        // SAFETY: a live instance and a terminated name.
        ok("Highs_readModel", unsafe {
            Highs_readModel(model.raw(), path.as_ptr())
        })?;
        (model.columns, model.rows) = (model.model.num_cols(), model.model.num_rows());
        Ok(Some(model))
    }

    /// The instance, for the calls that `highs` does not have.
    fn raw(&self) -> *mut c_void {
        self.model.as_ptr().cast_mut()
    }

    /// Sets an option.
    fn option(&mut self, name: &str, value: impl HighsOptionValue) -> Result<(), ExactError> {
        let set = self.model.try_set_option(name, value);
        set.map_err(|_| failed("Model::try_set_option"))
    }

    /// The last run's objective. `None` if it is not finite.
    pub(crate) fn objective(&self) -> Option<Rational> {
        // SAFETY: a live instance.
        Rational::from_float(unsafe { Highs_getObjectiveValue(self.raw()) })
    }

    /// Chooses the engine. With a basis at hand the simplex starts from it.
    pub(crate) fn set_engine(&mut self, engine: Engine) -> Result<(), ExactError> {
        // Fact: HiGHS's number of this strategy.
        const DUAL: HighsInt = 1;
        // Fact: HiGHS's number of this strategy.
        const PRIMAL: HighsInt = 4;
        self.option(
            "simplex_strategy",
            if engine == Engine::PrimalSimplex {
                PRIMAL
            } else {
                DUAL
            },
        )?;
        self.option(
            "solver",
            if engine == Engine::InteriorPoint {
                "ipm"
            } else {
                "simplex"
            },
        )
    }

    /// Presolve loses a starting basis, so only a cold start uses it.
    pub(crate) fn set_presolve(&mut self, on: bool) -> Result<(), ExactError> {
        self.option("presolve", if on { "on" } else { "off" })
    }

    /// Limits the total run time of this instance.
    pub(crate) fn set_time_limit(&mut self, limit: Option<Duration>) -> Result<(), ExactError> {
        let end = limit.map_or(f64::INFINITY, |limit| self.run_time() + limit.as_secs_f64());
        self.option("time_limit", end)
    }

    /// Time spent inside HiGHS so far, by its own clock, in seconds.
    fn run_time(&self) -> f64 {
        // SAFETY: a live instance.
        unsafe { Highs_getRunTime(self.raw()) }
    }

    /// Time spent inside HiGHS so far, by its own clock.
    pub(crate) fn elapsed(&self) -> Duration {
        Duration::try_from_secs_f64(self.run_time()).unwrap_or_default()
    }

    /// Runs the solver from the current basis, if any. HiGHS checks the watch at every iteration.
    pub(crate) fn run(&mut self, watch: &Watch) -> Result<Claim, ExactError> {
        self.follow(watch)?;
        // SAFETY: a live instance. The watch outlives the call.
        let status = unsafe { Highs_run(self.raw()) };
        if status < 0 {
            return Ok(Claim::Unknown);
        }
        // SAFETY: a live instance.
        let model_status = unsafe { Highs_getModelStatus(self.raw()) };
        Ok(match model_status {
            7 => Claim::Optimal,
            8 => Claim::Infeasible,
            9 | 10 => Claim::Unbounded,
            13 | 14 | 17 => Claim::LimitReached,
            _ => Claim::Unknown,
        })
    }

    /// Lets the next run check this watch, which must outlive it.
    fn follow(&mut self, watch: &Watch) -> Result<(), ExactError> {
        // Fact: HiGHS's numbers of the callbacks of simplex, interior point, branch and bound.
        const INTERRUPTS: [HighsInt; 3] = [1, 2, 6];
        let data = std::ptr::from_ref(watch).cast_mut().cast::<c_void>();
        // SAFETY: a live instance. `interrupt` takes the data for a watch, and is called during runs alone.
        ok("Highs_setCallback", unsafe {
            Highs_setCallback(self.raw(), Some(interrupt), data)
        })?;
        for kind in INTERRUPTS {
            // SAFETY: a live instance with a callback.
            let status = unsafe {
                if watch.is_unlimited() {
                    Highs_stopCallback(self.raw(), kind)
                } else {
                    Highs_startCallback(self.raw(), kind)
                }
            };
            ok("Highs_startCallback", status)?;
        }
        Ok(())
    }

    /// The last run's basis, if it left a complete one.
    pub(crate) fn basis(&self) -> Option<Basis> {
        let mut columns = vec![0 as HighsInt; self.columns];
        let mut rows = vec![0 as HighsInt; self.rows];
        // SAFETY: both buffers have the model's dimensions.
        let status = unsafe { Highs_getBasis(self.raw(), columns.as_mut_ptr(), rows.as_mut_ptr()) };
        let basic = |list: &[HighsInt]| list.iter().map(|&status| status == BASIC).collect();
        let basis = Basis {
            columns: basic(&columns),
            rows: basic(&rows),
        };
        (status >= 0 && basis.is_complete()).then_some(basis)
    }

    /// Offers a starting basis.
    pub(crate) fn set_basis(
        &mut self,
        basis: &Basis,
        row_at_upper: &[bool],
    ) -> Result<(), ExactError> {
        let columns: Vec<HighsInt> = basis
            .columns
            .iter()
            .map(|&basic| HighsInt::from(basic))
            .collect();
        let at_bound = |upper: bool| if upper { 2 } else { 0 };
        let rows: Vec<HighsInt> = basis
            .rows
            .iter()
            .zip(row_at_upper)
            .map(|(&basic, &upper)| if basic { BASIC } else { at_bound(upper) })
            .collect();
        // SAFETY: both buffers have the model's dimensions.
        ok("Highs_setBasis", unsafe {
            Highs_setBasis(self.raw(), columns.as_ptr(), rows.as_ptr())
        })
    }

    /// Replaces costs and bounds. The matrix stays.
    pub(crate) fn change(
        &mut self,
        cost: &[f64],
        lower: &[f64],
        row_lower: &[f64],
        row_upper: &[f64],
    ) -> Result<(), ExactError> {
        let upper = vec![f64::INFINITY; self.columns];
        let last_column = self.columns as HighsInt - 1;
        let last_row = self.rows as HighsInt - 1;
        // SAFETY: all buffers have the model's dimensions.
        unsafe {
            ok(
                "Highs_changeColsCostByRange",
                Highs_changeColsCostByRange(self.raw(), 0, last_column, cost.as_ptr()),
            )?;
            ok(
                "Highs_changeColsBoundsByRange",
                Highs_changeColsBoundsByRange(
                    self.raw(),
                    0,
                    last_column,
                    lower.as_ptr(),
                    upper.as_ptr(),
                ),
            )?;
            ok(
                "Highs_changeRowsBoundsByRange",
                Highs_changeRowsBoundsByRange(
                    self.raw(),
                    0,
                    last_row,
                    row_lower.as_ptr(),
                    row_upper.as_ptr(),
                ),
            )
        }
    }

    /// Appends columns (lower bound 0) with entries in existing rows. The basis stays.
    pub(crate) fn add_columns(
        &mut self,
        cost: &[f64],
        starts: &[i32],
        rows: &[i32],
        values: &[f64],
    ) -> Result<(), ExactError> {
        let (lower, upper) = (vec![0.0; cost.len()], vec![f64::INFINITY; cost.len()]);
        // SAFETY: every pointer covers the length announced with it.
        ok("Highs_addCols", unsafe {
            Highs_addCols(
                self.raw(),
                cost.len() as HighsInt,
                cost.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
                values.len() as HighsInt,
                starts.as_ptr(),
                rows.as_ptr(),
                values.as_ptr(),
            )
        })?;
        self.columns += cost.len();
        Ok(())
    }

    /// Appends rows with entries in existing columns. The new rows are basic.
    pub(crate) fn add_rows(
        &mut self,
        bounds: (&[f64], &[f64]),
        starts: &[i32],
        columns: &[i32],
        values: &[f64],
    ) -> Result<(), ExactError> {
        // SAFETY: every pointer covers the length announced with it.
        ok("Highs_addRows", unsafe {
            Highs_addRows(
                self.raw(),
                bounds.0.len() as HighsInt,
                bounds.0.as_ptr(),
                bounds.1.as_ptr(),
                values.len() as HighsInt,
                starts.as_ptr(),
                columns.as_ptr(),
                values.as_ptr(),
            )
        })?;
        self.rows += bounds.0.len();
        Ok(())
    }

    /// Declares every variable integer and at most `upper`, with a limit on branch-and-bound nodes.
    pub(crate) fn make_integer(&mut self, upper: u32, node_limit: u32) -> Result<(), ExactError> {
        let kinds = vec![1 as HighsInt; self.columns];
        let (lower, upper) = (
            vec![0.0; self.columns],
            vec![f64::from(upper); self.columns],
        );
        let last = self.columns as HighsInt - 1;
        let nodes = HighsInt::try_from(node_limit).unwrap_or(HighsInt::MAX);
        self.option("mip_max_nodes", nodes)?;
        self.option("mip_detect_symmetry", false)?;
        self.option("mip_allow_restart", false)?;
        // Costs more than it finds on flows.
        self.option("mip_heuristic_run_feasibility_jump", false)?;
        // SAFETY: all buffers have the model's dimensions.
        unsafe {
            ok(
                "Highs_changeColsIntegralityByRange",
                Highs_changeColsIntegralityByRange(self.raw(), 0, last, kinds.as_ptr()),
            )?;
            ok(
                "Highs_changeColsBoundsByRange",
                Highs_changeColsBoundsByRange(self.raw(), 0, last, lower.as_ptr(), upper.as_ptr()),
            )
        }
    }

    /// The last run's column values.
    pub(crate) fn column_values(&self) -> Option<Vec<f64>> {
        self.solution().map(|(columns, _)| columns)
    }

    /// The last run's column values and row multipliers.
    pub(crate) fn solution(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let (mut x, mut d) = (vec![0.0; self.columns], vec![0.0; self.columns]);
        let (mut a, mut y) = (vec![0.0; self.rows], vec![0.0; self.rows]);
        // SAFETY: the buffers have the model's dimensions.
        let status = unsafe {
            Highs_getSolution(
                self.raw(),
                x.as_mut_ptr(),
                d.as_mut_ptr(),
                a.as_mut_ptr(),
                y.as_mut_ptr(),
            )
        };
        (status >= 0 && x.iter().chain(&y).all(|value| value.is_finite())).then_some((x, y))
    }
}
