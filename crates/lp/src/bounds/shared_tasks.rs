//! A bound for collectives whose values serve several goals: scan, all-reduce.
//!
//! Every instance executes a set of tasks that contains a reduction tree for each goal `g`, a task that serves several
//! goals once. With `x(g, t)` how often per unit of time task `t` serves goal `g`, `y(t)` how often it is executed:
//!
//! ```text
//! maximise TP subject to
//!   for each goal g = (i, v[k,m]): the x(g, .) make v[k,m] at i out of the operands, TP times per unit of time
//!                                  (conservation at each node of each partial result, as in `compact::reduce`)
//!   for each goal g and task t:    x(g, t) <= y(t)                                            (share q(g, t))
//!   for each resource r:           sum over the tasks t that occupy r of time(t) y(t) <= capacity of r  (price pi_r)
//! ```
//!
//! The optimum is an upper bound and may not be attained, because trees of different goals that share a task need not
//! belong to one instance. The dual is a proof that a checker verifies by arithmetic. The shares of a task add up to at
//! most its price, its time times the prices of the resources that it occupies. So an instance costs at least the sum
//! over the goals of the cheapest reduction tree under the goal's own shares. At nodes that do not replicate the bound
//! allows shared tasks, too.

use std::collections::BTreeMap;

use crate::known::Bound;
use num_traits::{One, Signed, Zero};
use oneport_exact::{
    self as exact, Column, LinearProgram, Optimum, Outcome, Relation, Row, Sense, Solver,
};
use oneport_plan::inequality::{Inequality, Need, Tree};
use oneport_plan::{Certificate, OddSet, Resource, Task};
use oneport_platform::{LinkId, PerLink, Platform, Rational, whole};

use crate::findings::Findings;
use crate::odd_sets;
use crate::oracles::is_composed;
use crate::oracles::prefix::tasks::{Named, Tasks};
use crate::{LpError, Options, Question};

/// Columns of a program that is solved. Trades a tighter bound for time. Not measured.
const MOST_COLUMNS: usize = 40_000;
/// This limit for an all-reduce that has a bound. Trades a tighter bound for time. Measured: about 1 s.
const FEW_COLUMNS: usize = 12_000;

/// Solves the program exactly, for a collective of one demand whose operands keep their order: the certificate has
/// prices of resources, and of each task's price a share for every goal. `None` if there are
/// several demands or the operator is commutative, if the program has more than 40,000 columns, or if the time inside
/// the solver runs out.
///
/// With `n` operands, `v` processors and `e` links each goal of `n` operands has about `e n^2 / 2 + v n^3 / 6` columns.
///
/// # Errors
/// The errors of the exact solver.
pub fn shared_bound(question: &Question) -> Result<Option<Bound>, LpError> {
    bound_within(question, MOST_COLUMNS)
}

fn bound_within(question: &Question, most_columns: usize) -> Result<Option<Bound>, LpError> {
    let collective = question.collective();
    let once = collective.demands() == 1 && collective.rate(0) == 1;
    let Some(demand) = collective
        .demand(0)
        .filter(|demand| !demand.commutative && once)
    else {
        return Ok(None);
    };
    // Counted before anything is listed: tasks grow like the fourth power of the participants, columns like the fifth.
    if Tasks::count_of(question.platform(), demand.operands.len()) > most_columns as u128 {
        return Ok(None);
    }
    let tasks = Tasks::new(question.platform(), &demand, true);
    let useful: Vec<Vec<usize>> = (0..tasks.goals.len())
        .map(|goal| useful(&tasks, goal))
        .collect();
    let columns = useful.iter().map(Vec::len).sum::<usize>() + tasks.count;
    if columns > most_columns {
        return Ok(None);
    }
    if question.watch().ask().is_err() {
        return Ok(None);
    }
    let program = Program::new(question, &tasks, &useful)?;
    let mut solver = Solver::new(program.program.clone());
    let limits = exact::Options {
        watch: question.watch().clone(),
        ..exact::Options::default()
    };
    let (outcome, odd_sets) = odd_sets::solve(
        question.platform(),
        &mut solver,
        &limits,
        &program.uses,
        None,
    )?;
    match outcome {
        Outcome::Optimal(optimum) => Ok(Some(program.read(question, &tasks, &optimum, odd_sets))),
        Outcome::LimitReached { .. } => Ok(None),
        Outcome::Infeasible(_) | Outcome::Unbounded { .. } => Err(LpError::Contradiction(
            "shared values have no largest throughput",
        )),
    }
}

/// A bound of a scan with the shared proof, if there is one: prices of schemes alone prove less to a checker that does
/// not price schemes. The throughput is the smaller one.
///
/// # Errors
/// The errors of [`shared_bound`].
pub(crate) fn of_scan(question: &Question, bound: Bound) -> Result<Bound, LpError> {
    Ok(match shared_bound(question)? {
        Some(shared) => Bound {
            throughput: shared.throughput.min(bound.throughput),
            ..shared
        },
        None => bound,
    })
}

/// Tasks shared by several goals also bound compositions of reductions and broadcasts. The bound is skipped if the
/// program has more than 12,000 columns.
///
/// # Errors
/// The errors of [`shared_bound`].
pub(crate) fn attempt(
    question: &Question,
    _: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    if question.problem().blocks().iter().any(is_composed)
        && let Some(bound) = bound_within(question, FEW_COLUMNS)?
    {
        found.known.offer_bound(bound);
    }
    Ok(())
}

/// The tasks that may serve a goal. None for an operand that is wanted at its owner.
fn useful(tasks: &Tasks, goal: usize) -> Vec<usize> {
    let (vertex, whole) = tasks.goals[goal];
    if tasks.owner(whole) == Some(vertex) {
        return Vec::new();
    }
    let mut useful = Vec::new();
    for part in tasks.within(goal) {
        for (number, arc) in tasks.arcs.iter().enumerate() {
            if tasks.owner(part) != Some(arc.to) && (part, arc.from) != (whole, vertex) {
                useful.push(tasks.transfer(part, number));
            }
        }
        useful.extend(tasks.merges(part).map(|(task, ..)| task));
    }
    useful
}

/// Returns the resources that a task occupies, each with the time.
fn load(question: &Question, task: Task) -> Vec<(Resource, Rational)> {
    let platform = question.platform();
    match task {
        Task::Send { link, part, .. } => {
            let time = question.transfer_time(link, part);
            let uses = Resource::uses(platform, link);
            uses.map(|used| (used.resource, used.of(&time))).collect()
        }
        Task::Merge {
            node, part, split, ..
        } => {
            let time = question.volumes().merge_time(platform, node, part, split);
            vec![(Resource::Compute(node), time)]
        }
    }
}

/// The task of this number, if every node is a vertex and every arc a link.
fn task(tasks: &Tasks, number: usize) -> Task {
    match tasks.name(number) {
        Named::Transfer { arc, part } => Task::send(LinkId::new(arc), tasks.parts[part]),
        Named::Merge {
            vertex, part, left, ..
        } => Task::merge(
            tasks.vertices[vertex],
            tasks.parts[part],
            tasks.parts[left].last,
        ),
    }
}

struct Program {
    program: LinearProgram,
    resources: BTreeMap<Resource, Row>,
    /// Columns that occupy links, and for how long.
    uses: Vec<(Column, LinkId, Rational)>,
    /// Per goal: tasks with the rows of their shares. Tasks without a row serve this goal alone.
    shares: Vec<Vec<(usize, Option<Row>)>>,
}

impl Program {
    fn new(question: &Question, tasks: &Tasks, useful: &[Vec<usize>]) -> Result<Self, LpError> {
        let platform = question.platform();
        let mut program = LinearProgram::new(Sense::Maximize);
        let processors = platform.mergers().map(Resource::Compute);
        let mut row = |resource: Resource| {
            (
                resource,
                program.add_row(Relation::AtMost, whole(resource.capacity(platform))),
            )
        };
        let resources = Resource::of_platform(platform)
            .into_iter()
            .chain(processors)
            .map(&mut row)
            .collect();
        let mut this = Program {
            program,
            resources,
            uses: Vec::new(),
            shares: Vec::new(),
        };
        let mut serves = vec![0usize; tasks.count];
        for &task in useful.iter().flatten() {
            serves[task] += 1;
        }
        // Per task: its entries in the rows of the resources and, for shared tasks, of the shares.
        let mut carried: BTreeMap<usize, Vec<(Row, Rational)>> = BTreeMap::new();
        let mut arrivals = Vec::new();
        let mut columns = Vec::new();
        for (goal, useful) in useful.iter().enumerate() {
            let mut shares = Vec::with_capacity(useful.len());
            if !useful.is_empty() {
                let balance = this.balances(tasks, goal);
                let (vertex, part) = tasks.goals[goal];
                arrivals.extend(
                    balance[part * tasks.vertices.len() + vertex].map(|row| (row, Rational::one())),
                );
                for &number in useful {
                    let mut entries = changes(tasks, number, &balance);
                    let share = if serves[number] > 1 {
                        let row = this.program.add_row(Relation::AtMost, Rational::zero());
                        entries.push((row, Rational::one()));
                        carried
                            .entry(number)
                            .or_default()
                            .push((row, -Rational::one()));
                        Some(row)
                    } else {
                        None
                    };
                    shares.push((number, share));
                    columns.push((number, share, entries));
                }
            }
            this.shares.push(shares);
        }
        this.program.add_column(Rational::one(), arrivals)?;
        for (number, share, mut entries) in columns {
            if share.is_none() {
                entries.extend(this.occupied(question, task(tasks, number)));
            }
            let column = this.program.add_column(Rational::zero(), entries)?;
            if share.is_none() {
                this.note(question, task(tasks, number), column);
            }
        }
        for (number, mut entries) in carried {
            entries.extend(this.occupied(question, task(tasks, number)));
            let column = this.program.add_column(Rational::zero(), entries)?;
            this.note(question, task(tasks, number), column);
        }
        Ok(this)
    }

    /// Rows of conservation for a goal, by part and vertex: no more is used than made.
    fn balances(&mut self, tasks: &Tasks, goal: usize) -> Vec<Option<Row>> {
        let vertices = tasks.vertices.len();
        let mut rows = vec![None; tasks.parts.len() * vertices];
        for part in tasks.within(goal) {
            for vertex in (0..vertices).filter(|&vertex| tasks.owner(part) != Some(vertex)) {
                rows[part * vertices + vertex] =
                    Some(self.program.add_row(Relation::AtMost, Rational::zero()));
            }
        }
        rows
    }

    fn occupied(&self, question: &Question, task: Task) -> Vec<(Row, Rational)> {
        let row = |(resource, time)| Some((*self.resources.get(&resource)?, time));
        load(question, task).into_iter().filter_map(row).collect()
    }

    fn note(&mut self, question: &Question, task: Task, column: Column) {
        if let Task::Send { link, part, .. } = task {
            self.uses
                .push((column, link, question.transfer_time(link, part)));
        }
    }

    fn read(
        &self,
        question: &Question,
        tasks: &Tasks,
        optimum: &Optimum,
        odd_sets: Vec<(OddSet, Row)>,
    ) -> Bound {
        let dual = |row: Row| optimum.dual.get(row);
        let positive = |(_, price): &(Resource, Rational)| price.is_positive();
        let prices: Vec<(Resource, Rational)> = self
            .resources
            .iter()
            .map(|(&resource, &row)| (resource, dual(row)))
            .filter(positive)
            .collect();
        let mut odd_sets: Vec<(OddSet, Rational)> = odd_sets
            .into_iter()
            .map(|(set, row)| (set, dual(row)))
            .collect();
        odd_sets.retain(|(_, price)| price.is_positive());
        odd_sets.sort();
        let priced = Prices::new(question.platform(), &prices, &odd_sets);
        let mut all = Vec::new();
        for (goal, shares) in self.shares.iter().enumerate() {
            let share = |&(number, row): &(usize, Option<Row>)| {
                let task = task(tasks, number);
                (task, row.map_or_else(|| priced.of(question, task), dual))
            };
            let mut of_goal: Vec<(Task, Rational)> = shares.iter().map(share).collect();
            of_goal.retain(|(_, share)| share.is_positive());
            of_goal.sort();
            if !of_goal.is_empty() {
                all.push(Need::once(
                    Some(0),
                    Inequality::Tree(Tree {
                        goal,
                        prices: of_goal,
                    }),
                ));
            }
        }
        let certificate = Certificate::new(prices, odd_sets, all);
        Bound {
            throughput: optimum.objective.clone(),
            certificate,
        }
    }
}

/// Entries of one task in the conservation rows of values.
fn changes(tasks: &Tasks, number: usize, balance: &[Option<Row>]) -> Vec<(Row, Rational)> {
    let row_of = |part: usize, vertex: usize| balance[part * tasks.vertices.len() + vertex];
    let (made, used) = match tasks.name(number) {
        Named::Transfer { arc, part } => (
            row_of(part, tasks.arcs[arc].to),
            [row_of(part, tasks.arcs[arc].from), None],
        ),
        Named::Merge {
            vertex,
            part,
            left,
            right,
        } => (
            row_of(part, vertex),
            [row_of(left, vertex), row_of(right, vertex)],
        ),
    };
    let used = used.into_iter().flatten().map(|row| (row, Rational::one()));
    made.map(|row| (row, -Rational::one()))
        .into_iter()
        .chain(used)
        .collect()
}

/// Prices of the resources that tasks occupy.
struct Prices<'s> {
    resources: BTreeMap<Resource, &'s Rational>,
    /// Per link.
    odd_sets: PerLink<Rational>,
}

impl<'s> Prices<'s> {
    fn new(
        platform: &Platform,
        prices: &'s [(Resource, Rational)],
        sets: &[(OddSet, Rational)],
    ) -> Self {
        let mut odd_sets = platform.per_link(Rational::zero());
        for (set, price) in sets {
            for link in &set.members(platform) {
                odd_sets[*link] += price;
            }
        }
        Prices {
            resources: prices
                .iter()
                .map(|(resource, price)| (*resource, price))
                .collect(),
            odd_sets,
        }
    }

    /// The price of a task: its time times the prices of the resources that it occupies.
    fn of(&self, question: &Question, task: Task) -> Rational {
        let own = load(question, task);
        let own = own
            .into_iter()
            .filter_map(|(resource, time)| Some(time * *self.resources.get(&resource)?));
        let sets = match task {
            Task::Send { link, part, .. } => {
                question.transfer_time(link, part) * &self.odd_sets[link]
            }
            Task::Merge { .. } => Rational::zero(),
        };
        own.sum::<Rational>() + sets
    }
}
