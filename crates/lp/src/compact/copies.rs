//! The flow program of broadcast and all-gather: one flow per message and target (RR-2004-32 section 2.2.1, after
//! Beaumont, Legrand, Marchal and Robert 2003).
//!
//! Symbols: `x[d, k, e]` copies of message `d` that travel to target `k` over link `e`, `y[d, e]` copies of `d` sent
//! over `e`, all per unit of time; a copy may serve several targets.
//!
//! ```text
//! maximise TP subject to
//!   for each message d and target k:   x[d, k] is a flow of rate_d TP from the source of d to k
//!   for each d, k, e:                  y[d, e] >= x[d, k, e]
//!   for each resource r:               sum of size c(e) y[d, e] over the links e that occupy r <= cap_r
//! ```
//!
//! Deviation from the printed program (docs/errata.md): it bounds the time of a link from above by each flow, which
//! leaves the program unbounded; the time has to be at least as long. With half-duplex nodes, odd-set inequalities
//! join.
//!
//! Where all nodes are targets, Edmonds' branching theorem makes the optimum one of weighted trees, and `y` is taken
//! apart into them (`oneport_extract::copies`); so it is where no other node copies what it does not receive in full.
//! Else it is an upper bound, and trees may attain less. Switches that do not replicate are not modelled.

use crate::known::Bound;
use num_traits::{One, Zero};
use oneport_exact::{
    self as exact, Column, LinearProgram, Optimum, Outcome, Relation, Row, Sense, Solver,
};
use oneport_extract::{ExtractError, extract};
use oneport_plan::{Certificate, Demand, DemandRates, Goals, Rates, SteadyState};
use oneport_platform::{LinkId, NodeId, Rational};

use crate::odd_sets;
use crate::resources::Resources;
use crate::{LpError, Question};

/// Columns up to which the compact program is built. Trades an optimum for time: above, column generation is faster by
/// orders of magnitude. Not measured.
const MOST_COLUMNS: usize = 200_000;

/// Percent of the time left for the program. Trades an optimum for time of column generation. Not measured.
const PROGRAM: u32 = 60;

/// The bound of the program, and trees that attain it where the copies are a sum of trees; `None` when a limit came
/// first.
///
/// # Errors
/// A program that is too large, platforms with switches, and as [`solve`](crate::solve).
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
    let resources = Resources::new(platform, false);
    let mut program = LinearProgram::new(Sense::Maximize);
    let rows: Vec<Row> = (0..resources.count())
        .map(|place| program.add_row(Relation::AtMost, resources.capacity(place).clone()))
        .collect();
    let throughput = program.add_column(Rational::one(), [])?;
    let mut uses: Vec<(Column, LinkId, Rational)> = Vec::new();
    let mut copies: Vec<Vec<Column>> = Vec::new();
    for (place, demand) in question.problem().demands().enumerate() {
        let sent: Vec<Column> = platform
            .link_ids()
            .map(|link| {
                let time = question.time(link);
                let entries = resources
                    .times(link, &time)
                    .map(|(place, time)| (rows[place], time));
                let column = program.add_column(Rational::zero(), entries)?;
                uses.push((column, link, time));
                Ok(column)
            })
            .collect::<Result<_, LpError>>()?;
        let rate = Rational::from_integer(question.collective().rate(place).into());
        for (source, target) in ends(&demand) {
            add_flow(
                question,
                &mut program,
                throughput,
                &sent,
                (source, target),
                &rate,
            )?;
        }
        copies.push(sent);
    }
    let mut solver = Solver::new(program);
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
    let prices: Vec<Rational> = rows.iter().map(|&row| optimum.dual.get(row)).collect();
    let certificate = resources.certificate(&prices);
    let priced = odd_sets
        .into_iter()
        .filter(|(_, row)| !optimum.dual.numerator(*row).is_zero());
    let sets = priced.map(|(set, row)| (set, optimum.dual.get(row)));
    let prices = certificate
        .prices()
        .map(|(resource, price)| (resource, price.clone()));
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

/// The copies as trees; `None` where a helper would have to copy what it does not receive in full, or where time is
/// over.
fn trees(
    question: &Question,
    throughput: &Rational,
    copies: &[Vec<Column>],
    optimum: &Optimum,
) -> Result<Option<SteadyState>, LpError> {
    let links = || question.platform().link_ids();
    let of_demand = |sent: &Vec<Column>| {
        DemandRates::Copy(
            links()
                .zip(sent)
                .map(|(link, &column)| (link, optimum.primal.get(column)))
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

/// The source of a message with each of its targets.
fn ends(demand: &Demand<'_>) -> Vec<(NodeId, NodeId)> {
    let Some(&source) = demand.operands.first() else {
        return Vec::new();
    };
    let targets = match demand.goals {
        Goals::Everywhere(targets) => targets.to_vec(),
        Goals::At(target) => vec![target],
        Goals::Prefixes => Vec::new(),
    };
    targets
        .into_iter()
        .filter(|&target| target != source)
        .map(|target| (source, target))
        .collect()
}

/// A flow from source to target, at most as much on each link as is sent there.
fn add_flow(
    question: &Question,
    program: &mut LinearProgram,
    throughput: Column,
    sent: &[Column],
    (source, target): (NodeId, NodeId),
    rate: &Rational,
) -> Result<(), LpError> {
    let platform = question.platform();
    let mut balance = vec![None; platform.nodes().len()];
    for node in platform.node_ids().filter(|&node| node != source) {
        let arriving = (node == target).then(|| (throughput, -rate));
        balance[node.index()] =
            Some(program.add_row_with(Relation::Equal, Rational::zero(), arriving)?);
    }
    for (link, &sent) in platform.link_ids().zip(sent) {
        let ends = platform.link(link);
        if ends.to == source || ends.from == target {
            continue;
        }
        let covered = program.add_row_with(
            Relation::AtMost,
            Rational::zero(),
            [(sent, -Rational::one())],
        )?;
        let entries = [
            Some((covered, Rational::one())),
            balance[ends.to.index()].map(|row| (row, Rational::one())),
            balance[ends.from.index()].map(|row| (row, -Rational::one())),
        ];
        program.add_column(Rational::zero(), entries.into_iter().flatten())?;
    }
    Ok(())
}
