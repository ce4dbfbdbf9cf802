//! An answer when time is short: a feasible steady state and a proved bound, without a linear program.
//!
//! Multiplicative weights: every port has a price, each round sends every message along a cheapest path, and the prices
//! of the busy ports grow. The paths of all rounds together, divided by the busiest port's time, are a steady state.
//! The prices of every round prove a bound. Both approach the optimum (Plotkin, Shmoys, Tardos 1995, Young 1995).
//! Prices and times guide in rounded integers. Weights and bound are computed exactly at the end.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::known::Bound;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use oneport_graph::{ShortestPaths, shortest_paths};
use oneport_numbers::{common_denominator, numerator_over};
use oneport_plan::{Certificate, Commodity, Pattern, Resource, SteadyState, WeightedPattern};
use oneport_platform::{Link, LinkId, NodeId, PerLink, Rational, ratio, whole};
use petgraph::graph::{EdgeIndex, EdgeReference};
use petgraph::visit::EdgeRef;

use crate::mixture::mixed;
use crate::odd_sets::PortSets;
use crate::resources::{Resources, Used};
use crate::{LpError, Question};

/// Links looked at over all rounds. Trades a tighter bound for time. Not measured.
const EFFORT: usize = 10_000_000;
/// Rounds. Trades a tighter bound for time. Not measured.
const MOST_ROUNDS: usize = 400;
/// The shortest link's time in guiding units. Trades accuracy of guiding prices for the number of links whose times fit
/// a word. Not measured.
const RESOLUTION: u64 = 1 << 12;
/// Fact: sums of prices below this along a path fit 128 bits.
const PRICE_LIMIT: u64 = 1 << 40;

/// The best steady state and bound within the effort. Every target must be reachable.
///
/// # Errors
/// [`LpError::Contradiction`] if a target is not reachable after all.
pub(crate) fn approximate(question: &Question) -> Result<(SteadyState, Bound), LpError> {
    let mut guide = Guide::new(question);
    let sources = guide.by_source.len().max(1);
    let rounds =
        (EFFORT / (sources * question.platform().links().len().max(1))).clamp(2, MOST_ROUNDS);
    let mut windows: Vec<Window> = WINDOWS
        .iter()
        .map(|part| Window::new(rounds - rounds / part))
        .collect();
    let mut single: Option<(u128, Vec<Pattern>)> = None;
    let mut best: Option<(Vec<u64>, u128, u128)> = None;
    for round in 0..rounds {
        if round > 0 && question.watch().ask().is_err() {
            break;
        }
        let (paths, instance_price) = guide.cheapest_paths()?;
        let sum: u128 = guide.worth();
        // Sum over price of an instance is the bound, and smaller is better. Products of 128 bits are compared as
        // integers.
        let better = best.as_ref().is_none_or(|(_, best_sum, best_price)| {
            BigInt::from(sum) * BigInt::from(*best_price)
                < BigInt::from(*best_sum) * BigInt::from(instance_price)
        });
        if better {
            best = Some((guide.prices.clone(), sum, instance_price));
        }
        let busiest = guide.raise_prices(&paths);
        for window in &mut windows {
            window.add(round, &paths);
        }
        if single.as_ref().is_none_or(|found| busiest < found.0) {
            single = Some((busiest, paths));
        }
    }
    let mut alone = Window::new(0);
    if let Some((_, paths)) = &single {
        alone.add(0, paths);
    }
    windows.push(alone);
    let steady_state = schedulable(question, best_window(&guide, &windows)?)?;
    let prices = best.map_or_else(Vec::new, |(prices, _, _)| prices);
    let (throughput, prices) = best_bound(question, &guide, prices)?;
    let certificate = guide.certificate(&prices);
    Ok((
        steady_state,
        Bound {
            throughput,
            certificate,
        },
    ))
}

/// As much of a steady state as can be scheduled: among half-duplex nodes a set of ports may take longer than any one
/// of them.
fn schedulable(question: &Question, found: SteadyState) -> Result<SteadyState, LpError> {
    let Some(ports) = PortSets::new(question.platform()) else {
        return Ok(found);
    };
    let resources = Resources::new(question.platform(), question.collective().combines());
    let SteadyState {
        throughput,
        patterns,
    } = found;
    let share = |weighted: WeightedPattern| (weighted.pattern, weighted.weight / &throughput);
    mixed(
        question,
        &resources,
        Some(&ports),
        patterns.into_iter().map(share).collect(),
    )
}

/// Averages are taken over all rounds, and over the last half, quarter and sixteenth. Trades time for a tighter bound:
/// prices of early rounds are far from the best. Not measured.
const WINDOWS: [usize; 4] = [1, 2, 4, 16];

/// How often each path was taken since some round.
struct Window {
    from: usize,
    rounds: u64,
    counts: BTreeMap<Pattern, u64>,
}

impl Window {
    fn new(from: usize) -> Self {
        Window {
            from,
            rounds: 0,
            counts: BTreeMap::new(),
        }
    }

    fn add(&mut self, round: usize, paths: &[Pattern]) {
        if round >= self.from {
            self.rounds += 1;
            for pattern in paths {
                // Most paths are known already. A clone per round would cost more than the look-up.
                match self.counts.get_mut(pattern) {
                    Some(count) => *count += 1,
                    None => {
                        self.counts.insert(pattern.clone(), 1);
                    }
                }
            }
        }
    }
}

fn best_window(guide: &Guide<'_>, windows: &[Window]) -> Result<SteadyState, LpError> {
    let mut best: Option<SteadyState> = None;
    for window in windows.iter().filter(|window| window.rounds > 0) {
        let candidate = steady_state(guide, &window.counts, window.rounds)?;
        if best
            .as_ref()
            .is_none_or(|found| candidate.throughput > found.throughput)
        {
            best = Some(candidate);
        }
    }
    best.ok_or(LpError::Contradiction("no message travels"))
}

/// The best of these bounds: these prices, these without the small ones, and each of the most expensive ports alone.
fn best_bound(
    question: &Question,
    guide: &Guide<'_>,
    prices: Vec<u64>,
) -> Result<(Rational, Vec<u64>), LpError> {
    // Most expensive ports tried alone. Trades time for a tighter bound. Not measured.
    const ALONE: usize = 3;
    let dearest = prices.iter().copied().max().unwrap_or(0);
    let without_below = |least: u64| {
        prices
            .iter()
            .map(|&price| if price < least { 0 } else { price })
            .collect()
    };
    let mut candidates: Vec<Vec<u64>> =
        vec![without_below(dearest / 256), without_below(dearest / 8)];
    let mut ports: Vec<usize> = (0..prices.len()).collect();
    ports.sort_by_key(|&port| (Reverse(prices[port]), port));
    for &port in ports.iter().take(ALONE) {
        candidates.push(
            (0..prices.len())
                .map(|other| u64::from(other == port))
                .collect(),
        );
    }
    let bound = exact_bound(question, guide, &prices)?
        .ok_or(LpError::Contradiction("prices prove nothing"))?;
    let mut best = (bound, prices);
    for candidate in candidates {
        if let Some(bound) = exact_bound(question, guide, &candidate)?
            && bound < best.0
        {
            best = (bound, candidate);
        }
    }
    Ok(best)
}

/// Times and prices in guiding integers.
struct Guide<'q> {
    question: &'q Question,
    times: PerLink<u64>,
    resources: Resources,
    /// Per index of the resource.
    prices: Vec<u64>,
    /// The messages, with their rates.
    messages: Vec<(Commodity, u64)>,
    /// Indices of the messages by their source.
    by_source: BTreeMap<NodeId, Vec<usize>>,
}

impl<'q> Guide<'q> {
    fn new(question: &'q Question) -> Self {
        let exact: Vec<Rational> = question
            .platform()
            .link_ids()
            .map(|link| question.time(link))
            .collect();
        let shortest = exact.iter().min().cloned().unwrap_or_else(Rational::one);
        let scale = whole(RESOLUTION) / shortest;
        let guide = |time: &Rational| {
            (time * &scale)
                .ceil()
                .to_integer()
                .to_u64()
                .unwrap_or(u64::MAX)
                .min(PRICE_LIMIT)
        };
        let mut by_source: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        let messages = question.collective().messages();
        for (index, (commodity, _)) in messages.iter().enumerate() {
            by_source.entry(commodity.source).or_default().push(index);
        }
        let resources = Resources::new(question.platform(), false);
        let prices = vec![1 << 10; resources.count()];
        Guide {
            question,
            times: exact.iter().map(guide).collect(),
            resources,
            prices,
            messages,
            by_source,
        }
    }

    /// Messages per instance of the pattern's demand.
    fn rate(&self, pattern: &Pattern) -> u64 {
        self.messages[pattern.demand].1
    }

    fn ports(&self, link: LinkId) -> &[Used] {
        self.resources.uses(link)
    }

    /// Prices times capacities, rounded up: it guides.
    fn worth(&self) -> u128 {
        let capacity = |index| {
            self.resources
                .capacity(index)
                .ceil()
                .to_integer()
                .to_u128()
                .unwrap_or(1)
        };
        self.prices
            .iter()
            .enumerate()
            .map(|(index, &price)| u128::from(price) * capacity(index))
            .sum()
    }

    fn link_price(&self, link: LinkId) -> u128 {
        let ports: u128 = self
            .ports(link)
            .iter()
            .map(|port| port.of_whole(self.prices[port.row].into()))
            .sum();
        u128::from(self.times[link]) * ports
    }

    /// A cheapest path for every commodity, and their total cost.
    fn cheapest_paths(&self) -> Result<(Vec<Pattern>, u128), LpError> {
        let mut patterns = Vec::with_capacity(self.messages.len());
        let mut total = 0u128;
        for (&source, indices) in &self.by_source {
            let paths = self.tree(source);
            for &index in indices {
                let (Commodity { target, .. }, rate) = self.messages[index];
                let distance = paths.distances[target.index()]
                    .ok_or(LpError::Contradiction("a target is not reachable"))?;
                total = total.saturating_add(distance.saturating_mul(rate.into()));
                let links: Vec<LinkId> = paths
                    .path(target.index())
                    .into_iter()
                    .map(LinkId::from)
                    .collect();
                patterns.push(Pattern::path(index, links));
            }
        }
        Ok((patterns, total))
    }

    /// Cheapest paths from a source under the prices.
    fn tree(&self, source: NodeId) -> ShortestPaths<u128, EdgeIndex> {
        let price = |link: EdgeReference<'_, Link>| self.link_price(link.id().into());
        shortest_paths(
            self.question.platform().graph(),
            [(source.into(), 0)],
            price,
            |_| true,
        )
    }

    /// Prices of ports grow by up to an eighth, in proportion to how busy the round's paths keep them. Returns the
    /// busiest port's time.
    fn raise_prices(&mut self, paths: &[Pattern]) -> u128 {
        let mut loads = vec![0u128; self.prices.len()];
        for pattern in paths {
            let rate = u128::from(self.rate(pattern));
            for link in pattern.links() {
                let time = rate.saturating_mul(self.times[link].into());
                for port in self.ports(link) {
                    loads[port.row] = loads[port.row].saturating_add(port.of_whole(time));
                }
            }
        }
        let busiest = loads.iter().copied().max().unwrap_or(0).max(1);
        for (price, load) in self.prices.iter_mut().zip(loads) {
            // Both are below 2^60 after the shift, for any loads.
            let shift = busiest.ilog2().saturating_sub(60);
            let growth = u128::from(*price) * (load >> shift) / (busiest >> shift).max(1) / 8;
            *price += u64::try_from(growth).unwrap_or(0);
        }
        while self.prices.iter().any(|&price| price >= PRICE_LIMIT) {
            for price in &mut self.prices {
                *price = (*price).div_ceil(2);
            }
        }
        busiest
    }

    fn certificate(&self, prices: &[u64]) -> Certificate {
        let exact: Vec<Rational> = prices.iter().map(|&price| whole(price)).collect();
        self.resources.certificate(&exact)
    }
}

/// The bound from the prices: their sum over the exact price of the cheapest paths of one instance. `None` if an
/// instance can avoid all priced ports.
fn exact_bound(
    question: &Question,
    guide: &Guide<'_>,
    prices: &[u64],
) -> Result<Option<Rational>, LpError> {
    let platform = question.platform();
    let times: Vec<Rational> = platform
        .link_ids()
        .map(|link| question.time(link))
        .collect();
    let length = |(link, time): (LinkId, &Rational)| -> Rational {
        let ports: Rational = guide
            .ports(link)
            .iter()
            .map(|port| port.of(&BigInt::from(prices[port.row]).into()))
            .sum();
        time * ports
    };
    let lengths: Vec<Rational> = platform.link_ids().zip(&times).map(length).collect();
    let unit = common_denominator(&lengths);
    let costs: Vec<BigInt> = lengths
        .iter()
        .map(|length| numerator_over(length, &unit))
        .collect();
    let mut total = BigInt::zero();
    for (&source, indices) in &guide.by_source {
        let distance = exact_distances(question, source, &costs);
        for &index in indices {
            let (Commodity { target, .. }, rate) = guide.messages[index];
            let distance = distance[target.index()].as_ref();
            total += distance.ok_or(LpError::Contradiction("a target is not reachable"))? * rate;
        }
    }
    let exact: Vec<Rational> = prices.iter().map(|&price| whole(price)).collect();
    Ok((!total.is_zero()).then(|| guide.resources.worth(&exact) * ratio(unit, total)))
}

fn exact_distances(question: &Question, source: NodeId, costs: &[BigInt]) -> Vec<Option<BigInt>> {
    let cost = |link: EdgeReference<'_, Link>| &costs[link.id().index()];
    shortest_paths(
        question.platform().graph(),
        [(source.into(), BigInt::zero())],
        cost,
        |_| true,
    )
    .distances
}

/// All rounds' paths, spread over the time the busiest port needs for them.
fn steady_state(
    guide: &Guide<'_>,
    counts: &BTreeMap<Pattern, u64>,
    rounds: u64,
) -> Result<SteadyState, LpError> {
    let platform = guide.question.platform();
    let mut messages: BTreeMap<LinkId, BigInt> = BTreeMap::new();
    for (pattern, &count) in counts {
        let count = BigInt::from(count) * guide.rate(pattern);
        for link in pattern.links() {
            *messages.entry(link).or_default() += &count;
        }
    }
    let mut loads: BTreeMap<Resource, Rational> = BTreeMap::new();
    for (link, count) in messages {
        let busy = guide.question.time(link) * whole(count);
        for used in Resource::uses(platform, link) {
            *loads.entry(used.resource).or_insert_with(Rational::zero) += used.of(&busy);
        }
    }
    let share = |(resource, time): (Resource, Rational)| time / whole(resource.capacity(platform));
    let busiest = loads
        .into_iter()
        .map(share)
        .max()
        .ok_or(LpError::Contradiction("no message travels"))?;
    let weight = |count: BigInt| whole(count) / &busiest;
    let patterns = counts
        .iter()
        .map(|(pattern, &count)| WeightedPattern {
            pattern: pattern.clone(),
            weight: weight(BigInt::from(count) * guide.rate(pattern)),
        })
        .collect();
    Ok(SteadyState {
        throughput: weight(rounds.into()),
        patterns,
    })
}
