//! The solution as the papers write it: how often per unit of time everything is sent and merged.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_platform::{LinkId, NodeId, Rational};

use crate::{Interval, Kind, Pattern, Problem, SteadyState, Task, Value};

/// Why patterns have no rates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RatesError {
    /// A kind of demand with ambiguous rates.
    #[error(
        "{collective}: rates of transfers and merges do not say which of them belong together where a result is wanted at \
         several nodes; only patterns do"
    )]
    NoReading {
        /// The collective's name.
        collective: &'static str,
    },
    /// A pattern of a demand that does not exist.
    #[error("a pattern of demand {demand}; the collective has {count}, numbered from 0")]
    NoDemand {
        /// The number.
        demand: usize,
        /// How many there are.
        count: usize,
    },
}

/// How often the tasks of one reduction happen: the solution `A` of RR-4872 section 4.2. All in one unit, for instance
/// times per unit of time, or per period. Absent means never.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskRates {
    /// `send(P_i -> P_j, v[k,m])`, by link and value.
    pub sends: BTreeMap<(LinkId, Value), Rational>,
    /// `cons(P_i, T[k,l,m])`, by node, left input `[k,l]` and right input `[l+1,m]`. If operands may be combined in any
    /// order, the left input is the one with the smallest operand.
    pub merges: BTreeMap<(NodeId, Value, Value), Rational>,
}

impl TaskRates {
    /// Adds to the rate of a task of operands in their own order.
    pub fn add(&mut self, task: Task, rate: &Rational) {
        *self.of_mut(task) += rate;
    }

    /// The rate of a task on intervals of operands. 0 if it has none yet.
    pub fn of_mut(&mut self, task: Task) -> &mut Rational {
        match task {
            Task::Send { link, part, .. } => self.sends.entry((link, part.into())).or_default(),
            Task::Merge {
                node, part, split, ..
            } => {
                let (left, right) = part.split(split);
                self.merges
                    .entry((node, left.into(), right.into()))
                    .or_default()
            }
        }
    }
}

/// Rates of a whole collective.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rates {
    /// `TP`: instances of the collective per unit of time.
    pub throughput: Rational,
    /// Per demand of the collective.
    pub demands: Vec<DemandRates>,
    /// Rates of copies per link that are known only for all demands together, as in the sum over all sources of an
    /// all-gather. If there are any, `demands` has no rates.
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
    /// Empty rates of a demand of this kind. `None` for kinds with ambiguous rates.
    pub fn none_of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Route => Some(DemandRates::Route(BTreeMap::new())),
            Kind::Copy => Some(DemandRates::Copy(BTreeMap::new())),
            Kind::Combine => Some(DemandRates::Combine(TaskRates::default())),
            Kind::CombineCopy | Kind::Prefix => None,
        }
    }

    /// The kind of rates, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            DemandRates::Route(_) => "a message for one node",
            DemandRates::Copy(_) => "copies",
            DemandRates::Combine(_) => "a reduction",
        }
    }
}

impl Rates {
    /// The rates of all tasks of a steady state: `sum w(T) chi_T`. Linear in the tasks, apart from sorting.
    ///
    /// # Errors
    /// [`RatesError`]: demands whose rates do not determine their patterns (all-reduce, scan), and patterns of no
    /// demand.
    pub fn of(problem: &Problem, state: &SteadyState) -> Result<Rates, RatesError> {
        let mut rates = Rates::none_of(problem)?;
        rates.throughput = state.throughput.clone();
        let count = rates.demands.len();
        for weighted in &state.patterns {
            let demand = weighted.pattern.demand;
            let of_demand = rates
                .demands
                .get_mut(demand)
                .ok_or(RatesError::NoDemand { demand, count })?;
            of_demand.add(&weighted.pattern, &weighted.weight);
        }
        Ok(rates)
    }

    /// Rates of the problem's demands with nothing in them.
    ///
    /// # Errors
    /// A kind of demand with ambiguous rates.
    pub fn none_of(problem: &Problem) -> Result<Rates, RatesError> {
        let collective = problem.collective().name();
        let zero_rates =
            |kind| DemandRates::none_of(kind).ok_or(RatesError::NoReading { collective });
        let demands = problem
            .demands()
            .map(|demand| zero_rates(demand.kind()))
            .collect::<Result<_, _>>()?;
        Ok(Rates {
            demands,
            ..Rates::default()
        })
    }

    /// `s(P_i -> P_j)`: the share of the time during which each link is busy, over its positive rates. Ascending.
    pub fn busy(&self, problem: &Problem) -> BTreeMap<LinkId, Rational> {
        let mut busy: BTreeMap<LinkId, Rational> = BTreeMap::new();
        let mut add = |link: LinkId, part: Interval, rate: &Rational| {
            if !rate.is_zero() && problem.platform().links().len() > link.index() {
                *busy.entry(link).or_default() += rate * problem.transfer_time(link, part);
            }
        };
        for (&link, rate) in self.together.iter() {
            add(link, Interval::single(0), rate);
        }
        for demand in &self.demands {
            match demand {
                DemandRates::Route(sends) | DemandRates::Copy(sends) => {
                    for (&link, rate) in sends.iter() {
                        add(link, Interval::single(0), rate);
                    }
                }
                DemandRates::Combine(rates) => {
                    for ((link, value), rate) in rates.sends.iter() {
                        add(*link, alike(value), rate);
                    }
                }
            }
        }
        busy
    }

    /// `alpha(P_i)`: the share of the time during which each processor merges, over its positive rates. Ascending.
    pub fn alpha(&self, problem: &Problem) -> BTreeMap<NodeId, Rational> {
        let mut alpha: BTreeMap<NodeId, Rational> = BTreeMap::new();
        let merges = self.demands.iter().flat_map(|demand| match demand {
            DemandRates::Route(_) | DemandRates::Copy(_) => None,
            DemandRates::Combine(rates) => Some(&rates.merges),
        });
        for ((node, left, right), rate) in merges.flatten().filter(|(_, rate)| !rate.is_zero()) {
            let made = alike(&left.join(right).unwrap_or_default());
            // If any order is allowed, work depends on the number of operands only, so the left part's number serves as
            // a split.
            let split = made.first + left.count().saturating_sub(1);
            let time = problem
                .volumes()
                .merge_time(problem.platform(), *node, made, split);
            *alpha.entry(*node).or_default() += rate * time;
        }
        alpha
    }
}

/// A partial result of the same size and work: itself if it is an interval, else one of as many operands. (If operands
/// may be combined in any order, both depend on their number alone.)
fn alike(value: &Value) -> Interval {
    let first = Interval {
        first: 0,
        last: value.count().saturating_sub(1),
    };
    value.interval().unwrap_or(first)
}

impl DemandRates {
    /// Adds a pattern of this weight.
    pub fn add(&mut self, pattern: &Pattern, weight: &Rational) {
        match self {
            DemandRates::Route(sends) | DemandRates::Copy(sends) => {
                for link in pattern.links() {
                    *sends.entry(link).or_default() += weight;
                }
            }
            DemandRates::Combine(rates) => {
                for &task in &pattern.tasks {
                    match &pattern.order {
                        None => rates.add(task, weight),
                        Some(order) => add_ordered(rates, order, task, weight),
                    }
                }
            }
        }
    }
}

/// Adds a task whose operands follow the order of the pattern.
fn add_ordered(rates: &mut TaskRates, order: &[usize], task: Task, weight: &Rational) {
    let value = |first: usize, last: usize| {
        let operands = order
            .iter()
            .skip(first)
            .take(last.saturating_sub(first).saturating_add(1));
        Value::of(operands.copied())
    };
    let rate = match task {
        Task::Send { link, part, .. } => rates
            .sends
            .entry((link, value(part.first, part.last)))
            .or_default(),
        Task::Merge {
            node, part, split, ..
        } => {
            let (one, other) = (
                value(part.first, split),
                value(split.saturating_add(1), part.last),
            );
            let (left, right) = if one <= other {
                (one, other)
            } else {
                (other, one)
            };
            rates.merges.entry((node, left, right)).or_default()
        }
    };
    *rate += weight;
}
