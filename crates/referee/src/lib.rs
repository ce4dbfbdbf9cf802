//! The referee: checks any certificate, steady state, periodic schedule or timeline against the platform, with
//! nothing but exact arithmetic.
//!
//! It imports no algorithm. Whoever doubts a [`Plan`] reads this crate alone: [`bound`] recomputes what the
//! prices prove, [`check_steady_state`] adds up the load of every port and processor, [`check_schedule`] adds up the
//! slots of every link, [`check_timeline`] follows every message of a concrete run and carries out its merges. A
//! refusal is a [`Violation`], which names the node, link, slot, time, message or task at fault and says what would be
//! right.
//!
//! Every field of a plan is public, so nothing is trusted: ids out of range, negative numbers and empty lists
//! are violations, never panics. Every collective and every port model is known, and models may differ from node to
//! node.
//!
//! ```
//! use oneport_plan::{Certificate, Collective, Resource, Volumes};
//! use oneport_platform::{Node, Platform, parse_rational};
//! let mut builder = Platform::builder();
//! let [s, a, b] = ["s", "a", "b"].map(|name| Node::processor(name, parse_rational("1").unwrap()));
//! let (s, a, b) = (builder.node(s)?, builder.node(a)?, builder.node(b)?);
//! builder.link(s, a, parse_rational("1/2")?)?;
//! builder.link(a, b, parse_rational("3")?)?;
//! let platform = builder.build()?;
//! let scatter = Collective::Scatter { source: s, targets: vec![a, b] };
//! let one = parse_rational("1")?;
//! let volumes = Volumes::of_size(one.clone());
//! // An instance keeps the send port of `s` busy for 1/2 + 1/2; that of `a` for 3, which is the tighter bound.
//! for (node, expected) in [(s, "1"), (a, "1/3")] {
//!     let prices = Certificate { prices: vec![(Resource::Send(node), one.clone())], ..Certificate::default() };
//!     assert_eq!(oneport_referee::bound(&platform, &scatter, &volumes, &prices)?, parse_rational(expected)?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Plan`]: oneport_plan::Plan

mod arithmetic;
mod case;
mod certificate;
mod cheapest;
mod copies;
mod copy_fault;
mod cuts;
mod exchange;
mod loads;
mod odd_sets;
mod paths;
mod pattern;
mod plan;
mod prices;
mod proof_fault;
mod reduction_fault;
mod schedule;
mod shares;
mod shortest_paths;
mod single;
mod steady_state;
mod timeline;
mod violation;

pub use certificate::{bound, bound_watched};
pub use copy_fault::CopyFault;
pub use plan::{Verdict, check_plan, check_plan_watched, judge};
pub use proof_fault::ProofFault;
pub use reduction_fault::ReductionFault;
pub use schedule::check_schedule;
pub use single::{Recheck, SingleFault, check_broadcast, check_reduction, check_shortest};
pub use steady_state::check_steady_state;
pub use timeline::{TimelineReport, check_timeline};
pub use violation::Violation;
