//! Reduction trees from rates of tasks: EXTRACT_TREES of RR-4872 figure 8, corrected.
//!
//! A solution of the steady-state program says how often every `send` and every `cons` happens. [`extract`] writes it
//! as a weighted sum of reduction trees (RR-4872 lemma 2): `A = sum w(T) chi_T`.
//!
//! Deviations from the printed algorithm (docs/errata.md):
//! 1. **Circulations are cancelled first** ([`cancel_circulations`]). A solution, even an optimal vertex, may send the
//!    same partial result around a cycle; FIND_TREE, which does not decrease `A` while it searches, can follow that
//!    cycle for ever, and when it is lucky the cycle is left over, so that lemma 2 does not hold. Cycles never involve
//!    merges, which lengthen intervals.
//! 2. Line 13 looks for a message *received*: `send(P_j -> P_i, v[k,m])`. Lines 12 and 18 go back to line 3, line 19
//!    returns the tasks, and EXTRACT_TREES pushes each tree once.
//! 3. Of all trees the *widest* is taken, the one of the largest weight, where the paper takes any: fewer trees, hence
//!    shorter schedules. Every interval of a tree differs from the others, so a tree uses a task at most once and its
//!    weight is the smallest rate of its tasks: the widest tree is found in one pass over the tasks.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use oneport_plan::{Interval, Pattern, Task};
use oneport_platform::{LinkId, NodeId, Platform};

/// How often the tasks of one reduction happen: the integer solution `A` of RR-4872 section 4.2. All in one unit,
/// for instance times per period. Absent means never.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskRates {
    /// `send(P_i -> P_j, v[k,m])`, by link and interval.
    pub sends: BTreeMap<(LinkId, Interval), BigInt>,
    /// `cons(P_i, T[k,l,m])`, by node, result `[k,m]` and split `l`.
    pub merges: BTreeMap<(NodeId, Interval, usize), BigInt>,
}

/// Why rates are no weighted sum of reduction trees.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// A reduction of one value, or of none.
    #[error("{found} operands; a reduction combines at least 2")]
    TooFewOperands {
        /// How many there are.
        found: usize,
    },
    /// A node or link id outside the platform.
    #[error("{what} id {id} does not exist; the platform has {count} {what}s, numbered from 0")]
    UnknownId {
        /// "node" or "link".
        what: &'static str,
        /// The id's number.
        id: usize,
        /// How many there are.
        count: usize,
    },
    /// A partial result or a split that does not exist.
    #[error(
        "{task}: no such task among {operands} operands; v[k,m] has k <= m < {operands}, and T[k,l,m] k <= l < m < \
             {operands}"
    )]
    UnknownTask {
        /// The task.
        task: String,
        /// How many operands there are.
        operands: usize,
    },
    /// A merge at a node without a processor.
    #[error("{task}: '{node}' is a router; only processors merge")]
    Router {
        /// The task.
        task: String,
        /// The node's name.
        node: String,
    },
    /// A task that happens less often than never.
    #[error("{task}: rate {rate}; a rate is 0 or more")]
    Negative {
        /// The task.
        task: String,
        /// Its rate.
        rate: Box<BigInt>,
    },
    /// Equation (10) does not hold.
    #[error("{value} at '{node}': {made} made or received, but {used} merged or sent; the two have to be equal")]
    Unbalanced {
        /// The partial result.
        value: String,
        /// The node's name.
        node: String,
        /// Made or received.
        made: Box<BigInt>,
        /// Merged or sent.
        used: Box<BigInt>,
    },
    /// Equation (11) does not hold.
    #[error("'{target}' gains {found} results {value}; the throughput says {throughput}")]
    WrongThroughput {
        /// The target's name.
        target: String,
        /// The final result.
        value: String,
        /// Results made or received at the target, less those sent away.
        found: Box<BigInt>,
        /// The throughput given.
        throughput: Box<BigInt>,
    },
}

/// Writes rates as a weighted sum of reduction trees, whose weights add up to the throughput:
/// `A = sum w(T) chi_T` exactly, where `A` is `rates` less its circulations ([`cancel_circulations`]).
///
/// A value `v[k,k]` is unlimited at its owner, `participants[k]`; the result `v[0,N]` is consumed at the target. There
/// are at most as many trees as tasks with a positive rate, in the order of decreasing weight. Every tree makes each of
/// its intervals once and sends it along a simple path; its tasks are in canonical order: those of the left part, those
/// of the right part, the merge, the transfers of its result. The trees are of demand 0, in the participants' order.
///
/// `O(t (t + n))` comparisons of rates for `t` tasks and `n` nodes, besides the cancelling.
///
/// # Errors
/// [`ExtractError`]: tasks that do not exist, negative rates, rates that do not conserve messages or do not make the
/// throughput. Without any of these there is always a sum of trees.
pub fn extract(
    platform: &Platform,
    participants: &[NodeId],
    target: NodeId,
    throughput: &BigInt,
    mut rates: TaskRates,
) -> Result<Vec<(BigInt, Pattern)>, ExtractError> {
    let reduction = Reduction { platform, participants, target };
    let result = reduction.check_question()?;
    reduction.check_tasks(&rates)?;
    reduction.check_balance(result, &rates, throughput)?;
    cancel_circulations(platform, &mut rates);
    let mut graph = TaskGraph::new(&reduction, result, rates, throughput.clone());
    Ok(std::iter::from_fn(|| graph.take_widest()).collect())
}

/// Cancels the directed cycles of each message type and returns what was removed: a circulation of every type, which
/// did nothing but keep ports busy. Afterwards the sends of each type are acyclic.
///
/// Where messages are conserved (equations (10) and (11)), this includes every return of `v[k,k]` to its owner and
/// every send of `v[0,N]` out of the target: such a message came from there, so it closes a cycle. The throughput,
/// gained less sent away, does not change. Rates of 0 are dropped; negative ones, and those of links that do not exist,
/// stay.
///
/// At most one cancellation per link and type, `O(n)` each, for `n` nodes.
pub fn cancel_circulations(platform: &Platform, rates: &mut TaskRates) -> BTreeMap<(LinkId, Interval), BigInt> {
    let mut types: BTreeMap<Interval, Vec<Arc>> = BTreeMap::new();
    for (&(link, part), rate) in &rates.sends {
        if let Some(ends) = platform.links().get(link.index()) {
            types.entry(part).or_default().push(Arc { link, from: ends.from, to: ends.to, left: rate.clone() });
        }
    }
    let mut removed = BTreeMap::new();
    for (part, mut arcs) in types {
        cancel_cycles(&mut arcs);
        for arc in arcs {
            let Some(rate) = rates.sends.get_mut(&(arc.link, part)) else { continue };
            if arc.left < *rate {
                removed.insert((arc.link, part), &*rate - &arc.left);
                *rate = arc.left;
            }
        }
    }
    rates.sends.retain(|_, rate| !rate.is_zero());
    removed
}

/// A link with what is left of the sends of one type.
struct Arc {
    link: LinkId,
    from: NodeId,
    to: NodeId,
    left: BigInt,
}

/// A depth-first walk that cancels each cycle it closes and goes back to the first arc that this emptied.
fn cancel_cycles(arcs: &mut [Arc]) {
    let mut untried: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (place, arc) in arcs.iter().enumerate() {
        untried.entry(arc.from).or_default().push(place);
    }
    let starts: Vec<NodeId> = untried.keys().copied().collect();
    // Nodes from which no cycle can be reached any more.
    let mut finished = BTreeSet::new();
    for start in starts {
        let mut path: Vec<usize> = Vec::new();
        // Where on the path a node is: the number of arcs before it.
        let mut on_path = BTreeMap::from([(start, 0)]);
        let mut node = start;
        loop {
            let Some(next) = next_arc(arcs, &mut untried, &finished, node) else {
                finished.insert(node);
                let Some(back) = path.pop() else { break };
                node = arcs[back].from;
                continue;
            };
            path.push(next);
            node = arcs[next].to;
            match on_path.get(&node) {
                None => {
                    on_path.insert(node, path.len());
                }
                Some(&entry) => {
                    let kept = entry + cancel_cycle(arcs, &path[entry..]);
                    node = arcs[path[kept]].from;
                    path.truncate(kept);
                    on_path.retain(|_, place| *place <= kept);
                }
            }
        }
    }
}

/// An arc out of `node` that may lie on a cycle. Arcs that cannot are forgotten.
fn next_arc(
    arcs: &[Arc],
    untried: &mut BTreeMap<NodeId, Vec<usize>>,
    finished: &BTreeSet<NodeId>,
    node: NodeId,
) -> Option<usize> {
    let list = untried.get_mut(&node)?;
    while let Some(&place) = list.last() {
        if arcs[place].left.is_positive() && !finished.contains(&arcs[place].to) {
            return Some(place);
        }
        list.pop();
    }
    None
}

/// Takes as much as possible off every arc of a cycle; returns the place in the cycle of the first arc emptied.
fn cancel_cycle(arcs: &mut [Arc], cycle: &[usize]) -> usize {
    let least = cycle.iter().map(|&place| &arcs[place].left).min().cloned().unwrap_or_default();
    for &place in cycle {
        arcs[place].left -= &least;
    }
    cycle.iter().position(|&place| arcs[place].left.is_zero()).unwrap_or(0)
}

/// The two parts of a merge.
fn parts(part: Interval, split: usize) -> [Interval; 2] {
    [Interval { first: part.first, last: split }, Interval { first: split + 1, last: part.last }]
}

fn value_name(part: Interval) -> String {
    format!("v[{},{}]", part.first, part.last)
}

/// What is reduced to where.
struct Reduction<'a> {
    platform: &'a Platform,
    participants: &'a [NodeId],
    target: NodeId,
}

impl Reduction<'_> {
    /// Whether a value is unlimited at a node: `v[k,k]` at its owner.
    fn owns(&self, node: NodeId, part: Interval) -> bool {
        part.first == part.last && self.participants.get(part.first) == Some(&node)
    }

    fn check_node(&self, node: NodeId) -> Result<(), ExtractError> {
        let count = self.platform.nodes().len();
        if node.index() < count {
            Ok(())
        } else {
            Err(ExtractError::UnknownId { what: "node", id: node.index(), count })
        }
    }

    /// Checks who takes part; returns the final result `[0,N]`.
    fn check_question(&self) -> Result<Interval, ExtractError> {
        let found = self.participants.len();
        if found < 2 {
            return Err(ExtractError::TooFewOperands { found });
        }
        self.participants.iter().chain([&self.target]).try_for_each(|&node| self.check_node(node))?;
        Ok(Interval { first: 0, last: found - 1 })
    }

    /// Checks that every task exists and no rate is negative.
    fn check_tasks(&self, rates: &TaskRates) -> Result<(), ExtractError> {
        let operands = self.participants.len();
        let exists = |part: Interval| part.first <= part.last && part.last < operands;
        let check = |exists: bool, rate: &BigInt, task: &dyn Fn() -> String| {
            if !exists {
                return Err(ExtractError::UnknownTask { task: task(), operands });
            }
            if rate.is_negative() {
                return Err(ExtractError::Negative { task: task(), rate: Box::new(rate.clone()) });
            }
            Ok(())
        };
        for (&(link, part), rate) in &rates.sends {
            let count = self.platform.links().len();
            if link.index() >= count {
                return Err(ExtractError::UnknownId { what: "link", id: link.index(), count });
            }
            let task = || format!("send({}, {})", self.platform.link_name(link), value_name(part));
            check(exists(part), rate, &task)?;
        }
        for (&(node, part, split), rate) in &rates.merges {
            self.check_node(node)?;
            let name = || self.platform.name(node).to_string();
            let task = || format!("cons({}, T[{},{split},{}])", name(), part.first, part.last);
            check(exists(part) && part.first <= split && split < part.last, rate, &task)?;
            if !self.platform.node(node).is_processor() && !rate.is_zero() {
                return Err(ExtractError::Router { task: task(), node: name() });
            }
        }
        Ok(())
    }

    /// Checks equations (10) and (11).
    fn check_balance(&self, result: Interval, rates: &TaskRates, throughput: &BigInt) -> Result<(), ExtractError> {
        let mut balance: BTreeMap<(Interval, NodeId), [BigInt; 2]> = BTreeMap::new();
        let (made, used) = (0, 1);
        let mut count = |part, node, side: usize, rate| balance.entry((part, node)).or_default()[side] += rate;
        count(result, self.target, used, throughput);
        for (&(link, part), rate) in &rates.sends {
            let link = self.platform.link(link);
            count(part, link.from, used, rate);
            count(part, link.to, made, rate);
        }
        for (&(node, part, split), rate) in &rates.merges {
            count(part, node, made, rate);
            parts(part, split).into_iter().for_each(|input| count(input, node, used, rate));
        }
        for ((part, node), [made, used]) in balance {
            if made == used || self.owns(node, part) {
                continue;
            }
            let (value, name) = (value_name(part), self.platform.name(node).to_string());
            return Err(if part == result && node == self.target {
                let found = Box::new(made + throughput - used);
                ExtractError::WrongThroughput { target: name, value, found, throughput: Box::new(throughput.clone()) }
            } else {
                ExtractError::Unbalanced { value, node: name, made: Box::new(made), used: Box::new(used) }
            });
        }
        Ok(())
    }
}

/// A partial result at a node, the (message, location) of RR-4872 section 4.3.
struct Place {
    /// Unlimited: `v[k,k]` at its owner.
    owned: bool,
    /// The jobs that bring the partial result there, as often as is left.
    made_by: Vec<usize>,
}

/// A task with its inputs and result, as places.
struct Job {
    task: Task,
    inputs: Vec<usize>,
    output: usize,
    left: BigInt,
}

/// All places and the tasks between them; acyclic.
struct TaskGraph {
    places: Vec<Place>,
    jobs: Vec<Job>,
    /// Every place after those that it is made from.
    order: Vec<usize>,
    /// The result at the target.
    root: usize,
    /// At least every rate: the width of a value that is unlimited.
    unlimited: BigInt,
}

impl TaskGraph {
    /// Takes rates without circulations.
    fn new(reduction: &Reduction<'_>, result: Interval, rates: TaskRates, throughput: BigInt) -> Self {
        let mut places: Vec<Place> = Vec::new();
        let mut numbers: BTreeMap<(Interval, NodeId), usize> = BTreeMap::new();
        let mut place = |part: Interval, node: NodeId| {
            *numbers.entry((part, node)).or_insert_with(|| {
                places.push(Place { owned: reduction.owns(node, part), made_by: Vec::new() });
                places.len() - 1
            })
        };
        let root = place(result, reduction.target);
        let mut jobs = Vec::with_capacity(rates.merges.len() + rates.sends.len());
        for ((node, part, split), left) in rates.merges {
            let inputs = parts(part, split).map(|input| place(input, node)).to_vec();
            jobs.push(Job { task: Task::merge(node, part, split), inputs, output: place(part, node), left });
        }
        for ((link, part), left) in rates.sends {
            let ends = reduction.platform.link(link);
            let inputs = vec![place(part, ends.from)];
            jobs.push(Job { task: Task::send(link, part), inputs, output: place(part, ends.to), left });
        }
        for (number, job) in jobs.iter().enumerate() {
            places[job.output].made_by.push(number);
        }
        let order = order(places.len(), &jobs);
        TaskGraph { places, jobs, order, root, unlimited: throughput }
    }

    /// Finds the tree of the largest weight and takes it out; `None` when nothing is left.
    fn take_widest(&mut self) -> Option<(BigInt, Pattern)> {
        let zero = BigInt::zero();
        // By place: how often a tree could make it, and the last task of that tree.
        let mut widths: Vec<(&BigInt, Option<usize>)> = vec![(&zero, None); self.places.len()];
        for &place in &self.order {
            if self.places[place].owned {
                widths[place].0 = &self.unlimited;
                continue;
            }
            for &number in &self.places[place].made_by {
                let job = &self.jobs[number];
                let width = job.inputs.iter().map(|&input| widths[input].0).fold(&job.left, |a, b| a.min(b));
                if width > widths[place].0 {
                    widths[place] = (width, Some(number));
                }
            }
        }
        let weight = widths[self.root].0.clone();
        if weight.is_zero() {
            return None;
        }
        let last_task: Vec<Option<usize>> = widths.into_iter().map(|(_, number)| number).collect();
        let chosen = self.tree(&last_task);
        for &number in &chosen {
            self.jobs[number].left -= &weight;
        }
        let tasks: Vec<Task> = chosen.iter().map(|&number| self.jobs[number].task).collect();
        Some((weight, Pattern::tree(0, None, tasks)))
    }

    /// The jobs that make the result, given the last one for every place, in canonical order.
    fn tree(&self, last_task: &[Option<usize>]) -> Vec<usize> {
        // Canonical order reversed: the result's transfers backwards, the merge, then the right part before the left.
        let mut reversed = Vec::new();
        let mut wanted = vec![self.root];
        while let Some(place) = wanted.pop() {
            if let Some(number) = last_task[place] {
                reversed.push(number);
                wanted.extend(&self.jobs[number].inputs);
            }
        }
        reversed.reverse();
        reversed
    }
}

/// Every place after those that it is made from.
fn order(places: usize, jobs: &[Job]) -> Vec<usize> {
    let mut awaited = vec![0usize; places];
    let mut used_by = vec![Vec::new(); places];
    for job in jobs {
        awaited[job.output] += job.inputs.len();
        job.inputs.iter().for_each(|&input| used_by[input].push(job.output));
    }
    let mut order: Vec<usize> = (0..places).filter(|&place| awaited[place] == 0).collect();
    let mut done = 0;
    while let Some(&place) = order.get(done) {
        done += 1;
        for &next in &used_by[place] {
            awaited[next] -= 1;
            if awaited[next] == 0 {
                order.push(next);
            }
        }
    }
    order
}
