#![doc = include_str!("../README.md")]

mod change;
mod error;
pub mod generate;
mod lists;
mod merges;
mod model;
mod name_patterns;
pub mod names;
mod nodes;
mod per_id;
mod platform;
mod shared;
mod sharing;
mod symmetry;

pub use change::{Change, Changed, Number};
pub use error::PlatformError;
pub use lists::{Links, Nodes};
pub use merges::{DEFAULT_MERGE_RATE, default_merge_time, work_as_data};
pub use model::{ParsePortModelError, PortModel};
pub use name_patterns::{Pattern, PatternError, parts};
pub use nodes::{Delays, Link, LinkId, Node, NodeId, SharedId};
pub use oneport_numbers::{
    NumberError, Rational, Units, count, decimal, decimal_down, floored, floored_quotient,
    parse_rational, percent, ratio, readable, units, whole,
};
pub use per_id::{PerId, PerLink, PerNode, PerShared};
pub use petgraph;
pub use platform::{Platform, PlatformBuilder};
pub use shared::Shared;
pub use symmetry::{Automorphism, free_automorphisms, orbits};
