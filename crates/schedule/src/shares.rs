//! A steady state prepared for rounding: every pattern's share of an instance, and all times as integers.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_plan::{Pattern, ScheduledPattern, SteadyState, Volumes, WholePatterns};
use oneport_platform::{Platform, Rational};

use crate::ScheduleError;
use crate::measure::{Measure, Uses, common_denominator};

/// The patterns of a steady state by their shares of an instance.
pub struct Shares<'a> {
    pub measure: Measure<'a>,
    pub steady_state: &'a SteadyState,
    /// Units of time per unit of time: the times below are whole.
    pub unit: BigInt,
    /// Time that one unit takes at each place.
    pub times: Vec<BigInt>,
    /// Units used by one instance of all commodities that have a single pattern, by place.
    pub base: Vec<BigInt>,
    /// Patterns of commodities that have several, by commodity.
    pub choices: Vec<Choice>,
}

/// One of several patterns of a commodity.
pub struct Choice {
    /// Place in the steady state.
    pub pattern: usize,
    /// The commodity, counted among those that have several patterns.
    pub commodity: usize,
    /// Part of the commodity's instances that go this way.
    pub share: Rational,
    /// Units used by one copy.
    pub uses: Uses,
}

/// Whole copies of patterns.
pub struct Rounded {
    /// Instances that follow the shares: copies of every single pattern.
    pub shared: BigInt,
    /// Copies of each choice; `shared` per commodity.
    pub copies: Vec<BigInt>,
    /// Instances added otherwise.
    pub refilled: BigInt,
    /// Their patterns.
    pub added: BTreeMap<Pattern, BigInt>,
    /// Busy time by resource, in units; of all of them.
    pub loads: Vec<BigInt>,
}

impl Rounded {
    pub fn instances(&self) -> BigInt {
        &self.shared + &self.refilled
    }

    pub fn busiest(&self) -> BigInt {
        self.loads.iter().max().cloned().unwrap_or_default()
    }
}

impl<'a> Shares<'a> {
    /// Refuses weights that do not add up to the throughput.
    pub fn new(platform: &'a Platform, volumes: &'a Volumes, state: &'a SteadyState) -> Result<Self, ScheduleError> {
        let measure = Measure::new(platform, volumes);
        let mut by_commodity: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, weighted) in state.patterns.iter().enumerate() {
            by_commodity.entry(weighted.pattern.commodity()).or_default().push(place);
        }
        let mut base = vec![BigInt::zero(); measure.places()];
        let mut used = vec![false; measure.places()];
        let mut choices = Vec::new();
        let mut split = 0;
        for (commodity, patterns) in by_commodity {
            check_sum(state, commodity, &patterns)?;
            if let [single] = patterns[..] {
                measure.add(&state.patterns[single].pattern, &BigInt::one(), &mut base);
                continue;
            }
            for pattern in patterns {
                let weighted = &state.patterns[pattern];
                let uses = measure.uses(&weighted.pattern);
                uses.iter().for_each(|&(place, _)| used[place] = true);
                let share = &weighted.weight / &state.throughput;
                choices.push(Choice { pattern, commodity: split, share, uses });
            }
            split += 1;
        }
        let rates: Vec<Rational> = (0..measure.places()).map(|place| measure.time(place)).collect();
        let used = rates.iter().enumerate().filter(|&(place, _)| used[place] || !base[place].is_zero());
        let unit = common_denominator(used.map(|(_, rate)| rate));
        // A link that no pattern uses may need a finer unit; rounding its time up keeps refilling safe.
        let times = rates.iter().map(|rate| (rate.numer() * &unit).div_ceil(rate.denom())).collect();
        Ok(Shares { measure, steady_state: state, unit, times, base, choices })
    }

    /// Instances with this many copies of each choice.
    pub fn rounded(&self, instances: &BigInt, copies: Vec<BigInt>) -> Rounded {
        let mut totals: Vec<BigInt> = self.base.iter().map(|units| units * instances).collect();
        for (choice, copies) in self.choices.iter().zip(&copies).filter(|(_, copies)| !copies.is_zero()) {
            choice.uses.iter().for_each(|(place, units)| totals[*place] += units * copies);
        }
        let loads = self.measure.loads(&totals, |place| self.times[place].clone());
        Rounded { shared: instances.clone(), copies, refilled: BigInt::zero(), added: BTreeMap::new(), loads }
    }

    /// Busy time by resource of one copy, in units: only what is used, ascending.
    pub fn load(&self, uses: &Uses) -> Vec<(usize, BigInt)> {
        let mut loads: BTreeMap<usize, BigInt> = BTreeMap::new();
        for (place, units) in uses {
            let time = units * &self.times[*place];
            for resource in self.measure.occupied(*place) {
                *loads.entry(resource).or_default() += &time;
            }
        }
        loads.into_iter().filter(|(_, time)| !time.is_zero()).collect()
    }

    /// The period that the busiest resource needs.
    pub fn period(&self, rounded: &Rounded) -> Rational {
        Rational::new(rounded.busiest(), self.unit.clone())
    }

    /// The patterns by commodity, then in their own order.
    pub fn whole(&self, rounded: Rounded, period: Rational) -> WholePatterns {
        let instances = rounded.instances().magnitude().clone();
        let mut counts = rounded.added;
        let mut several = vec![false; self.steady_state.patterns.len()];
        for (choice, copies) in self.choices.iter().zip(rounded.copies) {
            several[choice.pattern] = true;
            if copies.is_positive() {
                *counts.entry(self.steady_state.patterns[choice.pattern].pattern.clone()).or_default() += copies;
            }
        }
        let single = self.steady_state.patterns.iter().zip(several).filter(|(_, several)| !several);
        for (weighted, _) in single.filter(|_| rounded.shared.is_positive()) {
            *counts.entry(weighted.pattern.clone()).or_default() += &rounded.shared;
        }
        let patterns = counts
            .into_iter()
            .map(|(pattern, copies)| ScheduledPattern { pattern, copies: copies.magnitude().clone() })
            .collect();
        WholePatterns { period, instances, patterns }
    }
}

fn check_sum(state: &SteadyState, commodity: usize, patterns: &[usize]) -> Result<(), ScheduleError> {
    let weights = || patterns.iter().map(|&place| &state.patterns[place].weight);
    // Not from zero: adding is dear, and most commodities have a single pattern.
    let found = weights().cloned().reduce(|sum, weight| sum + weight).unwrap_or_default();
    if found == state.throughput && weights().all(Signed::is_positive) {
        return Ok(());
    }
    let throughput = Box::new(state.throughput.clone());
    Err(ScheduleError::Unbalanced { commodity, found: Box::new(found), throughput })
}
