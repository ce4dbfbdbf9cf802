//! Questions answered by column generation: everything but messages that travel alone.

use std::ops::ControlFlow;

use crate::columns::{Pricing, Progress, Watch, generate};
use crate::copies_flow::{self, FlowBound};
use crate::fewest::fewest;
use crate::patterns::Patterns;
use crate::resources::Resources;
use crate::slowest_cut::{SlowestCut, slowest_cut};
use crate::symmetric::Quotient;
use crate::{Formulation, LpError, Options, Question, Solution};
use crate::{all_reduce, scan, shared, ssr};

use num_traits::{One, Signed};
use oneport_plan::{Collective, Member, Status};
use oneport_platform::Rational;

/// Solves a question whose values can all reach where they are wanted.
///
/// # Errors
/// As [`solve`](crate::solve).
pub fn solve(question: &Question<'_>, options: &Options, watch: Watch<'_>) -> Result<Solution, LpError> {
    let collective = question.collective();
    check_size(question)?;
    if options.formulation == Formulation::Columns
        && let Some(quotient) = Quotient::new(question)
        && let Some(solution) = quotient.solve(options, watch)?
    {
        return Ok(solution);
    }
    if options.formulation == Formulation::Columns
        && let Collective::Scan { participants } = collective
        && scan::is_large(question.platform(), participants.len())
    {
        let solution = scan::chains(question, participants, options.time_limit, watch)?;
        return shared::scan(question, solution, options.time_limit);
    }
    let patterns = Patterns::new(question);
    let resources = Resources::new(question.platform(), collective.combines());
    let solution = match options.formulation {
        Formulation::Columns => generate(question, resources, &patterns, options.time_limit, watch)?,
        Formulation::Compact if matches!(collective, Collective::Broadcast { .. } | Collective::AllGather { .. }) => {
            // Trees first: they are an answer, if time does not suffice for the program.
            let trees = generate(question, resources, &patterns, options.time_limit, watch)?;
            let flow = match slowest_cut(question, question.roots()) {
                Some(SlowestCut { throughput, certificate }) => Some(FlowBound { throughput, certificate }),
                None => copies_flow::solve(question, options)?,
            };
            flow.map_or(trees.clone(), |flow| both(trees, flow))
        }
        Formulation::Compact if collective.operands().is_none() => {
            return Err(LpError::NoCompact { collective: collective.name() });
        }
        Formulation::Compact if collective.is_commutative() => return Err(LpError::CompactCommutative),
        Formulation::Compact => match ssr::solve(question, options)? {
            Some(solution) => solution,
            // Out of time: what trees make of as much time again, and of few rounds.
            None => generate(question, resources, &patterns, options.time_limit, &mut few_rounds(watch))?,
        },
    };
    let solution = fewest(question, &patterns, solution)?;
    match collective {
        Collective::Scan { .. } => shared::scan(question, solution, options.time_limit),
        Collective::AllReduce { .. } => {
            let resources = Resources::new(question.platform(), true);
            let solution = all_reduce::bounded(question, &resources, solution, watch)?;
            shared::all_reduce(question, solution, options.time_limit)
        }
        Collective::Groups { members } if members.iter().any(is_composed) => grouped(question, solution),
        _ => Ok(solution),
    }
}

/// Intervals of operands times processors beyond which cheapest trees in order are not looked for: two tables of a quarter of a
/// gigabyte each, at the same time.
const MOST_PRICES: u128 = 1 << 25;

/// Refuses operands in order that are too many, before any table is made of them.
fn check_size(question: &Question<'_>) -> Result<(), LpError> {
    let in_order = question.demands().filter(|demand| !demand.commutative && demand.operands.len() > 1);
    let operands = in_order.map(|demand| demand.operands.len()).max().unwrap_or(0);
    let processors = question.platform().processors().count();
    let prices = (operands as u128) * (operands as u128 + 1) / 2 * processors as u128;
    if prices <= MOST_PRICES {
        return Ok(());
    }
    let collective = question.collective().name();
    Err(LpError::TooManyOperands { collective, operands, processors, prices, most: MOST_PRICES })
}

/// Whether its patterns are compositions, which other schedules may beat.
fn is_composed(member: &Member) -> bool {
    matches!(member.collective, Collective::AllReduce { .. })
}

/// The solution with what its prices prove for every schedule, and not only for compositions.
fn grouped(question: &Question<'_>, solution: Solution) -> Result<Solution, LpError> {
    let (resources, prices) = Resources::of_certificate(question.platform(), &solution.certificate);
    let least = Patterns::least(question);
    // Prices may lie where compositions have to pass and other schedules need nothing: then everything has the same price.
    let level = vec![Rational::one(); prices.len()];
    for prices in [prices, level] {
        let priced = least.cheapest(&resources.prices(&prices));
        if question.watch().ask().is_err() {
            break;
        }
        let instance: Rational = priced?.into_iter().zip(least.rates()).map(|((price, _), rate)| price * rate).sum();
        if instance.is_positive() {
            let bound = resources.worth(&prices) / instance;
            let optimal = solution.steady_state.throughput == bound;
            let status = if optimal { Status::Optimal } else { Status::Feasible };
            return Ok(Solution {
                status,
                upper_bound: bound,
                certificate: resources.certificate(&prices),
                ..solution
            });
        }
    }
    // Compositions' prices bound compositions only: the referee says what they prove of all schedules.
    Ok(Solution { status: Status::Feasible, ..solution })
}

/// Trees, and the flow program's bound, which proves them optimal where the two meet.
fn both(trees: Solution, flow: FlowBound) -> Solution {
    let status = if trees.steady_state.throughput == flow.throughput { Status::Optimal } else { Status::Feasible };
    Solution { status, upper_bound: flow.throughput, certificate: flow.certificate, tight: Vec::new(), ..trees }
}

/// Rounds of trees after the compact program ran out of time.
const FEW_ROUNDS: usize = 50;

fn few_rounds(watch: Watch<'_>) -> impl FnMut(&Progress) -> ControlFlow<()> {
    let mut rounds = 0;
    move |progress| {
        rounds += 1;
        if rounds >= FEW_ROUNDS { ControlFlow::Break(()) } else { watch(progress) }
    }
}
