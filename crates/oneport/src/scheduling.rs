//! A periodic schedule: program, whole messages, slots, and the referee's check of all.

use oneport_lp::{self as lp, Question, Solution};
use oneport_period::rounding::Target;
use oneport_period::{self as period, DEFAULT_MAX_INSTANCES, DEFAULT_MAX_LOSS};
use oneport_plan::{
    BigUint, Claim, PeriodicSchedule, Problem, ScheduledPattern, State, SteadyState,
    WeightedPattern,
};
use oneport_platform::{ratio, whole};
use oneport_referee::{self as referee, Answer};
use oneport_schedule as schedule;
use oneport_watch::Watch;

use crate::error::Error;
use crate::options::Options;
use crate::proving::{checking, proved};
use crate::solved::Solved;
use crate::stage;

/// Percent of the time and memory left for the program. Trades throughput for an answer in time. Not measured.
const PROGRAM: u32 = 60;
/// Percent of the time and memory left after the program for the period. Trades a shorter period for slots and checks
/// in time. Not measured.
const PERIOD: u32 = 40;

/// The answer with a schedule.
///
/// # Errors
/// Those of [`solve`](crate::solve).
pub(crate) fn scheduled(problem: &Problem, options: &Options) -> Result<Solved, Error> {
    options.watch.tell(stage::THROUGHPUT);
    let question = Question::new(problem).watched(options.watch.stage(PROGRAM));
    let solution = lp::solve(&question, &options.program())?;
    options.watch.tell(stage::PERIOD);
    let question = question.watched(options.watch.stage(PERIOD));
    let integer_programs = options.watch.left().time.is_none();
    let whole = period::whole_patterns(&question, &solution, &options.period, integer_programs)?;
    options.watch.tell(stage::SLOTS);
    let schedule = schedule::periodic(problem, whole, &checking(problem, &options.watch))?;
    let (schedule, whole) = if options.whole_messages {
        let (schedule, whole) = schedule::whole_messages(problem, &schedule);
        (schedule, Some(whole))
    } else {
        (schedule, None)
    };
    options.watch.tell(stage::REFEREE);
    if whole.is_some() {
        referee::check_whole_messages(problem, &schedule)?;
    }
    let solver_time = solution.solver_time;
    let answer = judged(&question, claimed(problem, solution, schedule), options)?;
    Ok(Solved {
        solver_time,
        whole,
        ..Solved::of(answer, options.watch.ended_by())
    })
}

/// Periodic schedules of a steady state, by rounding: for each number, the best proportion found of at most that many
/// instances per period, and last, with `own`, the fewest that lose 1 % at most, as a plan has them. Where single
/// messages find places in the same period, none is cut. If the watch ends, the schedules found before.
///
/// # Errors
/// A steady state of another problem. Zero instances.
pub fn schedules_of(
    problem: &Problem,
    steady_state: &SteadyState,
    instances: &[u64],
    own: bool,
    watch: &Watch,
) -> Result<Vec<PeriodicSchedule>, Error> {
    let mut schedules: Vec<PeriodicSchedule> = Vec::new();
    let (part, of) = DEFAULT_MAX_LOSS;
    let loss = Target::Loss {
        most: ratio(part, of),
        instances: DEFAULT_MAX_INSTANCES,
    };
    let numbers = instances.iter().map(|&most| Target::Instances(most));
    for target in numbers.chain(own.then_some(loss)) {
        if watch.ask().is_err() {
            break;
        }
        let whole = period::rounding::round(problem, steady_state, &target, &Watch::unlimited())?;
        if schedules
            .iter()
            .any(|known| known.instances == whole.instances)
        {
            continue;
        }
        let schedule = match schedule::periodic(problem, whole, watch) {
            Err(schedule::ScheduleError::Stopped(_)) => break,
            schedule => schedule?,
        };
        schedules.push(schedule::uncut(problem, &schedule).unwrap_or(schedule));
    }
    Ok(schedules)
}

/// The claim of a solution and its schedule. An optimal schedule's own patterns take the place of the program's.
pub(crate) fn claimed(problem: &Problem, solution: Solution, schedule: PeriodicSchedule) -> Claim {
    let Solution {
        mut steady_state,
        certificate,
        ..
    } = solution;
    if schedule.throughput() >= steady_state.throughput {
        steady_state = steady_state_of(&schedule, steady_state);
    }
    Claim {
        problem: problem.clone(),
        certificate,
        state: Some(State::Listed(steady_state)),
        schedule: Some(schedule),
    }
}

/// The answer that a claim with patterns makes. Its bound is the one that the referee can compute from the prices: if
/// cheapest patterns are hard to find, that may be above the solver's.
pub(crate) fn judged(
    question: &Question,
    claim: Claim,
    options: &Options,
) -> Result<Answer, Error> {
    let Claim {
        certificate,
        state,
        schedule,
        ..
    } = claim;
    let throughput = state.as_ref().and_then(State::listed);
    let throughput = throughput.map(|state| state.throughput.clone());
    let found = proved(question, certificate, throughput, &options.watch, None)?;
    let watch = checking(question.problem(), &options.watch);
    Ok(found.with(state, schedule, &watch)?)
}

/// The steady state that an optimal schedule executes: fewer patterns and smaller numbers than the program's vertex. If
/// its patterns are the known ones, they are not copied.
fn steady_state_of(schedule: &PeriodicSchedule, known: SteadyState) -> SteadyState {
    let weight = |copies: &BigUint| whole(copies.clone()) / &schedule.period;
    let throughput = schedule.throughput();
    let pairs = || known.patterns.iter().zip(&schedule.patterns);
    let alike = known.patterns.len() == schedule.patterns.len()
        && pairs().all(|(weighted, scheduled)| weighted.pattern == scheduled.pattern);
    if alike {
        let weighted = |(known, scheduled): (WeightedPattern, &ScheduledPattern)| WeightedPattern {
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
    let weighted = |scheduled: &ScheduledPattern| WeightedPattern {
        pattern: scheduled.pattern.clone(),
        weight: weight(&scheduled.copies),
    };
    SteadyState {
        throughput,
        patterns: schedule.patterns.iter().map(weighted).collect(),
    }
}
