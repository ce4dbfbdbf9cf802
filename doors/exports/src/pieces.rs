//! Another number of instances per period: distributes the copies of the patterns again, and computes the loss.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use oneport_plan::{PeriodicSchedule, Problem, ScheduledPattern, WholePatterns};
use oneport_platform::{Rational, ratio, whole};
use oneport_schedule::{Watch, periodic, tightened};

use crate::ExportError;
use crate::sharing::Sharing;

/// Largest power of two that is tried as a number of pieces. Trades exact shares for the size of a program. Not
/// measured.
const LARGEST: u64 = 1 << 10;

/// The copies of the patterns for `instances` instances. The busiest resource has the least load that [`Sharing`]
/// finds.
pub(crate) fn shared_out(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    instances: u64,
) -> Vec<ScheduledPattern> {
    let [floors, copies] = in_proportion(problem, schedule, instances);
    let small = |copies: &[BigUint]| {
        copies
            .iter()
            .map(ToPrimitive::to_u64)
            .collect::<Option<Vec<u64>>>()
    };
    let better = || {
        let (floors, copies) = (small(&floors)?, small(&copies)?);
        Some(
            Sharing::new(problem, schedule, &copies)?
                .least(&floors)
                .into_iter()
                .map(BigUint::from)
                .collect(),
        )
    };
    let copies: Vec<BigUint> = better().unwrap_or(copies);
    let kept = schedule
        .patterns
        .iter()
        .zip(copies)
        .filter(|(_, copies)| *copies != BigUint::ZERO);
    kept.map(|(scheduled, copies)| ScheduledPattern {
        pattern: scheduled.pattern.clone(),
        copies,
    })
    .collect()
}

/// Two distributions: every pattern's share rounded down, and the same with the rest, which goes to the largest
/// remainders. `O(P log P)` for `P` patterns.
fn in_proportion(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    instances: u64,
) -> [Vec<BigUint>; 2] {
    let mut of_demand: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (pattern, scheduled) in schedule.patterns.iter().enumerate() {
        of_demand
            .entry(scheduled.pattern.demand)
            .or_default()
            .push(pattern);
    }
    let mut floors = vec![BigUint::ZERO; schedule.patterns.len()];
    let mut copies = floors.clone();
    for (demand, patterns) in of_demand {
        let wanted = BigUint::from(instances) * problem.collective().rate(demand);
        let all: BigUint = patterns
            .iter()
            .map(|&pattern| &schedule.patterns[pattern].copies)
            .sum();
        if all == BigUint::ZERO {
            continue;
        }
        let mut rest = wanted.clone();
        let mut remainders = Vec::new();
        for pattern in patterns {
            let (share, remainder) = (&schedule.patterns[pattern].copies * &wanted).div_rem(&all);
            rest -= &share;
            (floors[pattern], copies[pattern]) = (share.clone(), share);
            remainders.push((Reverse(remainder), pattern));
        }
        remainders.sort();
        for (_, pattern) in remainders {
            if rest == BigUint::ZERO {
                break;
            }
            copies[pattern] += 1u32;
            rest -= 1u32;
        }
    }
    [floors, copies]
}

/// A schedule of `instances` instances per period, in the shortest period that the distributed copies fit in.
///
/// # Errors
/// The copies cannot be ordered, which would be a defect.
pub(crate) fn with_instances(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    instances: u64,
) -> Result<PeriodicSchedule, ExportError> {
    if schedule.instances == BigUint::from(instances) {
        return Ok(schedule.clone());
    }
    Ok(periodic(
        problem,
        tight(problem, schedule, instances)?,
        &Watch::unlimited(),
    )?)
}

/// The distributed copies in the shortest period.
fn tight(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    instances: u64,
) -> Result<WholePatterns, ExportError> {
    let whole = WholePatterns {
        period: schedule.period.clone(),
        instances: instances.into(),
        patterns: shared_out(problem, schedule, instances),
    };
    Ok(tightened(problem, whole)?)
}

/// A schedule of `instances` instances per period, whose tasks have stages and no dates.
pub(crate) fn without_slots(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    instances: u64,
) -> PeriodicSchedule {
    PeriodicSchedule {
        period: Rational::one(),
        instances: instances.into(),
        patterns: shared_out(problem, schedule, instances),
        slots: Vec::new(),
    }
}

/// Lost share of the plan's throughput with this number of instances per period, from 0 to 1. It follows from the
/// period of [`tightened`] for the distributed patterns.
///
/// # Errors
/// The copies cannot be ordered, which would be a defect.
pub(crate) fn lost(
    problem: &Problem,
    schedule: &PeriodicSchedule,
    instances: u64,
) -> Result<Rational, ExportError> {
    if schedule.instances == BigUint::from(instances) {
        return Ok(Rational::zero());
    }
    let period = tight(problem, schedule, instances)?.period;
    if period.is_zero() {
        return Ok(Rational::zero());
    }
    let number = |number: &BigUint| whole(number.clone());
    let kept =
        number(&instances.into()) * &schedule.period / (period * number(&schedule.instances));
    Ok((Rational::one() - kept).max(Rational::zero()))
}

/// Whether a lost share of the throughput is small: a 32nd at most.
pub(crate) fn is_small(loss: &Rational) -> bool {
    *loss <= ratio(1, 32)
}

/// The powers of two to be tried as numbers of pieces, best first: the smallest that loses at most a 32nd of the
/// throughput, then smaller ones by loss. If no power up to 1024 loses that little, all of them.
///
/// # Errors
/// The errors of [`lost`].
pub(crate) fn powers_of_two(
    problem: &Problem,
    schedule: &PeriodicSchedule,
) -> Result<Vec<u64>, ExportError> {
    let mut losses = Vec::new();
    for pieces in std::iter::successors(Some(1), |pieces| {
        Some(2 * pieces).filter(|&pieces| pieces <= LARGEST)
    }) {
        let loss = lost(problem, schedule, pieces)?;
        let is_enough = is_small(&loss);
        losses.push((loss, pieces));
        if is_enough {
            break;
        }
    }
    losses.sort();
    Ok(losses.into_iter().map(|(_, pieces)| pieces).collect())
}
