//! One operation of a named collective: ranks, pieces, and the order of the sends and merges of each rank.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;
use oneport_plan::{Form, Problem, Task, Wants};
use oneport_platform::{NodeId, Platform};
use oneport_schedule::{Execution, Watch, execution};

use crate::hops::{Hop, Work, hops};
use crate::pieces::without_slots;
use crate::results::results;
use crate::{ExportError, Request};

/// Pieces of a message. Trades exact shares for the size of a program. Not measured.
const PIECES: u64 = 10_000;

/// Order of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Order of the schedule.
    Dates,
    /// Order of stages, without slots. Suffices to count steps.
    Stages,
}

/// One operation.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The collective's name.
    pub collective: &'static str,
    /// Its row in the table of forms.
    pub form: &'static Form,
    /// The participants, then the nodes that only forward or combine.
    pub ranks: Vec<NodeId>,
    /// Number of participants among the ranks.
    pub participants: usize,
    /// Pieces that each message is divided into.
    pub pieces: u64,
    /// Sends and merges in an order in which no rank deadlocks.
    pub steps: Vec<Step>,
    /// Indices of the steps by start within a period. Steps of stage `s` run `s` periods later, so operations that
    /// follow one another by a period overlap.
    pub turns: Vec<usize>,
    /// Per demand: the ranks that own its operands and the ranks that are goals of its result.
    pub blocks: Vec<Block>,
}

/// A demand, by ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The owners of the operands, in operand order.
    pub owners: Vec<usize>,
    /// Goals: the rank, and the last operand of the result.
    pub goals: Vec<(usize, usize)>,
    /// Messages (or reductions) of the common size that it represents: 1, or its count.
    pub count: usize,
    /// The blocks of its owner's input, and of its target's output, at which it begins.
    pub begins: [usize; 2],
}

/// A send or a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// Rank that holds the value before the step. For a merge, the rank that merges.
    pub from: usize,
    /// Rank that holds the value afterwards. For a merge, the same rank.
    pub to: usize,
    /// Index of the demand.
    pub demand: usize,
    /// Which of the demand's messages: 0, or below its count.
    pub unit: usize,
    /// Index of the piece, `0..Operation::pieces`.
    pub piece: u64,
    /// The value sent or made: operands `first..=last` in the pattern's order.
    pub part: [usize; 2],
    /// Whether it is a merge.
    pub merge: bool,
    /// The values that the step uses: one, or the left and the right one.
    pub inputs: Vec<Value>,
    /// Whether the rank `to` is a goal of the result.
    pub result: bool,
    /// Index of the step's hop, in the order of the plan.
    pub hop: usize,
    /// Periods after the first.
    pub stage: usize,
}

impl Step {
    /// The results of other steps that this one uses.
    pub(crate) fn uses<T: Clone>(&self, made: &[T]) -> Vec<T> {
        let before = self.inputs.iter().filter_map(|value| match *value {
            Value::Of(before) => made.get(before),
            Value::Own(_) => None,
        });
        before.cloned().collect()
    }
}

/// Source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// The operand of this number, in the demand's own order, from its owner.
    Own(usize),
    /// The result of a step.
    Of(usize),
}

/// A processor without a rank that messages pass: without a process nothing passes it.
fn forwards_without_rank(
    problem: &Problem,
    execution: &Execution,
    kept: impl Fn(NodeId) -> bool,
) -> Option<NodeId> {
    let platform = problem.platform();
    let ends = execution.tasks.iter().filter_map(|dated| match dated.task {
        Task::Send { link, .. } => Some(platform.link(link).to),
        Task::Merge { .. } => None,
    });
    ends.into_iter()
        .find(|&node| platform.node(node).is_processor() && !kept(node))
}

/// Whether a program starts a rank on a node that takes no part: on hosts, which may run more processes. On
/// accelerators, only the job's own ranks run.
pub(crate) fn may_have_rank(platform: &Platform, node: NodeId) -> bool {
    let node = platform.node(node);
    node.is_processor() && !node.accelerator
}

impl Operation {
    /// The sentence on ranks that take no part. Empty if all take part.
    pub(crate) fn note(&self, platform: &Platform) -> Vec<String> {
        let bystanders = &self.ranks[self.participants..];
        let names: Vec<String> = (self.participants..)
            .zip(bystanders)
            .map(|(rank, &node)| format!("rank {rank} on '{}'", platform.name(node)))
            .collect();
        if names.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "{} ranks, of which {} take part; start {}, too, which only {} (a plan by --idle out needs no such rank)",
            self.ranks.len(),
            self.participants,
            names.join(", "),
            if names.len() == 1 {
                "passes on"
            } else {
                "pass on"
            }
        )]
    }

    /// The operation of a request. `keep` selects the nodes without a role that are kept. The others are left out.
    ///
    /// # Errors
    /// The collective has no roles, there are too many pieces, or a node with a merge is left out.
    pub(crate) fn new(
        request: &Request<'_>,
        format: &'static str,
        order: Order,
        keep: impl Fn(NodeId) -> bool,
    ) -> Result<Self, ExportError> {
        let problem = request.problem;
        let refused = |reason: String| ExportError::refused(format, reason);
        let Some(form) = problem.collective().form() else {
            return Err(refused(
                "process groups and lists of demands are not a single operation".to_string(),
            ));
        };
        let asked = request.pieces.number();
        let pieces = asked.or_else(|| request.schedule.instances.to_u64());
        let pieces = pieces.filter(|&pieces| pieces <= PIECES).ok_or_else(|| {
            let instances = &request.schedule.instances;
            refused(format!(
                "a message would be divided into {} pieces, and {PIECES} is the limit; ask for fewer with --pieces, or for \
                 a plan with fewer instances per period",
                asked.map_or(instances.to_string(), |pieces| pieces.to_string())
            ))
        })?;
        let (schedule, execution) = match order {
            Order::Dates => request.execution(format, Some(pieces))?,
            Order::Stages => {
                let schedule = without_slots(problem, request.schedule, pieces);
                let execution = execution(problem, &schedule, &Watch::unlimited())?;
                (Cow::Owned(schedule), execution)
            }
        };
        let taking_part = ranks(problem, form.combines);
        let participants: BTreeSet<NodeId> = taking_part.iter().copied().collect();
        let kept = |node: NodeId| participants.contains(&node) || keep(node);
        if let Some(node) = forwards_without_rank(problem, &execution, kept) {
            let name = problem.platform().name(node);
            return Err(refused(format!(
                "'{name}' takes no part and forwards, and no rank runs there; solve without it (--idle out), or let it \
                 take part"
            )));
        }
        let hops = hops(problem, &execution, kept).map_err(|node| {
            let name = problem.platform().name(node);
            refused(if problem.platform().node(node).is_processor() {
                format!("'{name}' takes no part and merges; a plan whose participants merge has a rank for each")
            } else {
                format!("the switch '{name}' combines values (reduces), and no rank runs there; give a plan without in-network reduction")
            })
        })?;
        let wanted: BTreeSet<usize> = results(problem, &execution)
            .iter()
            .map(|served| served.task)
            .collect();
        let mut operation = Operation {
            collective: form.name,
            form,
            participants: taking_part.len(),
            ranks: taking_part,
            pieces,
            steps: Vec::new(),
            turns: Vec::new(),
            blocks: Vec::new(),
        };
        let orders: Vec<Option<&[usize]>> = schedule
            .patterns
            .iter()
            .map(|scheduled| scheduled.pattern.order.as_deref())
            .collect();
        operation.enter(problem, &hops, &wanted, &orders);
        operation.take_turns(&hops, &execution.period);
        Ok(operation)
    }

    fn take_turns(&mut self, hops: &[Hop], period: &BigInt) {
        let mut starts = Vec::with_capacity(self.steps.len());
        for (index, step) in self.steps.iter_mut().enumerate() {
            let (stage, start) = hops[step.hop].start.div_rem(period);
            step.stage = stage.to_usize().unwrap_or(usize::MAX);
            starts.push((start, index));
        }
        starts.sort_unstable();
        self.turns = starts.into_iter().map(|(_, index)| index).collect();
    }

    fn enter(
        &mut self,
        problem: &Problem,
        hops: &[Hop],
        wanted: &BTreeSet<usize>,
        orders: &[Option<&[usize]>],
    ) {
        let mut order: Vec<usize> = (0..hops.len()).collect();
        order.sort_by(|&a, &b| (&hops[a].start, a).cmp(&(&hops[b].start, b)));
        let mut turn = vec![0; hops.len()];
        for (at, &hop) in order.iter().enumerate() {
            turn[hop] = at;
        }
        let mut rank: BTreeMap<NodeId, usize> = self
            .ranks
            .iter()
            .enumerate()
            .map(|(at, &node)| (node, at))
            .collect();
        let others = hops.iter().flat_map(|hop| match hop.work {
            Work::Send { from, to } => [from, to],
            Work::Merge { node, .. } => [node, node],
        });
        for node in others.collect::<BTreeSet<_>>() {
            rank.entry(node).or_insert_with(|| {
                self.ranks.push(node);
                self.ranks.len() - 1
            });
        }
        for &index in &order {
            let hop = &hops[index];
            let part = [hop.message.part.first, hop.message.part.last];
            let order = orders.get(hop.pattern).copied().flatten();
            let own_value = |operand: usize| {
                let ordered = order.and_then(|order| order.get(operand));
                Value::Own(ordered.copied().unwrap_or(operand))
            };
            let value = |input: Option<usize>, operand: usize| {
                input.map_or(own_value(operand), |input| Value::Of(turn[input]))
            };
            let (from, to, inputs, merge) = match hop.work {
                Work::Send { from, to } => (from, to, vec![value(hop.inputs[0], part[0])], false),
                Work::Merge { node, split } => (
                    node,
                    node,
                    vec![
                        value(hop.inputs[0], part[0]),
                        value(hop.inputs[1], split + 1),
                    ],
                    true,
                ),
            };
            self.steps.push(Step {
                from: rank[&from],
                to: rank[&to],
                demand: hop.message.demand,
                unit: usize::try_from(hop.copy / self.pieces).unwrap_or(usize::MAX),
                piece: hop.copy % self.pieces,
                part,
                merge,
                inputs,
                result: hop.last().any(|task| wanted.contains(&task)),
                hop: index,
                stage: 0,
            });
        }
        let ranks_of = |nodes: &[NodeId]| {
            nodes
                .iter()
                .filter_map(|node| rank.get(node).copied())
                .collect()
        };
        let count =
            |demand| usize::try_from(problem.collective().rate(demand)).unwrap_or(usize::MAX);
        self.blocks = (0..)
            .zip(problem.demands())
            .map(|(index, demand)| Block {
                owners: ranks_of(demand.operands),
                goals: demand
                    .goals()
                    .iter()
                    .filter_map(|(node, part)| Some((*rank.get(node)?, part.last)))
                    .collect(),
                count: count(index),
                begins: [0, 0],
            })
            .collect();
        self.lay_out();
    }

    /// Start of each demand in the input and in the output: without counts at the number of the other rank, with counts
    /// after all earlier ones.
    fn lay_out(&mut self) {
        let by_rank = [self.input_by_rank(), self.output_by_rank()];
        for (side, _) in by_rank
            .into_iter()
            .enumerate()
            .filter(|(_, by_rank)| *by_rank)
        {
            // The rank whose buffer it is, and the rank that numbers its blocks. All targets of a copy have one output.
            let ends = |block: &Block| {
                let owner = block.owners.first().copied().unwrap_or(0);
                let goal = block.goals.first().map_or(0, |&(rank, _)| rank);
                let all = self.form.wants == Wants::All;
                if side == 0 {
                    (owner, goal)
                } else {
                    (if all { 0 } else { goal }, owner)
                }
            };
            let mut order: Vec<((usize, usize), usize)> =
                self.blocks.iter().map(ends).zip(0..).collect();
            order.sort_unstable();
            let mut filled: BTreeMap<usize, usize> = BTreeMap::new();
            for ((here, number), index) in order {
                let end = filled.entry(here).or_insert(0);
                self.blocks[index].begins[side] = if self.form.counted { *end } else { number };
                *end = end.saturating_add(self.blocks[index].count);
            }
        }
    }

    /// Reorders the ranks: rank `r` is the former rank `order[r]`, and `order` is a permutation. If values are combined
    /// in the order of the ranks, that order stays.
    pub(crate) fn reorder(&mut self, order: &[usize]) {
        let mut after = vec![0; order.len()];
        for (rank, &before) in order.iter().enumerate() {
            after[before] = rank;
        }
        self.ranks = order.iter().map(|&before| self.ranks[before]).collect();
        for step in &mut self.steps {
            (step.from, step.to) = (after[step.from], after[step.to]);
        }
        for block in &mut self.blocks {
            let goals = block.goals.iter_mut().map(|(rank, _)| rank);
            for rank in block.owners.iter_mut().chain(goals) {
                *rank = after[*rank];
            }
        }
        self.lay_out();
    }

    /// Whether every owner has a value for each target: then its input has a block for every rank.
    pub(crate) fn input_by_rank(&self) -> bool {
        self.form.input_by_target() && self.form.roles.iter().filter(|role| role.many).count() == 1
    }

    /// Whether every target gets a value of each owner: then its output has a block for every rank.
    pub(crate) fn output_by_rank(&self) -> bool {
        self.form.output_by_owner() && self.form.roles.iter().filter(|role| role.many).count() == 1
    }

    /// The block of its owner's input that a demand is about.
    pub(crate) fn input_block(&self, demand: usize) -> usize {
        self.blocks.get(demand).map_or(0, |block| block.begins[0])
    }

    /// The block of the output that a demand is about.
    pub(crate) fn output_block(&self, demand: usize) -> usize {
        self.blocks.get(demand).map_or(0, |block| block.begins[1])
    }

    /// Blocks of the input, and of the output, of every rank. With counts, the most of any rank.
    pub(crate) fn sizes(&self) -> [usize; 2] {
        if self.form.counted {
            let ends = |side: usize| {
                self.blocks
                    .iter()
                    .map(move |block| block.begins[side].saturating_add(block.count))
            };
            return [0, 1].map(|side| ends(side).max().unwrap_or(1));
        }
        [self.input_by_rank(), self.output_by_rank()]
            .map(|by_rank| if by_rank { self.participants } else { 1 })
    }

    /// The copy of a rank from its own input to its own output: input block, output block, number of blocks. No step
    /// sends it.
    pub(crate) fn own(&self, rank: usize) -> Option<[usize; 3]> {
        if self.form.counted {
            let own = self
                .blocks
                .iter()
                .find(|block| self.form.wants == Wants::All && block.owners == [rank]);
            return own.map(|block| [block.begins[0], block.begins[1], block.count]);
        }
        let first = self.blocks.first();
        let root = self.form.roles.iter().find(|role| !role.many);
        let has = match (self.form.combines, root) {
            (true, _) if self.form.wants == Wants::Prefix => rank == 0,
            (true, _) => self.participants == 1,
            (false, Some(role)) => first.is_some_and(|block| {
                let goal = block.goals.first().map(|(rank, _)| rank);
                Some(&rank)
                    == if role.owns {
                        block.owners.first()
                    } else {
                        goal
                    }
            }),
            (false, None) => self.form.is_mutual() || self.participants == 1,
        };
        let block = |by_rank: bool| if by_rank { rank } else { 0 };
        (has && rank < self.participants)
            .then(|| [block(self.input_by_rank()), block(self.output_by_rank()), 1])
    }
}

/// The participants in the order of ranks: the order of operands if values are combined, otherwise the root first.
fn ranks(problem: &Problem, combines: bool) -> Vec<NodeId> {
    let mut roles = problem.collective().cast();
    if combines {
        roles.reverse();
    }
    let mut seen = BTreeSet::new();
    roles
        .into_iter()
        .flatten()
        .copied()
        .filter(|&node| seen.insert(node))
        .collect()
}
