//! A whole plan.

use oneport_plan::{Plan, Status};
use oneport_platform::Rational;
use oneport_watch::Watch;

use crate::arithmetic::is_sound;
use crate::case::Case;
use crate::certificate::bound_watched;
use crate::steady_state::Sustained;
use crate::violation::{fault, shown};
use crate::{Violation, schedule};

/// The proved facts about a plan. All three rates are in instances per unit of time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// Throughput of the steady state.
    pub throughput: Rational,
    /// Upper bound on the throughput of every schedule.
    pub bound: Rational,
    /// Throughput of the periodic schedule, with whole messages.
    pub schedule_throughput: Rational,
    /// [`Status::Optimal`] exactly when `throughput` equals `bound`.
    pub status: Status,
}

/// Checks everything that a plan claims: its steady state, its certificate and `upper_bound`, its schedule, and its
/// status. Where nodes have one port for sends and receives together, the steady state needs a proof besides: either
/// the schedule keeps every link busy for at least the same share of the time, or all odd-set inequalities hold. (A
/// timeline is not part of a plan: see [`check_timeline`](crate::check_timeline).)
///
/// ```
/// use oneport_plan::{Certificate, Collective, Pattern, PeriodicSchedule, Plan, Problem, Resource};
/// use oneport_plan::{ScheduledPattern, Slot, Status, SteadyState, Volumes, WeightedPattern};
/// use oneport_platform::{Node, Platform, parse_rational};
/// let one = parse_rational("1")?;
/// let mut builder = Platform::builder();
/// let (a, b) = (builder.node(Node::processor("a", one.clone()))?, builder.node(Node::processor("b", one.clone()))?);
/// let link = builder.link(a, b, one.clone())?;
/// let path = Pattern::path(0, vec![link]);
/// let mut plan = Plan {
///     problem: Problem::new(builder.build()?, Collective::scatter(a, vec![b]), Volumes::default())?,
///     status: Status::Optimal,
///     steady_state: SteadyState {
///         throughput: one.clone(),
///         patterns: vec![WeightedPattern { pattern: path.clone(), weight: one.clone() }],
///     },
///     certificate: Certificate::of_prices(vec![(Resource::Send(a), one.clone())]),
///     upper_bound: one.clone(),
///     schedule: PeriodicSchedule {
///         period: one.clone(),
///         instances: 1u32.into(),
///         patterns: vec![ScheduledPattern { pattern: path, copies: 1u32.into() }],
///         slots: vec![Slot { shares: Vec::new(),  length: one, links: vec![link] }],
///     },
/// };
/// assert_eq!(oneport_referee::check_plan(&plan)?.status, Status::Optimal);
/// plan.upper_bound = parse_rational("3/2")?;
/// assert!(oneport_referee::check_plan(&plan).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first claim that does not hold.
pub fn check_plan(plan: &Plan) -> Result<Verdict, Violation> {
    check_plan_watched(plan, &Watch::unlimited())
}

/// [`check_plan`] under a watch.
///
/// # Errors
/// The first claim that does not hold; [`Rule::Stopped`](crate::Rule::Stopped) if the watch ended the check: the plan
/// may be right.
pub fn check_plan_watched(plan: &Plan, watch: &Watch) -> Result<Verdict, Violation> {
    let proved = || {
        let bound = bound_watched(&plan.problem, &plan.certificate, watch)?;
        if is_sound(&plan.upper_bound) && plan.upper_bound == bound {
            Ok(bound)
        } else {
            let (stated, proved) = (shown(&plan.upper_bound), shown(&bound));
            Err(
                fault!(Claim, "the plan states the upper bound {stated}"; "the certificate proves {proved}"),
            )
        }
    };
    let verdict = verdict(plan, watch, proved)?;
    if plan.status != verdict.status {
        let (stated, right) = (plan.status.name(), verdict.status.name());
        let (throughput, bound) = (shown(verdict.throughput), shown(verdict.bound));
        let right = format!("with throughput {throughput} and bound {bound} it must be {right}");
        return Err(fault!(Claim, "the status is {stated}"; "{right}"));
    }
    Ok(verdict)
}

/// Checks a plan but ignores its bound and status. Returns the plan with the bound that its certificate proves and the
/// status that follows: [`check_plan`] accepts the result.
///
/// # Errors
/// As [`check_plan_watched`].
pub fn judge(plan: Plan, watch: &Watch) -> Result<Plan, Violation> {
    let Verdict { bound, status, .. } = verdict(&plan, watch, || {
        bound_watched(&plan.problem, &plan.certificate, watch)
    })?;
    Ok(Plan {
        upper_bound: bound,
        status,
        ..plan
    })
}

/// As [`judge`], with the certificate's bound already computed by [`bound_watched`].
///
/// # Errors
/// As [`judge`].
pub fn judge_bounded(plan: Plan, bound: Rational, watch: &Watch) -> Result<Plan, Violation> {
    let Verdict { bound, status, .. } = verdict(&plan, watch, || Ok(bound))?;
    Ok(Plan {
        upper_bound: bound,
        status,
        ..plan
    })
}

/// Checks everything except the plan's bound and status; `proved` returns the bound.
fn verdict(
    plan: &Plan,
    watch: &Watch,
    proved: impl FnOnce() -> Result<Rational, Violation>,
) -> Result<Verdict, Violation> {
    let Plan {
        steady_state,
        schedule,
        ..
    } = plan;
    let case = Case::new(&plan.problem).watched(watch);
    let sustained = Sustained::new(case, steady_state)?;
    let bound = proved()?;
    let scheduled = schedule::check(&case, schedule)?;
    let throughput = steady_state.throughput.clone();
    let schedule_throughput = schedule.throughput();
    // Slots that keep every link busy for as long prove the odd-set inequalities.
    if !sustained.is_within(&scheduled, &schedule.period) {
        sustained.check_odd_sets()?;
    }
    // Weak duality says that these cannot happen; if they do, one of the checks above is wrong.
    for (what, value) in [
        ("steady state", &throughput),
        ("schedule", &schedule_throughput),
    ] {
        if value > &bound {
            let (throughput, bound) = (shown(value), shown(bound));
            let found = format!(
                "the throughput of the {what} is {throughput}, above the proved bound {bound}"
            );
            return Err(fault!(Claim, "{found}"; "please report this"));
        }
    }
    let status = Status::of(&throughput, &bound);
    Ok(Verdict {
        throughput,
        bound,
        schedule_throughput,
        status,
    })
}
