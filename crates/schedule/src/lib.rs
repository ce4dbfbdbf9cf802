//! From whole messages to a periodic schedule and a timeline.
//!
//! [`periodic`] orders the transfers of whole patterns into slots by a decomposition of the graph of ports, [`timeline`]
//! unrolls start-up, steady periods and clean-up with dates for every message and merge of every instance. All patterns
//! are treated alike: a pattern is what it occupies of ports, links and processors ([`Measure`]). Every port model is
//! too: a busy time is compared with the period times what the port or link serves at a time; half-duplex ports alone
//! have further limits, the odd sets of module [`ports`]. Where whole messages come from: see `oneport-period`.

mod buffers;
mod error;
mod measure;
mod order;
mod periodic;
pub mod ports;
mod timeline;

pub use buffers::buffers;
pub use error::ScheduleError;
pub use measure::{Measure, Uses, common_denominator};
pub use periodic::{periodic, tightened};
pub use timeline::{timeline, timeline_in_units};
