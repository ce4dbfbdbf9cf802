#![doc = include_str!("../README.md")]

mod buffers;
mod cut_order;
mod eager;
mod error;
mod execution;
mod horizon;
mod loads;
mod one_period;
mod periodic;
mod policy;
pub mod ports;
mod slot_order;
mod staging;
mod timeline;
mod units;
mod whole;
mod windows;

pub use buffers::buffers;
pub use eager::eager_timeline;
pub use error::ScheduleError;
pub use execution::{DatedTask, Execution, Piece};
pub use horizon::Horizon;
pub use loads::{Measure, Uses};
pub use one_period::execution;
pub use oneport_numbers::common_denominator;
pub use oneport_plan::{PeriodicSchedule, Problem, Timeline, WholePatterns};
pub use oneport_watch::{Limit, Watch};
pub use periodic::{periodic, tightened};
pub use policy::Policy;
pub use timeline::{period_of, timeline, timeline_in_units};
pub use whole::{Cuts, Tried, Whole, cuts, uncut, whole_messages};
