#![doc = include_str!("../README.md")]

pub mod branchings;
mod circulation;
pub mod copies;
mod error;
mod helpers;
pub mod paths;
mod scaled;
pub mod trees;

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{
    Demand, DemandRates, Kind, MergeTask, Pattern, Problem, Rates, RatesError, TaskRates, Value,
    WeightedPattern,
};
use oneport_platform::{LinkId, NodeId, Rational, whole};
use oneport_watch::Watch;

pub use error::ExtractError;

use copies::{Message, spread};
use trees::{Reduction, Trees};

/// The patterns of rates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extracted {
    /// Weighted patterns, sorted by demand. For every demand the weights add up to the throughput times its rate.
    pub patterns: Vec<WeightedPattern>,
    /// Transfers in no pattern: circulations, and copies that no target needs.
    pub left_over: Vec<LeftOver>,
}

/// Transfers that are in no pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOver {
    /// Index of the demand. `None` if copies do not name theirs.
    pub demand: Option<usize>,
    /// The link.
    pub link: LinkId,
    /// The partial result, if values are combined.
    pub value: Option<Value>,
    /// How often per unit of time, positive.
    pub rate: Rational,
}

/// Writes rates as weighted patterns: flows as paths ([`paths::route`]), copies as arborescences ([`copies::spread`]),
/// rates of tasks as reduction trees ([`trees::extract`]). For every link, value and merge, the given rate is the sum
/// over the patterns plus the rest.
///
/// Ports and processors are not checked.
///
/// # Errors
/// [`ExtractError`]: rates that do not fit the demands, are not conserved, or are below the throughput, with node and
/// amount. Kinds of demands with ambiguous rates. A limit of the watch.
pub fn extract(problem: &Problem, rates: &Rates, watch: &Watch) -> Result<Extracted, ExtractError> {
    let right = problem.collective().demands();
    if rates.demands.len() != right {
        return Err(ExtractError::Demands {
            found: rates.demands.len(),
            right,
        });
    }
    let mut extracted = Extracted::default();
    if rates
        .together
        .values()
        .any(|rate| *rate != Rational::default())
    {
        together(problem, rates, watch, &mut extracted)?;
    } else {
        for (index, (demand, given)) in problem.demands().zip(&rates.demands).enumerate() {
            watch.ask()?;
            let often = whole(problem.collective().rate(index)) * &rates.throughput;
            let one = Reading {
                problem,
                index,
                demand: &demand,
                throughput: &often,
                watch,
            };
            let read = one.read(given, &mut extracted);
            read.map_err(|error| error.in_demand(index, right > 1))?;
        }
    }
    extracted
        .patterns
        .sort_by(|one, other| one.pattern.cmp(&other.pattern));
    extracted.patterns.dedup_by(|next, kept| {
        let equal = next.pattern == kept.pattern;
        if equal {
            kept.weight += &next.weight;
        }
        equal
    });
    Ok(extracted)
}

/// One demand.
struct Reading<'a> {
    problem: &'a Problem,
    index: usize,
    demand: &'a Demand<'a>,
    /// The throughput times the demand's rate.
    throughput: &'a Rational,
    watch: &'a Watch,
}

impl Reading<'_> {
    fn read(&self, rates: &DemandRates, extracted: &mut Extracted) -> Result<(), ExtractError> {
        let (kind, collective) = (self.demand.kind(), self.problem.collective().name());
        let right = DemandRates::none_of(kind)
            .ok_or(RatesError::NoReading { collective })?
            .name();
        let platform = self.problem.platform();
        let (Some(&source), targets) = (self.demand.operands.first(), self.demand.targets()) else {
            return Err(ExtractError::NoOperands);
        };
        match (kind, rates) {
            (Kind::Route, DemandRates::Route(sends)) => {
                let target = targets.first().copied().unwrap_or(source);
                let found =
                    paths::route(platform, self.index, source, target, self.throughput, sends)?;
                self.add(found.paths, extracted);
                extracted.left_over.extend(
                    found
                        .left_over
                        .into_iter()
                        .map(|(link, rate)| self.left(link, None, rate)),
                );
            }
            (Kind::Copy, DemandRates::Copy(copies)) => {
                let message = Message {
                    source,
                    rate: self.throughput.clone(),
                };
                let targets = targets
                    .iter()
                    .copied()
                    .filter(|&target| target != source)
                    .collect();
                let found = spread(platform, &[message], &targets, copies, self.watch)?;
                let mut left = copies.clone();
                for tree in found {
                    let pattern = Pattern::arborescence(self.index, tree.hops);
                    take_off(&mut left, &pattern, &tree.weight);
                    self.add([(pattern, tree.weight)], extracted);
                }
                extracted
                    .left_over
                    .extend(positive(left).map(|(link, rate)| self.left(link, None, rate)));
            }
            (Kind::Combine, DemandRates::Combine(rates)) => {
                let target = targets.first().copied().unwrap_or(source);
                let (owners, commutative) = (self.demand.operands, self.demand.commutative);
                self.check_able(rates)?;
                let reduction = Reduction {
                    platform,
                    owners,
                    target,
                    commutative,
                };
                let Trees { trees, left_over } =
                    trees::extract(&reduction, self.throughput, rates, self.watch)?;
                self.add(
                    trees
                        .into_iter()
                        .map(|(weight, tree)| (tree.with_demand(self.index), weight)),
                    extracted,
                );
                let left = left_over
                    .into_iter()
                    .map(|((link, value), rate)| self.left(link, Some(value), rate));
                extracted.left_over.extend(left);
            }
            (_, given) => {
                return Err(ExtractError::OtherKind {
                    found: given.name(),
                    right,
                });
            }
        }
        Ok(())
    }

    /// Refuses merges that a table of work by task gives no time.
    fn check_able(&self, rates: &TaskRates) -> Result<(), ExtractError> {
        for ((node, left, right), rate) in &rates.merges {
            let part = left.join(right).and_then(|made| made.interval());
            let (Some(part), Some(split)) = (part, left.last()) else {
                continue;
            };
            if *rate != Rational::default() && !self.problem.volumes().can_merge(*node, part, split)
            {
                let node = self.problem.platform().nodes().get(node.index());
                let node = node.map(|node| node.name.clone()).unwrap_or_default();
                return Err(ExtractError::Unable {
                    task: MergeTask::new(part, split),
                    node,
                });
            }
        }
        Ok(())
    }

    fn add(&self, found: impl IntoIterator<Item = (Pattern, Rational)>, extracted: &mut Extracted) {
        let weighted = found
            .into_iter()
            .map(|(pattern, weight)| WeightedPattern { pattern, weight });
        extracted.patterns.extend(weighted);
    }

    fn left(&self, link: LinkId, value: Option<Value>, rate: Rational) -> LeftOver {
        LeftOver {
            demand: Some(self.index),
            link,
            value,
            rate,
        }
    }
}

fn take_off(left: &mut BTreeMap<LinkId, Rational>, pattern: &Pattern, weight: &Rational) {
    for link in pattern.links() {
        *left.entry(link).or_default() -= weight;
    }
}

fn positive(left: BTreeMap<LinkId, Rational>) -> impl Iterator<Item = (LinkId, Rational)> {
    left.into_iter()
        .filter(|(_, rate)| *rate != Rational::default())
}

/// Copies that do not name their message. All messages go to the same nodes.
fn together(
    problem: &Problem,
    rates: &Rates,
    watch: &Watch,
    extracted: &mut Extracted,
) -> Result<(), ExtractError> {
    let empty =
        |rates: &DemandRates| matches!(rates, DemandRates::Copy(copies) if copies.is_empty());
    if !rates.demands.iter().all(empty) {
        return Err(ExtractError::Together);
    }
    let (mut messages, mut everyone) = (Vec::new(), None);
    for (index, demand) in problem.demands().enumerate() {
        let nodes: BTreeSet<NodeId> = demand
            .operands
            .iter()
            .chain(demand.targets())
            .copied()
            .collect();
        let (Kind::Copy, Some(&source)) = (demand.kind(), demand.operands.first()) else {
            return Err(ExtractError::Together);
        };
        if *everyone.get_or_insert_with(|| nodes.clone()) != nodes {
            return Err(ExtractError::Together);
        }
        let often = whole(problem.collective().rate(index));
        messages.push(Message {
            source,
            rate: often * &rates.throughput,
        });
    }
    let everyone = everyone.unwrap_or_default();
    let found = spread(
        problem.platform(),
        &messages,
        &everyone,
        &rates.together,
        watch,
    )?;
    let mut left = rates.together.clone();
    for tree in found {
        let pattern = Pattern::arborescence(tree.message, tree.hops);
        take_off(&mut left, &pattern, &tree.weight);
        extracted.patterns.push(WeightedPattern {
            pattern,
            weight: tree.weight,
        });
    }
    let surplus = |(link, rate)| LeftOver {
        demand: None,
        link,
        value: None,
        rate,
    };
    extracted.left_over.extend(positive(left).map(surplus));
    Ok(())
}
