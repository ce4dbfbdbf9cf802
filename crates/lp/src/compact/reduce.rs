//! SSR (RR-4872 section 4.2), corrected: `oneport_programs::reductions` over the resources of the platform, for one
//! reduction or for several of equal throughput (reduce-scatter).

use std::collections::BTreeMap;

use num_traits::{Signed, Zero};
use oneport_exact::{self as exact, Column, LinearProgram, Optimum, Outcome, Row, Solver};
use oneport_extract::trees::{Reduction, extract};
use oneport_plan::{
    Certificate, Interval, Message, Resource, SteadyState, Task, TaskRates, Volumes,
    WeightedPattern,
};
use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};
use oneport_programs::{Act, Equation, Errata, Limits, Quantity, Reductions, reductions};
use oneport_watch::Watch;

use crate::mixture::{Effort, Mixture};
use crate::odd_sets;
use crate::oracles::prefix::tasks::Tasks;
use crate::{LpError, Question};

/// Percent of the time left for the program. Trades an optimum for time of column generation. Not measured.
const PROGRAM: u32 = 60;
/// Columns of the program. Trades an optimum for memory: about 1 GB. Not measured: estimated.
const MOST_COLUMNS: usize = 1_000_000;

/// Solves a question about reductions of operands in the participants' order. Every operand can reach every target.
/// `None` if a limit ended the work.
///
/// # Errors
/// Those of [`solve`](crate::solve).
pub(crate) fn solve(question: &Question) -> Result<Option<Mixture>, LpError> {
    let Some(block) = question.block() else {
        return Ok(None);
    };
    let operands = block.operands();
    check_size(question, operands.len())?;
    let targets: Vec<NodeId> = block
        .demands()
        .flat_map(|demand| demand.targets().to_vec())
        .collect();
    let ssr = build(question.platform(), operands, &targets, question.volumes())?;
    let mut solver = Solver::new(ssr.program.clone());
    let limits = exact::Options {
        watch: question.watch().stage(PROGRAM),
        ..exact::Options::default()
    };
    let (outcome, odd_sets) =
        odd_sets::solve(question.platform(), &mut solver, &limits, &ssr.uses(), None)?;
    let effort = Effort::of(&solver);
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
    let (state, prices) = ssr.read(&optimum)?;
    let priced = odd_sets
        .into_iter()
        .filter(|(_, row)| !optimum.dual.numerator(*row).is_zero());
    let certificate = Certificate::new(
        prices,
        priced.map(|(set, row)| (set, optimum.dual.get(row))),
        [],
    );
    let at_most = state.throughput.clone();
    Ok(Some(Mixture {
        state,
        tight: Vec::new(),
        prices: certificate,
        at_most,
        effort,
    }))
}

/// Refuses programs that are too large, before they are built.
fn check_size(question: &Question, operands: usize) -> Result<(), LpError> {
    let columns =
        Tasks::count_of(question.platform(), operands) * question.collective().demands() as u128;
    if columns <= MOST_COLUMNS as u128 {
        return Ok(());
    }
    let (collective, columns) = (
        question.collective().name(),
        usize::try_from(columns).unwrap_or(usize::MAX),
    );
    Err(LpError::CompactTooLarge {
        collective,
        columns,
        most: MOST_COLUMNS,
    })
}

/// The program and the meaning of its rows and columns.
pub(crate) struct Ssr<'a> {
    platform: &'a Platform,
    participants: &'a [NodeId],
    targets: &'a [NodeId],
    /// The program.
    pub program: LinearProgram,
    /// The variable `TP`.
    pub throughput: Column,
    /// The other variables: the index of the reduction, and the task.
    tasks: Vec<(usize, Task, Column)>,
    volumes: &'a Volumes,
    resources: BTreeMap<Resource, Row>,
}

/// Builds the program. With `n` operands, `v` nodes and `e` links each reduction has about `n^2 / 2` rows per node,
/// `n^2 / 2` columns per link and `n^3 / 6` columns per processor.
///
/// # Errors
/// A program too large for the solver.
pub(crate) fn build<'a>(
    platform: &'a Platform,
    participants: &'a [NodeId],
    targets: &'a [NodeId],
    volumes: &'a Volumes,
) -> Result<Ssr<'a>, LpError> {
    let given = Reductions {
        platform,
        participants,
        targets,
        send_time: &|demand, link, part| {
            volumes.size_of(Message { demand, part }) * &platform.link(link).cost
        },
        can_merge: &|node, part, split| {
            platform.node(node).merges() && volumes.can_merge(node, part, split)
        },
        merge_time: &|node, part, split| volumes.merge_time(platform, node, part, split),
    };
    let mut rows = reductions(given, Errata::NONE, Limits::Resources)
        .map_err(super::refused)?
        .substituted();
    let result = Interval {
        first: 0,
        last: participants.len().saturating_sub(1),
    };
    // Resources first, then the nodes of each reduction.
    rows.lines.sort_by_key(|line| match line.equation {
        Equation::Part {
            reduction,
            node,
            part,
        } => Some((reduction, node, part)),
        Equation::Result(reduction) => {
            let target = targets.get(reduction).copied()?;
            Some((reduction, target, result))
        }
        _ => None,
    });
    let solvable = rows.solvable()?;
    let throughput = solvable.columns.get(&Quantity::Throughput);
    let throughput = throughput.ok_or(LpError::Contradiction("no row counts what arrives"))?;
    let task = |(&quantity, &(column, _)): (&Quantity, &(Column, _))| match quantity {
        Quantity::Task {
            reduction,
            part,
            act,
        } => {
            let task = match act {
                Act::Send(link) => Task::send(link, part),
                Act::Merge(node, split) => Task::merge(node, part, split),
            };
            Some((reduction, task, column))
        }
        _ => None,
    };
    Ok(Ssr {
        platform,
        participants,
        targets,
        throughput: throughput.0,
        tasks: solvable.columns.iter().filter_map(task).collect(),
        volumes,
        resources: super::resources(&solvable.rows),
        program: solvable.program,
    })
}

impl Ssr<'_> {
    /// The columns that occupy links, and for how long.
    fn uses(&self) -> Vec<(Column, LinkId, Rational)> {
        let size = |reduction, part| {
            self.volumes.size_of(Message {
                demand: reduction,
                part,
            })
        };
        let of_task = |&(reduction, task, column): &(usize, Task, Column)| match task {
            Task::Send { link, part, .. } => Some((
                column,
                link,
                size(reduction, part) * &self.platform.link(link).cost,
            )),
            Task::Merge { .. } => None,
        };
        self.tasks.iter().filter_map(of_task).collect()
    }

    /// Reads off weighted trees, and prices on resources that prove that nothing is faster.
    ///
    /// # Errors
    /// [`LpError::Contradiction`] if the optimum is not one of this program.
    pub(crate) fn read(
        &self,
        optimum: &Optimum,
    ) -> Result<(SteadyState, Vec<(Resource, Rational)>), LpError> {
        // The program's rates are over one denominator, so their numerators are rates in another unit of time.
        let unit = optimum.primal.denominator();
        let throughput = whole(optimum.primal.numerator(self.throughput).clone());
        let mut rates = vec![TaskRates::default(); self.targets.len()];
        for &(reduction, task, column) in &self.tasks {
            let rate = optimum.primal.numerator(column);
            if !rate.is_zero() {
                rates[reduction].add(task, &whole(rate.clone()));
            }
        }
        let mut patterns = Vec::new();
        for ((demand, &target), rates) in self.targets.iter().enumerate().zip(rates) {
            let reduction = Reduction {
                platform: self.platform,
                owners: self.participants,
                target,
                commutative: false,
            };
            let found =
                extract(&reduction, &throughput, &rates, &Watch::unlimited()).map_err(|_| {
                    LpError::Contradiction("rates of tasks are not a sum of reduction trees")
                })?;
            patterns.extend(
                found
                    .trees
                    .into_iter()
                    .map(|(weight, tree)| WeightedPattern {
                        pattern: tree.with_demand(demand),
                        weight: weight / whole(unit.clone()),
                    }),
            );
        }
        let throughput = optimum.primal.get(self.throughput);
        Ok((
            SteadyState {
                throughput,
                patterns,
            },
            self.prices(optimum),
        ))
    }

    /// The dual solution of the resource rows, which is not negative.
    fn prices(&self, optimum: &Optimum) -> Vec<(Resource, Rational)> {
        let positive = self
            .resources
            .iter()
            .filter(|(_, row)| optimum.dual.numerator(**row).is_positive());
        positive
            .map(|(&resource, &row)| (resource, optimum.dual.get(row)))
            .collect()
    }
}
