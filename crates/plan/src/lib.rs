#![doc = include_str!("../README.md")]

mod bandwidth;
mod block;
mod certificate;
mod claim;
mod collective;
mod collective_error;
mod demand;
mod form;
pub mod inequality;
mod named;
mod pairs;
mod pattern;
mod problem;
mod rates;
mod reduction;
mod resource;
mod ring;
mod routing;
mod run;
mod schedule;
mod task_table;
mod timeline;
mod validation;
mod value;
mod volume;

pub use bandwidth::Bandwidth;
pub use block::Block;
pub use certificate::{Certificate, OddSet, Row};
pub use claim::{Claim, Plan, State, Stated, Status};
pub use collective::{Collective, Member};
pub use collective_error::CollectiveError;
pub use demand::{Commodity, CustomDemand, Demand, Goals, Kind, Wanted};
pub use form::{Form, Role, Traffic, Wants};
pub use named::Named;
pub use num_bigint::BigUint;
pub use oneport_platform::{LinkId, NodeId, Platform, Rational};
pub use pattern::{Interval, Message, Pattern, SteadyState, Task, WeightedPattern};
pub use problem::{Problem, ProblemError};
pub use rates::{DemandRates, Rates, RatesError, TaskRates};
pub use reduction::{
    Broadcast, Class, Concurrency, Costs, Dates, Instance, Proof, Reduction, SenderWeights,
    Shortest, SingleAllReduce, SingleBroadcast, SingleReduction, SlotPrices, Window,
};
pub use resource::{Resource, Use};
pub use ring::{EqualRings, Ring, RingPacking};
pub use routing::{Around, Routing, SharedFlow};
pub use run::{Piece, Run, RunTask, TimedTask};
pub use schedule::{PeriodicSchedule, ScheduledPattern, Slot, WholePatterns};
pub use task_table::{MergeTask, TaskTable};
pub use timeline::{Event, MergeEvent, Timeline};
pub use value::Value;
pub use volume::{Amount, VolumeError, Volumes};
