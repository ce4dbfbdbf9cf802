//! Whole patterns for a given period or number of instances (papers/000 section 4.6, refined).
//!
//! The paper rounds every pattern's share of the period down ([`rounded_down`]). Here the number of instances `d` is
//! chosen first: a commodity that has one pattern takes it `d` times, the others take the rounded-down shares of `d` and
//! their left-over copies go where they hurt the busiest port or processor least, and copies are exchanged as long as that
//! relieves the busiest. Then the period is the busiest
//! resource's time, or `d` is the largest number that fits the period asked for; what room is left is refilled with
//! further instances along any paths that fit, or with whole trees of the steady state.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_plan::{Commodity, ScheduledPattern, SteadyState, Volumes, WholePatterns};
use oneport_platform::{Platform, Rational};

use crate::ScheduleError;
use crate::discrepancy::Discrepancy;
use crate::measure::common_denominator;
use crate::refill;
use crate::shares::{Rounded, Shares};

/// What the period is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This long.
    Period(Rational),
    /// As long as at most this many instances need, in the best proportion found.
    Instances(u64),
}

/// Work allowed for trying numbers of instances, in additions.
const EFFORT: usize = 2_000_000;
/// Work allowed for exchanging copies, in multiples of the work of rounding: when many numbers are tried, and when few.
const BRIEFLY: usize = 4;
const THOROUGHLY: usize = 64;
/// Numbers of instances tried beyond the first that do not fit: rounding is not quite monotone.
const BEYOND: u32 = 4;

/// Rounds a steady state to whole patterns. The result is never below the paper's rule, [`rounded_down`].
///
/// `commodities` are those of the collective; none for reductions, whose room is refilled with the steady state's own
/// patterns. The steady state's patterns must be of this platform. The work is bounded: tens of milliseconds for a few
/// hundred trees of a thousand tasks, or an all-to-all of a thousand messages.
///
/// # Errors
/// A period that is not positive or too short for one instance; zero instances; weights that do not add up to the
/// throughput.
pub fn round(
    platform: &Platform,
    commodities: &[Commodity],
    volumes: &Volumes,
    steady_state: &SteadyState,
    target: &Target,
) -> Result<WholePatterns, ScheduleError> {
    match target {
        Target::Period(period) if !period.is_positive() => Err(ScheduleError::BadPeriod(Box::new(period.clone()))),
        Target::Instances(0) => Err(ScheduleError::NoInstances),
        Target::Period(period) => {
            let shares = Shares::new(platform, volumes, steady_state)?;
            fit_period(platform, commodities, &shares, period)
        }
        Target::Instances(most) => {
            let shares = Shares::new(platform, volumes, steady_state)?;
            let rounded = best_up_to(&shares, *most);
            let period = shares.period(&rounded);
            Ok(shares.whole(rounded, period))
        }
    }
}

/// The rule of papers/000 section 4.6: `r(T) = floor(w(T) T_fixed)` copies of every pattern; the scarcest commodity
/// decides how many instances that makes, and what others have beyond it is left out.
///
/// It needs no look at the platform: fewer copies than the weights allow keep no resource busy for longer. It loses less
/// than one instance per pattern of the scarcest commodity and period, and may well make no instance at all, which is no
/// error here. A steady state of `n` patterns takes `O(n)` multiplications.
///
/// # Errors
/// [`ScheduleError::BadPeriod`].
pub fn rounded_down(steady_state: &SteadyState, period: &Rational) -> Result<WholePatterns, ScheduleError> {
    if !period.is_positive() {
        return Err(ScheduleError::BadPeriod(Box::new(period.clone())));
    }
    let copies: Vec<BigInt> =
        steady_state.patterns.iter().map(|it| (&it.weight * period).floor().to_integer()).collect();
    let mut sums: BTreeMap<usize, BigInt> = BTreeMap::new();
    for (weighted, copies) in steady_state.patterns.iter().zip(&copies) {
        *sums.entry(weighted.pattern.commodity()).or_default() += copies;
    }
    let instances = sums.values().min().cloned().unwrap_or_default();
    let mut left: BTreeMap<usize, BigInt> = BTreeMap::new();
    let mut patterns = Vec::new();
    for (weighted, copies) in steady_state.patterns.iter().zip(copies) {
        let left = left.entry(weighted.pattern.commodity()).or_insert_with(|| instances.clone());
        let copies = copies.min(left.clone());
        *left -= &copies;
        if copies.is_positive() {
            let copies = copies.magnitude().clone();
            patterns.push(ScheduledPattern { pattern: weighted.pattern.clone(), copies });
        }
    }
    Ok(WholePatterns { period: period.clone(), instances: instances.magnitude().clone(), patterns })
}

/// The steady state's own weights over the shortest period in which they are whole: nothing is lost, however long the
/// period. The copies of all patterns have no common divisor.
pub fn own_period(steady_state: &SteadyState) -> WholePatterns {
    let weights = || steady_state.patterns.iter().map(|weighted| &weighted.weight);
    let denominator = common_denominator(weights());
    let whole = |weight: &Rational| (weight * &denominator).to_integer();
    let divisor = weights().fold(BigInt::zero(), |divisor, weight| divisor.gcd(&whole(weight)));
    let period = Rational::new(denominator.clone(), if divisor.is_zero() { BigInt::one() } else { divisor });
    let copies = |weight: &Rational| (weight * &period).to_integer().magnitude().clone();
    let patterns = steady_state
        .patterns
        .iter()
        .map(|weighted| ScheduledPattern { pattern: weighted.pattern.clone(), copies: copies(&weighted.weight) })
        .collect();
    WholePatterns { instances: copies(&steady_state.throughput), patterns, period }
}

/// The largest number of instances found that fits, then refilled.
fn fit_period(
    platform: &Platform,
    commodities: &[Commodity],
    shares: &Shares<'_>,
    period: &Rational,
) -> Result<WholePatterns, ScheduleError> {
    let room = (period * &shares.unit).floor().to_integer();
    let discrepancy = Discrepancy::new(shares);
    let rounded = |instances: &BigInt| shares.rounded(instances, discrepancy.round(instances, THOROUGHLY).copies);
    let floor = rounded_down(shares.steady_state, period)?;
    let mut best = largest_fitting(shares, period, &floor.instances.clone().into(), &room, &rounded)
        .unwrap_or_else(|| floor_copies(shares, &floor, period));
    if commodities.is_empty() {
        refill::with_patterns(shares, &mut best, &room);
    } else {
        refill::with_paths(platform, commodities, shares, &mut best, &room);
    }
    if best.instances().is_zero() {
        let needed = shares.period(&rounded(&BigInt::one()));
        return Err(ScheduleError::PeriodTooShort { period: Box::new(period.clone()), needed: Box::new(needed) });
    }
    Ok(shares.whole(best, period.clone()))
}

/// Searches between the paper's rule and the optimum. Rounding is not quite monotone in the number of instances, so the
/// search keeps whatever fits.
fn largest_fitting(
    shares: &Shares<'_>,
    period: &Rational,
    floor: &BigInt,
    room: &BigInt,
    rounded: &dyn Fn(&BigInt) -> Rounded,
) -> Option<Rounded> {
    let fitting = |instances: &BigInt| {
        let rounded = rounded(instances);
        (rounded.busiest() <= *room).then_some(rounded)
    };
    let mut least = floor.clone();
    let mut most = (period * &shares.steady_state.throughput).floor().to_integer();
    let mut best = None;
    while least <= most {
        let middle: BigInt = (&least + &most + 1u32) / 2u32;
        if middle.is_zero() {
            break;
        }
        match fitting(&middle) {
            Some(rounded) => {
                least = &middle + 1u32;
                best = Some(rounded);
            }
            None => most = middle - 1u32,
        }
    }
    // `most` is now the number found, or none was.
    for beyond in 1..=BEYOND {
        best = fitting(&(&most + beyond)).or(best);
    }
    best
}

/// The paper's rule, as copies of choices.
fn floor_copies(shares: &Shares<'_>, floor: &WholePatterns, period: &Rational) -> Rounded {
    let instances = BigInt::from(floor.instances.clone());
    let mut left: BTreeMap<usize, BigInt> = BTreeMap::new();
    let copies = shares.choices.iter().map(|choice| {
        let left = left.entry(choice.commodity).or_insert_with(|| instances.clone());
        let weight = &shares.steady_state.patterns[choice.pattern].weight;
        let copies = (weight * period).floor().to_integer().min(left.clone());
        *left -= &copies;
        copies
    });
    let copies = copies.collect();
    shares.rounded(&instances, copies)
}

/// The number of instances up to the limit with the best throughput after rounding.
fn best_up_to(shares: &Shares<'_>, most: u64) -> Rounded {
    let discrepancy = Discrepancy::new(shares);
    let tries = (EFFORT / (discrepancy.effort() * (1 + BRIEFLY))).clamp(16, 20_000) as u64;
    let trial = |instances: u64| discrepancy.round(&instances.into(), BRIEFLY);
    let first = trial(1);
    let best = candidates(most, tries).into_iter().map(trial).fold(first, |best, trial| {
        let better = BigInt::from(trial.excess) * &best.instances < BigInt::from(best.excess) * &trial.instances;
        if better { trial } else { best }
    });
    let rounded = shares.rounded(&best.instances, best.copies);
    // Whole shares lose nothing, which fixed-point numbers would not see exactly.
    let own = own_instances(shares, most).map(|own| shares.rounded(&own.into(), trial(own).copies));
    match own {
        Some(own) if own.busiest() * &rounded.shared <= rounded.busiest() * &own.shared => own,
        _ => rounded,
    }
}

/// The fewest instances that the shares divide into whole copies, if that is within the limit.
fn own_instances(shares: &Shares<'_>, most: u64) -> Option<u64> {
    let mut own = BigInt::one();
    for choice in &shares.choices {
        own = own.lcm(choice.share.denom());
        if own > most.into() {
            return None;
        }
    }
    own.to_u64()
}

/// Numbers of instances to try: all of them when they are few, else half of them close to the limit, where rounding
/// hurts least, and the rest spread evenly.
fn candidates(most: u64, tries: u64) -> Vec<u64> {
    if most <= tries {
        return (1..=most).collect();
    }
    let near = tries / 2;
    let spread = tries - near;
    let step = ((most - near) / spread).max(1);
    let mut all: Vec<u64> = (0..spread).map(|index| 1 + index * step).chain(most - near + 1..=most).collect();
    all.sort_unstable();
    all.dedup();
    all
}
