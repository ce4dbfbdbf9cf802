#![doc = include_str!("../README.md")]

mod bounding;
mod error;
pub mod explain;
mod extracting;
mod loads;
mod options;
mod proving;
mod rating;
mod rings;
mod scheduling;
mod shapes;
mod sides;
mod single;
mod solved;
mod solving;

pub use oneport_extract as extract;
pub use oneport_files as files;
pub use oneport_heterogeneous as heterogeneous;
pub use oneport_homogeneous as homogeneous;
pub use oneport_plan as plan;
pub use oneport_platform as platform;
pub use oneport_referee as referee;
pub use oneport_schedule as schedule;
pub use oneport_watch as watch;

pub use oneport_lp::{Formulation, LpError, MOST_GPUS, RingError, Shape, Shaped, Until};
pub use oneport_period::{
    DEFAULT_MAX_INSTANCES, DEFAULT_MAX_LOSS, Period, PeriodError, SHORT_INSTANCES,
};
pub use oneport_plan::{
    Amount, Bandwidth, Collective, Commodity, Plan, Problem, ProblemError, Status, Volumes,
};
pub use oneport_platform::{
    NodeId, Platform, PortModel, Rational, Units, count, decimal, parse_rational, percent,
    readable, units,
};
pub use oneport_referee::{Answer, SingleAnswer};

pub use error::{Error, Refusal};
pub use extracting::{ExtractionError, FromRates, plan_of_rates};
pub use options::{Goal, Options};
pub use rings::{PackingError, Rings, rings, rings_of_orders};
pub use scheduling::schedules_of;
pub use shapes::best_shape;
pub use single::{
    AllReduced, HeterogeneousAnswer, Judged, SingleError, all_reduce, broadcast_heterogeneous,
    broadcast_homogeneous, judge_sequence, judge_tree, length_homogeneous, reduce_cluster,
    reduce_homogeneous, reduce_into, reduce_processors, reduce_released,
};
pub use solved::{NoSchedule, Solved, Unwritten};
pub use solving::solve;

/// The stages of a solve that a watch reports.
mod stage {
    use oneport_watch::News;

    pub(crate) const THROUGHPUT: News<'static> =
        News::Stage("1/4 optimal throughput (linear program, exact)");
    pub(crate) const PERIOD: News<'static> = News::Stage("2/4 whole messages and the period");
    pub(crate) const SLOTS: News<'static> = News::Stage("3/4 slots (one-port decomposition)");
    pub(crate) const REFEREE: News<'static> = News::Stage("4/4 the referee checks the plan");
}
