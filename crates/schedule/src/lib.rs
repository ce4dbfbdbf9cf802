//! From a steady state to a periodic schedule and a timeline.
//!
//! [`round`] turns rational weights into whole patterns for a given period or number of instances, [`periodic`] orders
//! their transfers into slots by a decomposition of the graph of ports, [`timeline`] unrolls start-up, steady periods
//! and clean-up with dates for every message and merge of every instance. All patterns are treated alike: a pattern is
//! what it occupies of ports, links and processors. Every port model is too: a busy time is compared with the period
//! times what the port or link serves at a time; half-duplex ports alone have further limits, the odd sets of module
//! `ports`.

mod buffers;
mod discrepancy;
mod error;
mod fewest;
mod measure;
mod order;
mod periodic;
mod ports;
mod refill;
mod round;
mod shares;
mod timeline;

pub use buffers::buffers;
pub use error::ScheduleError;
pub use periodic::{periodic, tightened};
pub use round::{Target, own_period, round, round_watched, rounded_down};
pub use timeline::{timeline, timeline_in_units};
