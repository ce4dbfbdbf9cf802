//! One reduction executed once, and rings.

use std::ops::ControlFlow;

use oneport::files::{self, FormatError};
use oneport::heterogeneous::{Budget, Class, Cluster, Destination, Method, Processors};
use oneport::homogeneous::{Concurrency, EqualCosts, Reduce, Strategy, Tie};
use oneport::plan::{Instance, Shortest, SingleReduction};
use oneport::referee::SingleAnswer;
use oneport::watch::Watch;
use oneport::{NodeId, Rational, Rings, SingleError, rings};
use oneport_drawings::svg;
use pyo3::prelude::*;

use crate::errors::{Stopped, defect, value};
use crate::platform::PyPlatform;
use crate::waiting::{self, Limits};

/// States that a search visits, as the command's default. Trades exact lengths for time. Not measured.
const STATES: u64 = 50_000_000;
/// Limit: processors of a schedule that is listed.
const LISTED: u64 = 10_000;

/// Receiver, start of its transfer and start of the merge of every processor; the root has neither.
type Tree = (
    u32,
    Vec<u32>,
    Vec<Option<Rational>>,
    Option<Vec<Option<Rational>>>,
);
/// Length, lower bound, status, method; schedule, and the text of its file.
type Reduction = (
    Rational,
    Rational,
    &'static str,
    String,
    Option<(Tree, String)>,
);

/// The answer about the shortest schedule.
fn shortest(answer: &SingleAnswer<Shortest>, method: String) -> Reduction {
    let claim = answer.claim();
    let (limit, commutative) = match &claim.instance {
        Instance::Equal { limit, .. } => (*limit, false),
        Instance::Classes(_) => (Concurrency::Unlimited, true),
    };
    let listed = claim.reduction.as_ref().map(|reduction| {
        listed(SingleReduction {
            reduction: reduction.clone(),
            limit,
            commutative,
            lower_bound: claim.lower_bound.clone(),
            proof: answer.is_proved().then(|| claim.proof.clone()),
        })
    });
    let (length, bound) = (claim.length.clone(), claim.lower_bound.clone());
    (length, bound, answer.status().name(), method, listed)
}

/// The answer about a schedule.
fn judged(answer: SingleAnswer<SingleReduction>, method: String) -> Reduction {
    let (status, is_proved) = (answer.status().name(), answer.is_proved());
    let mut one = answer.into_claim();
    one.proof = one.proof.filter(|_| is_proved);
    let (length, bound) = (one.reduction.length.clone(), one.lower_bound.clone());
    (length, bound, status, method, Some(listed(one)))
}

/// The transfers of a schedule, and the text of its file.
fn listed(one: SingleReduction) -> (Tree, String) {
    let reduction = &one.reduction;
    let dates = |dates: &oneport::plan::Dates| {
        let dates = (0..reduction.receivers.len()).map(|place| {
            let is_root = u32::try_from(place) == Ok(reduction.root);
            dates.get(place).filter(|_| !is_root)
        });
        dates.collect::<Vec<_>>()
    };
    let tree = (
        reduction.root,
        reduction.receivers.clone(),
        dates(&reduction.starts),
        reduction.merges.as_ref().map(dates),
    );
    (tree, files::single_reduction_to_json(&one))
}

/// Reads the file of a reduction; the referee checks it.
#[pyfunction]
pub(crate) fn reduction_of(py: Python<'_>, name: &str, bytes: &[u8]) -> PyResult<Reduction> {
    let one = py
        .detach(|| files::single_reduction_from_json(name, bytes))
        .map_err(value)?;
    let answer = waiting::run(py, Limits::default(), move |_| SingleAnswer::judge(one))?;
    let answer = answer.map_err(|fault| crate::errors::of_fault(&fault))?;
    Ok(judged(answer, "file".to_string()))
}

/// The drawing of a reduction from the text of its file: its periods of work (`gantt`), or its tree.
#[pyfunction]
pub(crate) fn reduction_svg(py: Python<'_>, kind: &str, text: &[u8]) -> PyResult<String> {
    py.detach(|| {
        let one = files::single_reduction_from_json("reduction", text)?;
        Ok(match kind {
            "gantt" => svg::reduction_gantt(&one.reduction),
            _ => svg::single_tree(&one.reduction),
        })
    })
    .map_err(|error: FormatError| value(error))
}

fn refused(error: &SingleError) -> PyErr {
    match error {
        SingleError::Referee(fault) => match fault.stopped() {
            Some(limit) => Stopped::new_err((fault.to_string(), crate::errors::limit(limit))),
            None => defect(error),
        },
        error => value(error),
    }
}

fn strategy(name: &str) -> PyResult<Strategy> {
    Ok(match name {
        "greedy" => Strategy::Greedy,
        "binomial" => Strategy::Binomial,
        "fibonacci" => Strategy::Fibonacci,
        "chain" => Strategy::Chain,
        "flat" => Strategy::Flat,
        _ => {
            return Err(value(format_args!(
                "strategy='{name}' is no strategy; give greedy, binomial, fibonacci, chain or flat"
            )));
        }
    })
}

fn tie(name: &str) -> PyResult<Tie> {
    Ok(match name {
        "oldest" => Tie::Oldest,
        "newest" => Tie::Newest,
        "fewest-children" => Tie::FewestChildren,
        "most-children" => Tie::MostChildren,
        _ => {
            return Err(value(format_args!(
                "ties='{name}' is no rule; give oldest, newest, fewest-children or most-children"
            )));
        }
    })
}

/// One reduction of values with equal costs.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "called from Python")]
pub(crate) fn reduce_homogeneous(
    py: Python<'_>,
    values: u64,
    transfer: Rational,
    compute: Rational,
    max_transfers: Option<u64>,
    max_reducers: Option<u64>,
    strategy: &str,
    ties: &str,
    ready: Option<Vec<Rational>>,
) -> PyResult<Reduction> {
    let costs = EqualCosts::new(transfer, compute).map_err(value)?;
    let limit = match (max_transfers, max_reducers) {
        (None, None) => Concurrency::Unlimited,
        (Some(most), None) => Concurrency::Transfers(most),
        (None, Some(most)) => Concurrency::Reducers(most),
        _ => {
            return Err(value(
                "max_transfers= and max_reducers= are two limits; give one of them",
            ));
        }
    };
    let (name, ties) = (strategy, tie(ties)?);
    let strategy = self::strategy(name)?;
    if let Some(ready) = ready {
        let released = waiting::run(py, Limits::default(), move |_| {
            oneport::reduce_released(&ready, None, &costs)
        })?;
        let released = released.map_err(|error| refused(&error))?;
        return Ok(judged(released.answer, "released".to_string()));
    }
    let answer = waiting::run(py, Limits::default(), move |_| {
        let question = Reduce::of(values, &costs)
            .strategy(strategy)
            .limit(limit)
            .tie(ties);
        if values <= LISTED {
            oneport::reduce_homogeneous(&question)
        } else {
            oneport::length_homogeneous(&question)
        }
    })?;
    let answer = answer.map_err(|error| refused(&error))?;
    Ok(shortest(&answer, name.to_string()))
}

/// One reduction over processors of unequal speeds, or over classes of them.
#[pyfunction]
pub(crate) fn reduce_heterogeneous(
    py: Python<'_>,
    times: Vec<(Rational, u64)>,
    are_classes: bool,
    destination: Option<usize>,
    method: &str,
    limits: (Option<String>, Option<String>),
    threads: Option<usize>,
) -> PyResult<Reduction> {
    let (method, states) = match method {
        "auto" => (Method::Auto, STATES),
        "exact" => (Method::Auto, u64::MAX),
        "snf" => (Method::SlowestFirst, STATES),
        "dp" => (Method::DynamicProgram, STATES),
        "levels" => (Method::Levels, STATES),
        "slots" => (Method::Slots, STATES),
        "search" => (Method::Search, STATES),
        _ => {
            return Err(value(format_args!(
                "method='{method}' is no method; give auto, exact, snf, dp, levels, slots or search"
            )));
        }
    };
    let search = oneport_questions::Limits::read(limits.0.as_deref(), limits.1.as_deref());
    let limits = Limits {
        search: search.map_err(|error| crate::errors::of_question(&error))?,
        threads,
        callback: None,
    };
    let found = waiting::run(py, limits, move |watch: Watch| {
        let asked = |_: &_| match watch.ask() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let budget = Budget {
            states,
            watch: &asked,
        };
        if are_classes {
            let classes = times.into_iter();
            let classes = classes.map(|(time, senders)| Class { time, senders });
            let cluster = Cluster::new(&classes.collect::<Vec<_>>())?;
            return oneport::reduce_cluster(&cluster, method, &budget);
        }
        let to = destination.map_or(Destination::Outside, Destination::Listed);
        let times = times.into_iter().map(|(time, _)| time).collect();
        oneport::reduce_processors(&Processors::new(times, to)?, method, &budget)
    })?;
    let found = found.map_err(|error| refused(&error))?;
    Ok(shortest(&found.answer, found.method.name().to_string()))
}

/// Nodes in the order of a ring.
type Order = Vec<String>;
/// Rings with their rates, total, bound, status; equal rings with their numbers, share of each.
type Packed = (
    Vec<(Order, Rational)>,
    Rational,
    Rational,
    &'static str,
    Vec<(Order, u32)>,
    Rational,
);

/// The best rings over processors.
#[pyfunction]
pub(crate) fn pack_rings(
    py: Python<'_>,
    platform: &PyPlatform,
    nodes: Vec<String>,
    most: u32,
    limits: (Option<String>, Option<String>),
    threads: Option<usize>,
) -> PyResult<Packed> {
    let shared = platform.inner.clone();
    let nodes: Vec<NodeId> = nodes
        .iter()
        .map(|name| oneport_questions::node(&shared, name, "--participants"))
        .collect::<Result<_, _>>()
        .map_err(|error| crate::errors::of_question(&error))?;
    let search = oneport_questions::Limits::read(limits.0.as_deref(), limits.1.as_deref());
    let limits = Limits {
        search: search.map_err(|error| crate::errors::of_question(&error))?,
        threads,
        callback: None,
    };
    let own = shared.clone();
    let packed: Result<Rings, _> =
        waiting::run(py, limits, move |watch| rings(&own, &nodes, most, &watch))?;
    let packed = packed.map_err(value)?;
    let order = |ring: &oneport::plan::Ring| {
        let nodes = ring.order(&shared).into_iter();
        nodes.map(|node| shared.name(node).to_string()).collect()
    };
    let rings = packed.packing.rings.iter();
    let equal = packed.equal.rings.iter();
    Ok((
        rings
            .map(|(ring, rate)| (order(ring), rate.clone()))
            .collect(),
        packed.packing.total.clone(),
        packed.packing.upper_bound.clone(),
        packed.status.name(),
        equal.map(|(ring, times)| (order(ring), *times)).collect(),
        packed.equal.share.clone(),
    ))
}
