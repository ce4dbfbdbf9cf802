#![doc = include_str!("../README.md")]

mod arithmetic;
mod case;
mod certificate;
mod cheapest;
mod clock;
mod copies;
mod cuts;
mod exchange;
mod gatherings;
mod loads;
mod odd_sets;
mod paths;
mod pattern;
mod plan;
mod prices;
mod rings;
mod run;
mod schedule;
mod shares;
mod shortest_paths;
mod single;
mod steady_state;
mod timeline;
mod violation;

pub use certificate::{Need, Proof, bound, bound_watched, proof};
pub use oneport_plan::{Certificate, Plan, Problem};
pub use oneport_watch::{Limit, Watch};
pub use plan::{Verdict, check_plan, check_plan_watched, judge};
pub use rings::{check_equal_rings, check_rings, ring_bound};
pub use run::check_run;
pub use schedule::check_schedule;
pub use single::{Recheck, check_broadcast, check_one, check_reduction, check_shortest};
pub use steady_state::check_steady_state;
pub use timeline::{TimelineReport, check_timeline};
pub use violation::{Rule, Violation};
