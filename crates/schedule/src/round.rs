//! Whole messages for a given period or number of instances (papers/000 section 4.6, refined).
//!
//! The paper rounds every pattern's share down. Here the number of instances `d` is chosen first: a message that
//! takes one path takes it `d` times, the others take the rounded-down shares of `d` and their left-over copies go
//! where they hurt the busiest port least. Then the period is the busiest port's time, or `d` is the largest number
//! that fits the period asked for; what room is left is refilled with further instances along any paths that fit.

use std::collections::{BTreeMap, VecDeque};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use oneport_plan::{Commodity, Pattern, ScheduledPattern, SteadyState, WholePatterns};
use oneport_platform::{LinkId, Platform, Rational};

use crate::ScheduleError;

/// What the period is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This long.
    Period(Rational),
    /// As long as at most this many instances need, in the best proportion found.
    Instances(u64),
}

/// Work allowed for trying numbers of instances, in port updates.
const EFFORT: usize = 500_000;
/// Work allowed for refilling, in links looked at.
const REFILL_EFFORT: usize = 4_000_000;

/// Rounds a steady state to whole messages. The result is never below the paper's rule of rounding every share down.
///
/// # Errors
/// A period that is not positive or too short for one instance; zero instances.
pub fn round(
    platform: &Platform,
    commodities: &[Commodity],
    size: &Rational,
    steady_state: &SteadyState,
    target: &Target,
) -> Result<WholePatterns, ScheduleError> {
    let shares = Shares::new(platform, size, steady_state);
    match target {
        Target::Period(period) => fit_period(platform, commodities, &shares, steady_state, period),
        Target::Instances(0) => Err(ScheduleError::NoInstances),
        Target::Instances(most) => {
            let rounded = shares.best_up_to(*most);
            let period = shares.period(&rounded);
            Ok(shares.whole(rounded, period))
        }
    }
}

/// The largest number of instances found that fits, then refilled.
fn fit_period(
    platform: &Platform,
    commodities: &[Commodity],
    shares: &Shares<'_>,
    steady_state: &SteadyState,
    period: &Rational,
) -> Result<WholePatterns, ScheduleError> {
    if !period.is_positive() {
        return Err(ScheduleError::BadPeriod(Box::new(period.clone())));
    }
    let room = (period * Rational::from_integer(shares.unit.clone())).floor().to_integer();
    let mut most = (period * &steady_state.throughput).floor().to_integer();
    let floor = paper_floor(steady_state, period);
    let mut least = floor.clone();
    let mut best = None;
    // Rounding is not quite monotone in the number of instances, so the search keeps whatever fits.
    while least <= most {
        let middle: BigInt = (&least + &most + 1u32) / 2u32;
        if middle.is_zero() {
            break;
        }
        let rounded = shares.round(&middle);
        if rounded.busiest() <= room {
            least = &middle + 1u32;
            best = Some(rounded);
        } else {
            most = middle - 1u32;
        }
    }
    let start = match best {
        Some(rounded) => rounded,
        None => shares.round_down(&floor, period, steady_state),
    };
    let refilled = refill(platform, commodities, shares, start, &room);
    if refilled.instances.is_zero() {
        let needed = shares.period(&shares.round(&BigInt::one()));
        return Err(ScheduleError::PeriodTooShort { period: Box::new(period.clone()), needed: Box::new(needed) });
    }
    Ok(shares.whole(refilled, period.clone()))
}

/// Instances by the paper's rule: every pattern's share of the period rounded down, the scarcest commodity decides.
fn paper_floor(steady_state: &SteadyState, period: &Rational) -> BigInt {
    let mut by_commodity: BTreeMap<usize, BigInt> = BTreeMap::new();
    for weighted in &steady_state.patterns {
        *by_commodity.entry(weighted.pattern.commodity).or_default() +=
            (&weighted.weight * period).floor().to_integer();
    }
    by_commodity.into_values().min().unwrap_or_default()
}

/// Copies by pattern (in the order of the steady state, then added ones) and what they cost.
#[derive(Clone)]
struct Rounded {
    instances: BigInt,
    copies: Vec<BigInt>,
    added: BTreeMap<Pattern, BigInt>,
    /// Busy time by port, in units: send ports, then receive ports.
    loads: Vec<BigInt>,
}

impl Rounded {
    fn busiest(&self) -> BigInt {
        self.loads.iter().max().cloned().unwrap_or_default()
    }
}

/// The steady state, prepared for rounding: all times in one integer unit.
struct Shares<'a> {
    steady_state: &'a SteadyState,
    /// Units per unit of time.
    unit: BigInt,
    /// Time of one message on each link, in units.
    times: Vec<BigInt>,
    /// The two ports of each link.
    ports: Vec<[usize; 2]>,
    /// Busy time by port of one instance of all messages that take a single path.
    base: Vec<BigInt>,
    /// Ports with a non-zero base.
    based: Vec<usize>,
    /// Patterns of messages with several paths, by commodity, with their shares of an instance.
    split: Vec<Vec<(usize, Rational)>>,
}

impl<'a> Shares<'a> {
    fn new(platform: &Platform, size: &Rational, steady_state: &'a SteadyState) -> Self {
        let nodes = platform.nodes().len();
        let times: Vec<Rational> = platform.links().iter().map(|link| size * &link.cost).collect();
        let mut unit = BigInt::one();
        for weighted in &steady_state.patterns {
            for link in &weighted.pattern.links {
                let denominator = times[link.index()].denom();
                if !denominator.is_one() && !unit.is_multiple_of(denominator) {
                    unit = unit.lcm(denominator);
                }
            }
        }
        // A link that no pattern uses may need a finer unit; rounding its time up keeps refilling safe.
        let times =
            times.iter().map(|time| (time * Rational::from_integer(unit.clone())).ceil().to_integer()).collect();
        let ports = platform.links().iter().map(|link| [link.from.index(), nodes + link.to.index()]).collect();
        let mut shares = Shares {
            steady_state,
            unit,
            times,
            ports,
            base: vec![BigInt::zero(); 2 * nodes],
            based: Vec::new(),
            split: Vec::new(),
        };
        let mut by_commodity: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, weighted) in steady_state.patterns.iter().enumerate() {
            by_commodity.entry(weighted.pattern.commodity).or_default().push(place);
        }
        for patterns in by_commodity.into_values() {
            if let [single] = patterns[..] {
                let mut base = std::mem::take(&mut shares.base);
                shares.add(&mut base, &steady_state.patterns[single].pattern.links, &BigInt::one());
                shares.base = base;
            } else {
                let share = |place: usize| &steady_state.patterns[place].weight / &steady_state.throughput;
                shares.split.push(patterns.into_iter().map(|place| (place, share(place))).collect::<Vec<_>>());
            }
        }
        shares.based = (0..2 * nodes).filter(|&port| !shares.base[port].is_zero()).collect();
        shares
    }

    fn add(&self, loads: &mut [BigInt], links: &[LinkId], copies: &BigInt) {
        for link in links {
            let time = &self.times[link.index()] * copies;
            for port in self.ports[link.index()] {
                loads[port] += &time;
            }
        }
    }

    /// Whole copies of every pattern for this many instances.
    fn round(&self, instances: &BigInt) -> Rounded {
        let mut loads = vec![BigInt::zero(); self.base.len()];
        for &port in &self.based {
            loads[port] = &self.base[port] * instances;
        }
        let mut copies = vec![instances.clone(); self.steady_state.patterns.len()];
        for paths in &self.split {
            let mut left = instances.clone();
            for (place, share) in paths {
                copies[*place] = share.numer() * instances / share.denom();
                left -= &copies[*place];
                self.add(&mut loads, &self.steady_state.patterns[*place].pattern.links, &copies[*place]);
            }
            while left.is_positive() {
                let place = self.least_harm(&loads, paths);
                copies[place] += 1u32;
                left -= 1u32;
                self.add(&mut loads, &self.steady_state.patterns[place].pattern.links, &BigInt::one());
            }
        }
        Rounded { instances: instances.clone(), copies, added: BTreeMap::new(), loads }
    }

    /// The path whose busiest port, after one more message, is least busy.
    fn least_harm(&self, loads: &[BigInt], paths: &[(usize, Rational)]) -> usize {
        let busiest = |place: usize| {
            let links = &self.steady_state.patterns[place].pattern.links;
            let after = |link: &LinkId| self.ports[link.index()].map(|port| &loads[port] + &self.times[link.index()]);
            links.iter().flat_map(after).max()
        };
        paths.iter().map(|(place, _)| *place).min_by_key(|&place| busiest(place)).unwrap_or(0)
    }

    /// The paper's rule, with copies beyond the scarcest commodity's number taken back.
    fn round_down(&self, instances: &BigInt, period: &Rational, steady_state: &SteadyState) -> Rounded {
        let mut left: BTreeMap<usize, BigInt> = BTreeMap::new();
        let mut loads = vec![BigInt::zero(); self.base.len()];
        let mut copies = Vec::with_capacity(steady_state.patterns.len());
        for weighted in &steady_state.patterns {
            let left = left.entry(weighted.pattern.commodity).or_insert_with(|| instances.clone());
            let count = (&weighted.weight * period).floor().to_integer().min(left.clone());
            *left -= &count;
            self.add(&mut loads, &weighted.pattern.links, &count);
            copies.push(count);
        }
        Rounded { instances: instances.clone(), copies, added: BTreeMap::new(), loads }
    }

    /// The number of instances up to the limit with the best throughput after rounding.
    fn best_up_to(&self, most: u64) -> Rounded {
        let per_try = self.based.len() + self.split.iter().map(|paths| 8 * paths.len()).sum::<usize>() + 1;
        let tries = (EFFORT / per_try).clamp(16, 20_000) as u64;
        let mut best: Option<(Rounded, BigInt)> = None;
        for instances in candidates(most, tries) {
            let rounded = self.round(&BigInt::from(instances));
            let busy = rounded.busiest();
            let better = best.as_ref().is_none_or(|(found, its)| &rounded.instances * its > &found.instances * &busy);
            if better {
                best = Some((rounded, busy));
            }
        }
        best.map_or_else(|| self.round(&BigInt::one()), |(rounded, _)| rounded)
    }

    fn period(&self, rounded: &Rounded) -> Rational {
        Rational::new(rounded.busiest(), self.unit.clone())
    }

    fn whole(&self, rounded: Rounded, period: Rational) -> WholePatterns {
        let mut counts = rounded.added;
        for (weighted, copies) in self.steady_state.patterns.iter().zip(rounded.copies) {
            if !copies.is_zero() {
                *counts.entry(weighted.pattern.clone()).or_default() += copies;
            }
        }
        let patterns = counts
            .into_iter()
            .map(|(pattern, copies)| ScheduledPattern { pattern, copies: copies.magnitude().clone() })
            .collect();
        WholePatterns { period, instances: rounded.instances.magnitude().clone(), patterns }
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
    let mut all: Vec<u64> = (0..spread).map(|index| 1 + index * step).chain(most - near + 1..=most).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Adds whole instances while every message finds a path with room on all its ports.
fn refill(
    platform: &Platform,
    commodities: &[Commodity],
    shares: &Shares<'_>,
    start: Rounded,
    room: &BigInt,
) -> Rounded {
    let per_instance = commodities.len() * platform.links().len().max(1);
    let mut rounded = start;
    for _ in 0..REFILL_EFFORT / per_instance.max(1) {
        let mut next = rounded.clone();
        for (place, commodity) in commodities.iter().enumerate() {
            let Some(links) = path_with_room(platform, *commodity, shares, &next.loads, room) else {
                return rounded;
            };
            shares.add(&mut next.loads, &links, &BigInt::one());
            *next.added.entry(Pattern { commodity: place, links }).or_default() += 1u32;
        }
        next.instances += 1u32;
        rounded = next;
    }
    rounded
}

/// A path with the fewest links among those whose ports can all take one more message.
fn path_with_room(
    platform: &Platform,
    commodity: Commodity,
    shares: &Shares<'_>,
    loads: &[BigInt],
    room: &BigInt,
) -> Option<Vec<LinkId>> {
    let mut by: Vec<Option<LinkId>> = vec![None; platform.nodes().len()];
    let mut queue = VecDeque::from([commodity.source]);
    while let Some(node) = queue.pop_front() {
        for &link in platform.outgoing(node) {
            let to = platform.link(link).to;
            let fits =
                shares.ports[link.index()].iter().all(|&port| &loads[port] + &shares.times[link.index()] <= *room);
            if to != commodity.source && by[to.index()].is_none() && fits {
                by[to.index()] = Some(link);
                queue.push_back(to);
            }
        }
    }
    let mut links = Vec::new();
    let mut node = commodity.target;
    while node != commodity.source {
        let link = by[node.index()]?;
        links.push(link);
        node = platform.link(link).from;
    }
    links.reverse();
    Some(links)
}
