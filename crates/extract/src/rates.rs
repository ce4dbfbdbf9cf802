//! The solution as the papers write it: how often per unit of time everything is sent and merged.

use std::collections::BTreeMap;

use oneport_plan::{Kind, Pattern, Problem, SteadyState, Task};
use oneport_platform::{LinkId, Rational};

use crate::error::ExtractError;
use crate::trees::TaskRates;
use crate::value::Value;

/// Rates of a whole collective.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rates {
    /// `TP`: instances of the collective per unit of time.
    pub throughput: Rational,
    /// By the place of the demand in the collective.
    pub demands: Vec<DemandRates>,
    /// Copies by link of which is not said which demand they belong to, as in the sum over all sources of an
    /// all-gather. Where there are any, the demands have none of their own.
    pub together: BTreeMap<LinkId, Rational>,
}

/// Rates of one demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DemandRates {
    /// A message for one node: `send(P_i -> P_j, m)`, messages per unit of time by link.
    Route(BTreeMap<LinkId, Rational>),
    /// A message for several nodes: copies per unit of time by link.
    Copy(BTreeMap<LinkId, Rational>),
    /// A reduction: `send(P_i -> P_j, v)` and `cons(P_i, T)`.
    Combine(TaskRates),
}

impl DemandRates {
    /// What they are rates of.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            DemandRates::Route(_) => "a message for one node",
            DemandRates::Copy(_) => "copies",
            DemandRates::Combine(_) => "a reduction",
        }
    }
}

/// The rates of a demand of this kind with nothing in them.
///
/// # Errors
/// A kind whose rates may be read in several ways.
pub fn none_of(kind: Kind, collective: &'static str) -> Result<DemandRates, ExtractError> {
    match kind {
        Kind::Route => Ok(DemandRates::Route(BTreeMap::new())),
        Kind::Copy => Ok(DemandRates::Copy(BTreeMap::new())),
        Kind::Combine => Ok(DemandRates::Combine(TaskRates::default())),
        Kind::CombineCopy | Kind::Prefix => Err(ExtractError::NoReading { collective }),
    }
}

impl Rates {
    /// What the patterns of a steady state do altogether: `sum w(T) chi_T`. Linear in the tasks, but for sorting.
    ///
    /// # Errors
    /// A kind of demand whose rates say less than its patterns (all-reduce, scan); patterns of no demand.
    pub fn of(problem: Problem<'_>, state: &SteadyState) -> Result<Rates, ExtractError> {
        let collective = problem.collective().name();
        let demands = problem.demands().map(|demand| none_of(demand.kind(), collective));
        let mut demands: Vec<DemandRates> = demands.collect::<Result<_, _>>()?;
        let count = demands.len();
        for weighted in &state.patterns {
            let place = weighted.pattern.demand;
            let rates = demands.get_mut(place);
            let rates = rates.ok_or(ExtractError::Demands { found: place.saturating_add(1), right: count })?;
            rates.add(&weighted.pattern, &weighted.weight);
        }
        Ok(Rates { throughput: state.throughput.clone(), demands, together: BTreeMap::new() })
    }
}

impl DemandRates {
    /// Adds a pattern of this weight.
    pub fn add(&mut self, pattern: &Pattern, weight: &Rational) {
        match self {
            DemandRates::Route(sends) | DemandRates::Copy(sends) => {
                pattern.links().for_each(|link| *sends.entry(link).or_default() += weight);
            }
            DemandRates::Combine(rates) => match &pattern.order {
                None => pattern.tasks.iter().for_each(|&task| rates.add(task, weight)),
                Some(order) => pattern.tasks.iter().for_each(|&task| add_ordered(rates, order, task, weight)),
            },
        }
    }
}

/// A task of operands in an order of their own.
fn add_ordered(rates: &mut TaskRates, order: &[usize], task: Task, weight: &Rational) {
    let value = |first: usize, last: usize| {
        let operands = order.iter().skip(first).take(last.saturating_sub(first).saturating_add(1));
        Value::of(operands.copied())
    };
    let rate = match task {
        Task::Send { link, part, .. } => rates.sends.entry((link, value(part.first, part.last))).or_default(),
        Task::Merge { node, part, split, .. } => {
            let (one, other) = (value(part.first, split), value(split.saturating_add(1), part.last));
            let (left, right) = if one <= other { (one, other) } else { (other, one) };
            rates.merges.entry((node, left, right)).or_default()
        }
    };
    *rate += weight;
}
