//! Whole messages at the optimum: the smallest period found.
//!
//! A schedule that starts `d` instances per period attains the optimum when `d` instances of every message fit,
//! as whole messages, into the ports during `d T` (`T` the optimal time per instance). Two facts bound the search:
//!
//! - A port with a positive price is busy all the time in *every* optimal steady state (complementary slackness),
//!   and whole messages occupy it in multiples of the greatest common divisor of its links' times. So `d T` must be
//!   such a multiple for each of them: `d` is a multiple of a number that is known beforehand.
//! - The paths of the optimal steady state become whole at the lcm of their denominators.
//!
//! In between, integer points of the optimal face are searched for with HiGHS and checked in integers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_exact::{IntegerOptions, find_integer_point};
use oneport_plan::{Certificate, Resource, ScheduledPattern, SteadyState, WholePatterns};
use oneport_platform::Rational;

use crate::flow::{self, Budget, FlowProgram};
use crate::solve::{GroupFlow, split};
use crate::{LpError, Question, Solution};

/// Branch-and-bound nodes per candidate.
const NODES: u32 = 200;
/// Candidates tried at most.
const CANDIDATES: usize = 48;
/// Integer variables over all candidates: keeps the search to seconds on large platforms.
const EFFORT: usize = 60_000;

/// The whole patterns with the fewest instances per period found that attain the solution's throughput.
///
/// With a limit, `None` when no such period with at most that many instances was found. Without a limit there is
/// always one. The result is proved smallest only in so far as smaller multiples were refuted by divisibility.
///
/// # Errors
/// As [`solve`](crate::solve).
pub fn smallest_period(
    question: &Question<'_>,
    solution: &Solution,
    limit: Option<u64>,
) -> Result<Option<WholePatterns>, LpError> {
    let steady_state = &solution.steady_state;
    let step = instances_step(question, &solution.certificate, &steady_state.throughput);
    let own = own_instances(steady_state);
    let end = limit.map_or_else(|| own.clone(), |limit| BigInt::from(limit).min(own.clone()));
    let program_size = flow::groups(question).len() * question.platform().links().len();
    let tries = CANDIDATES.min(EFFORT / program_size.max(1));
    let mut candidate = step.clone();
    for _ in 0..tries {
        if candidate > end || candidate >= own {
            break;
        }
        let count = Rational::from_integer(candidate.clone());
        let period = &count / &steady_state.throughput;
        let budget = Budget::Fixed { period: period.clone(), instances: count };
        if let Some(found) = integer_flow(question, &budget, &period, &candidate)? {
            return Ok(Some(found));
        }
        candidate += &step;
    }
    Ok((own <= end).then(|| scale(steady_state, &own)))
}

/// What the number of instances per period must be a multiple of, by divisibility at the priced ports.
fn instances_step(question: &Question<'_>, certificate: &Certificate, throughput: &Rational) -> BigInt {
    let platform = question.platform();
    let mut step = BigInt::one();
    for (resource, _) in &certificate.prices {
        let links = match resource {
            Resource::Send(node) => platform.outgoing(*node),
            Resource::Receive(node) => platform.incoming(*node),
        };
        let unit = links.iter().map(|&link| question.time(link)).reduce(|a, b| gcd(&a, &b));
        if let Some(unit) = unit.filter(|unit| unit.is_positive()) {
            // d / throughput must be a multiple of unit.
            step = step.lcm((throughput * unit).recip().denom());
        }
    }
    step
}

/// The greatest rational that divides both a whole number of times.
fn gcd(a: &Rational, b: &Rational) -> Rational {
    Rational::new(a.numer().gcd(b.numer()), a.denom().lcm(b.denom()))
}

/// Instances per period at which the steady state's own weights become whole.
fn own_instances(steady_state: &SteadyState) -> BigInt {
    let mut instances = BigInt::one();
    for weighted in steady_state.patterns.iter().filter(|weighted| weighted.weight != steady_state.throughput) {
        let share = &weighted.weight / &steady_state.throughput;
        instances = instances.lcm(share.denom());
    }
    instances
}

fn scale(steady_state: &SteadyState, instances: &BigInt) -> WholePatterns {
    let copies = |weight: &Rational| (weight / &steady_state.throughput * instances).to_integer().magnitude().clone();
    let patterns = steady_state
        .patterns
        .iter()
        .map(|w| ScheduledPattern { pattern: w.pattern.clone(), copies: copies(&w.weight) })
        .collect();
    let period = Rational::from_integer(instances.clone()) / &steady_state.throughput;
    WholePatterns { period, instances: instances.magnitude().clone(), patterns }
}

/// The most instances found whose whole messages fit into a period, by integer programming; `None` where the platform is
/// too large for that or nothing was found. The number found is not proved largest.
///
/// # Errors
/// As [`solve`](crate::solve).
pub fn whole_within(
    question: &Question<'_>,
    solution: &Solution,
    period: &Rational,
) -> Result<Option<WholePatterns>, LpError> {
    let most = (period * &solution.steady_state.throughput).floor().to_integer();
    let too_large = flow::groups(question).len() * question.platform().links().len() > EFFORT / CANDIDATES;
    if !most.is_positive() || !period.is_positive() || too_large {
        return Ok(None);
    }
    let fixed = Budget::Fixed { period: period.clone(), instances: Rational::from_integer(most.clone()) };
    match integer_flow(question, &fixed, period, &most)? {
        Some(whole) => Ok(Some(whole)),
        None => integer_flow(question, &Budget::Most { period: period.clone() }, period, &most),
    }
}

/// Whole messages within the budget, at most for `most` instances, if HiGHS finds them.
fn integer_flow(
    question: &Question<'_>,
    budget: &Budget,
    period: &Rational,
    most: &BigInt,
) -> Result<Option<WholePatterns>, LpError> {
    let messages = most * question.commodities().len();
    let Some(upper) = messages.to_u32() else { return Ok(None) };
    let FlowProgram { program, groups, flows, time, .. } = flow::build(question, budget)?;
    let Some(point) = find_integer_point(&program, IntegerOptions { node_limit: NODES, upper })? else {
        return Ok(None);
    };
    let instances = time.map_or_else(|| most.clone(), |column| point[column.0].clone());
    if !instances.is_positive() {
        return Ok(None);
    }
    let mut by_group = vec![GroupFlow::new(); groups.len()];
    for flow in &flows {
        let amount = &point[flow.column.0];
        if !amount.is_zero() {
            by_group[flow.group].insert(flow.link, amount.clone());
        }
    }
    let patterns = split(question, &groups, &by_group, &instances)?;
    let patterns = patterns
        .into_iter()
        .map(|(pattern, copies)| ScheduledPattern { pattern, copies: copies.magnitude().clone() })
        .collect();
    Ok(Some(WholePatterns { period: period.clone(), instances: instances.magnitude().clone(), patterns }))
}
