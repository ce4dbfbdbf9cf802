#![doc = include_str!("../README.md")]

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
