//! From a steady state to a periodic schedule and a timeline.
//!
//! [`round`] turns rational weights into whole patterns for a given period or number of instances, [`periodic`] orders
//! their transfers into slots by a one-port decomposition, [`timeline`] unrolls start-up, steady periods and clean-up with
//! dates for every message and merge of every instance. Paths and reduction trees are treated alike: a pattern is what it
//! occupies of ports and processors.

mod buffers;
mod discrepancy;
mod error;
mod measure;
mod order;
mod periodic;
mod refill;
mod round;
mod shares;
mod timeline;

pub use buffers::buffers;
pub use error::ScheduleError;
pub use periodic::periodic;
pub use round::{Target, own_period, round, rounded_down};
pub use timeline::timeline;
