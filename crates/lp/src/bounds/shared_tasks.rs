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
//! The optimum is an upper bound and may not be attained: nothing says that the trees of different goals that share a
//! task belong to one instance. The dual is a proof that takes arithmetic to check: no task's shares add up to more
//! than its price, the time it takes times the prices of what it occupies; so an instance costs at least the sum over
//! the goals of the cheapest reduction tree under the goal's own shares. At nodes that do not replicate the bound lets
//! tasks be shared, too.

use std::collections::BTreeMap;
use std::time::Duration;

use num_traits::{One, Signed, Zero};
use oneport_exact::{self as exact, Column, LinearProgram, Optimum, Outcome, Relation, Row, Sense, Solver};
use oneport_plan::inequality::{Inequality, Need, Tree};
use oneport_plan::{Certificate, OddSet, Resource, Status, Task};
use oneport_platform::{LinkId, Platform, Rational};

use crate::odd_sets;

use crate::oracles::prefix::tasks::{Named, Tasks};
use crate::{LpError, Question, Solution};

/// Columns of the largest program that is solved.
const MOST_COLUMNS: usize = 40_000;
/// The same for an all-reduce that has a bound already: about a second.
const FEW_COLUMNS: usize = 12_000;

/// A proof that no schedule is faster than `bound`: prices of resources, and of each task's price a share for every
/// goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// No schedule has a larger throughput.
    pub bound: Rational,
    /// Positive prices, sorted by resource.
    pub prices: Vec<(Resource, Rational)>,
    /// Positive prices of odd sets, sorted; only where nodes are half-duplex.
    pub odd_sets: Vec<(OddSet, Rational)>,
    /// Per goal, in the order of [`Demand::goals`](oneport_plan::Demand::goals): positive shares of tasks' prices,
    /// sorted.
    pub shares: Vec<Vec<(Task, Rational)>>,
}

impl Shared {
    /// The proof alone.
    pub fn certificate(&self) -> Certificate {
        let paying = self.shares.iter().enumerate().filter(|(_, shares)| !shares.is_empty());
        let tree = |(goal, shares): (usize, &Vec<(Task, Rational)>)| {
            Need::once(Some(0), Inequality::Tree(Tree { goal, prices: shares.clone() }))
        };
        Certificate::new(self.prices.clone(), self.odd_sets.clone(), paying.map(tree))
    }
}

/// Solves the program exactly, for a collective of one demand whose operands keep their order. `None` if there are
/// several demands or the operator is commutative, if the program has more than 40,000 columns, or if the time inside
/// the solver runs out.
///
/// With `n` operands, `v` processors and `e` links each goal of `n` operands has about `e n^2 / 2 + v n^3 / 6` columns.
///
/// # Errors
/// The errors of the exact solver.
pub fn shared_bound(question: &Question<'_>, time_limit: Option<Duration>) -> Result<Option<Shared>, LpError> {
    bound_within(question, MOST_COLUMNS, time_limit)
}

fn bound_within(
    question: &Question<'_>,
    most_columns: usize,
    time_limit: Option<Duration>,
) -> Result<Option<Shared>, LpError> {
    let collective = question.collective();
    let once = collective.demands() == 1 && collective.rate(0) == 1;
    let Some(demand) = collective.demand(0).filter(|demand| !demand.commutative && once) else {
        return Ok(None);
    };
    // Counted before anything is listed: tasks grow like the fourth power of the participants, columns like the fifth.
    if Tasks::count_of(question.platform(), demand.operands.len()) > most_columns as u128 {
        return Ok(None);
    }
    let tasks = Tasks::new(question.platform(), &demand, true);
    let useful: Vec<Vec<usize>> = (0..tasks.goals.len()).map(|goal| useful(&tasks, goal)).collect();
    let columns = useful.iter().map(Vec::len).sum::<usize>() + tasks.count;
    if columns > most_columns {
        return Ok(None);
    }
    if question.watch().ask().is_err() {
        return Ok(None);
    }
    let program = Program::new(question, &tasks, &useful)?;
    let mut solver = Solver::new(program.program.clone());
    let watch = question.watch().clone();
    let limits = exact::Options { time_limit, watch, ..exact::Options::default() };
    let (outcome, odd_sets) = odd_sets::solve(question.platform(), &mut solver, &limits, &program.uses, None)?;
    match outcome {
        Outcome::Optimal(optimum) => Ok(Some(program.read(question, &tasks, &optimum, odd_sets))),
        Outcome::LimitReached { .. } => Ok(None),
        Outcome::Infeasible(_) | Outcome::Unbounded { .. } => {
            Err(LpError::Contradiction("shared values have no largest throughput"))
        }
    }
}

/// Replaces the bound of a scan's solution if the shared bound is lower, and attaches the proof whenever there is one:
/// prices of schemes alone prove less to a checker that does not price schemes.
///
/// # Errors
/// The errors of [`shared_bound`].
pub fn scan(
    question: &Question<'_>,
    mut solution: Solution,
    time_limit: Option<Duration>,
) -> Result<Solution, LpError> {
    if let Some(shared) = shared_bound(question, time_limit)? {
        solution.certificate = shared.certificate();
        lower(&mut solution, shared.bound);
    }
    Ok(solution)
}

/// The solution of an all-reduce with this bound and its proof where it is the better one; not looked for where there
/// is nothing to gain, or the program has more than 12,000 columns.
///
/// # Errors
/// The errors of [`shared_bound`].
pub fn all_reduce(
    question: &Question<'_>,
    mut solution: Solution,
    time_limit: Option<Duration>,
) -> Result<Solution, LpError> {
    if solution.upper_bound <= solution.steady_state.throughput {
        return Ok(solution);
    }
    if let Some(shared) = bound_within(question, FEW_COLUMNS, time_limit)?
        && shared.bound < solution.upper_bound
    {
        solution.certificate = shared.certificate();
        lower(&mut solution, shared.bound);
    }
    Ok(solution)
}

fn lower(solution: &mut Solution, bound: Rational) {
    if bound <= solution.upper_bound {
        solution.upper_bound = bound;
    }
    if solution.upper_bound == solution.steady_state.throughput {
        solution.status = Status::Optimal;
    }
}

/// The tasks that may serve a goal; none for an operand that is wanted where it is.
fn useful(tasks: &Tasks, goal: usize) -> Vec<usize> {
    let (place, whole) = tasks.goals[goal];
    if tasks.owner(whole) == Some(place) {
        return Vec::new();
    }
    let mut useful = Vec::new();
    for part in tasks.within(goal) {
        for (number, arc) in tasks.arcs.iter().enumerate() {
            if tasks.owner(part) != Some(arc.to) && (part, arc.from) != (whole, place) {
                useful.push(tasks.transfer(part, number));
            }
        }
        useful.extend(tasks.merges(part).map(|(task, ..)| task));
    }
    useful
}

/// The time a task takes and what it occupies.
fn load(question: &Question<'_>, task: Task) -> (Rational, Vec<Resource>) {
    let platform = question.platform();
    match task {
        Task::Send { link, part, .. } => {
            (question.transfer_time(link, part), Resource::of_link(platform, link).collect())
        }
        Task::Merge { node, part, split, .. } => {
            (question.volumes().merge_time(platform, node, part, split), vec![Resource::Compute(node)])
        }
    }
}

/// The task of this number, where every node is a place and every arc a link.
fn task(tasks: &Tasks, number: usize) -> Task {
    match tasks.name(number) {
        Named::Transfer { arc, part } => Task::send(LinkId::new(arc), tasks.parts[part]),
        Named::Merge { place, part, left, .. } => {
            Task::merge(tasks.places[place], tasks.parts[part], tasks.parts[left].last)
        }
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
    fn new(question: &Question<'_>, tasks: &Tasks, useful: &[Vec<usize>]) -> Result<Self, LpError> {
        let platform = question.platform();
        let mut program = LinearProgram::new(Sense::Maximize);
        let processors = platform.processors().map(Resource::Compute);
        let mut row = |resource: Resource| {
            (resource, program.add_row(Relation::AtMost, Rational::from_integer(resource.capacity(platform).into())))
        };
        let resources = Resource::of_platform(platform).into_iter().chain(processors).map(&mut row).collect();
        let mut this = Program { program, resources, uses: Vec::new(), shares: Vec::new() };
        let mut serves = vec![0usize; tasks.count];
        useful.iter().flatten().for_each(|&task| serves[task] += 1);
        // Per task: its entries in the rows of the resources and, for shared tasks, of the shares.
        let mut carried: BTreeMap<usize, Vec<(Row, Rational)>> = BTreeMap::new();
        let mut arrivals = Vec::new();
        let mut columns = Vec::new();
        for (goal, useful) in useful.iter().enumerate() {
            let mut shares = Vec::with_capacity(useful.len());
            if !useful.is_empty() {
                let balance = this.balances(tasks, goal);
                let (place, part) = tasks.goals[goal];
                arrivals.extend(balance[part * tasks.places.len() + place].map(|row| (row, Rational::one())));
                for &number in useful {
                    let mut entries = changes(tasks, number, &balance);
                    let share = if serves[number] > 1 {
                        let row = this.program.add_row(Relation::AtMost, Rational::zero());
                        entries.push((row, Rational::one()));
                        carried.entry(number).or_default().push((row, -Rational::one()));
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

    /// Rows of conservation for a goal, by part and place: no more is used than made.
    fn balances(&mut self, tasks: &Tasks, goal: usize) -> Vec<Option<Row>> {
        let places = tasks.places.len();
        let mut rows = vec![None; tasks.parts.len() * places];
        for part in tasks.within(goal) {
            for place in (0..places).filter(|&place| tasks.owner(part) != Some(place)) {
                rows[part * places + place] = Some(self.program.add_row(Relation::AtMost, Rational::zero()));
            }
        }
        rows
    }

    fn occupied(&self, question: &Question<'_>, task: Task) -> Vec<(Row, Rational)> {
        let (time, resources) = load(question, task);
        resources.iter().filter_map(|resource| Some((*self.resources.get(resource)?, time.clone()))).collect()
    }

    fn note(&mut self, question: &Question<'_>, task: Task, column: Column) {
        if let Task::Send { link, part, .. } = task {
            self.uses.push((column, link, question.transfer_time(link, part)));
        }
    }

    fn read(&self, question: &Question<'_>, tasks: &Tasks, optimum: &Optimum, odd_sets: Vec<(OddSet, Row)>) -> Shared {
        let dual = |row: Row| optimum.dual.get(row);
        let positive = |(_, price): &(Resource, Rational)| price.is_positive();
        let prices: Vec<(Resource, Rational)> =
            self.resources.iter().map(|(&resource, &row)| (resource, dual(row))).filter(positive).collect();
        let mut odd_sets: Vec<(OddSet, Rational)> = odd_sets.into_iter().map(|(set, row)| (set, dual(row))).collect();
        odd_sets.retain(|(_, price)| price.is_positive());
        odd_sets.sort();
        let priced = Prices::new(question.platform(), &prices, &odd_sets);
        let mut all = Vec::with_capacity(self.shares.len());
        for shares in &self.shares {
            let share = |&(number, row): &(usize, Option<Row>)| {
                let task = task(tasks, number);
                (task, row.map_or_else(|| priced.of(question, task), dual))
            };
            let mut of_goal: Vec<(Task, Rational)> = shares.iter().map(share).collect();
            of_goal.retain(|(_, share)| share.is_positive());
            of_goal.sort();
            all.push(of_goal);
        }
        Shared { bound: optimum.objective.clone(), prices, odd_sets, shares: all }
    }
}

/// Entries of one task in the conservation rows of values.
fn changes(tasks: &Tasks, number: usize, balance: &[Option<Row>]) -> Vec<(Row, Rational)> {
    let at = |part: usize, place: usize| balance[part * tasks.places.len() + place];
    let (made, used) = match tasks.name(number) {
        Named::Transfer { arc, part } => (at(part, tasks.arcs[arc].to), [at(part, tasks.arcs[arc].from), None]),
        Named::Merge { place, part, left, right } => (at(part, place), [at(left, place), at(right, place)]),
    };
    let used = used.into_iter().flatten().map(|row| (row, Rational::one()));
    made.map(|row| (row, -Rational::one())).into_iter().chain(used).collect()
}

/// Prices of what tasks occupy.
struct Prices<'s> {
    resources: BTreeMap<Resource, &'s Rational>,
    /// Per link.
    odd_sets: Vec<Rational>,
}

impl<'s> Prices<'s> {
    fn new(platform: &Platform, prices: &'s [(Resource, Rational)], sets: &[(OddSet, Rational)]) -> Self {
        let mut odd_sets = vec![Rational::zero(); platform.links().len()];
        for (set, price) in sets {
            set.members(platform).iter().for_each(|link| odd_sets[link.index()] += price);
        }
        Prices { resources: prices.iter().map(|(resource, price)| (*resource, price)).collect(), odd_sets }
    }

    /// The price of a task: its time times the prices of what it occupies.
    fn of(&self, question: &Question<'_>, task: Task) -> Rational {
        let (time, resources) = load(question, task);
        let own = resources.iter().filter_map(|resource| self.resources.get(resource).copied());
        let sets = match task {
            Task::Send { link, .. } => self.odd_sets[link.index()].clone(),
            Task::Merge { .. } => Rational::zero(),
        };
        time * (own.sum::<Rational>() + sets)
    }
}
