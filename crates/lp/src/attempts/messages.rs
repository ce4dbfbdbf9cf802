//! Messages that travel alone: the flow program, or, within limits that prove too short, multiplicative weights.

use crate::known::Bound;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use oneport_exact::{self as exact, Optimum, Outcome, RationalVector, Solver};
use oneport_plan::{Certificate, Kind, OddSet, Pattern, Resource, SteadyState, WeightedPattern};
use oneport_platform::{LinkId, Rational, ratio};

use crate::compact::scatter;
use crate::findings::Findings;
use crate::flow::{
    Budget, Flow, FlowProgram, Group, GroupFlow, build, crash_basis, multiplicative_weights, split,
};
use crate::mixture::Effort;
use crate::odd_sets;
use crate::room;
use crate::{Formulation, LpError, Options, Question};

/// Percent of the time left for the program; the rest is for an answer without a program. Trades an optimum for an
/// answer in time. Not measured.
const PROGRAM: u32 = 80;

/// Settles questions about messages that travel alone.
///
/// # Errors
/// As [`solve`](crate::solve).
pub(crate) fn attempt(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    let uniform = !question.commodities().is_empty();
    if !uniform && (options.formulation == Formulation::Compact || !are_messages(question)) {
        return Ok(());
    }
    let FlowProgram {
        program,
        groups,
        flows,
        time,
        ports,
    } = match options.formulation {
        Formulation::Columns => build(question, &Budget::Least)?,
        Formulation::Compact => scatter::build(question)?,
    };
    // From shortest paths the simplex is 20 times faster than from nothing on one commodity (10,000 nodes); on many
    // commodities interior point overtakes it.
    let from_paths = options.formulation == Formulation::Columns
        && (groups.len() == 1 || program.columns() <= 2500);
    let start = if from_paths {
        crash_basis::shortest_paths(question, &groups, &flows, &ports)
    } else {
        None
    };
    let method = if groups.len() == 1 {
        exact::Method::Simplex
    } else {
        exact::Method::Auto
    };
    let mut solver = Solver::new(program);
    if let (Some(start), Some(time)) = (start, time) {
        let columns: Vec<exact::Column> = start.tree.into_iter().chain([time]).collect();
        solver.suggest_basis(&columns, &start.idle_ports);
    }
    let limits = exact::Options {
        method,
        watch: question.watch().stage(PROGRAM),
        ..exact::Options::default()
    };
    let uses: Vec<(exact::Column, LinkId, Rational)> = flows
        .iter()
        .map(|flow| (flow.column, flow.link, question.time(flow.link)))
        .collect();
    let period = time.filter(|_| options.formulation == Formulation::Columns);
    let (outcome, odd_sets) =
        odd_sets::solve(question.platform(), &mut solver, &limits, &uses, period)?;
    found.effort += Effort::of(&solver);
    let optimum = match outcome {
        Outcome::Optimal(optimum) => optimum,
        Outcome::LimitReached { .. } => {
            let (state, bound) = multiplicative_weights::approximate(question)?;
            found.settle(state, bound);
            return Ok(());
        }
        Outcome::Infeasible(_) => {
            return Err(LpError::Contradiction("a connected platform has no flow"));
        }
        Outcome::Unbounded { .. } => {
            return Err(LpError::Contradiction("the throughput is unbounded"));
        }
    };
    let Some(time) = time else {
        return Err(LpError::Contradiction("the program has no time"));
    };
    // In lowest terms once, and by the long numbers' algorithm.
    let value = optimum.primal.get(time);
    let (per_instance, unit, throughput) = match options.formulation {
        _ if !value.is_positive() => {
            return Err(LpError::Contradiction("an instance takes no time"));
        }
        // `T` is the time per instance, and flows count messages per instance.
        Formulation::Columns => (
            optimum.primal.numerator(time),
            optimum.primal.denominator(),
            value.recip(),
        ),
        // The column is the throughput, and flows count messages per unit of time.
        Formulation::Compact => (
            optimum.primal.denominator(),
            optimum.primal.numerator(time),
            value,
        ),
    };
    let whole = patterns_of(question, &groups, &flows, &optimum.primal, unit)?;
    let weight = |amount: BigInt| {
        // Most messages take one path; their weight is the throughput and needs no further gcd.
        if amount == *unit {
            throughput.clone()
        } else {
            ratio(amount, per_instance.clone())
        }
    };
    let weighted = |(pattern, amount)| WeightedPattern {
        pattern,
        weight: weight(amount),
    };
    let patterns = whole.into_iter().map(weighted).collect();
    let certificate = certificate(&ports, &odd_sets, &optimum, options.formulation);
    let bound = Bound {
        throughput: throughput.clone(),
        certificate,
    };
    found.settle(
        SteadyState {
            throughput,
            patterns,
        },
        bound,
    );
    Ok(())
}

/// Whether all demands are messages that travel alone, whatever their rates.
fn are_messages(question: &Question) -> bool {
    let blocks = question.problem().blocks();
    room::is_possible(question.problem()) && blocks.iter().all(|block| block.kind == Kind::Route)
}

/// Reads off the patterns, and how much each carries where `unit` is one message.
fn patterns_of(
    question: &Question,
    groups: &[Group],
    flows: &[Flow],
    primal: &RationalVector,
    unit: &BigInt,
) -> Result<Vec<(Pattern, BigInt)>, LpError> {
    let mut by_group = vec![GroupFlow::new(); groups.len()];
    for flow in flows {
        let amount = primal.numerator(flow.column);
        if !amount.is_zero() {
            by_group[flow.group].insert(flow.link, amount.clone());
        }
    }
    split(question, groups, &by_group, unit)
}

/// The dual solution of the rows as prices.
fn certificate(
    ports: &[(Resource, exact::Row)],
    odd_sets: &[(OddSet, exact::Row)],
    optimum: &Optimum,
    formulation: Formulation,
) -> Certificate {
    // `<=` rows of a minimisation have multipliers <= 0.
    let price = |row: exact::Row| {
        let value = (!optimum.dual.numerator(row).is_zero()).then(|| optimum.dual.get(row))?;
        Some(if formulation == Formulation::Columns {
            -value
        } else {
            value
        })
    };
    let prices = ports
        .iter()
        .filter_map(|&(resource, row)| Some((resource, price(row)?)));
    let sets = odd_sets
        .iter()
        .filter_map(|(set, row)| Some((set.clone(), price(*row)?)));
    Certificate::new(prices, sets, [])
}
