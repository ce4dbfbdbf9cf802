//! The limits of a throughput, and changes that would raise it: values, not sentences.
//!
//! ```
//! use oneport::{Collective, Options, Problem, Rating, Volumes, explain, platform::generate, rate};
//! let machine = generate::dgx1()?;
//! let all_reduce = Collective::all_reduce(machine.processors().collect());
//! let problem = Problem::new(machine, all_reduce, Volumes::default())?;
//! let Rating::Rated(rated) = rate(&problem, &Options::default(), None)? else { return Err("no room".into()) };
//! let limits = explain::limits(&problem, &rated.steady_state, &rated.certificate, rated.status);
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
pub use limits::{Class, Hint, Limits, Members, alike, limits, name};
pub use symmetric::averaged;
pub use why::{Reason, why};
