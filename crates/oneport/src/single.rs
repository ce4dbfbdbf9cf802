//! One reduction executed once: the shortest schedule, its bound, and the referee's word on both.

use oneport_heterogeneous::{AllReduce, Budget, Cluster, Method, Placement, Processors};
use oneport_homogeneous::{Costs, Released, Strategy, Tie};
use oneport_plan::{Broadcast, Instance, Limit, Proof, Shortest};
use oneport_platform::Rational;
use oneport_referee::{Recheck, Violation, check_broadcast, check_reduction, check_shortest};

/// An answer that the referee has checked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// The answer.
    pub shortest: Shortest,
    /// Whether the referee could repeat the argument for the bound.
    pub recheck: Recheck,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SingleError {
    /// The question about equal costs does not make sense.
    #[error(transparent)]
    Homogeneous(#[from] oneport_homogeneous::Error),
    /// The question about unequal speeds does not make sense, or is too large.
    #[error(transparent)]
    Heterogeneous(#[from] oneport_heterogeneous::Error),
    /// The referee objects to our own answer: a defect of oneport.
    #[error("the referee objects to the schedule found: {0}; please report it with the question")]
    Referee(#[from] Violation),
}

/// One reduction of `values` values with equal costs (RR-7898). With `written`, also
/// returns the schedule.
///
/// The lower bound is the optimum under the limit; only `Greedy` is guaranteed to attain it.
///
/// ```
/// use oneport::homogeneous::{Costs, Limit, Strategy, Tie};
/// use oneport::{parse_rational, reduce_homogeneous};
/// let costs = Costs::new(parse_rational("2")?, parse_rational("3")?)?;
/// let checked = reduce_homogeneous(12, &costs, Strategy::Greedy, Limit::Unlimited, Tie::Oldest, true)?;
/// assert_eq!(checked.shortest.length, checked.shortest.lower_bound);
/// assert!(checked.shortest.reduction.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SingleError::Homogeneous`] names what does not make sense.
pub fn reduce_homogeneous(
    values: u64,
    costs: &Costs,
    strategy: Strategy,
    limit: Limit,
    tie: Tie,
    written: bool,
) -> Result<Checked, SingleError> {
    let lower_bound = oneport_homogeneous::length(values, costs, Strategy::Greedy, limit, tie)?;
    let reduction =
        if written { Some(oneport_homogeneous::reduce(values, costs, strategy, limit, tie)?) } else { None };
    let length = match &reduction {
        Some(reduction) => reduction.length.clone(),
        None if strategy == Strategy::Greedy => lower_bound.clone(),
        None => oneport_homogeneous::length(values, costs, strategy, limit, tie)?,
    };
    check(Shortest {
        instance: equal(values, costs, limit),
        length,
        lower_bound,
        proof: equal_proof(costs, limit),
        reduction,
    })
}

fn equal(values: u64, costs: &Costs, limit: Limit) -> Instance {
    Instance::Equal { values, transfer: costs.transfer().clone(), compute: costs.compute().clone(), limit }
}

/// The argument for the optimum under a limit.
fn equal_proof(costs: &Costs, limit: Limit) -> Proof {
    // Theorem 10: with d >= c as many reducers do what so many transfers do, and those can be counted.
    let counted = !matches!(limit, Limit::Transfers(_)) || costs.transfer() >= costs.compute();
    if counted { Proof::Counting } else { Proof::LimitedTransfers }
}

/// One reduction whose values are ready at different dates; the operator is taken as commutative.
///
/// The instance of the answer says nothing of the dates, so its bound is the method's own.
///
/// # Errors
/// [`SingleError::Homogeneous`] names what does not make sense.
pub fn reduce_released(ready: &[Rational], costs: &Costs) -> Result<Released, SingleError> {
    let released = oneport_homogeneous::reduce_released(ready, costs)?;
    check_reduction(&released.reduction, Limit::Unlimited)?;
    Ok(released)
}

/// One broadcast to `processors` processors: the shortest reduction read backwards, and the answer for that reduction,
/// whose bound holds for the broadcast too. With `written`, also
/// returns the schedule.
///
/// # Errors
/// As [`reduce_homogeneous`].
pub fn broadcast_homogeneous(
    processors: u64,
    costs: &Costs,
    limit: Limit,
    written: bool,
) -> Result<(Option<Broadcast>, Checked), SingleError> {
    let mut checked = reduce_homogeneous(processors, costs, Strategy::Greedy, limit, Tie::Oldest, false)?;
    if !written {
        return Ok((None, checked));
    }
    let broadcast = oneport_homogeneous::broadcast(processors, costs, limit)?;
    check_broadcast(&broadcast, limit)?;
    checked.shortest.length = broadcast.length.clone();
    Ok((Some(broadcast), checked))
}

/// What was found for unequal speeds, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The answer; its schedule is absent.
    pub checked: Checked,
    /// The method that found it.
    pub method: Method,
    /// Why this method.
    pub why: String,
    /// The best schedule, as numbers of senders per class and date.
    pub placement: Placement,
}

/// One reduction over the senders of a cluster into one more processor (Liu-Kuo-Wang 2009), length and bound alone.
///
/// # Errors
/// [`SingleError::Heterogeneous`] names what does not make sense, or which method does not apply.
pub fn reduce_cluster(cluster: &Cluster, method: Method, budget: &Budget) -> Result<Found, SingleError> {
    let answer = oneport_heterogeneous::shortest(cluster, method, budget)?;
    let checked = check(answer.shortest)?;
    Ok(Found { checked, method: answer.method, why: answer.why, placement: answer.placement })
}

/// One reduction over single processors (Liu-Kuo-Wang 2009), with its schedule.
///
/// # Errors
/// As [`reduce_cluster`]; more processors than a schedule is written down for.
pub fn reduce_processors(processors: &Processors, method: Method, budget: &Budget) -> Result<Found, SingleError> {
    let mut answer = oneport_heterogeneous::shortest(&processors.cluster(), method, budget)?;
    let reduction = answer.schedule(processors)?;
    // A placement that is not optimal leaves gaps, and an earliest-possible schedule closes some.
    answer.shortest.length = reduction.length.clone();
    answer.shortest.reduction = Some(reduction);
    let checked = check(answer.shortest)?;
    Ok(Found { checked, method: answer.method, why: answer.why, placement: answer.placement })
}

/// The result of one reduction sent to all: slowest node first into the fastest processor, then fastest node first
/// (Liu-Kuo-Wang 2009, Theorem 3).
///
/// # Errors
/// An empty list, a time that is not positive.
pub fn all_reduce(times: &[Rational]) -> Result<AllReduce, SingleError> {
    let all = oneport_heterogeneous::all_reduce(times)?;
    check_reduction(&all.reduction, Limit::Unlimited)?;
    check_broadcast(&all.broadcast, Limit::Unlimited)?;
    Ok(all)
}

fn check(shortest: Shortest) -> Result<Checked, SingleError> {
    let recheck = check_shortest(&shortest)?;
    Ok(Checked { shortest, recheck })
}
