//! Reduction trees from rates of tasks: EXTRACT_TREES of RR-4872 figure 8, corrected.
//!
//! A solution of the steady-state program consists of the rates of every `send` and every `cons`. [`extract`] writes it
//! as a weighted sum of reduction trees (RR-4872 lemma 2): `A = sum w(T) chi_T`.
//!
//! Deviations from the printed algorithm (docs/errata.md):
//! 1. **Circulations are cancelled first** ([`cancel_circulations`]). A solution, even an optimal vertex, may send the
//!    same partial result around a cycle. FIND_TREE does not decrease `A` while it searches, so it can follow that
//!    cycle without end. If it does not, the cycle is left over, so that lemma 2 does not hold. Cycles never involve
//!    merges, which add operands.
//! 2. Line 13 looks for a message *received*: `send(P_j -> P_i, v[k,m])`. Lines 12 and 18 go back to line 3, line 19
//!    returns the tasks, and EXTRACT_TREES pushes each tree once.
//! 3. The *widest* tree is taken, the one of the largest weight. The paper takes any tree. Widest trees are fewer,
//!    hence schedules are shorter. Every value of a tree differs from the others, so a tree uses a task at most once
//!    and its weight is the smallest rate of its tasks. So one pass over the tasks finds the widest tree.
//!
//! The proof uses only that the inputs of a merge are disjoint and smaller than its result. So the same steps serve
//! operands that may be combined in any order, whose values are sets of operands.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use oneport_plan::{Interval, Pattern, Task, TaskRates, Value};
use oneport_platform::{LinkId, NodeId, Platform, Rational};
use oneport_watch::Watch;

use crate::circulation::{Arc, cancel_cycles};
use crate::error::ExtractError;
use crate::scaled::Unit;

/// The operands, their owners and the target.
#[derive(Debug, Clone, Copy)]
pub struct Reduction<'a> {
    /// The platform.
    pub platform: &'a Platform,
    /// The owners of the operands, in operand order. A node may own several.
    pub owners: &'a [NodeId],
    /// Where the result is wanted.
    pub target: NodeId,
    /// Whether operands may be combined in any order. Otherwise a value is an interval of them.
    pub commutative: bool,
}

/// Weighted trees, and the rates that are in none of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trees {
    /// The trees with their weights, in the order of decreasing weight. All are of demand 0.
    pub trees: Vec<(Rational, Pattern)>,
    /// The circulations of each value: sends that bring nothing anywhere.
    pub left_over: BTreeMap<(LinkId, Value), Rational>,
}

/// Writes rates as a weighted sum of reduction trees, whose weights add up to the throughput:
/// `A = sum w(T) chi_T + left_over` exactly, where `left_over` are the circulations of `A`
/// ([`cancel_circulations`]).
///
/// A value `v[k,k]` is unlimited at its owner, `owners[k]`. The result `v[0,N]` is consumed at the target. Every tree
/// makes each of its values once and sends it along a simple path. Its tasks are in canonical order: the tasks of the
/// left part, the tasks of the right part, the merge, the transfers of its result.
///
/// At most `t - rho` trees, where `t` tasks keep a positive rate after cancelling and `rho` is the rank of equations
/// (10) on them: every tree empties a task, all of them satisfy (10). `O(t (t + n))` comparisons of rates for `n`
/// nodes, besides the cancelling.
///
/// # Errors
/// [`ExtractError`]: tasks that do not exist, negative rates, rates that do not conserve messages or do not make the
/// throughput. Without any of these there is always a sum of trees. A limit of the watch, which is checked before every
/// tree.
pub fn extract(
    reduction: &Reduction<'_>,
    throughput: &Rational,
    rates: &TaskRates,
    watch: &Watch,
) -> Result<Trees, ExtractError> {
    let result = reduction.check_question()?;
    reduction.check_tasks(throughput, rates)?;
    let numbers = rates.sends.values().chain(rates.merges.values());
    let unit = Unit::of(numbers.chain([throughput]));
    let throughput = unit.whole(throughput);
    let mut sends: BTreeMap<_, _> = rates
        .sends
        .iter()
        .map(|(key, rate)| (key.clone(), unit.whole(rate)))
        .collect();
    let merges: BTreeMap<_, _> = rates
        .merges
        .iter()
        .map(|(key, rate)| (key.clone(), unit.whole(rate)))
        .collect();
    reduction.check_balance(&result, &sends, &merges, &throughput, &unit)?;
    let left_over = cancel(reduction.platform, &mut sends);
    let left_over = left_over
        .into_iter()
        .map(|(key, rate)| (key, unit.amount(rate)))
        .collect();
    let mut graph = TaskGraph::new(reduction, result, sends, merges, throughput)?;
    let mut trees = Vec::new();
    while let Some((weight, tree)) = graph.take_widest(reduction) {
        trees.push((unit.amount(weight), tree));
        watch.ask()?;
    }
    Ok(Trees { trees, left_over })
}

/// Cancels the directed cycles of each value and returns the removed rates: a circulation of every value, which only
/// keeps ports busy. Afterwards the sends of each value are acyclic.
///
/// If messages are conserved (equations (10) and (11)), this includes every return of `v[k,k]` to its owner and every
/// send of `v[0,N]` out of the target: such a message came from there, so it closes a cycle. The throughput, gained
/// less sent away, does not change. Rates of 0 are dropped. Rates of links that do not exist stay.
///
/// At most one cancellation per link and value, `O(n log n)` each, for `n` nodes.
pub fn cancel_circulations(
    platform: &Platform,
    rates: &mut TaskRates,
) -> BTreeMap<(LinkId, Value), Rational> {
    let unit = Unit::of(rates.sends.values());
    let mut sends = rates
        .sends
        .iter()
        .map(|(key, rate)| (key.clone(), unit.whole(rate)))
        .collect();
    let removed = cancel(platform, &mut sends);
    rates.sends = sends
        .into_iter()
        .map(|(key, rate)| (key, unit.amount(rate)))
        .collect();
    removed
        .into_iter()
        .map(|(key, rate)| (key, unit.amount(rate)))
        .collect()
}

/// Sends by link and value, in one unit.
type Sends = BTreeMap<(LinkId, Value), BigInt>;
/// Merges by node and inputs, in one unit.
type Merges = BTreeMap<(NodeId, Value, Value), BigInt>;

fn cancel(platform: &Platform, sends: &mut Sends) -> Sends {
    let mut types: BTreeMap<&Value, Vec<Arc<LinkId>>> = BTreeMap::new();
    for ((link, value), rate) in sends.iter() {
        if let Some(ends) = platform.links().get(link.index()) {
            let arc = Arc {
                link: *link,
                from: ends.from.index(),
                to: ends.to.index(),
                left: rate.clone(),
            };
            types.entry(value).or_default().push(arc);
        }
    }
    let mut removed = Sends::new();
    for (value, mut arcs) in types {
        cancel_cycles(&mut arcs);
        for arc in arcs {
            let key = (arc.link, value.clone());
            if let Some(rate) = sends.get(&key).filter(|rate| arc.left < **rate) {
                let taken = rate - &arc.left;
                removed.insert(key, taken);
            }
        }
    }
    for (key, taken) in &removed {
        if let Some(rate) = sends.get_mut(key) {
            *rate -= taken;
        }
    }
    sends.retain(|_, rate| !rate.is_zero());
    removed
}

impl Reduction<'_> {
    /// Whether a value is unlimited at a node: `v[k,k]` at its owner.
    fn owns(&self, node: NodeId, value: &Value) -> bool {
        value
            .alone()
            .is_some_and(|operand| self.owners.get(operand) == Some(&node))
    }

    fn check_node(&self, node: NodeId) -> Result<(), ExtractError> {
        let count = self.platform.nodes().len();
        if node.index() < count {
            Ok(())
        } else {
            Err(ExtractError::UnknownId {
                what: "node",
                id: node.index(),
                count,
            })
        }
    }

    /// Checks owners and target. Returns the final result `v[0,N]`.
    fn check_question(&self) -> Result<Value, ExtractError> {
        match self.owners {
            [] => return Err(ExtractError::NoOperands),
            [owner] if *owner == self.target => return Err(ExtractError::OwnResult),
            _ => self
                .owners
                .iter()
                .chain([&self.target])
                .try_for_each(|&node| self.check_node(node))?,
        }
        Ok(Value::from(Interval {
            first: 0,
            last: self.owners.len() - 1,
        }))
    }

    /// Whether the demand has such partial results.
    fn has(&self, value: &Value) -> bool {
        value.last().is_some_and(|last| last < self.owners.len())
            && (self.commutative || value.interval().is_some())
    }

    /// The result of a merge, if it is a value of the demand.
    fn merged(&self, left: &Value, right: &Value) -> Option<Value> {
        let made = left
            .join(right)
            .filter(|_| self.has(left) && self.has(right))?;
        (self.has(&made) && left < right).then_some(made)
    }

    /// Checks that every task exists and no rate is negative.
    fn check_tasks(&self, throughput: &Rational, rates: &TaskRates) -> Result<(), ExtractError> {
        let check = |exists: bool, rate: &Rational, task: &dyn Fn() -> String| {
            if !exists {
                return Err(self.unknown(task()));
            }
            not_negative(rate, task)
        };
        not_negative(throughput, &|| "throughput".to_string())?;
        for ((link, value), rate) in &rates.sends {
            let count = self.platform.links().len();
            if link.index() >= count {
                return Err(ExtractError::UnknownId {
                    what: "link",
                    id: link.index(),
                    count,
                });
            }
            let task = || format!("send({}, {value})", self.platform.link_name(*link));
            check(self.has(value), rate, &task)?;
        }
        for ((node, left, right), rate) in &rates.merges {
            self.check_node(*node)?;
            let name = || self.platform.name(*node).to_string();
            let task = || format!("cons({}, {})", name(), merge_name(left, right));
            check(self.merged(left, right).is_some(), rate, &task)?;
            if !self.platform.node(*node).merges() && !rate.is_zero() {
                return Err(ExtractError::Router {
                    task: task(),
                    node: name(),
                });
            }
        }
        Ok(())
    }

    fn unknown(&self, task: String) -> ExtractError {
        let operands = self.owners.len();
        if self.commutative {
            ExtractError::UnknownTaskOfSets { task, operands }
        } else {
            ExtractError::UnknownTask { task, operands }
        }
    }

    /// Checks equations (10) and (11).
    fn check_balance(
        &self,
        result: &Value,
        sends: &Sends,
        merges: &Merges,
        throughput: &BigInt,
        unit: &Unit,
    ) -> Result<(), ExtractError> {
        let mut balance: BTreeMap<(Value, NodeId), [BigInt; 2]> = BTreeMap::new();
        let (made, used) = (0, 1);
        let mut count = |value: &Value, node, side: usize, rate: &BigInt| {
            balance.entry((value.clone(), node)).or_default()[side] += rate;
        };
        count(result, self.target, used, throughput);
        for ((link, value), rate) in sends {
            let link = self.platform.link(*link);
            count(value, link.from, used, rate);
            count(value, link.to, made, rate);
        }
        for ((node, left, right), rate) in merges {
            if let Some(value) = left.join(right) {
                count(&value, *node, made, rate);
            }
            for input in [left, right] {
                count(input, *node, used, rate);
            }
        }
        for ((value, node), [made, used]) in balance {
            if made == used || self.owns(node, &value) {
                continue;
            }
            let name = self.platform.name(node).to_string();
            let amount = |whole: BigInt| Box::new(unit.amount(whole));
            return Err(if value == *result && node == self.target {
                let (found, throughput) =
                    (amount(made + throughput - used), amount(throughput.clone()));
                ExtractError::WrongThroughput {
                    target: name,
                    value: value.to_string(),
                    found,
                    throughput,
                }
            } else {
                let (made, used) = (amount(made), amount(used));
                ExtractError::Unbalanced {
                    value: value.to_string(),
                    node: name,
                    made,
                    used,
                }
            });
        }
        Ok(())
    }
}

/// `T[k,l,m]`, or the two inputs if they are not adjacent.
pub(crate) fn merge_name(left: &Value, right: &Value) -> String {
    match (left.interval(), right.interval()) {
        (Some(one), Some(two)) if one.last.checked_add(1) == Some(two.first) => {
            format!("T[{},{},{}]", one.first, one.last, two.last)
        }
        _ => format!("{left} + {right}"),
    }
}

/// Refuses a rate below 0.
pub(crate) fn not_negative(rate: &Rational, task: &dyn Fn() -> String) -> Result<(), ExtractError> {
    if rate.is_negative() {
        Err(ExtractError::Negative {
            task: task(),
            rate: Box::new(rate.clone()),
        })
    } else {
        Ok(())
    }
}

/// A partial result at a node, the (message, location) of RR-4872 section 4.3.
struct Holding {
    value: Value,
    /// Unlimited: `v[k,k]` at its owner.
    owned: bool,
    /// The jobs that bring the partial result there, as often as is left.
    made_by: Vec<usize>,
}

/// The kind of a job.
#[derive(Clone, Copy)]
enum JobKind {
    Send(LinkId),
    Merge(NodeId),
}

/// A task with its inputs and result, as holdings.
struct Job {
    kind: JobKind,
    inputs: Vec<usize>,
    output: usize,
    left: BigInt,
}

/// All holdings and the tasks between them, an acyclic graph.
struct TaskGraph {
    holdings: Vec<Holding>,
    jobs: Vec<Job>,
    /// Holdings in topological order.
    order: Vec<usize>,
    /// The result at the target.
    root: usize,
    /// At least every rate: the width of a value that is unlimited.
    unlimited: BigInt,
}

impl TaskGraph {
    /// Takes rates without circulations, of tasks that exist.
    fn new(
        reduction: &Reduction<'_>,
        result: Value,
        sends: Sends,
        merges: Merges,
        throughput: BigInt,
    ) -> Result<Self, ExtractError> {
        let mut holdings: Vec<Holding> = Vec::new();
        let mut numbers: BTreeMap<(Value, NodeId), usize> = BTreeMap::new();
        let mut holding = |value: &Value, node: NodeId| {
            *numbers.entry((value.clone(), node)).or_insert_with(|| {
                let owned = reduction.owns(node, value);
                holdings.push(Holding {
                    value: value.clone(),
                    owned,
                    made_by: Vec::new(),
                });
                holdings.len() - 1
            })
        };
        let root = holding(&result, reduction.target);
        let mut jobs = Vec::with_capacity(merges.len() + sends.len());
        for ((node, left_part, right_part), left) in merges {
            let made = reduction.merged(&left_part, &right_part);
            let made =
                made.ok_or_else(|| reduction.unknown(merge_name(&left_part, &right_part)))?;
            let inputs = vec![holding(&left_part, node), holding(&right_part, node)];
            jobs.push(Job {
                kind: JobKind::Merge(node),
                inputs,
                output: holding(&made, node),
                left,
            });
        }
        for ((link, value), left) in sends {
            let ends = reduction.platform.link(link);
            let inputs = vec![holding(&value, ends.from)];
            jobs.push(Job {
                kind: JobKind::Send(link),
                inputs,
                output: holding(&value, ends.to),
                left,
            });
        }
        for (number, job) in jobs.iter().enumerate() {
            holdings[job.output].made_by.push(number);
        }
        let order = order(holdings.len(), &jobs);
        Ok(TaskGraph {
            holdings,
            jobs,
            order,
            root,
            unlimited: throughput,
        })
    }

    /// Finds the tree of the largest weight and subtracts it. `None` if nothing is left.
    fn take_widest(&mut self, reduction: &Reduction<'_>) -> Option<(BigInt, Pattern)> {
        let zero = BigInt::zero();
        // Per holding: how often a tree could make it, and the last task of that tree.
        let mut widths: Vec<(&BigInt, Option<usize>)> = vec![(&zero, None); self.holdings.len()];
        for &holding in &self.order {
            if self.holdings[holding].owned {
                widths[holding].0 = &self.unlimited;
                continue;
            }
            for &number in &self.holdings[holding].made_by {
                let job = &self.jobs[number];
                let width = job
                    .inputs
                    .iter()
                    .map(|&input| widths[input].0)
                    .fold(&job.left, |a, b| a.min(b));
                if width > widths[holding].0 {
                    widths[holding] = (width, Some(number));
                }
            }
        }
        let weight = widths[self.root].0.clone();
        if weight.is_zero() {
            return None;
        }
        let last_task: Vec<Option<usize>> = widths.into_iter().map(|(_, number)| number).collect();
        let (chosen, pattern) = self.tree(&last_task, reduction.owners.len());
        for number in chosen {
            self.jobs[number].left -= &weight;
        }
        Some((weight, pattern))
    }

    /// The jobs that make the result, given the last one for every holding, and their tree. Every value has its
    /// operands at consecutive indices of the tree's order: the left part, then the right part.
    fn tree(&self, last_task: &[Option<usize>], operands: usize) -> (Vec<usize>, Pattern) {
        // Canonical order reversed: the result's transfers backwards, the merge, then the right part before the left.
        let mut reversed: Vec<(usize, Task)> = Vec::new();
        let mut order: Vec<usize> = (0..operands).collect();
        let mut wanted = vec![(self.root, 0)];
        while let Some((holding, first)) = wanted.pop() {
            let value = &self.holdings[holding].value;
            if let (true, Some(operand)) = (self.holdings[holding].owned, value.alone()) {
                order[first] = operand;
            }
            let Some(number) = last_task[holding] else {
                continue;
            };
            let job = &self.jobs[number];
            let part = Interval {
                first,
                last: first + value.count() - 1,
            };
            let mut from = first;
            for &input in &job.inputs {
                wanted.push((input, from));
                from += self.holdings[input].value.count();
            }
            let split = from
                - job
                    .inputs
                    .last()
                    .map_or(0, |&input| self.holdings[input].value.count());
            reversed.push((
                number,
                match job.kind {
                    JobKind::Send(link) => Task::send(link, part),
                    JobKind::Merge(node) => Task::merge(node, part, split.saturating_sub(1)),
                },
            ));
        }
        let (chosen, tasks): (Vec<usize>, Vec<Task>) = reversed.into_iter().rev().unzip();
        let own = order
            .iter()
            .enumerate()
            .all(|(holding, &operand)| holding == operand);
        (chosen, Pattern::tree(0, (!own).then_some(order), tasks))
    }
}

/// Holdings in topological order.
fn order(holdings: usize, jobs: &[Job]) -> Vec<usize> {
    let mut awaited = vec![0usize; holdings];
    let mut used_by = vec![Vec::new(); holdings];
    for job in jobs {
        awaited[job.output] += job.inputs.len();
        for &input in &job.inputs {
            used_by[input].push(job.output);
        }
    }
    let mut order: Vec<usize> = (0..holdings)
        .filter(|&holding| awaited[holding] == 0)
        .collect();
    let mut done = 0;
    while let Some(&holding) = order.get(done) {
        done += 1;
        for &next in &used_by[holding] {
            awaited[next] -= 1;
            if awaited[next] == 0 {
                order.push(next);
            }
        }
    }
    order
}
