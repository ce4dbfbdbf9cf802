//! The papers' compact program for series of reduces, corrected: SSR (RR-4872 section 4.2), for one reduction or for
//! several of equal throughput (reduce-scatter).
//!
//! Symbols: `send(e, v[k,m])` partial results sent over link `e` and `cons(i, T[k,l,m])` merges by node `i`, both per
//! unit of time, `TP` the throughput, `N` the last operand.
//!
//! ```text
//! maximise TP subject to, for each reduction:
//!   for each node i and v[k,m], except v[k,k] at its owner:
//!     in(i, v[k,m])  + sum over k <= l < m of cons(i, T[k,l,m])
//!       = out(i, v[k,m]) + sum over n > m of cons(i, T[k,m,n]) + sum over n < k of cons(i, T[n,k-1,m])    (10)
//!         + TP where i is the target and [k,m] = [0,N]                                                     (11)
//! and for all reductions together:
//!   for each send port i:     sum size(v) c(e) send(e, v) <= 1
//!   for each receive port j:  sum size(v) c(e) send(e, v) <= 1
//!   for each processor i:     sum w(i, T) cons(i, T) <= 1                                             (7), (9)
//! ```
//!
//! Deviations from the printed program (docs/errata.md):
//! 1. (11) counts what the target gains less what it sends on. The printed one counts receptions, so a result that goes
//!    to and fro would be throughput without any merge. Sends of `v[0,N]` out of the target and of `v[k,k]` into its
//!    owner are then useless and have no variable.
//! 2. (10) is waived for `v[k,k]` at the *owner* of operand `k`, not at the node numbered `k`; the last sum is over
//!    `T[n,k-1,m]`; the last operand is `N` throughout.
//! 3. `s(P_i -> P_j) <= 1` follows from the ports and has no row.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use oneport_exact::{
    self as exact, Column, ExactError, LinearProgram, Optimum, Outcome, Relation, Row, Sense,
    Solver,
};
use oneport_extract::trees::{Reduction, extract};
use oneport_plan::{
    Certificate, Interval, Message, Resource, SteadyState, Task, TaskRates, Volumes,
    WeightedPattern,
};
use oneport_platform::{LinkId, NodeId, Platform, Rational};
use oneport_watch::Watch;

use crate::mixture::{Effort, Mixture};
use crate::odd_sets;
use crate::oracles::prefix::tasks::Tasks;
use crate::{LpError, Question};

/// Percent of the time left for the program. Trades an optimum for time of column generation. Not measured.
const PROGRAM: u32 = 60;
/// Columns of the program. Trades an optimum for memory: about 1 GB. Not measured: estimated.
const MOST_COLUMNS: usize = 1_000_000;

/// Solves a question about reductions of operands in the participants' order; every operand can reach every target.
/// `None` when a limit came first.
///
/// # Errors
/// As [`solve`](crate::solve).
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
    /// The other variables: the place of the reduction, and the task.
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
) -> Result<Ssr<'a>, ExactError> {
    let mut program = LinearProgram::new(Sense::Maximize);
    let mut row = |resource: Resource| {
        let capacity = Rational::from_integer(resource.capacity(platform).into());
        (resource, program.add_row(Relation::AtMost, capacity))
    };
    let processors = platform.mergers().map(Resource::Compute);
    let resources = Resource::of_platform(platform)
        .into_iter()
        .chain(processors)
        .map(&mut row)
        .collect();
    let values: Vec<Interval> = (0..participants.len())
        .flat_map(|first| (first..participants.len()).map(move |last| Interval { first, last }))
        .collect();
    let result = Interval {
        first: 0,
        last: participants.len().saturating_sub(1),
    };
    let mut builder = Builder {
        platform,
        participants,
        volumes,
        values,
        result,
        resources,
        balance: BTreeMap::new(),
    };
    for reduction in 0..targets.len() {
        builder.add_balance(&mut program, reduction);
    }
    let arrivals = targets.iter().enumerate();
    let arrivals = arrivals
        .filter_map(|(reduction, &target)| builder.balance.get(&(reduction, target, result)));
    let arrivals: Vec<_> = arrivals.map(|&row| (row, -Rational::one())).collect();
    let throughput = program.add_column(Rational::one(), arrivals)?;
    let mut tasks = Vec::new();
    for (reduction, &target) in targets.iter().enumerate() {
        for task in builder.tasks(target) {
            tasks.push((
                reduction,
                task,
                program.add_column(Rational::zero(), builder.entries(reduction, task))?,
            ));
        }
    }
    Ok(Ssr {
        platform,
        participants,
        targets,
        program,
        throughput,
        tasks,
        volumes,
        resources: builder.resources,
    })
}

/// The context from which rows and columns are made.
struct Builder<'a> {
    platform: &'a Platform,
    participants: &'a [NodeId],
    volumes: &'a Volumes,
    /// Every `v[k,m]`.
    values: Vec<Interval>,
    /// `v[0,N]`.
    result: Interval,
    resources: BTreeMap<Resource, Row>,
    /// Rows (10) by reduction, node and value.
    balance: BTreeMap<(usize, NodeId, Interval), Row>,
}

impl Builder<'_> {
    /// Whether a value is unlimited at a node.
    fn owns(&self, node: NodeId, value: Interval) -> bool {
        value.first == value.last && self.participants.get(value.first) == Some(&node)
    }

    fn add_balance(&mut self, program: &mut LinearProgram, reduction: usize) {
        for node in self.platform.node_ids() {
            for &value in &self.values {
                if !self.owns(node, value) {
                    let row = program.add_row(Relation::Equal, Rational::zero());
                    self.balance.insert((reduction, node, value), row);
                }
            }
        }
    }

    /// The tasks that may be of use in a reduction to `target`.
    fn tasks(&self, target: NodeId) -> Vec<Task> {
        let mut tasks = Vec::new();
        for &part in &self.values {
            let useful = |link: &_| {
                let ends = self.platform.link(*link);
                let useless =
                    self.owns(ends.to, part) || (part == self.result && ends.from == target);
                !useless
            };
            tasks.extend(
                self.platform
                    .link_ids()
                    .filter(useful)
                    .map(|link| Task::send(link, part)),
            );
            for node in self.platform.mergers() {
                let able = |&split: &usize| self.volumes.can_merge(node, part, split);
                tasks.extend(
                    (part.first..part.last)
                        .filter(able)
                        .map(|split| Task::merge(node, part, split)),
                );
            }
        }
        tasks
    }

    /// Entries of a task in the rows of the resources and of the balances.
    fn entries(&self, reduction: usize, task: Task) -> Vec<(Row, Rational)> {
        let (uses, made, used): (Vec<(Resource, Rational)>, _, _) = match task {
            Task::Send { link, part, .. } => {
                let ends = self.platform.link(link);
                let size = self.volumes.size_of(Message {
                    demand: reduction,
                    part,
                });
                let time = size * &ends.cost;
                let uses =
                    Resource::uses(self.platform, link).map(|used| (used.resource, used.of(&time)));
                (uses.collect(), (ends.to, part), vec![(ends.from, part)])
            }
            Task::Merge {
                node, part, split, ..
            } => {
                let time = self.volumes.merge_time(self.platform, node, part, split);
                let left = Interval {
                    first: part.first,
                    last: split,
                };
                let right = Interval {
                    first: split + 1,
                    last: part.last,
                };
                (
                    vec![(Resource::Compute(node), time)],
                    (node, part),
                    vec![(node, left), (node, right)],
                )
            }
        };
        let resources = uses
            .into_iter()
            .filter_map(|(resource, time)| Some((*self.resources.get(&resource)?, time)));
        let balances = std::iter::once((made, Rational::one()))
            .chain(used.into_iter().map(|used| (used, -Rational::one())));
        let balances = balances.filter_map(|((node, value), change)| {
            Some((*self.balance.get(&(reduction, node, value))?, change))
        });
        resources.chain(balances).collect()
    }
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
    /// [`LpError::Contradiction`] where the optimum is not one of this program.
    pub(crate) fn read(
        &self,
        optimum: &Optimum,
    ) -> Result<(SteadyState, Vec<(Resource, Rational)>), LpError> {
        // The program's rates are over one denominator, so their numerators are rates in another unit of time.
        let unit = optimum.primal.denominator();
        let whole = |number: &BigInt| Rational::from_integer(number.clone());
        let throughput = whole(optimum.primal.numerator(self.throughput));
        let mut rates = vec![TaskRates::default(); self.targets.len()];
        for &(reduction, task, column) in &self.tasks {
            let rate = optimum.primal.numerator(column);
            if !rate.is_zero() {
                rates[reduction].add(task, &whole(rate));
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
                        weight: weight / Rational::from_integer(unit.clone()),
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
