//! One reduction executed once: the shortest schedule and its bound, both checked by the referee.

use oneport_heterogeneous::{
    Budget, Cluster, Destination, Method, Placement, Processors, SearchProgress,
};
use oneport_homogeneous::{EqualCosts, Reduce};
use oneport_plan::{
    Broadcast, Concurrency, Instance, Proof, Reduction, Shortest, SingleAllReduce, SingleBroadcast,
    SingleReduction,
};
use oneport_platform::Rational;
use oneport_referee::{SingleAnswer, Violation, check_broadcast};

/// Reasons why no answer is returned.
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

/// One reduction with equal costs (RR-7898), and its schedule.
///
/// The lower bound is the optimum under the limit. Only the greedy strategy is guaranteed to attain it.
///
/// ```
/// use oneport::homogeneous::{EqualCosts, Reduce};
/// use oneport::{parse_rational, reduce_homogeneous};
/// let costs = EqualCosts::new(parse_rational("2")?, parse_rational("3")?)?;
/// let answer = reduce_homogeneous(&Reduce::of(12, &costs))?;
/// assert_eq!(answer.status(), oneport::Status::Optimal);
/// assert!(answer.claim().reduction.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SingleError::Homogeneous`] names what does not make sense.
pub fn reduce_homogeneous(question: &Reduce<'_>) -> Result<SingleAnswer<Shortest>, SingleError> {
    let reduction = question.schedule()?;
    judge_equal(question, reduction.length.clone(), Some(reduction))
}

/// The length of one reduction with equal costs, and its bound, without a schedule: any number of values.
///
/// # Errors
/// [`SingleError::Homogeneous`] names what does not make sense.
pub fn length_homogeneous(question: &Reduce<'_>) -> Result<SingleAnswer<Shortest>, SingleError> {
    judge_equal(question, question.length()?, None)
}

fn judge_equal(
    question: &Reduce<'_>,
    length: Rational,
    reduction: Option<Reduction>,
) -> Result<SingleAnswer<Shortest>, SingleError> {
    let &Reduce {
        values,
        costs,
        limit,
        ..
    } = question;
    Ok(SingleAnswer::judge(Shortest {
        instance: equal(values, costs, limit),
        length,
        lower_bound: Reduce::of(values, costs).limit(limit).length()?,
        proof: equal_proof(costs, limit),
        reduction,
    })?)
}

fn equal(values: u64, costs: &EqualCosts, limit: Concurrency) -> Instance {
    Instance::Equal {
        values,
        transfer: costs.transfer().clone(),
        compute: costs.compute().clone(),
        limit,
    }
}

/// The argument for the optimum under a limit.
fn equal_proof(costs: &EqualCosts, limit: Concurrency) -> Proof {
    // Theorem 10: if d >= c, a limit on the reducers has the same effect as the same limit on the transfers, and that
    // case can be counted.
    let counted =
        !matches!(limit, Concurrency::Transfers(_)) || costs.transfer() >= costs.compute();
    if counted {
        Proof::Counting
    } else {
        Proof::LimitedTransfers
    }
}

/// One reduction whose values are ready at different dates. The operator is taken as commutative. The bound is the
/// method's own, without a proof: the referee counts the values that are there from a date on, which proves it or not.
///
/// # Errors
/// [`SingleError::Homogeneous`] names what does not make sense.
pub fn reduce_released(
    ready: &[Rational],
    root: Option<u64>,
    costs: &EqualCosts,
) -> Result<Judged, SingleError> {
    let released = oneport_homogeneous::reduce_released(ready, root, costs)?;
    let best = released.reduction.length.clone();
    let one = SingleReduction {
        reduction: released.reduction,
        limit: Concurrency::Unlimited,
        commutative: true,
        lower_bound: released.lower_bound,
        proof: None,
    };
    let answer = SingleAnswer::judge(one)?;
    Ok(Judged { answer, best })
}

/// One broadcast to `processors` processors: the shortest reduction read backwards, and the answer for that reduction,
/// whose bound holds for the broadcast too. [`length_homogeneous`] of the reduction gives that answer without a
/// schedule.
///
/// # Errors
/// Those of [`reduce_homogeneous`].
pub fn broadcast_homogeneous(
    processors: u64,
    costs: &EqualCosts,
    limit: Concurrency,
) -> Result<(Broadcast, SingleAnswer<Shortest>), SingleError> {
    let answer = length_homogeneous(&Reduce::of(processors, costs).limit(limit))?;
    let broadcast = oneport_homogeneous::broadcast(processors, costs, limit)?;
    check_broadcast(&broadcast, limit)?;
    let answer = SingleAnswer::judge(Shortest {
        length: broadcast.length.clone(),
        ..answer.into_claim()
    })?;
    Ok((broadcast, answer))
}

/// The answer for unequal speeds, and the method that found it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeterogeneousAnswer {
    /// Length, bound and proof. The schedule, if single processors were given.
    pub answer: SingleAnswer<Shortest>,
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
pub fn reduce_cluster(
    cluster: &Cluster,
    method: Method,
    budget: &Budget,
) -> Result<HeterogeneousAnswer, SingleError> {
    let answer = oneport_heterogeneous::shortest(cluster, method, budget)?;
    Ok(HeterogeneousAnswer {
        answer: judge_within(answer.shortest, budget)?,
        method: answer.method,
        why: answer.why,
        placement: answer.placement,
    })
}

/// One reduction over single processors (Liu-Kuo-Wang 2009), with its schedule.
///
/// # Errors
/// Those of [`reduce_cluster`]. More processors than a schedule is written down for.
pub fn reduce_processors(
    processors: &Processors,
    method: Method,
    budget: &Budget,
) -> Result<HeterogeneousAnswer, SingleError> {
    let mut answer = oneport_heterogeneous::shortest(&processors.cluster(), method, budget)?;
    let reduction = answer.schedule(processors)?;
    // A placement that is not optimal leaves gaps, and an earliest-possible schedule closes some.
    answer.shortest.length = reduction.length.clone();
    answer.shortest.reduction = Some(reduction);
    Ok(HeterogeneousAnswer {
        answer: judge_within(answer.shortest, budget)?,
        method: answer.method,
        why: answer.why,
        placement: answer.placement,
    })
}

/// One all-reduction, and the reduction in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllReduced {
    /// The schedules with their bound.
    pub answer: SingleAnswer<SingleAllReduce>,
    /// The answer about the reduction alone.
    pub found: HeterogeneousAnswer,
}

/// The result of one reduction sent to all: the shortest reduction known into a processor of the list, then fastest
/// node first. With [`Method::SlowestFirst`] and the fastest processor as destination, which is the default, it is at
/// most 3.5 times the optimum (Liu-Kuo-Wang 2009, Theorem 3). The bound is the largest of that of the reduction, that
/// of a reduction into the fastest processor, and that of a broadcast from the fastest and from the slowest: the whole
/// contains them.
///
/// # Errors
/// An empty list, a time that is not positive, a destination out of range, a method that does not apply.
pub fn all_reduce(
    times: &[Rational],
    destination: Option<usize>,
    method: Method,
    budget: &Budget,
) -> Result<AllReduced, SingleError> {
    let fastest = oneport_heterogeneous::fastest(times)?;
    let destination = destination.unwrap_or(fastest);
    let into = |processor| Processors::new(times.to_vec(), Destination::Listed(processor));
    let found = reduce_processors(&into(destination)?, method, budget)?;
    let shortest = found.answer.claim();
    let Some(reduction) = shortest.reduction.clone() else {
        return Err(oneport_heterogeneous::Error::NoProcessor.into());
    };
    let all = oneport_heterogeneous::all_reduce_by(times, reduction)?;
    let (lower_bound, proof) = if shortest.lower_bound >= all.lower_bound {
        let proof = (destination as u32, shortest.proof.clone());
        (shortest.lower_bound.clone(), Some(proof))
    } else {
        let hardest = oneport_heterogeneous::bound::lower_bound(&into(fastest)?.cluster());
        let proof = (hardest.length == all.lower_bound).then(|| (fastest as u32, hardest.proof()));
        (all.lower_bound, proof)
    };
    let one = SingleAllReduce {
        reduction: all.reduction,
        broadcast: all.broadcast,
        lower_bound,
        proof,
    };
    let answer = SingleAnswer::judge(one)?;
    Ok(AllReduced { answer, found })
}

/// One broadcast over processors of unequal speeds: fastest node first, and a bound, which the referee has repeated.
/// From the fastest processor it is at most 1.5 times the optimum (Khuller and Kim; Liu-Kuo-Wang 2009, Theorem 3).
///
/// # Errors
/// An empty list, a time that is not positive, a source out of range.
pub fn broadcast_heterogeneous(
    times: &[Rational],
    source: usize,
) -> Result<SingleAnswer<SingleBroadcast>, SingleError> {
    Ok(SingleAnswer::judge(SingleBroadcast {
        broadcast: oneport_heterogeneous::broadcast::fastest_first(times, source)?,
        limit: Concurrency::Unlimited,
        lower_bound: oneport_heterogeneous::broadcast::lower_bound(times, source)?,
        proof: None,
    })?)
}

/// A given schedule, and the length of the best that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judged {
    /// The schedule with the bound of its question.
    pub answer: SingleAnswer<SingleReduction>,
    /// The length of the best schedule known.
    pub best: Rational,
}

/// A given tree with equal costs: processor `i` sends to `receivers[i]`, the root to itself. Its earliest dates are
/// those of RR-7898, proposition 3. The bound is the optimum of all trees. The operator counts as commutative
/// unless the tree combines neighbours only.
///
/// # Errors
/// [`SingleError::Homogeneous`] names why the receivers are not a tree.
pub fn judge_tree(receivers: &[u32], costs: &EqualCosts) -> Result<Judged, SingleError> {
    let reduction = oneport_homogeneous::reduce_tree(receivers, costs)?;
    let values = receivers.len() as u64;
    let best = Reduce::of(values, costs).length()?;
    let one = SingleReduction {
        reduction,
        limit: Concurrency::Unlimited,
        commutative: false,
        lower_bound: best.clone(),
        proof: Some(Proof::Counting),
    };
    let answer = SingleAnswer::judge(one.clone());
    let commutative = SingleReduction {
        commutative: true,
        ..one
    };
    let answer = answer.or_else(|_| SingleAnswer::judge(commutative))?;
    Ok(Judged { answer, best })
}

/// The earliest-possible schedule of a sequence of senders (Liu-Kuo-Wang 2009, section 3) and the best schedule that
/// `method` finds.
///
/// # Errors
/// Those of [`reduce_processors`]. A sequence that is not a permutation of the senders.
pub fn judge_sequence(
    processors: &Processors,
    sequence: &[usize],
    method: Method,
    budget: &Budget,
) -> Result<Judged, SingleError> {
    let reduction = oneport_heterogeneous::earliest(processors, sequence)?;
    let found = reduce_processors(processors, method, budget)?.answer;
    let found = found.into_claim();
    Ok(Judged {
        best: found.length.min(reduction.length.clone()),
        answer: SingleAnswer::judge(SingleReduction {
            reduction,
            limit: Concurrency::Unlimited,
            commutative: true,
            lower_bound: found.lower_bound,
            proof: Some(found.proof),
        })?,
    })
}

/// The shortest reduction of `values` values with equal costs into any processor, under a limit or without, and whether
/// the operands keep their order: without a limit they always do, see [`oneport_homogeneous::reduce_around`]. As short
/// as into processor 0.
///
/// # Errors
/// [`SingleError::Homogeneous`] names what does not make sense.
pub fn reduce_into(
    values: u64,
    root: u64,
    costs: &EqualCosts,
    limit: Concurrency,
) -> Result<SingleAnswer<SingleReduction>, SingleError> {
    let (reduction, ordered) = oneport_homogeneous::reduce_around(values, root, costs, limit)?;
    Ok(SingleAnswer::judge(SingleReduction {
        reduction,
        limit,
        commutative: !ordered,
        lower_bound: Reduce::of(values, costs).limit(limit).length()?,
        proof: Some(equal_proof(costs, limit)),
    })?)
}

/// Judges an answer as long as the watch of the budget lets it.
fn judge_within(
    shortest: Shortest,
    budget: &Budget,
) -> Result<SingleAnswer<Shortest>, SingleError> {
    let search = SearchProgress {
        states: 0,
        length: shortest.length.clone(),
        lower_bound: shortest.lower_bound.clone(),
    };
    let go_on = || (budget.watch)(&search).is_continue();
    Ok(SingleAnswer::judge_while(shortest, &go_on)?)
}
