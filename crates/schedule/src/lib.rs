#![doc = include_str!("../README.md")]

mod buffers;
mod error;
mod measure;
mod order;
mod periodic;
pub mod ports;
mod timeline;

pub use buffers::buffers;
pub use error::ScheduleError;
pub use measure::{Measure, Uses};
pub use oneport_numbers::common_denominator;
pub use periodic::{periodic, tightened};
pub use timeline::{timeline, timeline_in_units};
