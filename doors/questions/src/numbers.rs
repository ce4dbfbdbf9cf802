//! The numbers of an answer, which text and JSON print.

use std::fmt::Display;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport::platform::whole;
use oneport::{Answer, Bandwidth, Collective, Plan, Platform, Problem, Rational, Solved, Status};
use serde::{Serialize, Serializer};

use crate::asked::label;
use crate::limiting::Limiting;
use crate::limits::key_of;

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerStatus {
    /// The throughput equals its bound.
    Optimal,
    /// A throughput, and a larger bound.
    Feasible,
    /// A bound alone.
    Bound,
    /// Messages cannot arrive: the throughput is 0.
    Infeasible,
}

impl AnswerStatus {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            AnswerStatus::Optimal => "optimal",
            AnswerStatus::Feasible => "feasible",
            AnswerStatus::Bound => "bound",
            AnswerStatus::Infeasible => "infeasible",
        }
    }
}

impl From<Status> for AnswerStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Optimal => AnswerStatus::Optimal,
            Status::Feasible => AnswerStatus::Feasible,
        }
    }
}

/// The numbers of an answer. Text and JSON print these, JSON as texts in lowest terms. A number that was not requested,
/// or that was not found, is `None`. Times and rates are in units of the platform.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Numbers {
    /// Nodes of the platform.
    pub nodes: usize,
    /// Its links.
    pub links: usize,
    /// The collective's name.
    pub collective: &'static str,
    /// The platform's port model.
    pub model: &'static str,
    /// Its units.
    pub units: Option<String>,
    /// The kind of answer.
    pub status: AnswerStatus,
    /// Instances per unit of time.
    #[serde(serialize_with = "exact")]
    pub throughput: Option<Rational>,
    /// The bound that the certificate proves.
    #[serde(serialize_with = "text")]
    pub upper_bound: Rational,
    /// The distance of the throughput from the bound, as a share of the bound.
    #[serde(serialize_with = "exact")]
    pub gap: Option<Rational>,
    /// The operation at this throughput: its keys are `size` in bytes, `algbw` and `busbw` in GB/s.
    #[serde(flatten, serialize_with = "as_benchmarks_count")]
    pub operation: Option<Operation>,
    /// Length of the period.
    #[serde(serialize_with = "exact")]
    pub period: Option<Rational>,
    /// Instances per period.
    #[serde(serialize_with = "exact")]
    pub instances: Option<BigUint>,
    /// Instances per unit of time of the schedule.
    #[serde(serialize_with = "exact")]
    pub schedule_throughput: Option<Rational>,
    /// The share of the throughput that the schedule loses.
    #[serde(serialize_with = "exact")]
    pub loss: Option<Rational>,
    /// Number of patterns.
    pub patterns: Option<usize>,
    /// Number of slots.
    pub slots: Option<usize>,
    /// Classes of resources that limit, the largest share first.
    pub bottleneck: Vec<Limiting>,
    /// The key of the limit that ended the search, or `interrupt`.
    pub ended_by: Option<&'static str>,
}

/// A number as text. `null` if it is absent.
pub(crate) fn exact<S: Serializer>(
    number: &Option<impl Display>,
    to: S,
) -> Result<S::Ok, S::Error> {
    number.as_ref().map(ToString::to_string).serialize(to)
}

/// A number as text.
pub(crate) fn text<S: Serializer>(number: &Rational, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

fn as_benchmarks_count<S: Serializer>(
    operation: &Option<Operation>,
    to: S,
) -> Result<S::Ok, S::Error> {
    /// The keys of an operation.
    #[derive(Serialize)]
    struct Keys {
        size: Option<String>,
        algbw: Option<String>,
        busbw: Option<String>,
    }
    let operation = operation.as_ref();
    Keys {
        size: operation.map(|one| one.bytes.to_string()),
        algbw: operation.map(|one| one.gigabytes[0].to_string()),
        busbw: operation.map(|one| one.gigabytes[1].to_string()),
    }
    .serialize(to)
}

impl Numbers {
    /// The question alone: its messages cannot arrive.
    pub fn infeasible(platform: &Platform, collective: &Collective) -> Numbers {
        Numbers {
            nodes: platform.nodes().len(),
            links: platform.links().len(),
            collective: label(collective),
            model: platform.model().name(),
            units: platform.units().map(|units| units.to_string()),
            status: AnswerStatus::Infeasible,
            throughput: Some(Rational::zero()),
            upper_bound: Rational::zero(),
            gap: None,
            operation: None,
            period: None,
            instances: None,
            schedule_throughput: None,
            loss: None,
            patterns: None,
            slots: None,
            bottleneck: Vec::new(),
            ended_by: None,
        }
    }

    /// An answer, without its schedule.
    pub fn of_answer(answer: &Answer, bottleneck: Vec<Limiting>) -> Numbers {
        let (problem, known) = (answer.problem(), answer.throughput());
        Numbers {
            status: known.map_or(AnswerStatus::Bound, |_| answer.status().into()),
            throughput: known.cloned(),
            upper_bound: answer.bound().clone(),
            gap: known.map(|known| gap(known, answer.bound())),
            operation: known.and_then(|known| Operation::of(problem, known)),
            patterns: answer.patterns().map(|state| state.patterns.len()),
            bottleneck,
            ..Numbers::infeasible(problem.platform(), problem.collective())
        }
    }

    /// The result of a search, without its schedule.
    pub fn of(solved: &Solved, bottleneck: Vec<Limiting>) -> Numbers {
        let limit = solved.unwritten.and_then(|unwritten| unwritten.limit);
        Numbers {
            ended_by: limit.or(solved.ended_by).map(key_of),
            ..Numbers::of_answer(&solved.answer, bottleneck)
        }
    }

    /// These numbers with the schedule, the bound and the status of a plan.
    #[must_use]
    pub fn planned(self, plan: &Plan<'_>) -> Numbers {
        let schedule = plan.schedule;
        Numbers {
            status: plan.status.into(),
            upper_bound: plan.upper_bound.clone(),
            gap: Some(gap(&plan.steady_state.throughput, plan.upper_bound)),
            period: Some(schedule.period.clone()),
            instances: Some(schedule.instances.clone()),
            schedule_throughput: Some(schedule.throughput()),
            loss: Some(loss_of(plan)),
            slots: Some(schedule.slots.len()),
            ..self
        }
    }
}

/// An operation as nccl-tests count it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its size in bytes.
    pub bytes: Rational,
    /// Algorithm and bus bandwidth in the steady state, in GB/s.
    pub gigabytes: [Rational; 2],
    /// Algorithm and bus bandwidth in the platform's units.
    pub rates: [Rational; 2],
}

impl Operation {
    /// The operation of a problem at a throughput. `None` if the platform has no units, or if nccl-tests do not count
    /// the collective.
    pub fn of(problem: &Problem, throughput: &Rational) -> Option<Operation> {
        let (units, bandwidth) = (problem.platform().units()?, Bandwidth::of(problem)?);
        let rates = [bandwidth.algorithm(throughput), bandwidth.bus(throughput)];
        Some(Operation {
            bytes: units.bytes(&bandwidth.size),
            gigabytes: rates.clone().map(|rate| units.gigabytes_per_second(&rate)),
            rates,
        })
    }
}

/// Schedule throughput over the best throughput known.
pub fn share(plan: &Plan<'_>) -> Rational {
    plan.schedule.throughput() / &plan.steady_state.throughput
}

/// The share of the best throughput known that the schedule loses.
pub fn loss_of(plan: &Plan<'_>) -> Rational {
    whole(1) - share(plan)
}

/// The distance of a throughput from its bound, as a share of the bound.
pub fn gap(throughput: &Rational, bound: &Rational) -> Rational {
    whole(1) - throughput / bound
}
