//! Gantt charts of a period and of a run.

mod boxes;
mod chart;
mod folded;
mod frame;
pub(super) mod occupancy;
mod palette;
pub(super) mod rows;

use num_traits::Zero;
use oneport_plan::{PeriodicSchedule, Problem, Timeline};
use oneport_platform::{Rational, whole};

use self::frame::{Chart, Phase};
use self::occupancy::Bar;
use crate::{quantities, words};

/// Limit on computed period boundaries. Lines closer than a few pixels are not drawn anyway.
const MOST_MARKS: u64 = 1000;

/// One period of a schedule, a row per send port and receive port in use and per processor that merges. A half-duplex
/// node has one row for its only port, on which received messages have a dark foot. Links between nodes of the links
/// model have separate rows. Simultaneous tasks of a multiport node are in separate lanes of its rows.
///
/// Boxes are labelled with their number of messages. They are coloured by message if there are few, else by phase
/// (reduction, broadcast) or by box (the part of a node's name before its first dot). If there are more than 30 rows,
/// the rows of a box that is as busy as another one, row by row, are left out, and the subtitle names it. Next to every
/// row is the share of the period in which it is busy. Rows that are busy all the time are marked red. Thin vertical
/// lines are the ends of slots. Transfers narrower than 0.3 px are drawn together, as a grey hatch if their colours
/// differ (wider ones too if a schedule has tens of thousands of transfers), so the text stays below about 5 MB.
///
/// Links and processors work in the order of patterns, which every schedule allows. [`period_gantt`] draws another
/// order.
///
/// O(b log b) for b boxes before merging.
pub fn gantt(problem: &Problem, schedule: &PeriodicSchedule) -> String {
    of_bars(problem, schedule, &occupancy::of_period(problem, schedule))
}

/// Draws [`gantt`] with dated tasks of every link and processor: a period's transfers and merges, dated from its start.
///
/// O(b log b) for b boxes before merging.
pub fn period_gantt(problem: &Problem, schedule: &PeriodicSchedule, period: &Timeline) -> String {
    of_bars(
        problem,
        schedule,
        &occupancy::counted(problem, schedule, period),
    )
}

fn of_bars(problem: &Problem, schedule: &PeriodicSchedule, bars: &[Bar]) -> String {
    let platform = problem.platform();
    let mut end = Rational::zero();
    let mut marks = Vec::new();
    for slot in &schedule.slots {
        end += &slot.length;
        marks.push(end.clone());
    }
    chart::draw(&Chart {
        problem,
        title: format!("{}: one period", words::describe(problem)),
        subtitle: format!(
            "period {} · {} per period · throughput {}",
            quantities::time(platform, &schedule.period),
            words::plural(words::show(&whole(schedule.instances.clone())), "instance"),
            quantities::frequency(platform, &schedule.throughput())
        ),
        horizon: chart::horizon(bars, &schedule.period.clone().max(end)),
        bars,
        marks,
        phases: Vec::new(),
        period: Some(&schedule.period),
        owners: words::owners(problem, schedule.patterns.iter().map(|one| &one.pattern)),
        time_label: "time within the period",
        widest: 1800.0,
    })
}

/// A full run, with the rows and colours of [`gantt`]. Boxes are labelled by instance, and the phases (start-up, steady
/// state, clean-up) are shaded. Thin vertical lines are the ends of periods.
///
/// O(b log b) for b events and merges.
pub fn timeline_gantt(problem: &Problem, timeline: &Timeline) -> String {
    let bars = occupancy::of_timeline(timeline);
    let (starting, clean_up) = (timeline.starting_periods, timeline.clean_up_periods);
    let periods = starting.saturating_add(clean_up);
    let date_of = |count: u64| &timeline.period * whole(count);
    let horizon = chart::horizon(&bars, &date_of(periods));
    let marks = if periods <= MOST_MARKS {
        (1..=periods).map(date_of).collect()
    } else {
        Vec::new()
    };
    let total = u128::from(starting) * u128::from(timeline.instances_per_period);
    chart::draw(&Chart {
        problem,
        title: format!(
            "{}: {}",
            words::describe(problem),
            words::plural(total, "instance")
        ),
        subtitle: format!(
            "period {} · {} per period · {} · total time {}",
            quantities::time(problem.platform(), &timeline.period),
            words::plural(timeline.instances_per_period, "instance"),
            words::plural(periods, "period"),
            quantities::time(problem.platform(), &horizon)
        ),
        period: None,
        owners: None,
        phases: phases(starting, clean_up, &timeline.period, &horizon),
        horizon,
        bars: &bars,
        marks,
        time_label: "time; boxes are numbered by instance",
        widest: 3200.0,
    })
}

/// Start-up lasts until the first instances finish, as many periods as clean-up. Steady state lasts until the last
/// start.
fn phases(starting: u64, clean_up: u64, period: &Rational, horizon: &Rational) -> Vec<Phase> {
    let date_of = |count: u64| period * whole(count);
    let filling = clean_up.min(starting);
    let all = [
        ("start-up", Rational::zero(), date_of(filling), "#fdebc8"),
        (
            "steady state",
            date_of(filling),
            date_of(starting),
            "#e3f1e3",
        ),
        ("clean-up", date_of(starting), horizon.clone(), "#dfe8f5"),
    ];
    let phases = all.into_iter().map(|(label, start, end, fill)| Phase {
        label,
        start,
        end,
        fill,
    });
    phases.filter(|phase| phase.start < phase.end).collect()
}
