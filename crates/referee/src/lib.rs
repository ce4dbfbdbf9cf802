#![doc = include_str!("../README.md")]

mod answer;
mod arborescences;
mod arithmetic;
mod branchings;
mod case;
mod certificate;
mod charges;
mod cheapest;
mod copies;
mod dates;
mod loads;
mod needs;
mod odd_sets;
mod only_way;
mod paths;
mod pattern;
mod prices;
mod rings;
mod routing;
mod run;
mod same_platform;
mod schedule;
mod shortest_paths;
mod single;
mod steady_state;
mod theorems;
mod timeline;
mod violation;
mod whole_messages;

pub use answer::{Answer, Proved, judge, verify};
pub use certificate::{GroupPrice, Proof, bound, proof};
pub use needs::reading;
pub use oneport_plan::{Certificate, Claim, Plan, Problem, Stated};
pub use oneport_watch::{Limit, Watch};
pub use rings::{check_equal_rings, check_rings, ring_bound};
pub use routing::sustained;
pub use run::check_run;
pub use same_platform::check_same_platform;
pub use schedule::check_schedule;
pub use single::{
    Recheck, SingleAnswer, SingleClaim, check_all_reduce, check_broadcast, check_reduction,
    check_shortest, check_single, check_single_broadcast,
};
pub use steady_state::check_steady_state;
pub use timeline::{TimelineReport, check_timeline};
pub use violation::{Rule, Violation};
pub use whole_messages::check_whole_messages;
