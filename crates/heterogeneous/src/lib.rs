#![doc = include_str!("../README.md")]

mod all_reduce;
mod anneal;
pub mod bound;
pub mod broadcast;
mod cluster;
mod dependency;
mod dynamic;
mod earliest;
mod error;
pub mod guided;
mod integers;
pub mod levels;
mod placement;
mod problem;
mod search;
mod shortest;
mod slots;
pub mod slowest_first;
mod snf_placement;
mod starts;
pub mod tables;

pub use all_reduce::{AllReduce, all_reduce, all_reduce_by, fastest};
pub use anneal::{Annealed, anneal};
pub use cluster::{Cluster, Destination, Processors};
pub use dependency::Dependency;
pub use dynamic::MOST_PAIRS;
pub use earliest::{MOST_PROCESSORS, earliest, earliest_length};
pub use error::Error;
pub use oneport_plan::{Broadcast, Class, Reduction, Shortest};
pub use oneport_platform::{Rational, whole};
pub use placement::{PlacedSenders, Placement};
pub use problem::{Budget, SearchProgress};
pub use shortest::{Answer, Method, shortest};
pub use starts::{Crowded, Started, check_starts};
