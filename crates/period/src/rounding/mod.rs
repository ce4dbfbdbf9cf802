//! Whole patterns for a given period or number of instances (RR-4872 section 4.6, refined).
//!
//! The paper rounds every pattern's share of the period down ([`rounded_down`]). Here the number of instances `d` is
//! chosen first. A demand with one pattern takes it `d` times. The others take the rounded-down shares of `d`. Each
//! left-over copy takes the path that adds least to the busiest port or processor, and copies are exchanged while that
//! relieves the busiest. Then the period is the busiest resource's time, or `d` is the largest number that fits the
//! requested period. The remaining room is refilled with further instances along any paths that fit, or with whole
//! trees of the steady state.

mod discrepancy;
mod fewest_instances;
mod fit;
mod refill;
mod shares;

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_numbers::{common_denominator, common_divisor, numerator_over};
use oneport_plan::{Problem, ScheduledPattern, SteadyState, WholePatterns};
use oneport_platform::{Rational, ratio};
use oneport_watch::Watch;

use self::discrepancy::{Discrepancy, Trial};
use self::fewest_instances::fewest;
use self::fit::Fit;
use self::shares::{Choice, Rounded, Shares};
use crate::PeriodError;

/// The target of a rounding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This long.
    Period(Rational),
    /// As long as at most this many instances need, in the best proportion found.
    Instances(u64),
    /// As long as the fewest instances found need that lose at most a share of the throughput.
    Loss {
        /// The lost share of the steady state's throughput, from 0 up to but not including 1.
        most: Rational,
        /// Limit on the instances. If no number up to it loses as little, the target is [`Target::Instances`] with this
        /// number.
        instances: u64,
    },
}

/// Additions for numbers of instances. Trades time for shorter periods. Not measured.
const EFFORT: usize = 2_000_000;
/// Work for exchanges of copies, in multiples of the work of rounding, if many numbers are tried. Trades time for
/// roundings that fit. Not measured.
const BRIEFLY: usize = 4;
/// The limit if few numbers are tried. Trades time for roundings that fit. Not measured.
const THOROUGHLY: usize = 64;
/// Roundings whose odd sets are looked at. Trades time for shorter periods. Not measured.
const FINALISTS: usize = 8;
/// Numbers of instances tried after the first that does not fit: rounding is not quite monotone. Trades time for
/// shorter periods. Not measured.
const BEYOND: u32 = 4;

/// Rounds a steady state to whole patterns. The result is never below the paper's rule, [`rounded_down`].
///
/// Every demand takes as many copies as there are instances, times the rate of its group. If the collective consists of
/// messages from one node to another, room is refilled with any paths, else with the steady state's own patterns. On
/// half-duplex nodes the period is long enough for the odd sets too, whether or not the steady state respects them. The
/// steady state's patterns must be of this platform. The work is bounded: tens of milliseconds for a few hundred trees
/// of a thousand tasks, or an all-to-all of a thousand messages. Half-duplex nodes add a few dozen searches for odd
/// sets. If the watch ends the work, the result is the best rounding so far, or else the first one.
///
/// # Errors
/// A period that is not positive or too short for one instance. Zero instances. A loss that is not in `0..1`. Weights
/// that do not add up to the throughput, times the rates.
pub fn round(
    problem: &Problem,
    steady_state: &SteadyState,
    target: &Target,
    watch: &Watch,
) -> Result<WholePatterns, PeriodError> {
    match target {
        Target::Period(period) if !period.is_positive() => {
            return Err(PeriodError::BadPeriod(Box::new(period.clone())));
        }
        Target::Instances(0) | Target::Loss { instances: 0, .. } => {
            return Err(PeriodError::NoInstances);
        }
        Target::Loss { most, .. } if most.is_negative() || *most >= Rational::one() => {
            return Err(PeriodError::BadLoss(Box::new(most.clone())));
        }
        _ => {}
    }
    let mut shares = Shares::new(problem, steady_state)?;
    let mut fit = Fit::new(problem.platform(), watch);
    match target {
        Target::Period(period) => fit_period(&mut fit, &mut shares, period),
        Target::Instances(most) => {
            let (rounded, period) = best_up_to(&mut fit, &mut shares, *most)?;
            Ok(shares.whole(rounded, period))
        }
        Target::Loss { most, instances } => {
            let (rounded, period) = match fewest(&mut fit, &mut shares, most, *instances)? {
                Some(found) => found,
                None => best_up_to(&mut fit, &mut shares, *instances)?,
            };
            Ok(shares.whole(rounded, period))
        }
    }
}

/// The rule of RR-4872 section 4.6: `r(T) = floor(w(T) T_fixed)` copies of every pattern. The scarcest demand
/// determines the number of instances. Every demand takes that number times its rate, and its further copies are
/// dropped.
///
/// The platform is not checked: fewer copies than the weights allow shorten all busy times. The rule loses less than
/// one instance per pattern of the scarcest demand and period. It may make no instance at all, which is not an error
/// here. A steady state of `n` patterns takes `O(n)` multiplications.
///
/// # Errors
/// [`PeriodError::BadPeriod`].
pub fn rounded_down(
    problem: &Problem,
    steady_state: &SteadyState,
    period: &Rational,
) -> Result<WholePatterns, PeriodError> {
    if !period.is_positive() {
        return Err(PeriodError::BadPeriod(Box::new(period.clone())));
    }
    let copies: Vec<BigInt> = steady_state
        .patterns
        .iter()
        .map(|it| (&it.weight * period).floor().to_integer())
        .collect();
    let mut sums: BTreeMap<usize, BigInt> = BTreeMap::new();
    for (weighted, copies) in steady_state.patterns.iter().zip(&copies) {
        *sums.entry(weighted.pattern.demand).or_default() += copies;
    }
    let rate = |demand: usize| BigInt::from(problem.collective().rate(demand));
    let instances = sums
        .iter()
        .map(|(&demand, sum)| sum.div_floor(&rate(demand).max(BigInt::one())))
        .min();
    let instances = instances.unwrap_or_default();
    let mut left: BTreeMap<usize, BigInt> = BTreeMap::new();
    let mut patterns = Vec::new();
    for (weighted, copies) in steady_state.patterns.iter().zip(copies) {
        let demand = weighted.pattern.demand;
        let left = left
            .entry(demand)
            .or_insert_with(|| &instances * rate(demand));
        let copies = copies.min(left.clone());
        *left -= &copies;
        if copies.is_positive() {
            let copies = copies.magnitude().clone();
            patterns.push(ScheduledPattern {
                pattern: weighted.pattern.clone(),
                copies,
            });
        }
    }
    Ok(WholePatterns {
        period: period.clone(),
        instances: instances.magnitude().clone(),
        patterns,
    })
}

/// The steady state's own weights over the shortest period in which they and the instances are whole: nothing is lost,
/// however long the period. The copies of all patterns and the instances have no common divisor.
pub fn own_period(steady_state: &SteadyState) -> WholePatterns {
    let of_patterns = || {
        steady_state
            .patterns
            .iter()
            .map(|weighted| &weighted.weight)
    };
    // If every rate is 1, the throughput is a sum of weights and changes nothing.
    let weights = || of_patterns().chain([&steady_state.throughput]);
    let denominator = common_denominator(weights());
    let divisor =
        common_divisor(weights().map(|weight| numerator_over(weight, &denominator).into_parts().1));
    let period = ratio(denominator, divisor);
    let copies = |weight: &Rational| (weight * &period).to_integer().magnitude().clone();
    let patterns = steady_state
        .patterns
        .iter()
        .map(|weighted| ScheduledPattern {
            pattern: weighted.pattern.clone(),
            copies: copies(&weighted.weight),
        })
        .collect();
    WholePatterns {
        instances: copies(&steady_state.throughput),
        patterns,
        period,
    }
}

/// The largest number of instances found that fits, then refilled.
fn fit_period(
    fit: &mut Fit<'_>,
    shares: &mut Shares<'_>,
    period: &Rational,
) -> Result<WholePatterns, PeriodError> {
    let floor = rounded_down(shares.problem, shares.steady_state, period)?;
    let floor_instances = BigInt::from(floor.instances.clone());
    let most = (period * &shares.steady_state.throughput)
        .floor()
        .to_integer();
    let mut best = None;
    let mut least = floor_instances.clone();
    for _ in 0..fit::ROUNDS {
        if let Some(more) = largest_fitting(fit, shares, period, &least, &most)? {
            least = &more.shared + 1u32;
            best = Some(more);
        }
        if !fit.register_odd_sets(shares) {
            break;
        }
    }
    let mut best = match best {
        // Resources may have come in the meantime.
        Some(best) => shares.rounded(&best.shared, best.copies),
        None => floor_copies(shares, &floor, period),
    };
    if fit.odd_sets && !fit.fits(shares, &best, period)? {
        // The steady state itself does not respect the odd sets.
        fit.register_odd_sets(shares);
        let fewer = largest_fitting(fit, shares, period, &BigInt::zero(), &floor_instances)?;
        best = fewer.unwrap_or_else(|| floor_copies(shares, &nothing(period), period));
    }
    refill(fit, shares, &mut best, period)?;
    if best.instances().is_zero() {
        let (one, needed) = one_instance(fit, shares)?;
        if needed > *period {
            return Err(PeriodError::PeriodTooShort {
                period: Box::new(period.clone()),
                needed: Box::new(needed),
            });
        }
        best = one;
    }
    Ok(shares.whole(best, period.clone()))
}

fn nothing(period: &Rational) -> WholePatterns {
    WholePatterns {
        period: period.clone(),
        instances: BigUint::zero(),
        patterns: Vec::new(),
    }
}

/// One instance and its needs, with all odd sets found so far.
fn one_instance(
    fit: &mut Fit<'_>,
    shares: &Shares<'_>,
) -> Result<(Rounded, Rational), PeriodError> {
    if !fit.odd_sets {
        let copies = Discrepancy::new(shares)
            .round(&BigInt::one(), THOROUGHLY)
            .copies;
        let rounded = shares.rounded(&BigInt::one(), copies);
        let needed = fit.period(shares, &rounded)?;
        return Ok((rounded, needed));
    }
    let mut fresh = Shares::new(shares.problem, shares.steady_state)?;
    best_up_to(&mut Fit::new(fit.platform, fit.watch), &mut fresh, 1)
}

/// Adds further instances. Filling considers resources only. If there may be odd sets, larger and larger numbers of
/// instances are added while they fit, then smaller and smaller ones.
fn refill(
    fit: &mut Fit<'_>,
    shares: &Shares<'_>,
    best: &mut Rounded,
    period: &Rational,
) -> Result<(), PeriodError> {
    let room = shares.room(period);
    let commodities = shares.problem.collective().commodities();
    let platform = fit.platform;
    let add = |rounded: &mut Rounded, most: usize| match commodities[..] {
        [] => refill::with_patterns(shares, rounded, &room, most),
        _ => refill::with_paths(platform, &commodities, shares, rounded, &room, most),
    };
    if !fit.odd_sets {
        add(best, usize::MAX);
        return Ok(());
    }
    let (mut most, mut growing) = (1usize, true);
    while most > 0 && fit.watch.ask().is_ok() {
        let mut more = best.clone();
        add(&mut more, most);
        if more.refilled == best.refilled {
            break;
        }
        if fit.fits(shares, &more, period)? {
            *best = more;
        } else {
            growing = false;
        }
        most = if growing {
            most.saturating_mul(2)
        } else {
            most / 2
        };
    }
    Ok(())
}

/// Searches between the paper's rule and the optimum. Rounding is not quite monotone in the number of instances, so the
/// search keeps every number that fits.
fn largest_fitting(
    fit: &mut Fit<'_>,
    shares: &Shares<'_>,
    period: &Rational,
    least: &BigInt,
    most: &BigInt,
) -> Result<Option<Rounded>, PeriodError> {
    let discrepancy = Discrepancy::new(shares);
    let watch = fit.watch;
    let mut fitting = |instances: &BigInt| -> Result<Option<Rounded>, PeriodError> {
        let rounded = shares.rounded(instances, discrepancy.round(instances, THOROUGHLY).copies);
        Ok(fit.fits(shares, &rounded, period)?.then_some(rounded))
    };
    let (mut least, mut most) = (least.clone(), most.clone());
    let mut best = None;
    while least <= most && watch.ask().is_ok() {
        let middle: BigInt = (&least + &most + 1u32) / 2u32;
        if middle.is_zero() {
            break;
        }
        match fitting(&middle)? {
            Some(rounded) => {
                least = &middle + 1u32;
                best = Some(rounded);
            }
            None => most = middle - 1u32,
        }
    }
    // `most` is now the number found, or none was.
    for beyond in (1..=BEYOND).take_while(|_| watch.ask().is_ok()) {
        best = fitting(&(&most + beyond))?.or(best);
    }
    Ok(best)
}

/// The paper's rule, as copies of choices.
fn floor_copies(shares: &Shares<'_>, floor: &WholePatterns, period: &Rational) -> Rounded {
    let instances = BigInt::from(floor.instances.clone());
    let mut left: BTreeMap<usize, BigInt> = BTreeMap::new();
    let copies = shares.choices.iter().map(|choice| {
        let left = left
            .entry(choice.demand)
            .or_insert_with(|| &instances * shares.rates[choice.demand]);
        let weight = &shares.steady_state.patterns[choice.pattern].weight;
        let copies = (weight * period).floor().to_integer().min(left.clone());
        *left -= &copies;
        copies
    });
    let copies = copies.collect();
    shares.rounded(&instances, copies)
}

/// The number of instances up to the limit with the best throughput after rounding, and its period.
fn best_up_to(
    fit: &mut Fit<'_>,
    shares: &mut Shares<'_>,
    most: u64,
) -> Result<(Rounded, Rational), PeriodError> {
    let mut best: Option<(Rounded, Rational)> = None;
    for _ in 0..fit::ROUNDS {
        for (instances, copies) in finalists(shares, most, fit.odd_sets, fit.watch) {
            if best.is_some() && fit.watch.ask().is_err() {
                break;
            }
            let next = shares.rounded(&instances, copies);
            let period = fit.period(shares, &next)?;
            let slower = |(best, least): &(Rounded, Rational)| {
                least * &next.shared <= &period * &best.shared
            };
            if !best.as_ref().is_some_and(slower) {
                best = Some((next, period));
            }
        }
        if !fit.register_odd_sets(shares) {
            break;
        }
    }
    best.ok_or(PeriodError::NoInstances)
}

/// Numbers of instances and copies that may be the best.
fn finalists(
    shares: &Shares<'_>,
    most: u64,
    odd_sets: bool,
    watch: &Watch,
) -> Vec<(BigInt, Vec<BigInt>)> {
    let discrepancy = Discrepancy::new(shares);
    let tries = (EFFORT / (discrepancy.effort() * (1 + BRIEFLY))).clamp(16, 20_000) as u64;
    let trial = |instances: u64| discrepancy.round(&instances.into(), BRIEFLY);
    let mut finalists = Finalists {
        most: if odd_sets { FINALISTS } else { 1 },
        best: Vec::new(),
    };
    finalists.enter(trial(1));
    let tried = candidates(most, tries)
        .into_iter()
        .take_while(|_| watch.ask().is_ok());
    for instances in tried {
        finalists.enter(trial(instances));
    }
    let mut all = Vec::new();
    // Whole shares lose nothing. Fixed-point numbers would show a small loss.
    if let Some(own) = shares.own_instances(most) {
        if odd_sets {
            // Exchanging copies might lose odd sets that are not registered yet.
            let whole = |choice: &Choice| (&choice.share * BigInt::from(own)).to_integer();
            all.push((own.into(), shares.choices.iter().map(whole).collect()));
        }
        let own = trial(own);
        all.push((own.instances, own.copies));
    }
    all.extend(
        finalists
            .best
            .into_iter()
            .map(|trial| (trial.instances, trial.copies)),
    );
    all
}

/// The trials with the least excess per instance, best first. Of equals the earlier.
struct Finalists {
    most: usize,
    best: Vec<Trial>,
}

impl Finalists {
    fn enter(&mut self, trial: Trial) {
        let better = |than: &Trial| {
            BigInt::from(trial.excess) * &than.instances
                < BigInt::from(than.excess) * &trial.instances
        };
        let index = self.best.iter().position(better).unwrap_or(self.best.len());
        if index < self.most
            && self
                .best
                .iter()
                .all(|other| other.instances != trial.instances)
        {
            self.best.insert(index, trial);
            self.best.truncate(self.most);
        }
    }
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
    let mut all: Vec<u64> = (0..spread)
        .map(|index| 1 + index * step)
        .chain(most - near + 1..=most)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}
