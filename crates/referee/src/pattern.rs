//! Checks patterns of demands: tasks whose inputs are named, each at the node that needs it.
//!
//! A task makes or brings the value that it names: by induction `v[k,m]` combines the operands `k` to `m` in their
//! order, each once. How often a value may be used depends on the demand:
//! - If one node wants the result (a path, a reduction tree), every value is used once: a value that is sent or merged
//!   is gone. So the values that exist partition the operands, and the result is there only if nothing else is left. No
//!   value comes to a node twice.
//! - If several nodes want it (copies, all-reduces, prefixes), a value stays and may be used again. A link used twice,
//!   or a node reached twice, is wasteful, not wrong: the loads count every task. A node that does not replicate passes
//!   on at most once each copy that it receives, so two copies have to reach it to leave it twice. They may be one
//!   after the other: a copy goes through a switch to a node, whose own copy goes back through the same switch.

use std::collections::{BTreeMap, BTreeSet};

use oneport_plan::{Demand, Goals, Interval, MergeTask, Pattern, Task};
use oneport_platform::NodeId;

use crate::Violation;
use crate::case::{Case, has_part};
use crate::violation::{elsewhere, fault, not_made, part_name, used_again};

/// Checks that patterns execute their demands.
#[derive(Debug)]
pub(crate) struct PatternChecker<'a> {
    case: Case<'a>,
    /// "steady-state" or "schedule", for messages.
    owner: &'static str,
    /// Patterns checked so far.
    patterns: usize,
}

/// A value: the output of a task, or the operand at its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Operand(usize),
    Task(usize),
}

/// A pattern under review, task after task.
struct Review<'r> {
    case: &'r Case<'r>,
    demand: &'r Demand<'r>,
    pattern: &'r Pattern,
    name: &'r dyn Fn() -> String,
    /// Per operand, in the pattern's order.
    owners: Vec<NodeId>,
    /// Per task: the node of its result, and the part.
    results: Vec<(NodeId, Interval)>,
    /// Per value that may be used only once: the task that used it.
    used: BTreeMap<Value, usize>,
    /// The nodes that each value has visited, if it may not come back.
    visited: BTreeSet<(Interval, NodeId)>,
}

impl<'a> PatternChecker<'a> {
    pub(crate) fn new(case: Case<'a>, owner: &'static str) -> PatternChecker<'a> {
        PatternChecker {
            case,
            owner,
            patterns: 0,
        }
    }

    /// Checks the next pattern of the list. O(T log T) for T tasks.
    pub(crate) fn check(&mut self, pattern: &Pattern) -> Result<(), Violation> {
        let (owner, index, case) = (self.owner, self.patterns, self.case);
        self.patterns += 1;
        let name = || format!("{owner} pattern {index}");
        let Some(demand) = case.demand(pattern.demand) else {
            return Err(case.unknown_demand(name(), pattern.demand));
        };
        let mut review = Review {
            case: &case,
            demand: &demand,
            pattern,
            name: &name,
            owners: Vec::new(),
            results: Vec::with_capacity(pattern.tasks.len()),
            used: BTreeMap::new(),
            visited: BTreeSet::new(),
        };
        review.own()?;
        for (index, &task) in pattern.tasks.iter().enumerate() {
            review.task(index, task)?;
        }
        match demand.goals {
            Goals::At(target) => review.finished(target),
            Goals::Everywhere(_) | Goals::Prefixes => review.reached(),
        }
    }
}

impl Review<'_> {
    /// `schedule pattern 3 (A=>B), task 5`.
    fn location(&self, task: Option<usize>) -> String {
        let demand = self.case.demand_name(self.pattern.demand);
        let task = task
            .map(|task| format!(", task {task}"))
            .unwrap_or_default();
        format!("{} ({demand}){task}", (self.name)())
    }

    /// The violation, located at the pattern or at one of its tasks.
    fn at(&self, task: Option<usize>, violation: Violation) -> Violation {
        violation.at(self.location(task))
    }

    /// Whether every value is used once: one node wants the result.
    fn once(&self) -> bool {
        matches!(self.demand.goals, Goals::At(_))
    }

    /// Whether the value is a message, which nothing is combined with.
    fn is_message(&self) -> bool {
        self.demand.operands.len() == 1
    }

    /// The operands at their owners.
    fn own(&mut self) -> Result<(), Violation> {
        let order = self.pattern.order.as_deref();
        let fixed = order.is_some() && self.demand.goals == Goals::Prefixes;
        let owners = if fixed {
            Err(reordered())
        } else {
            owners(self.demand, order)
        };
        self.owners = owners.map_err(|violation| self.at(None, violation))?;
        if self.once() {
            let own = self
                .owners
                .iter()
                .enumerate()
                .map(|(operand, &owner)| (Interval::single(operand), owner));
            self.visited = own.collect();
        }
        Ok(())
    }

    fn task(&mut self, index: usize, task: Task) -> Result<(), Violation> {
        let located = |violation| self.at(Some(index), violation);
        let result = match task {
            Task::Send { link, part, after } => {
                check_part(self.demand, part).map_err(located)?;
                let ends = self
                    .case
                    .link(link, || format!("{}, task {index}", (self.name)()))?;
                if self.is_message() {
                    self.check_hop(index, task, ends.from)?;
                }
                self.take(index, after, part, ends.from)?;
                (ends.to, part)
            }
            Task::Merge {
                node,
                part,
                split,
                left,
                right,
            } => {
                let operands =
                    check_merge(self.case, self.demand, node, part, split).map_err(located)?;
                self.take(index, left, operands[0], node)?;
                self.take(index, right, operands[1], node)?;
                (node, part)
            }
        };
        let (node, part) = result;
        if self.once() && !self.visited.insert((part, node)) {
            let value = if self.is_message() {
                "the message".to_string()
            } else {
                part_name(&part)
            };
            let name = self.case.name(node);
            return Err(self.at(
                Some(index),
                fault!(Task, "{value} comes to '{name}' twice"; "cut the detour out"),
            ));
        }
        self.results.push(result);
        Ok(())
    }

    /// A link of a message starts at the message's node.
    fn check_hop(&self, index: usize, task: Task, from: NodeId) -> Result<(), Violation> {
        let Task::Send { link, after, .. } = task else {
            return Ok(());
        };
        let holder = match after {
            None => self.owners.first(),
            Some(after) => self.results.get(after as usize).map(|(node, _)| node),
        };
        match holder {
            Some(&holder) if holder != from => {
                let (link, node) = (self.case.platform.link_name(link), self.case.name(holder));
                let found = fault!(
                    Task,
                    "sends the message over {link}, but it is at '{node}' then"
                );
                Err(self.at(Some(index), found))
            }
            _ => Ok(()),
        }
    }

    /// The input is the part, and at the node. If it may be used once only, it has not been used.
    fn take(
        &mut self,
        task: usize,
        input: Option<u32>,
        part: Interval,
        node: NodeId,
    ) -> Result<(), Violation> {
        let (value, holder) = self.find(task, input, part)?;
        if holder != node {
            let (node, holder) = (self.case.name(node), self.case.name(holder));
            return Err(self.at(Some(task), elsewhere(part, &node, &holder)));
        }
        let once = self.once();
        if !once && self.case.replicates(node) {
            return Ok(());
        }
        let Some(first) = self.used.insert(value, task) else {
            return Ok(());
        };
        let name = self.case.name(node);
        Err(match (once, self.is_message()) {
            (true, true) => {
                let found =
                    format!("tasks {first} and {task} both send the message on from '{name}'");
                self.at(
                    None,
                    fault!(Task, "{found}"; "it has one target, so it takes one path"),
                )
            }
            (true, false) => self.at(Some(task), used_again(part)),
            (false, _) => {
                let location = format!("at '{name}', which does not replicate");
                self.at(
                    None,
                    fault!(Task, "tasks {first} and {task} both use the same copy {location}"; "bring a copy for each"),
                )
            }
        })
    }

    /// The value that an input names, and its node.
    fn find(
        &self,
        task: usize,
        input: Option<u32>,
        part: Interval,
    ) -> Result<(Value, NodeId), Violation> {
        let Some(input) = input.map(|input| input as usize) else {
            let owner = self
                .owners
                .get(part.first)
                .filter(|_| part.first == part.last);
            let not_made = || self.at(Some(task), not_made(part));
            return owner
                .map(|&owner| (Value::Operand(part.first), owner))
                .ok_or_else(not_made);
        };
        match self.results.get(input) {
            None => {
                let right = "a task uses the results of earlier ones";
                Err(self.at(
                    Some(task),
                    fault!(Task, "uses the result of task {input}"; "{right}"),
                ))
            }
            Some(&(_, found)) if found != part => {
                let (found, part) = (part_name(&found), part_name(&part));
                Err(self.at(
                    Some(task),
                    fault!(Task, "uses the result of task {input}, which is {found}"; "it must be {part}"),
                ))
            }
            Some(&(holder, _)) => Ok((Value::Task(input), holder)),
        }
    }

    /// The values that no task has used, if every value is used once. Ascending by part.
    fn left_over(&self) -> Vec<(Interval, NodeId)> {
        let own = self.owners.iter().enumerate();
        let own = own
            .map(|(operand, &owner)| (Value::Operand(operand), (Interval::single(operand), owner)));
        let made = self
            .results
            .iter()
            .enumerate()
            .map(|(task, &(node, part))| (Value::Task(task), (part, node)));
        let unused = own
            .chain(made)
            .filter(|(value, _)| !self.used.contains_key(value));
        let mut left: Vec<(Interval, NodeId)> = unused.map(|(_, value)| value).collect();
        left.sort_unstable();
        left
    }

    /// The result is at the target, and nothing else is left.
    fn finished(&self, target: NodeId) -> Result<(), Violation> {
        match self.left_over()[..] {
            [(part, node)] if part == self.demand.whole() && node == target => Ok(()),
            [(part, node)] if part == self.demand.whole() => {
                let (pattern, node) = (self.location(None), self.case.name(node));
                Err(fault!(Task, "{pattern} ends at '{node}'"; "it must end at the target"))
            }
            [(part, node), ..] => Err(self.left(part, node)),
            [] => Err(self.left(self.demand.whole(), target)),
        }
    }

    fn left(&self, part: Interval, node: NodeId) -> Violation {
        let (part, node) = (part_name(&part), self.case.name(node));
        self.at(
            None,
            fault!(Task, "{part} is left at '{node}'"; "everything must be merged into one result"),
        )
    }

    /// Every goal is reached.
    fn reached(&self) -> Result<(), Violation> {
        let own = self
            .owners
            .iter()
            .enumerate()
            .map(|(operand, &owner)| (owner, Interval::single(operand)));
        let held: BTreeSet<(NodeId, Interval)> = self.results.iter().copied().chain(own).collect();
        let Some((node, part)) = self
            .demand
            .goals()
            .into_iter()
            .find(|goal| !held.contains(goal))
        else {
            return Ok(());
        };
        let node = self.case.name(node);
        Err(self.at(
            None,
            if self.is_message() {
                fault!(Task, "'{node}' gets no copy"; "every target must get one")
            } else {
                fault!(
                    Task,
                    "{} is not brought to '{node}', where it is wanted",
                    part_name(&part)
                )
            },
        ))
    }
}

fn reordered() -> Violation {
    fault!(Task, "the operands have an order of their own, but the operator is not commutative"; "leave the order out")
}

/// The owners of the operands, in the pattern's own order if it has one: that names every participant once.
fn owners(demand: &Demand<'_>, order: Option<&[usize]>) -> Result<Vec<NodeId>, Violation> {
    let participants = &demand.operands;
    let Some(order) = order else {
        return Ok(participants.to_vec());
    };
    if !demand.commutative {
        return Err(reordered());
    }
    let operands = participants.len();
    if order.len() != operands {
        return Err(
            fault!(Task, "the order lists {} participants", order.len(); "list all {operands}, each once"),
        );
    }
    let mut named = BTreeSet::new();
    let owner = |(index, &participant): (usize, &usize)| {
        let owner = participants
            .get(participant)
            .filter(|_| named.insert(participant));
        owner.copied().ok_or_else(|| {
            let right = format!("list each of the {operands} participants, numbered from 0, once");
            fault!(Task, "entry {index} of the order is participant {participant}"; "{right}")
        })
    };
    order.iter().enumerate().map(owner).collect()
}

/// The partial result exists.
pub(crate) fn check_part(demand: &Demand<'_>, part: Interval) -> Result<(), Violation> {
    if has_part(demand, part) {
        return Ok(());
    }
    let (part, last) = (part_name(&part), demand.whole().last);
    Err(fault!(Task, "{part} does not exist"; "parts are v[k,m] with 0 <= k <= m <= {last}"))
}

/// The node computes, the result exists, and the split is within it. Returns the left and the right operand.
pub(crate) fn check_merge(
    case: &Case<'_>,
    demand: &Demand<'_>,
    node: NodeId,
    part: Interval,
    split: usize,
) -> Result<[Interval; 2], Violation> {
    let Some(processor) = case.platform.nodes().get(node.index()) else {
        let (id, nodes) = (node.index(), case.platform.nodes().len());
        return Err(
            fault!(Task, "node id {id} does not exist"; "the platform has {nodes} nodes, numbered from 0"),
        );
    };
    if !processor.merges() {
        return Err(
            fault!(Task, "a merge at '{}', which is a router", case.name(node); "only processors merge, and switches that reduce"),
        );
    }
    check_part(demand, part)?;
    if split < part.first || split >= part.last {
        let part = part_name(&part);
        return Err(
            fault!(Task, "{part} split after operand {split}"; "a merge splits v[k,m] after one of k, ... m-1"),
        );
    }
    if !case.volumes.can_merge(node, part, split) {
        let (task, node) = (MergeTask::new(part, split), case.name(node));
        return Err(
            fault!(Task, "{task} at '{node}'"; "the table of work gives it no time there: it cannot do it"),
        );
    }
    Ok(part.split(split).into())
}
