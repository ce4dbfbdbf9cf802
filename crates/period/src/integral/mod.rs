//! Whole messages at the optimum: where to look for a small period.
//!
//! A schedule that starts `d` instances per period attains the optimum when `d` instances of every message fit,
//! as whole messages, into the ports during `d T` (`T` the optimal time per instance). Two facts bound the search:
//!
//! - A port with a positive price is busy all the time in *every* optimal steady state (complementary slackness),
//!   and whole messages occupy it in multiples of the greatest common divisor of its links' times. So `d T` must be
//!   such a multiple for each of them: `d` is a multiple of a number that is known beforehand.
//! - The paths of the optimal steady state become whole at the lcm of their denominators.
//!
//! In between, integer points of the optimal face are found with HiGHS and checked in integers: first close to the
//! steady state ([`rounded_at`]), then anywhere ([`whole_at`]).

mod around_vertex;
mod trees;

use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive, Zero};
use oneport_exact::{IntegerOptions, find_integer_point};
use oneport_lp::flow::{self, Budget, FlowProgram, Group, GroupFlow, split};
use oneport_lp::{LpError, Question, Solution};
use oneport_numbers::common_denominator;
use oneport_plan::{Certificate, ScheduledPattern, WholePatterns};
use oneport_platform::{Rational, whole};

use crate::rounding::own_period;

/// Branch-and-bound nodes per integer program. Trades time for shorter periods. Not measured.
const NODES: u32 = 200;
/// Columns of an integer program of one commodity. Trades shorter periods for time. Measured: about 0.5 s per program.
const MOST_COLUMNS: usize = 6000;
/// Columns of an integer program of several commodities. Trades shorter periods for time. Measured: about 0.5 s per
/// program.
const MOST_COLUMNS_OF_MANY: usize = 1200;
/// Columns of a tiny program. Trades shorter periods for time. Measured: about 10 ms per program.
const MOST_COLUMNS_OF_TINY: usize = 150;
/// Branch-and-bound nodes of a tiny program. Trades shorter periods for time. Measured: about 10 ms per program.
const NODES_OF_TINY: u32 = 20;
/// Links times commodities of a small platform. Trades shorter periods for time. Not measured.
const SMALL: usize = 1000;

/// Which numbers of instances per period can attain the optimum with whole messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptimalInstances {
    /// Every such number is a multiple of this one, by divisibility at the priced ports.
    pub step: BigUint,
    /// The steady state's own weights become whole at this number, which is therefore one of them.
    pub own: BigUint,
}

/// The bounds of the search for the smallest period. The solution must be optimal.
pub fn optimal_instances(question: &Question, solution: &Solution) -> OptimalInstances {
    let throughput = &solution.steady_state.throughput;
    OptimalInstances {
        step: instances_step(question, &solution.certificate, throughput)
            .magnitude()
            .clone(),
        own: own_period(&solution.steady_state).instances,
    }
}

/// Whole messages for this many instances within the optimal time, by rounding the few links that carry a fraction:
/// fast on any platform. `None` if that finds none.
///
/// # Errors
/// The errors of the solver.
pub fn rounded_at(
    question: &Question,
    solution: &Solution,
    instances: &BigUint,
) -> Result<Option<WholePatterns>, LpError> {
    let instances = BigInt::from(instances.clone());
    let period = whole(instances.clone()) / &solution.steady_state.throughput;
    if is_generated(question) {
        return Ok(None);
    }
    let groups = flow::groups(question);
    // On a small platform the whole integer program costs as much as the wider search.
    let small = groups.len() * question.platform().links().len() <= SMALL;
    for reach in if small { 0..=0 } else { 0..=1 } {
        if let Some(flows) = around_vertex::round(
            question,
            &groups,
            &solution.steady_state,
            &instances,
            &period,
            reach,
        )? {
            return copies(question, &groups, &flows, &instances, &period).map(Some);
        }
    }
    Ok(None)
}

/// Whether [`whole_at`] and [`whole_within`] search on a platform of this size.
pub fn is_searchable(question: &Question, solution: &Solution) -> bool {
    if is_generated(question) {
        return trees::is_searchable(solution);
    }
    let groups = flow::groups(question).len();
    let most = if groups == 1 {
        MOST_COLUMNS
    } else {
        MOST_COLUMNS_OF_MANY
    };
    groups * question.platform().links().len() <= most
}

/// Whole messages for this many instances within the optimal time, by integer programming. `None` if none was found, or
/// the platform is too large to look.
///
/// # Errors
/// The errors of the solver.
pub fn whole_at(
    question: &Question,
    solution: &Solution,
    instances: &BigUint,
) -> Result<Option<WholePatterns>, LpError> {
    if !is_searchable(question, solution) {
        return Ok(None);
    }
    let instances = BigInt::from(instances.clone());
    let count = whole(instances.clone());
    let period = &count / &solution.steady_state.throughput;
    if is_generated(question) {
        return trees::whole_at(question, solution, &instances, &period);
    }
    let budget = Budget::Fixed {
        period: period.clone(),
        instances: count,
    };
    integer_flow(question, &budget, &period, &instances, NODES)
}

/// Whole messages for this many instances within a period, which may be longer than the optimal time, by integer
/// programming. `None` if none was found, or if the platform is not tiny.
///
/// # Errors
/// The errors of the solver.
pub fn whole_in(
    question: &Question,
    solution: &Solution,
    instances: &BigUint,
    period: &Rational,
) -> Result<Option<WholePatterns>, LpError> {
    let instances = BigInt::from(instances.clone());
    if is_generated(question) {
        return trees::whole_at(question, solution, &instances, period);
    }
    if flow::groups(question).len() * question.platform().links().len() > MOST_COLUMNS_OF_TINY {
        return Ok(None);
    }
    let budget = Budget::Fixed {
        period: period.clone(),
        instances: whole(instances.clone()),
    };
    integer_flow(question, &budget, period, &instances, NODES_OF_TINY)
}

/// Whether the patterns were generated, and not read off a flow.
fn is_generated(question: &Question) -> bool {
    question.commodities().is_empty()
}

/// A number that divides the instances per period, by divisibility at the priced resources.
fn instances_step(question: &Question, certificate: &Certificate, throughput: &Rational) -> BigInt {
    // Instances keep a resource busy for (capacity) d / throughput in multiples of its unit.
    let multiples = certificate.prices().filter_map(|(resource, _)| {
        let capacity = whole(resource.capacity(question.platform()));
        Some(capacity / (throughput * trees::unit(question, resource)?))
    });
    common_denominator(multiples)
}

/// The most instances found whose whole messages fit into a period, by integer programming. `None` if the platform is
/// too large or nothing was found. The number found is not proved largest.
///
/// # Errors
/// The errors of the solver.
pub fn whole_within(
    question: &Question,
    solution: &Solution,
    period: &Rational,
) -> Result<Option<WholePatterns>, LpError> {
    let most = (period * &solution.steady_state.throughput)
        .floor()
        .to_integer();
    if !most.is_positive() || !period.is_positive() || !is_searchable(question, solution) {
        return Ok(None);
    }
    if is_generated(question) {
        return trees::whole_within(question, solution, period, &most);
    }
    let fixed = Budget::Fixed {
        period: period.clone(),
        instances: whole(most.clone()),
    };
    match integer_flow(question, &fixed, period, &most, NODES)? {
        Some(whole) => Ok(Some(whole)),
        None => integer_flow(
            question,
            &Budget::Most {
                period: period.clone(),
            },
            period,
            &most,
            NODES,
        ),
    }
}

/// Whole messages within the budget, at most for `most` instances, if HiGHS finds them.
fn integer_flow(
    question: &Question,
    budget: &Budget,
    period: &Rational,
    most: &BigInt,
    node_limit: u32,
) -> Result<Option<WholePatterns>, LpError> {
    let messages = most * question.commodities().len();
    let Some(upper) = messages.to_u32() else {
        return Ok(None);
    };
    let FlowProgram {
        program,
        groups,
        flows,
        time,
        ..
    } = flow::build(question, budget)?;
    let Some(point) = find_integer_point(
        &program,
        IntegerOptions { node_limit, upper },
        question.watch(),
    )?
    else {
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
    copies(question, &groups, &by_group, &instances, period).map(Some)
}

/// Splits integer flows into whole copies of patterns.
fn copies(
    question: &Question,
    groups: &[Group],
    flows: &[GroupFlow],
    instances: &BigInt,
    period: &Rational,
) -> Result<WholePatterns, LpError> {
    let patterns = split(question, groups, flows, instances)?
        .into_iter()
        .map(|(pattern, copies)| ScheduledPattern {
            pattern,
            copies: copies.magnitude().clone(),
        })
        .collect();
    Ok(WholePatterns {
        period: period.clone(),
        instances: instances.magnitude().clone(),
        patterns,
    })
}
