//! Section 2.1: a transfer is not interrupted. Matchings cut messages if their lengths are not multiples of transfers.
//! Over a longer period no cut is needed.

use anyhow::{Result, ensure};
use oneport::plan::{PeriodicSchedule, ScheduledPattern, Slot};
use oneport::{Platform, Problem, Rational, referee, schedule};

use super::platforms::{answer, broadcast, figure_1, figure_2, random_platforms};
use crate::numbers::{unit_volumes, whole};
use crate::rows::{Check, Finding};

/// Limit on the periods that are executed as one.
const MOST: u64 = 200;

pub const CHECKS: &[(&str, Check)] = &[("uncut", |_| uncut())];

/// The number of cut transfers of one period's messages, and the number of all its transfers. Every message of the run
/// is followed.
fn cut(platform: &Platform, schedule: &PeriodicSchedule) -> Result<(usize, usize)> {
    let collective = broadcast(platform);
    let problem = Problem::new(platform, &collective, unit_volumes())?;
    let timeline = schedule::timeline(&problem, schedule, 1)?;
    referee::check_timeline(&problem, &timeline)?;
    let cut = timeline
        .events
        .iter()
        .filter(|event| event.pieces.len() > 1)
        .count();
    Ok((cut, timeline.events.len()))
}

/// The least number of periods over which every slot is a whole number of transfers on each of its links.
fn periods(platform: &Platform, plan: &PeriodicSchedule) -> Rational {
    let slots = plan.slots.iter();
    let shares = slots.flat_map(|slot| {
        slot.links
            .iter()
            .map(|&link| &slot.length / &platform.link(link).cost)
    });
    whole(schedule::common_denominator(
        shares.collect::<Vec<_>>().iter(),
    ))
}

/// `periods` periods as one.
fn joined(schedule: &PeriodicSchedule, periods: &Rational) -> PeriodicSchedule {
    let times = periods.numer().magnitude();
    let pattern = |one: &ScheduledPattern| ScheduledPattern {
        copies: &one.copies * times,
        ..one.clone()
    };
    PeriodicSchedule {
        period: &schedule.period * periods,
        instances: &schedule.instances * times,
        patterns: schedule.patterns.iter().map(pattern).collect(),
        slots: schedule
            .slots
            .iter()
            .map(|slot| Slot {
                shares: Vec::new(),
                length: &slot.length * periods,
                links: slot.links.clone(),
            })
            .collect(),
    }
}

/// Optimal plans unchanged, and over a number of periods for which no message is cut.
fn uncut() -> Result<Finding> {
    let mut platforms = vec![figure_1()?, figure_2()?];
    platforms.extend(random_platforms(&[(4, 3), (6, 2), (6, 3), (8, 3)], 4)?);
    let (mut tried, mut cutting, mut before, mut sent, mut after, mut longest) =
        (0, 0, 0, 0, 0, whole(1));
    for platform in &platforms {
        let solved = answer(platform, &broadcast(platform))?;
        let plan = solved.plan()?;
        let (cuts, transfers) = cut(platform, plan.schedule)?;
        let periods = periods(platform, plan.schedule);
        if periods > whole(MOST) {
            continue;
        }
        tried += 1;
        cutting += usize::from(cuts > 0);
        let long = joined(plan.schedule, &periods);
        ensure!(
            long.throughput() == plan.steady_state.throughput,
            "another throughput over {periods} periods"
        );
        after += cut(platform, &long)?.0;
        (before, sent) = (before + cuts, sent + transfers);
        longest = longest.max(periods);
    }
    ensure!(before > 0, "no plan cuts a message: nothing is tried");
    Ok(Finding::claim(after == 0, format!("{tried} of {} platforms, over up to {longest} periods", platforms.len()))
        .note(format!(
            "in the plans' own periods {before} of {sent} transfers are cut, on {cutting} platforms; at most {MOST} periods are joined"
        )))
}
