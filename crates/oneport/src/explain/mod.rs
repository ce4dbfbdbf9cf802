//! The limits of a throughput, and changes that would raise it: values, not sentences.
//!
//! ```
//! use oneport::{Collective, Goal, Options, Problem, Volumes, explain, platform::generate, solve};
//! let machine = generate::dgx1()?;
//! let all_reduce = Collective::all_reduce(machine.processors().collect());
//! let problem = Problem::new(machine, all_reduce, Volumes::default())?;
//! let solved = solve(&problem, &Options::of(Goal::Rate))?;
//! let limits = explain::limits(&solved.answer);
//! let shares: oneport::Rational = limits.limiting.iter().map(|class| &class.share).sum();
//! assert_eq!(shares, oneport::parse_rational("1")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod any_order;
mod limits;
mod symmetric;
pub mod what_if;
mod why;

pub use any_order::{Gain, any_order};
pub use limits::{Class, Hint, Limits, Members, alike, limits, loads, name};
pub use symmetric::averaged;
pub use why::{Reason, why};
