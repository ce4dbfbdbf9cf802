//! Exact linear programming: HiGHS proposes a basis, rationals dispose.
//!
//! A [`LinearProgram`] has rational data and non-negative variables. A [`Solver`] finds its optimum with a
//! certificate: primal and dual solution, both rational, both checked exactly. Floating point only ever *proposes* a
//! basis; an LU factorisation modulo a prime, p-adic lifting and rational reconstruction make it exact, and
//! iterative refinement and exact simplex pivots repair it where floats mislead.
//!
//! ```
//! use oneport_exact::{LinearProgram, Outcome, Relation, Sense, Solver, Options};
//! use num_rational::BigRational;
//! let r = |p: i64, q: i64| BigRational::new(p.into(), q.into());
//! let mut program = LinearProgram::new(Sense::Maximize);
//! let row = program.add_row(Relation::AtMost, r(1, 1));
//! let x = program.add_column(r(1, 1), [(row, r(3, 1))])?;
//! let outcome = Solver::new(program).solve(&Options::default())?;
//! let Outcome::Optimal(optimum) = outcome else { panic!("bounded and feasible") };
//! assert_eq!(optimum.objective, r(1, 3));
//! assert_eq!(optimum.primal.get(x), r(1, 3));
//! # Ok::<(), oneport_exact::ExactError>(())
//! ```

mod basis;
mod estimate;
mod factor;
mod form;
mod highs;
mod integer;
mod kernel;
mod lifting;
mod modular;
mod program;
mod refine;
mod scaled;
mod simplex;
mod solver;
mod vector;
mod verify;

pub use estimate::Estimate;
pub use integer::{IntegerOptions, find_integer_point};
pub use program::{Column, ExactError, LinearProgram, Relation, Row, Sense};
pub use solver::{Method, Optimum, Options, Outcome, Solver, Statistics};
pub use vector::RationalVector;
pub use verify::{check_farkas, check_optimum, check_ray};

/// The rational type of the public signatures.
pub type Rational = num_rational::BigRational;
