//! Whole copies of reduction trees at the optimum: an integer program over trees that cost no more than the cheapest.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use oneport_exact::{IntegerOptions, LinearProgram, Relation, Row, Sense, find_integer_point};
use oneport_lp::{LpError, Question, Resources, Solution};
use oneport_plan::{Amount, Interval, Pattern, Resource, ScheduledPattern, WholePatterns};
use oneport_platform::{LinkId, Rational, ratio, whole};

/// Branch-and-bound nodes per integer program. Trades shorter periods for time. Not measured.
const NODES: u32 = 5;
/// Trees of one program. Trades shorter periods for time. Not measured.
const MOST_TREES: usize = 200;
/// Trees that are not in the steady state. Trades shorter periods for time. Not measured.
const MOST_OTHERS: usize = 20;

/// Whether the trees are few enough to look for whole copies by integer programming.
pub(super) fn is_searchable(solution: &Solution) -> bool {
    solution.steady_state.patterns.len() <= MOST_TREES
}

/// Whole copies for exactly this many instances within a period.
///
/// # Errors
/// HiGHS refuses a call.
pub(super) fn whole_at(
    question: &Question,
    solution: &Solution,
    instances: &BigInt,
    period: &Rational,
) -> Result<Option<WholePatterns>, LpError> {
    search(question, solution, Some(instances), period, instances)
}

/// Whole copies for as many instances as are found to fit into a period, at most `most`.
///
/// # Errors
/// HiGHS refuses a call.
pub(super) fn whole_within(
    question: &Question,
    solution: &Solution,
    period: &Rational,
    most: &BigInt,
) -> Result<Option<WholePatterns>, LpError> {
    match search(question, solution, Some(most), period, most)? {
        Some(whole) => Ok(Some(whole)),
        None => search(question, solution, None, period, most),
    }
}

/// Searches for whole copies `y_p >= 0` that execute each reduction `instances` times (or as often as possible), with
/// every resource within the period.
fn search(
    question: &Question,
    solution: &Solution,
    instances: Option<&BigInt>,
    period: &Rational,
    most: &BigInt,
) -> Result<Option<WholePatterns>, LpError> {
    let Some(upper) = most.to_u32().filter(|_| is_searchable(solution)) else {
        return Ok(None);
    };
    let own = solution
        .steady_state
        .patterns
        .iter()
        .map(|weighted| &weighted.pattern);
    let patterns: Vec<&Pattern> = own.chain(solution.tight.iter().take(MOST_OTHERS)).collect();
    let mut program = LinearProgram::new(Sense::Maximize);
    let demanded = instances.cloned().unwrap_or_default();
    let collective = question.collective();
    let rates: Vec<BigInt> = (0..collective.demands())
        .map(|index| collective.rate(index).into())
        .collect();
    let demands: Vec<Row> = rates
        .iter()
        .map(|rate| program.add_row(Relation::Equal, whole(&demanded * rate)))
        .collect();
    let resources = Resources::new(question.platform(), collective.combines());
    let row = |index| program.add_row(Relation::AtMost, period * resources.capacity(index));
    let rows: Vec<Row> = (0..resources.count()).map(row).collect();
    for pattern in &patterns {
        let mut entries = vec![(demands[pattern.demand], Rational::one())];
        entries.extend(
            resources
                .loads(question, pattern)
                .into_iter()
                .map(|(index, time)| (rows[index], time)),
        );
        program.add_column(Rational::zero(), entries)?;
    }
    let count = match instances {
        Some(_) => None,
        None => {
            let rates = demands
                .iter()
                .zip(&rates)
                .map(|(&row, rate)| (row, -whole(rate.clone())));
            Some(program.add_column(Rational::one(), rates)?)
        }
    };
    let most_rate = rates
        .iter()
        .filter_map(ToPrimitive::to_u32)
        .max()
        .unwrap_or(1);
    let upper = upper.saturating_mul(most_rate);
    let Some(point) = find_integer_point(
        &program,
        IntegerOptions {
            node_limit: NODES,
            upper,
        },
        question.watch(),
    )?
    else {
        return Ok(None);
    };
    let instances = count.map_or(demanded, |column| point[column.0].clone());
    if !instances.is_positive() {
        return Ok(None);
    }
    let chosen = patterns
        .into_iter()
        .zip(&point)
        .filter(|(_, copies)| copies.is_positive());
    let mut patterns: Vec<ScheduledPattern> = chosen
        .map(|(pattern, copies)| ScheduledPattern {
            pattern: pattern.clone(),
            copies: copies.magnitude().clone(),
        })
        .collect();
    patterns.sort_by(|a, b| a.pattern.cmp(&b.pattern));
    Ok(Some(WholePatterns {
        period: period.clone(),
        instances: instances.magnitude().clone(),
        patterns,
    }))
}

/// Every task of a resource takes a whole multiple of this time: link costs (or the speed) times a common divisor of
/// all sizes (or works). `None` for a resource that has no task.
pub(super) fn unit(question: &Question, resource: Resource) -> Option<Rational> {
    let platform = question.platform();
    let cost = |links: &[LinkId]| {
        links
            .iter()
            .map(|&link| platform.link(link).cost.clone())
            .reduce(|a, b| divisor(&a, &b))
    };
    let operands = question.collective().most_operands();
    let volumes = question.volumes();
    let (cost, amount) = match resource {
        Resource::Send(node) => (
            cost(platform.outgoing(node))?,
            common(&volumes.size, operands)?,
        ),
        Resource::Receive(node) => (
            cost(platform.incoming(node))?,
            common(&volumes.size, operands)?,
        ),
        Resource::Port(node) => {
            let both: Vec<LinkId> = platform
                .outgoing(node)
                .iter()
                .chain(platform.incoming(node))
                .copied()
                .collect();
            (cost(&both)?, common(&volumes.size, operands)?)
        }
        Resource::Link(link) => (
            platform.link(link).cost.clone(),
            common(&volumes.size, operands)?,
        ),
        Resource::Shared(id) => {
            let shared = platform.shared().get(id.index())?;
            let weights = shared.weights.values();
            let times = weights.map(|&weight| whole(weight) / &shared.rate);
            (
                times.reduce(|a, b| divisor(&a, &b))?,
                common(&volumes.size, operands)?,
            )
        }
        Resource::Compute(node) => (
            platform.node(node).merge_time().cloned()?,
            common(&volumes.work, operands)?,
        ),
    };
    Some(cost * amount).filter(Signed::is_positive)
}

/// A common divisor of an amount over all intervals, or over all tasks.
fn common(amount: &Amount, operands: usize) -> Option<Rational> {
    match amount {
        Amount::Constant(amount) => Some(amount.clone()),
        Amount::Affine { .. } => {
            // All terms are sums of the first and of multiples of the difference.
            let first = amount.of(Interval { first: 0, last: 0 })?;
            let second = amount.of(Interval {
                first: 0,
                last: 1.min(operands.saturating_sub(1)),
            })?;
            Some(divisor(&first, &(second - &first)))
        }
        Amount::Table(rows) => rows
            .iter()
            .flatten()
            .cloned()
            .reduce(|a, b| divisor(&a, &b)),
        Amount::Tasks(table) => table.numbers().cloned().reduce(|a, b| divisor(&a, &b)),
    }
}

/// The greatest rational that divides both a whole number of times.
fn divisor(a: &Rational, b: &Rational) -> Rational {
    ratio(a.numer().gcd(b.numer()), a.denom().lcm(b.denom()))
}
