//! Whole messages and the period: the smallest that attains the optimum or loses little, or the best within a limit.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use oneport_lp::{LpError, Question, Solution};
use oneport_plan::{BigUint, Status, WholePatterns};
use oneport_platform::{Rational, ratio, whole};
use oneport_schedule::{self as schedule, Watch};

use crate::integral::{self, OptimalInstances};
use crate::rounding::{self, Target, own_period};
use crate::{DEFAULT_MAX_INSTANCES, DEFAULT_MAX_LOSS, Period, PeriodError, SHORT_INSTANCES};

/// Numbers of instances tried by rounding. Trades time for shorter periods. Not measured.
const ROUNDINGS: u32 = 64;
/// The limit for trees. Trades time for shorter periods: trees load many resources. Not measured.
const ROUNDINGS_OF_TREES: u32 = 12;
/// Numbers of instances tried by integer programs. Trades time for shorter periods. Not measured.
const PROGRAMS: u32 = 24;
/// The limit for trees: if the first number fails, later ones rarely succeed. Trades shorter periods for time. Not
/// measured.
const PROGRAMS_OF_TREES: u32 = 1;
/// Integer programs that look for fewer instances than rounding found. Trades time for shorter periods. Not measured.
const PROGRAMS_FOR_FEWER: u32 = 12;
/// Trees up to which integer programs look for fewer instances. Trades shorter periods for time. Measured:
/// programs over more trees took longer than all other stages (no figure is kept).
const FEW_TREES: usize = 8;
/// Trees above which the period of the weights is used if it is allowed. Trades shorter periods for time. Not measured.
const MANY_TREES: usize = 500;

/// Whole messages for the requested period, with or without integer programs. Integer programs are slower and find
/// shorter periods.
pub fn whole_patterns(
    question: &Question,
    solution: &Solution,
    period: &Period,
    integer_programs: bool,
) -> Result<WholePatterns, PeriodError> {
    let round = |target: &Target| {
        rounding::round(
            question.problem(),
            &solution.steady_state,
            target,
            question.watch(),
        )
    };
    match period {
        Period::Short => {
            let (part, of) = DEFAULT_MAX_LOSS;
            let many = solution.steady_state.patterns.len() > MANY_TREES
                && question.commodities().is_empty();
            let short = if many {
                DEFAULT_MAX_INSTANCES
            } else {
                SHORT_INSTANCES
            };
            match at_the_optimum(question, solution, Some(&short.into()), integer_programs)? {
                Some(whole) => Ok(whole),
                None => {
                    let loss = ratio(part, of);
                    losing(
                        question,
                        solution,
                        &loss,
                        DEFAULT_MAX_INSTANCES,
                        integer_programs,
                    )
                }
            }
        }
        Period::Losing { most, instances } if most.is_positive() => {
            losing(question, solution, most, *instances, integer_programs)
        }
        Period::Losing { most, .. } if most.is_negative() => {
            Err(PeriodError::BadLoss(Box::new(most.clone())))
        }
        Period::AtMost(0) | Period::Losing { instances: 0, .. } => Err(PeriodError::NoInstances),
        Period::AtMost(most)
        | Period::Losing {
            instances: most, ..
        } => {
            match at_the_optimum(
                question,
                solution,
                Some(&BigUint::from(*most)),
                integer_programs,
            )? {
                Some(whole) => Ok(whole),
                None => round(&Target::Instances(*most)),
            }
        }
        Period::Exact => at_the_optimum(question, solution, None, integer_programs)?
            .ok_or_else(|| LpError::Contradiction("the optimum has no period").into()),
        Period::Fixed(length) => {
            let rounded = round(&Target::Period(length.clone()));
            let most = (length * &solution.upper_bound).floor().to_integer();
            let cannot_be_beaten =
                |whole: &WholePatterns| BigUint::clone(&whole.instances) == *most.magnitude();
            if !integer_programs || rounded.as_ref().is_ok_and(cannot_be_beaten) {
                return rounded;
            }
            let whole = integral::whole_within(question, solution, length)?
                .filter(|whole| is_schedulable(question, whole));
            match (whole, rounded) {
                (Some(whole), Ok(rounded)) if rounded.instances >= whole.instances => Ok(rounded),
                (Some(whole), _) => Ok(whole),
                (None, rounded) => rounded,
            }
        }
    }
}

/// The fewest instances found, at most `limit`, that lose at most a share of the throughput. If none are found, the
/// optimum if it is attained within the limit, else the best within it.
fn losing(
    question: &Question,
    solution: &Solution,
    loss: &Rational,
    limit: u64,
    integer_programs: bool,
) -> Result<WholePatterns, PeriodError> {
    let steady_state = &solution.steady_state;
    let round = |instances: u64| {
        let target = Target::Loss {
            most: loss.clone(),
            instances,
        };
        rounding::round(question.problem(), steady_state, &target, question.watch())
    };
    // A loss that is not in `0..1` is refused here.
    let whole = round(limit)?;
    let per_instance = ((Rational::one() - loss) * &steady_state.throughput).recip();
    let time = |instances: &BigUint| &per_instance * BigInt::from(instances.clone());
    let loses_little = |whole: &WholePatterns| whole.period <= time(&whole.instances);
    if loses_little(&whole) {
        return if integer_programs {
            fewer(question, solution, whole, time)
        } else {
            Ok(whole)
        };
    }
    if let Some(optimum) =
        at_the_optimum(question, solution, Some(&limit.into()), integer_programs)?
    {
        return Ok(optimum);
    }
    if integer_programs && limit < DEFAULT_MAX_INSTANCES {
        // Integer programs may find an answer within the limit if rounding finds it beyond the limit only.
        let wide = round(DEFAULT_MAX_INSTANCES)?;
        if loses_little(&wide) {
            let fewer = fewer(question, solution, wide, time)?;
            return Ok(if fewer.instances <= limit.into() {
                fewer
            } else {
                whole
            });
        }
    }
    Ok(whole)
}

/// Fewer instances than rounding found, by integer programs: by bisection, then one by one from the smallest when no
/// more numbers are left than programs. Each number of instances has this `time`.
fn fewer(
    question: &Question,
    solution: &Solution,
    found: WholePatterns,
    time: impl Fn(&BigUint) -> Rational,
) -> Result<WholePatterns, PeriodError> {
    let mut programs = programs(question, solution).min(PROGRAMS_FOR_FEWER);
    let mut best = found;
    let mut below = BigUint::zero();
    while programs > 0 && &below + 1u32 < best.instances && question.watch().ask().is_ok() {
        let one_by_one = &best.instances - &below <= programs.into();
        let count = if one_by_one {
            &below + 1u32
        } else {
            (&below + &best.instances) / 2u32
        };
        let most = time(&count);
        let whole = match integral::whole_in(question, solution, &count, &most)? {
            Some(whole) => Some(schedule::tightened(question.problem(), whole)?),
            None => None,
        };
        match whole.filter(|whole| whole.period <= most) {
            Some(whole) => best = whole,
            None => below = count,
        }
        programs -= 1;
    }
    Ok(best)
}

/// How many integer programs are worth their time.
fn programs(question: &Question, solution: &Solution) -> u32 {
    match question.commodities().is_empty() {
        false => PROGRAMS,
        true if solution.steady_state.patterns.len() > FEW_TREES => 0,
        true => PROGRAMS_OF_TREES,
    }
}

/// The fewest instances per period found that attain the optimum, within the limit if there is one.
///
/// Multiples of the step are tried in ascending order, each by rounding and then by integer programming, up to the
/// steady state's own number, at which its weights become whole.
fn at_the_optimum(
    question: &Question,
    solution: &Solution,
    limit: Option<&BigUint>,
    integer_programs: bool,
) -> Result<Option<WholePatterns>, PeriodError> {
    if solution.status != Status::Optimal {
        // Neither divisibility nor the optimal period's length is known.
        let whole = own_period(&solution.steady_state);
        return Ok(limit
            .is_none_or(|limit| whole.instances <= *limit)
            .then_some(whole));
    }
    let OptimalInstances { step, own } = integral::optimal_instances(question, solution);
    let is_allowed = |count: &BigUint| limit.is_none_or(|limit| count <= limit);
    let trees = question.commodities().is_empty();
    let programs = programs(question, solution);
    if trees && solution.steady_state.patterns.len() > MANY_TREES && is_allowed(&own) {
        return Ok(Some(own_period(&solution.steady_state)));
    }
    let mut candidate = step.clone();
    for attempt in 0..if trees { ROUNDINGS_OF_TREES } else { ROUNDINGS } {
        if !is_allowed(&candidate) || candidate >= own || question.watch().ask().is_err() {
            break;
        }
        let rounded = if trees {
            rounded_trees(question, solution, &candidate)
        } else {
            integral::rounded_at(question, solution, &candidate)?
        };
        if rounded
            .as_ref()
            .is_some_and(|whole| is_schedulable(question, whole))
        {
            return Ok(rounded);
        }
        if integer_programs
            && attempt < programs
            && let Some(whole) = integral::whole_at(question, solution, &candidate)?
            && is_schedulable(question, &whole)
        {
            return Ok(Some(whole));
        }
        candidate += &step;
    }
    debug_assert!(own >= BigUint::one());
    Ok(is_allowed(&own).then(|| own_period(&solution.steady_state)))
}

/// Whole copies of the steady state's own trees for this many instances within the optimal time, by rounding.
fn rounded_trees(
    question: &Question,
    solution: &Solution,
    instances: &BigUint,
) -> Option<WholePatterns> {
    let steady_state = &solution.steady_state;
    let period = whole(instances.clone()) / &steady_state.throughput;
    let target = Target::Period(period);
    let whole =
        rounding::round(question.problem(), steady_state, &target, question.watch()).ok()?;
    (whole.instances >= *instances).then_some(whole)
}

/// Whether the whole messages fit into their period. If no node is half-duplex, the loads of ports decide. Otherwise
/// whole messages other than the steady state's may violate an odd-set inequality, so a decomposition is tried.
fn is_schedulable(question: &Question, whole: &WholePatterns) -> bool {
    !schedule::ports::has_odd_sets(question.platform())
        || schedule::periodic(question.problem(), whole.clone(), &Watch::unlimited()).is_ok()
}
