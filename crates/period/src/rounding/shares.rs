//! A steady state prepared for rounding: every pattern's share of an instance, and all times as integers.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_numbers::common_denominator;
use oneport_plan::{Collective, Pattern, Problem, ScheduledPattern, SteadyState, WholePatterns};
use oneport_platform::{LinkId, Rational, ratio, whole};
use oneport_schedule::{Measure, Uses};

use crate::PeriodError;

/// The patterns of a steady state by their shares of an instance.
pub(super) struct Shares<'a> {
    pub measure: Measure<'a>,
    pub problem: &'a Problem,
    pub steady_state: &'a SteadyState,
    /// Units of time per unit of time: the times below are whole.
    unit: BigInt,
    /// Time that one unit takes at each carrier.
    pub times: Vec<BigInt>,
    /// Units used by one instance of all demands that have a single pattern, by carrier.
    pub base: Vec<BigInt>,
    /// Patterns of demands that have several, by demand.
    pub choices: Vec<Choice>,
    /// Copies per instance of the demands that have several.
    pub rates: Vec<u64>,
}

/// One of several patterns of a demand.
pub(super) struct Choice {
    /// Index in the steady state.
    pub pattern: usize,
    /// Index of the demand among the demands with several patterns.
    pub demand: usize,
    /// Copies per instance of this pattern. The shares of a demand add up to its rate.
    pub share: Rational,
    /// Units used by one copy.
    pub uses: Uses,
}

/// Whole copies of patterns.
#[derive(Clone)]
pub(super) struct Rounded {
    /// Instances that follow the shares: copies of every single pattern, times its rate.
    pub shared: BigInt,
    /// Copies of each choice. `shared` is times its rate per demand.
    pub copies: Vec<BigInt>,
    /// Instances added otherwise.
    pub refilled: BigInt,
    /// Their patterns.
    pub added: BTreeMap<Pattern, BigInt>,
    /// Weighted busy time of all resources, in units.
    pub loads: Vec<BigInt>,
}

impl Rounded {
    pub(super) fn instances(&self) -> BigInt {
        &self.shared + &self.refilled
    }

    pub(super) fn busiest(&self) -> BigInt {
        self.loads.iter().max().cloned().unwrap_or_default()
    }
}

impl<'a> Shares<'a> {
    /// Refuses weights that do not add up to the throughput, times the rates.
    pub(super) fn new(problem: &'a Problem, state: &'a SteadyState) -> Result<Self, PeriodError> {
        let measure = Measure::new(problem);
        let mut by_demand: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, weighted) in state.patterns.iter().enumerate() {
            by_demand
                .entry(weighted.pattern.demand)
                .or_default()
                .push(index);
        }
        let mut base = vec![BigInt::zero(); measure.carriers()];
        let mut used = vec![false; measure.carriers()];
        let mut choices = Vec::new();
        let mut rates = Vec::new();
        check_complete(problem.collective(), state, &by_demand)?;
        for (demand, patterns) in by_demand {
            let rate = problem.collective().rate(demand);
            check_sum(state, demand, rate, &patterns)?;
            if let [single] = patterns[..] {
                measure.add(&state.patterns[single].pattern, &rate.into(), &mut base);
                continue;
            }
            for pattern in patterns {
                let weighted = &state.patterns[pattern];
                let uses = measure.uses(&weighted.pattern);
                for &(index, _) in &uses {
                    used[index] = true;
                }
                let share = &weighted.weight / &state.throughput;
                choices.push(Choice {
                    pattern,
                    demand: rates.len(),
                    share,
                    uses,
                });
            }
            rates.push(rate);
        }
        let costs: Vec<Rational> = (0..measure.carriers())
            .map(|index| measure.time(index))
            .collect();
        let used = costs
            .iter()
            .enumerate()
            .filter(|&(index, _)| used[index] || !base[index].is_zero());
        let unit = common_denominator(used.map(|(_, rate)| rate));
        // A link that no pattern uses may need a finer unit. Rounding its time up keeps refilling safe.
        let times = costs
            .iter()
            .map(|rate| (rate.numer() * &unit).div_ceil(rate.denom()))
            .collect();
        Ok(Shares {
            measure,
            problem,
            steady_state: state,
            unit,
            times,
            base,
            choices,
            rates,
        })
    }

    /// Instances with this many copies of each choice.
    pub(super) fn rounded(&self, instances: &BigInt, copies: Vec<BigInt>) -> Rounded {
        let totals = self.totals(instances, &copies);
        let loads = self
            .measure
            .loads(&totals, |index| self.times[index].clone());
        Rounded {
            shared: instances.clone(),
            copies,
            refilled: BigInt::zero(),
            added: BTreeMap::new(),
            loads,
        }
    }

    /// Units used by carrier.
    fn totals(&self, instances: &BigInt, copies: &[BigInt]) -> Vec<BigInt> {
        let mut totals: Vec<BigInt> = self.base.iter().map(|units| units * instances).collect();
        for (choice, copies) in self
            .choices
            .iter()
            .zip(copies)
            .filter(|(_, copies)| !copies.is_zero())
        {
            for (index, units) in choice.uses.iter() {
                totals[*index] += units * copies;
            }
        }
        totals
    }

    /// The fewest instances that the shares divide into whole copies, if that is within the limit.
    pub(super) fn own_instances(&self, most: u64) -> Option<u64> {
        let mut own = BigInt::one();
        for choice in &self.choices {
            own = own.lcm(choice.share.denom());
            if own > most.into() {
                return None;
            }
        }
        own.to_u64()
    }

    /// Busy times of the links that are used, ascending by link.
    pub(super) fn link_times(&self, rounded: &Rounded) -> Vec<(LinkId, Rational)> {
        let mut totals = self.totals(&rounded.shared, &rounded.copies);
        for (pattern, copies) in &rounded.added {
            self.measure.add(pattern, copies, &mut totals);
        }
        self.measure.link_times(&totals)
    }

    /// Weighted busy time by resource of one copy, in units: only used resources, ascending.
    pub(super) fn load(&self, uses: &Uses) -> Vec<(usize, BigInt)> {
        let mut loads: BTreeMap<usize, BigInt> = BTreeMap::new();
        for (index, units) in uses {
            let time = units * &self.times[*index];
            self.measure.occupy(*index, &time, |resource, time| {
                *loads.entry(resource).or_default() += time;
            });
        }
        let busy = loads.into_iter().filter(|(_, time)| !time.is_zero());
        busy.map(|(resource, time)| (resource, self.measure.counted(resource, time)))
            .collect()
    }

    /// The period that the busiest resource needs.
    pub(super) fn period(&self, rounded: &Rounded) -> Rational {
        ratio(rounded.busiest(), &self.unit * self.measure.scale())
    }

    /// The weighted busy time that a resource may have within a period, in units.
    pub(super) fn room(&self, period: &Rational) -> BigInt {
        (period * &self.unit * self.measure.scale())
            .floor()
            .to_integer()
    }

    /// The patterns by demand, then in their own order.
    pub(super) fn whole(&self, rounded: Rounded, period: Rational) -> WholePatterns {
        let instances = rounded.instances().magnitude().clone();
        let mut counts = rounded.added;
        let mut several = vec![false; self.steady_state.patterns.len()];
        for (choice, copies) in self.choices.iter().zip(rounded.copies) {
            several[choice.pattern] = true;
            if copies.is_positive() {
                *counts
                    .entry(self.steady_state.patterns[choice.pattern].pattern.clone())
                    .or_default() += copies;
            }
        }
        let single = self
            .steady_state
            .patterns
            .iter()
            .zip(several)
            .filter(|(_, several)| !several);
        for (weighted, _) in single.filter(|_| rounded.shared.is_positive()) {
            let rate = self.problem.collective().rate(weighted.pattern.demand);
            *counts.entry(weighted.pattern.clone()).or_default() += &rounded.shared * rate;
        }
        let patterns = counts
            .into_iter()
            .map(|(pattern, copies)| ScheduledPattern {
                pattern,
                copies: copies.magnitude().clone(),
            })
            .collect();
        WholePatterns {
            period,
            instances,
            patterns,
        }
    }
}

/// Refuses the first demand without a pattern, or the first pattern without a demand.
fn check_complete(
    collective: &Collective,
    state: &SteadyState,
    by_demand: &BTreeMap<usize, Vec<usize>>,
) -> Result<(), PeriodError> {
    let demands = collective.demands();
    let skipped = by_demand
        .keys()
        .enumerate()
        .find(|&(index, &demand)| index != demand);
    let missing = skipped.map_or(by_demand.len(), |(index, _)| index);
    if missing < demands {
        let right = &state.throughput * whole(collective.rate(missing));
        let (found, throughput) = (Box::default(), Box::new(right));
        return Err(PeriodError::Unbalanced {
            demand: missing,
            found,
            throughput,
        });
    }
    let beyond = by_demand.range(demands..).next();
    let Some((&demand, patterns)) = beyond else {
        return Ok(());
    };
    let found = patterns
        .iter()
        .map(|&index| &state.patterns[index].weight)
        .sum();
    Err(PeriodError::Unbalanced {
        demand,
        found: Box::new(found),
        throughput: Box::default(),
    })
}

fn check_sum(
    state: &SteadyState,
    demand: usize,
    rate: u64,
    patterns: &[usize],
) -> Result<(), PeriodError> {
    let weights = || patterns.iter().map(|&index| &state.patterns[index].weight);
    // Not from zero: additions are expensive, and most demands have a single pattern.
    let found = weights()
        .cloned()
        .reduce(|sum, weight| sum + weight)
        .unwrap_or_default();
    let right = match rate {
        1 => state.throughput.clone(),
        rate => &state.throughput * whole(rate),
    };
    if found == right && weights().all(Signed::is_positive) {
        return Ok(());
    }
    Err(PeriodError::Unbalanced {
        demand,
        found: Box::new(found),
        throughput: Box::new(right),
    })
}
