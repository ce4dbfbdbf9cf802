//! The vocabulary of oneport: what the other crates say to one another.
//!
//! A [`Problem`] is a platform, a collective and volumes that fit together. A [`Collective`] consists of one or more
//! [`Demand`]s per instance. A [`Pattern`] is one way to carry out one demand
//! (for scatter a path, for reduce a reduction tree). A [`SteadyState`] is a set of patterns with rational weights; a
//! [`Certificate`] is a list of prices on [`Resource`]s that proves that no schedule is faster; a
//! [`PeriodicSchedule`] says who talks to whom during each slot of a period; a [`Timeline`] gives every message
//! of every instance its dates. A [`Plan`] holds them together. One reduction executed once is a [`Reduction`], its
//! length and what proves it a [`Shortest`]. There is no algorithm here.

mod certificate;
mod collective;
mod demand;
mod form;
mod pattern;
mod plan;
mod problem;
mod reduction;
mod schedule;
mod timeline;
mod volume;

pub use certificate::{Border, Certificate, Cut, Direction, Exchange, OddSet, Potential, Resource, Share};
pub use collective::{Collective, CollectiveError, Member};
pub use demand::{Block, Commodity, CustomDemand, Demand, Goals, Kind, Wanted};
pub use form::{Form, Role};
pub use num_bigint::BigUint;
pub use pattern::{Interval, Message, Pattern, SteadyState, Task, WeightedPattern};
pub use plan::{Plan, Status};
pub use problem::{Problem, ProblemError};
pub use reduction::{Broadcast, Class, Costs, Dates, Instance, Limit, Proof, Reduction, Shortest, SlotPrices};
pub use schedule::{PeriodicSchedule, ScheduledPattern, Slot, WholePatterns};
pub use timeline::{Event, MergeEvent, Timeline};
pub use volume::{Amount, VolumeError, Volumes};
