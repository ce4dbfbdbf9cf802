//! Slots: the links that are busy during each stretch of the period (RR-4872 section 3.3).

use num_bigint::BigInt;
use num_traits::Zero;
use oneport_plan::{PeriodicSchedule, Problem, WholePatterns};
use oneport_platform::{LinkId, Platform, Rational};
use oneport_watch::Watch;

use crate::ScheduleError;
use crate::cut_order::{Goal, ordered};
use crate::loads::Measure;
use crate::ports::{self, LinkTimes};
use crate::slot_order::{fewest_interruptions, with_shares, with_unhindered};

/// Orders whole patterns into slots: the weighted graph of ports is split into sets of links that can be busy at the
/// same time. Their lengths add up to the need of the busiest port or link, or of the odd set of half-duplex ports that
/// needs longer. Merges need no slots: a processor computes while its node sends and receives, so its merges fit if
/// their times do. The patterns must be of this platform.
///
/// The order of these sets is chosen so that few messages are cut: of up to 7 the order that cuts fewest, of more the
/// best found. A link that no port limits works without a break, so none of its messages is cut. If links alone are
/// exclusive, that is every link. A link with shared capacities works for the whole period, at the part of its full
/// rate that is its busy time over the period. So at every moment the load of a capacity is its average load, no more
/// than its rate.
///
/// The watch is checked at every slot of a bipartite graph of ports.
///
/// # Errors
/// [`ScheduleError::Overfull`] if a port, a link or a processor is busier than the period is long.
/// [`ScheduleError::OddSet`] if the links among some half-duplex ports are.
/// [`ScheduleError::Stopped`] if the watch ends the work.
pub fn periodic(
    problem: &Problem,
    whole: WholePatterns,
    watch: &Watch,
) -> Result<PeriodicSchedule, ScheduleError> {
    let (platform, measure) = (problem.platform(), Measure::new(problem));
    let totals = totals(&measure, &whole);
    check_resources(platform, &measure, &totals, &whole.period)?;
    let times = measure.link_times(&totals);
    if ports::has_odd_sets(platform) {
        ports::check_odd_sets(platform, &times, &whole.period)?;
    }
    let (unhindered, others) = ports::unhindered(platform, times);
    let (members, unhindered): (LinkTimes, LinkTimes) = unhindered
        .into_iter()
        .partition(|(link, _)| !platform.shared_by(*link).is_empty());
    let share = |(link, time): (LinkId, Rational)| (link, time / &whole.period);
    let members: Vec<(LinkId, Rational)> = members.into_iter().map(share).collect();
    let slots = fewest_interruptions(ports::slots(platform, &others, watch)?);
    let schedule = PeriodicSchedule {
        period: whole.period,
        instances: whole.instances,
        patterns: whole.patterns,
        slots,
    };
    let schedule = ordered(problem, schedule, Goal::Cuts);
    let slots = with_unhindered(schedule.slots, unhindered);
    Ok(PeriodicSchedule {
        slots: with_shares(slots, &schedule.period, &members),
        ..schedule
    })
}

/// These whole patterns within the shortest period that ports, links, processors and odd sets of half-duplex ports
/// allow. The patterns must be of this platform.
///
/// # Errors
/// The decomposition refuses the graph of ports, which would be a defect.
pub fn tightened(problem: &Problem, whole: WholePatterns) -> Result<WholePatterns, ScheduleError> {
    let (platform, measure) = (problem.platform(), Measure::new(problem));
    let totals = totals(&measure, &whole);
    let loads: Vec<Rational> = measure.loads(&totals, |index| measure.time(index));
    let busiest = loads.into_iter().max().unwrap_or_default() / measure.scale();
    let odd_sets = if ports::has_odd_sets(platform) {
        ports::least_period(platform, &measure.link_times(&totals))?
    } else {
        Rational::zero()
    };
    Ok(WholePatterns {
        period: busiest.max(odd_sets),
        ..whole
    })
}

/// Units used by carrier.
fn totals(measure: &Measure<'_>, whole: &WholePatterns) -> Vec<BigInt> {
    let mut totals = vec![BigInt::zero(); measure.carriers()];
    for scheduled in &whole.patterns {
        measure.add(
            &scheduled.pattern,
            &scheduled.copies.clone().into(),
            &mut totals,
        );
    }
    totals
}

/// Names the first of the busiest resources, if it is busier than the period is long.
fn check_resources(
    platform: &Platform,
    measure: &Measure<'_>,
    totals: &[BigInt],
    period: &Rational,
) -> Result<(), ScheduleError> {
    let loads: Vec<Rational> = measure.loads(totals, |index| measure.time(index));
    let busiest = loads
        .into_iter()
        .enumerate()
        .rev()
        .max_by(|(_, a), (_, b)| a.cmp(b));
    let Some((number, load)) = busiest else {
        return Ok(());
    };
    let busy = load / measure.scale();
    if busy <= *period {
        return Ok(());
    }
    let resource = measure
        .resource(number)
        .map(|resource| resource.describe(platform))
        .unwrap_or_default();
    Err(ScheduleError::Overfull {
        resource,
        busy: Box::new(busy),
        period: Box::new(period.clone()),
    })
}
