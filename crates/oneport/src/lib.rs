#![doc = include_str!("../README.md")]

mod bounded;
mod bounding;
mod error;
pub mod explain;
mod extracting;
mod loads;
mod proving;
mod rating;
mod rings;
mod shapes;
mod sides;
mod single;
mod solving;

use std::time::Duration;

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

pub use bounded::{Bounded, Unlisted};
pub use bounding::bound;
pub use error::{Error, Refusal};
pub use extracting::{FromRates, RatesError, plan_of_rates};
pub use oneport_extract as extract;
use oneport_lp::{self as lp, Question, Solution};
use oneport_period as period;
use oneport_period::rounding::Target;
use oneport_plan::{Bound, PeriodicSchedule, SteadyState, WeightedPattern};
use oneport_schedule::Whole;
use oneport_watch::{Limit, Watch};
use proving::{checking, proved};
pub use rating::{Rated, Rating};
pub use rings::{Rings, RingsError, rings, rings_of_orders};
pub use shapes::best_shape;
pub use single::{
    AllReduced, Checked, Found, Judged, SingleError, all_reduce, broadcast_heterogeneous,
    broadcast_homogeneous, judge_sequence, judge_tree, reduce_cluster, reduce_homogeneous,
    reduce_into, reduce_processors, reduce_released,
};
pub use solving::{rate, solve};

/// How to solve.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which linear program.
    pub formulation: Formulation,
    /// Which periodic schedule.
    pub period: Period,
    /// When the search for the throughput may end before the optimum.
    pub until: Until,
    /// Whether messages may not be cut: then the period is multiplied by the factor that this needs
    /// ([`Planned::whole`]).
    pub whole_messages: bool,
    /// Says when to end, and hears how far the work has come: see [`solve`]. Under a limit on time no integer program
    /// looks for a smaller period.
    pub watch: Watch,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            formulation: Formulation::default(),
            period: Period::default(),
            until: Until::default(),
            whole_messages: false,
            watch: Watch::unlimited(),
        }
    }
}

/// A checked plan and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Planned {
    /// The plan; the referee found nothing to object to.
    pub plan: Plan,
    /// Time spent inside the floating-point solver on the linear program, by its own clock.
    pub solver_time: Duration,
    /// Which limit ended something before its time.
    pub ended_by: Option<Limit>,
    /// If no message may be cut: how many times as long the period is for it. The referee found no message cut.
    pub whole: Option<Whole>,
}

/// The result of a solve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A plan.
    Planned(Box<Planned>),
    /// Throughput and bound alone: there is no room for a schedule written task by task.
    Unlisted(Box<Unlisted>),
}

impl Options {
    /// Those of the program.
    fn program(&self) -> lp::Options {
        lp::Options {
            formulation: self.formulation,
            until: self.until.clone(),
        }
    }
}

/// The stages of a solve, as a watch is told of them.
mod stage {
    use oneport_watch::News;

    pub const THROUGHPUT: News<'static> =
        News::Stage("1/4 optimal throughput (linear program, exact)");
    pub const PERIOD: News<'static> = News::Stage("2/4 whole messages and the period");
    pub const SLOTS: News<'static> = News::Stage("3/4 slots (one-port decomposition)");
    pub const REFEREE: News<'static> = News::Stage("4/4 the referee checks the plan");
}

/// Percent of the time and memory left for the program. Trades throughput for an answer in time. Not measured.
const PROGRAM: u32 = 60;
/// Percent of the time and memory left after the program for the period. Trades a shorter period for slots and checks
/// in time. Not measured.
const PERIOD: u32 = 40;

/// [`solve`], with a schedule.
pub(crate) fn listed(problem: &Problem, options: &Options) -> Result<Outcome, Error> {
    options.watch.tell(stage::THROUGHPUT);
    let question = Question::new(problem).watched(options.watch.stage(PROGRAM));
    let solution = lp::solve(&question, &options.program())?;
    options.watch.tell(stage::PERIOD);
    let question = question.watched(options.watch.stage(PERIOD));
    let integer_programs = options.watch.left().time.is_none();
    let whole = period::whole_patterns(&question, &solution, &options.period, integer_programs)?;
    options.watch.tell(stage::SLOTS);
    let schedule = schedule::periodic_watched(problem, whole, &checking(problem, &options.watch))?;
    let (schedule, whole) = if options.whole_messages {
        let (schedule, whole) = schedule::whole_messages(problem, &schedule);
        (schedule, Some(whole))
    } else {
        (schedule, None)
    };
    options.watch.tell(stage::REFEREE);
    let solver_time = solution.solver_time;
    let plan = judged(&question, claimed(problem, solution, schedule), options)?;
    if whole.is_some() {
        referee::check_whole_messages(problem, &plan.schedule)?;
    }
    Ok(Outcome::Planned(Box::new(Planned {
        plan,
        solver_time,
        ended_by: options.watch.ended_by(),
        whole,
    })))
}

/// Periodic schedules of a steady state, by rounding: for each number, the best proportion found of at most that many
/// instances per period; and last, with `own`, the fewest that lose 1 % at most, as a plan has them. Where single
/// messages find places in the same period, none is cut.
///
/// # Errors
/// A steady state of another problem; zero instances.
pub fn schedules_of(
    problem: &Problem,
    steady_state: &SteadyState,
    instances: &[u64],
    own: bool,
) -> Result<Vec<PeriodicSchedule>, Error> {
    schedules_watched(problem, steady_state, instances, own, &Watch::unlimited())
}

/// [`schedules_of`] under a watch: the schedules found before it ends.
///
/// # Errors
/// As [`schedules_of`].
pub fn schedules_watched(
    problem: &Problem,
    steady_state: &SteadyState,
    instances: &[u64],
    own: bool,
    watch: &Watch,
) -> Result<Vec<PeriodicSchedule>, Error> {
    let mut schedules: Vec<PeriodicSchedule> = Vec::new();
    let (part, of) = DEFAULT_MAX_LOSS;
    let loss = Target::Loss {
        most: Rational::new(part.into(), of.into()),
        instances: DEFAULT_MAX_INSTANCES,
    };
    let numbers = instances.iter().map(|&most| Target::Instances(most));
    for target in numbers.chain(own.then_some(loss)) {
        if watch.ask().is_err() {
            break;
        }
        let whole = period::rounding::round(problem, steady_state, &target)?;
        if schedules
            .iter()
            .any(|known| known.instances == whole.instances)
        {
            continue;
        }
        let schedule = match schedule::periodic_watched(problem, whole, watch) {
            Err(schedule::ScheduleError::Stopped(_)) => break,
            schedule => schedule?,
        };
        schedules.push(schedule::uncut(problem, &schedule).unwrap_or(schedule));
    }
    Ok(schedules)
}

/// The unchecked plan. Its bound is a placeholder: the referee computes it.
fn claimed(problem: &Problem, solution: Solution, schedule: PeriodicSchedule) -> Plan {
    let Solution {
        mut steady_state,
        certificate,
        ..
    } = solution;
    if schedule.throughput() >= steady_state.throughput {
        steady_state = steady_state_of(&schedule, steady_state);
    }
    Plan {
        problem: problem.clone(),
        status: Status::Feasible,
        upper_bound: steady_state.throughput.clone(),
        steady_state,
        certificate,
        schedule,
    }
}

/// The plan with bound and status as the referee can prove them from the prices; where cheapest patterns are hard to
/// find, that may be less than the solver knows.
fn judged(question: &Question, plan: Plan, options: &Options) -> Result<Plan, Error> {
    let Plan { certificate, .. } = &plan;
    let Bound {
        throughput: bound,
        certificate,
    } = proved(
        question,
        certificate.clone(),
        &plan.steady_state.throughput,
        &options.watch,
        None,
    )?;
    let watch = checking(question.problem(), &options.watch);
    Ok(referee::judge_bounded(
        Plan {
            certificate,
            ..plan
        },
        bound,
        &watch,
    )?)
}

/// The steady state that an optimal schedule executes: fewer patterns and smaller numbers than the program's vertex. If
/// its patterns are the known ones, they are not copied.
fn steady_state_of(schedule: &PeriodicSchedule, known: SteadyState) -> SteadyState {
    let weight =
        |copies: &plan::BigUint| Rational::from_integer(copies.clone().into()) / &schedule.period;
    let throughput = schedule.throughput();
    let pairs = || known.patterns.iter().zip(&schedule.patterns);
    let alike = known.patterns.len() == schedule.patterns.len()
        && pairs().all(|(weighted, scheduled)| weighted.pattern == scheduled.pattern);
    if alike {
        let weighted =
            |(known, scheduled): (WeightedPattern, &plan::ScheduledPattern)| WeightedPattern {
                weight: weight(&scheduled.copies),
                ..known
            };
        let patterns = known
            .patterns
            .into_iter()
            .zip(&schedule.patterns)
            .map(weighted)
            .collect();
        return SteadyState {
            throughput,
            patterns,
        };
    }
    drop(known);
    let weighted = |scheduled: &plan::ScheduledPattern| WeightedPattern {
        pattern: scheduled.pattern.clone(),
        weight: weight(&scheduled.copies),
    };
    SteadyState {
        throughput,
        patterns: schedule.patterns.iter().map(weighted).collect(),
    }
}
