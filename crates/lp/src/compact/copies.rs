//! The flow program of broadcast and all-gather: one flow per message and target (RR-2004-32 section 2.2.1, after
//! Beaumont, Legrand, Marchal and Robert 2003). The rows are those of `oneport_programs::copies`, corrected, over the
//! resources of the platform. With half-duplex nodes, odd-set inequalities join.
//!
//! If all nodes are targets, Edmonds' branching theorem makes the optimum one of weighted trees, and `y` is decomposed
//! into them (`oneport_extract::copies`). The same holds if no other node copies values that it receives in part.
//! Otherwise the optimum is an upper bound, and trees may attain less. Switches that do not replicate are not modelled.

use std::collections::BTreeMap;

use num_traits::Zero;
use oneport_exact::{self as exact, Column, LinearProgram, Optimum, Outcome, Row, Solver};
use oneport_extract::{ExtractError, extract};
use oneport_plan::{Certificate, Demand, DemandRates, Goals, Rates, Resource, SteadyState};
use oneport_platform::{LinkId, NodeId, Rational};
use oneport_programs::{Equation, Errata, Limits, Message, Quantity, copies};

use crate::known::Bound;
use crate::odd_sets;
use crate::{LpError, Question};

/// Columns up to which the compact program is built. Trades an optimum for time: above, column generation is faster by
/// orders of magnitude. Not measured.
const MOST_COLUMNS: usize = 200_000;

/// Percent of the time left for the program. Trades an optimum for time of column generation. Not measured.
const PROGRAM: u32 = 60;

/// The bound of the program, and trees that attain it if the copies are a sum of trees. `None` if a limit ended the
/// work.
///
/// # Errors
/// A program that is too large, platforms with switches, and those of [`solve`](crate::solve).
pub(crate) fn solve(question: &Question) -> Result<Option<(Bound, Option<SteadyState>)>, LpError> {
    let platform = question.platform();
    let collective = question.collective().name();
    if platform.nodes().iter().any(|node| !node.replicates) {
        return Err(LpError::CompactSwitches { collective });
    }
    let targets: usize = question
        .problem()
        .demands()
        .map(|demand| demand.goals().len())
        .sum();
    if targets.saturating_mul(platform.links().len()) > MOST_COLUMNS {
        return Err(LpError::CompactTooLarge {
            collective,
            columns: targets * platform.links().len(),
            most: MOST_COLUMNS,
        });
    }
    let time = |link| question.time(link);
    let demands: Vec<(NodeId, Vec<NodeId>)> = question
        .problem()
        .demands()
        .filter_map(|demand| ends(&demand))
        .collect();
    let messages: Vec<Message<'_>> = demands
        .iter()
        .enumerate()
        .map(|(index, (source, targets))| Message {
            source: *source,
            targets,
            rate: question.collective().rate(index),
            time: &time,
        })
        .collect();
    let solvable = solvable(question, &messages)?;
    let column = |quantity| solvable.columns.get(&quantity).map(|(column, _)| *column);
    let throughput = column(Quantity::Throughput);
    let throughput = throughput.ok_or(LpError::Contradiction("no row counts what arrives"))?;
    let copies: Vec<Vec<(LinkId, Column)>> = (0..messages.len())
        .map(|message| {
            let column_of = |link| {
                let (target, index) = (None, message);
                let copies = Quantity::Copies {
                    message: index,
                    target,
                    link,
                };
                Some((link, column(copies)?))
            };
            platform.link_ids().filter_map(column_of).collect()
        })
        .collect();
    let uses: Vec<(Column, LinkId, Rational)> = copies
        .iter()
        .flatten()
        .map(|&(link, column)| (column, link, question.time(link)))
        .collect();
    let mut solver = Solver::new(solvable.program);
    let limits = exact::Options {
        watch: question.watch().stage(PROGRAM),
        ..exact::Options::default()
    };
    let (outcome, odd_sets) = odd_sets::solve(platform, &mut solver, &limits, &uses, None)?;
    let optimum = match outcome {
        Outcome::Optimal(optimum) => optimum,
        Outcome::LimitReached { .. } => return Ok(None),
        Outcome::Infeasible(_) => {
            return Err(LpError::Contradiction("doing nothing is not allowed"));
        }
        Outcome::Unbounded { .. } => {
            return Err(LpError::Contradiction("the throughput is unbounded"));
        }
    };
    let priced = odd_sets
        .into_iter()
        .filter(|(_, row)| !optimum.dual.numerator(*row).is_zero());
    let sets = priced.map(|(set, row)| (set, optimum.dual.get(row)));
    let prices = solvable
        .resources
        .iter()
        .map(|&(resource, row)| (resource, optimum.dual.get(row)))
        .filter(|(_, price)| !price.is_zero());
    let certificate = Certificate::new(prices, sets, []);
    let throughput = optimum.primal.get(throughput);
    let state = trees(question, &throughput, &copies, &optimum)?;
    Ok(Some((
        Bound {
            throughput,
            certificate,
        },
        state,
    )))
}

/// The copies as trees. `None` if a helper would have to copy values that it receives in part, or if time is over.
fn trees(
    question: &Question,
    throughput: &Rational,
    copies: &[Vec<(LinkId, Column)>],
    optimum: &Optimum,
) -> Result<Option<SteadyState>, LpError> {
    let of_demand = |sent: &Vec<(LinkId, Column)>| {
        DemandRates::Copy(
            sent.iter()
                .map(|&(link, column)| (link, optimum.primal.get(column)))
                .collect(),
        )
    };
    let demands = copies.iter().map(of_demand).collect();
    let rates = Rates {
        throughput: throughput.clone(),
        demands,
        ..Rates::default()
    };
    match extract(question.problem(), &rates, question.watch()) {
        Ok(found) => Ok(Some(SteadyState {
            throughput: throughput.clone(),
            patterns: found.patterns,
        })),
        Err(ExtractError::Stopped(_)) => Ok(None),
        Err(ExtractError::InDemand { error, .. })
            if matches!(*error, ExtractError::HelperCopies { .. }) =>
        {
            Ok(None)
        }
        Err(ExtractError::HelperCopies { .. }) => Ok(None),
        Err(_) => Err(LpError::Contradiction(
            "copies of flows are not a sum of trees",
        )),
    }
}

/// The program with the rows of resources by name.
struct Solvable {
    program: LinearProgram,
    columns: BTreeMap<Quantity, (Column, Option<Column>)>,
    resources: Vec<(Resource, Row)>,
}

/// Builds the program: resources first, then the nodes and links of each message's targets. The flow out of a source
/// follows from the flow into the target.
fn solvable(question: &Question, messages: &[Message<'_>]) -> Result<Solvable, LpError> {
    let mut rows = copies(
        question.platform(),
        messages,
        Errata::NONE,
        Limits::Resources,
    )
    .map_err(super::refused)?
    .substituted();
    rows.lines
        .retain(|line| !matches!(line.equation, Equation::Leave(_)));
    rows.lines.sort_by_key(|line| match line.equation {
        Equation::Flow {
            message,
            target,
            node,
        } => Some((message, target, false, node.index())),
        Equation::Cover {
            message,
            target,
            link,
        } => Some((message, target, true, link.index())),
        _ => None,
    });
    let built = rows.solvable()?;
    Ok(Solvable {
        resources: super::resources(&built.rows),
        program: built.program,
        columns: built.columns,
    })
}

/// The source of a message, and its targets.
fn ends(demand: &Demand<'_>) -> Option<(NodeId, Vec<NodeId>)> {
    let source = demand.operands.first().copied()?;
    let mut targets = match demand.goals {
        Goals::Everywhere(targets) => targets.to_vec(),
        Goals::At(target) => vec![target],
        Goals::Prefixes => Vec::new(),
    };
    targets.retain(|&target| target != source);
    Some((source, targets))
}
