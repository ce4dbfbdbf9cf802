#![doc = include_str!("../README.md")]

mod decimal;
mod exact;
mod gcd;
mod rational;
mod scaled;
mod text;
pub mod units;
mod whole;

pub use decimal::{count, decimal, decimal_down, floored, floored_quotient, percent, readable};
pub use exact::Exact;
pub use gcd::gcd;
pub use rational::{ratio, whole};
pub use scaled::{Scaled, common_denominator, common_divisor, common_multiple, numerator_over};
pub use text::{NumberError, parse_rational};
pub use units::Units;
pub use whole::Whole;

/// The public rational type of oneport: arbitrary precision, always in lowest terms.
pub type Rational = num_rational::BigRational;
