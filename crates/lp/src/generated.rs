//! Questions answered by column generation: everything but messages that travel alone.

use std::ops::ControlFlow;

use crate::columns::{Progress, Watch, generate};
use crate::copies_flow::{self, FlowBound};
use crate::fewest::fewest;
use crate::patterns::Patterns;
use crate::resources::Resources;
use crate::slowest_cut::{SlowestCut, slowest_cut};
use crate::symmetric::Quotient;
use crate::{Formulation, LpError, Options, Question, Solution};
use crate::{all_reduce, shared, ssr};

use oneport_plan::{Collective, Status};

/// Solves a question whose values can all reach where they are wanted.
///
/// # Errors
/// As [`solve`](crate::solve).
pub fn solve(question: &Question<'_>, options: &Options, watch: Watch<'_>) -> Result<Solution, LpError> {
    let collective = question.collective();
    if options.formulation == Formulation::Columns
        && let Some(quotient) = Quotient::new(question)
    {
        return quotient.solve(options, watch);
    }
    let patterns = Patterns::new(question);
    let resources = Resources::new(question.platform(), collective.combines());
    let solution = match options.formulation {
        Formulation::Columns => generate(question, resources, &patterns, options.time_limit, watch)?,
        Formulation::Compact if matches!(collective, Collective::Broadcast { .. } | Collective::AllGather { .. }) => {
            let flow = match slowest_cut(question, question.roots()) {
                Some(SlowestCut { throughput, certificate }) => Some(FlowBound { throughput, certificate }),
                None => copies_flow::solve(question, options)?,
            };
            let trees = generate(question, resources, &patterns, options.time_limit, watch)?;
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
        Collective::Scan { .. } => Ok(shared::bounded(question, solution, options.time_limit)?.0),
        Collective::AllReduce { .. } => {
            let resources = Resources::new(question.platform(), true);
            all_reduce::bounded(question, &resources, solution, watch)
        }
        _ => Ok(solution),
    }
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
