//! Input and output of a floating-point solver. All output is checked exactly.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // what HiGHS is told

/// How the floating-point solver works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Dual simplex.
    Simplex,
    /// Primal simplex: for a start from a feasible basis.
    PrimalSimplex,
    /// Interior point, then crossover to a basis.
    InteriorPoint,
}

/// The outcome that the floating-point solver claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(feature = "highs"),
    expect(dead_code, reason = "claims come from HiGHS only")
)]
pub(crate) enum Claim {
    Optimal,
    Infeasible,
    /// Unbounded or infeasible: the solver does not distinguish these.
    Unbounded,
    LimitReached,
    /// Anything else: numerical trouble.
    Unknown,
}

/// Column-wise floating-point data. All vectors are in the solver's units.
pub(crate) struct FloatProgram {
    pub cost: Vec<f64>,
    pub column_lower: Vec<f64>,
    pub row_lower: Vec<f64>,
    pub row_upper: Vec<f64>,
    pub starts: Vec<i32>,
    pub rows: Vec<i32>,
    pub values: Vec<f64>,
}
