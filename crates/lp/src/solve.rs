//! From a question to its answer: as flows where all messages travel alone, else by column generation (see `strategy`).

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use oneport_exact::{self as exact, Optimum, Outcome, RationalVector, Solver};
use oneport_plan::{Certificate, Commodity, OddSet, Pattern, Resource, Status, SteadyState, Unmade, WeightedPattern};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::bounds::arborescences::with_cuts;
use crate::compact::scatter;
use crate::flow::crash_basis;
use crate::flow::multiplicative_weights;
use crate::flow::{self, Budget, Flow, FlowProgram, Group};
use crate::flow::{GroupFlow, split};
use crate::free;
use crate::odd_sets;
use crate::only_way;
use crate::room;
use crate::simple;
use crate::solution::Observer;
use crate::strategy;
use crate::{Answer, Formulation, LpError, Options, Question, Solution};

/// Percent of the time left that the program may take; the rest is for an answer without a program.
const PROGRAM: u32 = 80;
/// Percent of what is left after the program that the proofs of what arborescences cost may take.
const PROOFS: u32 = 20;
/// Time that these proofs may still take after an interrupt or the caller has asked for an end.
const GRACE: Duration = Duration::from_secs(2);

/// Solves a question exactly; within a time limit that proves too short, as well as multiplicative weights can: a
/// feasible steady state, an exact bound, and [`Status::Feasible`].
///
/// # Errors
/// [`LpError::Exact`] when HiGHS refuses to work; [`LpError::Unmade`] if work by task allows no tree;
/// [`LpError::Unbounded`] and [`LpError::FreeLink`] of links that cost nothing; [`LpError::Contradiction`] never,
/// unless oneport is wrong.
pub fn solve(question: &Question<'_>, options: &Options) -> Result<Answer, LpError> {
    solve_watched(question, options, &mut |_| ControlFlow::Continue(()))
}

/// [`solve`], telling after every round of column generation how far it has come; the watcher may end it, and the best
/// found so far is returned with its bound.
///
/// # Errors
/// As [`solve`].
pub fn solve_watched(question: &Question<'_>, options: &Options, watch: Observer<'_>) -> Result<Answer, LpError> {
    let unreachable = question.problem().unreachable();
    if !unreachable.is_empty() {
        return Ok(Answer::Unreachable(unreachable));
    }
    if let Some(Unmade { part, target }) = question.problem().unmade() {
        let name = |node| format!(" and bring it to '{}'", question.platform().name(node));
        return Err(LpError::Unmade { part, place: target.map_or_else(String::new, name) });
    }
    free::check(question)?;
    question.has_room(room::least_tasks(question.problem()))?;
    if question.commodities().is_empty() {
        let solution = match strategy::solve(question, options, watch) {
            Err(LpError::Stopped(_)) => {
                // The time left after the program may be too little even for a simple answer.
                let left = question.clone().watched(question.watch().finishing(GRACE));
                left.has_room(room::least_tasks(question.problem()))?;
                simple::solve(&left)?
            }
            other => other?,
        };
        let watch = question.watch().finishing(GRACE).stage(PROOFS);
        let certificate = with_cuts(question, solution.certificate, &watch)?;
        return Ok(Answer::Steady(Box::new(Solution { certificate, ..solution })));
    }
    if is_large(question)
        && options.formulation == Formulation::Columns
        && let Some(solution) = only_way::solve(question)?
    {
        return Ok(Answer::Steady(Box::new(solution)));
    }
    let FlowProgram { program, groups, flows, time, ports } = match options.formulation {
        Formulation::Columns => flow::build(question, &Budget::Least)?,
        Formulation::Compact => scatter::build(question)?,
    };
    // From shortest paths the simplex is 20 times faster than from nothing on one commodity (10,000 nodes); on many
    // commodities interior point overtakes it.
    let from_paths = options.formulation == Formulation::Columns && (groups.len() == 1 || program.columns() <= 2500);
    let start = if from_paths { crash_basis::shortest_paths(question, &groups, &flows, &ports) } else { None };
    let method = if groups.len() == 1 { exact::Method::Simplex } else { exact::Method::Auto };
    let mut solver = Solver::new(program);
    if let (Some(start), Some(time)) = (start, time) {
        let columns: Vec<exact::Column> = start.tree.into_iter().chain([time]).collect();
        solver.suggest_basis(&columns, &start.idle_ports);
    }
    let watch_of_program = question.watch().stage(PROGRAM);
    let limits =
        exact::Options { method, time_limit: options.time_limit, watch: watch_of_program, ..exact::Options::default() };
    let uses: Vec<(exact::Column, LinkId, Rational)> =
        flows.iter().map(|flow| (flow.column, flow.link, question.time(flow.link))).collect();
    let period = time.filter(|_| options.formulation == Formulation::Columns);
    let (outcome, odd_sets) = odd_sets::solve(question.platform(), &mut solver, &limits, &uses, period)?;
    let exact::Statistics { solver_time, refinements, pivoted } = solver.statistics();
    let optimum = match outcome {
        Outcome::Optimal(optimum) => optimum,
        Outcome::LimitReached { .. } => {
            let approximate = Solution { solver_time, ..multiplicative_weights::approximate(question)? };
            return Ok(Answer::Steady(Box::new(approximate)));
        }
        Outcome::Infeasible(_) => return Err(LpError::Contradiction("a connected platform has no flow")),
        Outcome::Unbounded { .. } => return Err(LpError::Contradiction("the throughput is unbounded")),
    };
    let Some(time) = time else { return Err(LpError::Contradiction("the program has no time")) };
    // In lowest terms once, and by the long numbers' algorithm.
    let found = optimum.primal.get(time);
    let (per_instance, unit, throughput) = match options.formulation {
        _ if !found.is_positive() => return Err(LpError::Contradiction("an instance takes no time")),
        // `T` is the time per instance, and flows count messages per instance.
        Formulation::Columns => (optimum.primal.numerator(time), optimum.primal.denominator(), found.recip()),
        // The column is the throughput, and flows count messages per unit of time.
        Formulation::Compact => (optimum.primal.denominator(), optimum.primal.numerator(time), found),
    };
    let whole = patterns_of(question, &groups, &flows, &optimum.primal, unit)?;
    let weight = |amount: BigInt| {
        // Most messages take one path; their weight is the throughput and needs no further gcd.
        if amount == *unit { throughput.clone() } else { Rational::new(amount, per_instance.clone()) }
    };
    let weighted = |(pattern, amount)| WeightedPattern { pattern, weight: weight(amount) };
    let patterns = whole.into_iter().map(weighted).collect();
    let steady_state = SteadyState { throughput, patterns };
    let certificate = certificate(&ports, &odd_sets, &optimum, options.formulation);
    let upper_bound = steady_state.throughput.clone();
    Ok(Answer::Steady(Box::new(Solution {
        steady_state,
        tight: Vec::new(),
        certificate,
        upper_bound,
        status: Status::Optimal,
        solver_time,
        repaired: refinements > 0 || pivoted,
    })))
}

/// Most flow variables of a program that is solved even where one way leads from each node to each: of several
/// resources that are busy all the time, it prices all.
const MOST_FLOWS: usize = 1 << 14;

/// Whether a program of flows is large.
fn is_large(question: &Question<'_>) -> bool {
    let ends = |of: fn(&Commodity) -> NodeId| question.commodities().iter().map(of).collect::<BTreeSet<_>>().len();
    let groups = ends(|commodity| commodity.source).min(ends(|commodity| commodity.target));
    groups.saturating_mul(question.platform().links().len()) > MOST_FLOWS
}

/// Reads off the patterns, and how much each carries where every leaf receives `unit`.
fn patterns_of(
    question: &Question<'_>,
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
        Some(if formulation == Formulation::Columns { -value } else { value })
    };
    let prices = ports.iter().filter_map(|&(resource, row)| Some((resource, price(row)?)));
    let sets = odd_sets.iter().filter_map(|(set, row)| Some((set.clone(), price(*row)?)));
    Certificate::new(prices, sets, [])
}
