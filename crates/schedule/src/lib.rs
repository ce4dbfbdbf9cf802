//! From a steady state to a periodic schedule and a timeline.
//!
//! [`round`] turns rational weights into whole messages for a given period or number of instances, [`periodic`] orders
//! them into slots by a one-port decomposition, [`timeline`] unrolls start-up, steady periods and clean-up with
//! dates for every message of every instance.

mod error;
mod order;
mod periodic;
mod round;
mod timeline;

pub use error::ScheduleError;
pub use periodic::{buffers, periodic};
pub use round::{Target, round};
pub use timeline::timeline;
