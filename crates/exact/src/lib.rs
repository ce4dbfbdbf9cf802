#![doc = include_str!("../README.md")]

mod basis;
mod estimate;
mod factor;
mod file;
mod float;
mod form;
mod fraction;
#[cfg_attr(not(feature = "highs"), path = "absent.rs")]
mod highs;
mod integer;
mod inverse;
mod kernel;
mod lifting;
mod modular;
mod peel;
mod program;
mod refine;
mod scaled;
mod simplex;
mod solver;
mod vector;
mod verify;

pub use estimate::Estimate;
pub use file::{FileOutcome, solve_file};
pub use integer::{IntegerOptions, find_integer_point};
pub use oneport_numbers::{ratio, whole};
pub use oneport_watch::{Limit, Watch};
pub use program::{Column, ExactError, LinearProgram, Relation, Row, Sense};
pub use solver::{Method, Optimum, Options, Outcome, Solver, Statistics};
pub use vector::RationalVector;
pub use verify::{check_farkas, check_optimum, check_ray};

/// The rational type of the public signatures.
pub type Rational = num_rational::BigRational;
