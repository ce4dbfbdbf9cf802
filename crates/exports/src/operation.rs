//! One operation of a named collective, as programs run it: ranks, pieces, and what each rank sends and merges in which
//! order.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;
use oneport_plan::Problem;
use oneport_platform::NodeId;
use oneport_schedule::execution;

use crate::hops::{Hop, Work, hops};
use crate::pieces::without_slots;
use crate::results::results;
use crate::{ExportError, Request};

/// Most pieces that a message is divided into.
const PIECES: u64 = 10_000;

/// In which order the steps stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As the schedule has them.
    Dates,
    /// By stages; nothing is ordered into slots. Enough to count them.
    Stages,
}

/// One operation.
#[derive(Debug)]
pub struct Operation {
    /// The collective's name.
    pub collective: &'static str,
    /// The nodes that take part, then those that only pass on or combine.
    pub ranks: Vec<NodeId>,
    /// How many of the ranks take part.
    pub participants: usize,
    /// Pieces that each message is divided into.
    pub pieces: u64,
    /// Sends and merges in an order that every rank can follow, one thing after the other, without waiting for ever.
    pub steps: Vec<Step>,
    /// The places of the steps in the order in which they start within a period: an operation runs its steps of stage
    /// `s` in the `s`-th period after its first, so operations that follow one another by a period overlap.
    pub turns: Vec<usize>,
    /// Which rank owns what a demand is about, and where it is wanted: by demand.
    pub blocks: Vec<Block>,
}

/// A demand, by ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The owners of the operands, in operand order.
    pub owners: Vec<usize>,
    /// Where a result is wanted: which rank, and the last operand of it.
    pub goals: Vec<(usize, usize)>,
}

/// A send or a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which rank holds the value before; where it is merged.
    pub from: usize,
    /// Which rank holds it afterwards; the same for merges.
    pub to: usize,
    /// Place of the demand.
    pub demand: usize,
    /// Place of the pattern in the schedule, and which of its carryings-out: together they name what travels alone.
    pub piece: u64,
    /// What travels or is made: operands `first..=last` in the pattern's order.
    pub part: [usize; 2],
    /// Whether it is a merge.
    pub merge: bool,
    /// The values that it uses: one, or the left and the right one.
    pub inputs: Vec<Value>,
    /// Whether what it leaves behind is wanted there.
    pub result: bool,
    /// Place of what it stands for among the hops, in the order of the plan.
    pub hop: usize,
    /// Periods after the first.
    pub stage: usize,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The operand of this number, in the demand's own order, from its owner.
    Own(usize),
    /// What a step left behind.
    Of(usize),
}

impl Operation {
    /// The operation that is asked for. Nodes that do not take part are kept if `keep` says so, and left out otherwise.
    ///
    /// # Errors
    /// A collective that has no roles, too many pieces, a merge at a node that is left out.
    pub fn new(
        request: &Request<'_>,
        format: &'static str,
        order: Order,
        keep: impl Fn(NodeId) -> bool,
    ) -> Result<Self, ExportError> {
        let problem = request.problem;
        let refused = |reason: String| ExportError::Refused { format, reason };
        let Some(form) = problem.collective().form() else {
            return Err(refused("process groups and lists of demands are no single operation".to_string()));
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
                let execution = execution(problem, &schedule)?;
                (Cow::Owned(schedule), execution)
            }
        };
        let taking_part = ranks(problem, form.combines);
        let participants: BTreeSet<NodeId> = taking_part.iter().copied().collect();
        let hops = hops(problem, &execution, |node| participants.contains(&node) || keep(node)).map_err(|node| {
            let name = problem.platform().name(node);
            refused(format!("'{name}' takes no part and merges; a plan whose participants merge has a rank for each"))
        })?;
        let wanted: BTreeSet<usize> = results(problem, &execution).iter().map(|served| served.task).collect();
        let mut operation = Operation {
            collective: form.name,
            participants: taking_part.len(),
            ranks: taking_part,
            pieces,
            steps: Vec::new(),
            turns: Vec::new(),
            blocks: Vec::new(),
        };
        let orders: Vec<Option<&[usize]>> =
            schedule.patterns.iter().map(|scheduled| scheduled.pattern.order.as_deref()).collect();
        operation.enter(problem, &hops, &wanted, &orders);
        operation.take_turns(&hops, &execution.period);
        Ok(operation)
    }

    fn take_turns(&mut self, hops: &[Hop], period: &BigInt) {
        let mut starts = Vec::with_capacity(self.steps.len());
        for (place, step) in self.steps.iter_mut().enumerate() {
            let (stage, start) = hops[step.hop].start.div_rem(period);
            step.stage = stage.to_usize().unwrap_or(usize::MAX);
            starts.push((start, place));
        }
        starts.sort_unstable();
        self.turns = starts.into_iter().map(|(_, place)| place).collect();
    }

    fn enter(&mut self, problem: Problem<'_>, hops: &[Hop], wanted: &BTreeSet<usize>, orders: &[Option<&[usize]>]) {
        let mut order: Vec<usize> = (0..hops.len()).collect();
        order.sort_by(|&a, &b| (&hops[a].start, a).cmp(&(&hops[b].start, b)));
        let mut turn = vec![0; hops.len()];
        order.iter().enumerate().for_each(|(at, &hop)| turn[hop] = at);
        let mut rank: BTreeMap<NodeId, usize> = self.ranks.iter().enumerate().map(|(at, &node)| (node, at)).collect();
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
        for &place in &order {
            let hop = &hops[place];
            let part = [hop.message.part.first, hop.message.part.last];
            let own = |operand: usize| {
                Value::Own(
                    orders.get(hop.pattern).copied().flatten().and_then(|it| it.get(operand)).map_or(operand, |&it| it),
                )
            };
            let value =
                |input: Option<usize>, operand: usize| input.map_or(own(operand), |input| Value::Of(turn[input]));
            let (from, to, inputs, merge) = match hop.work {
                Work::Send { from, to } => (from, to, vec![value(hop.inputs[0], part[0])], false),
                Work::Merge { node, split } => {
                    (node, node, vec![value(hop.inputs[0], part[0]), value(hop.inputs[1], split + 1)], true)
                }
            };
            self.steps.push(Step {
                from: rank[&from],
                to: rank[&to],
                demand: hop.message.demand,
                piece: hop.copy,
                part,
                merge,
                inputs,
                result: hop.last().any(|task| wanted.contains(&task)),
                hop: place,
                stage: 0,
            });
        }
        let places = |nodes: &[NodeId]| nodes.iter().filter_map(|node| rank.get(node).copied()).collect();
        self.blocks = problem
            .demands()
            .map(|demand| Block {
                owners: places(demand.operands),
                goals: demand.goals().iter().filter_map(|(node, part)| Some((*rank.get(node)?, part.last))).collect(),
            })
            .collect();
    }

    /// Gives the ranks another order: rank `r` is the one that was rank `order[r]`, a permutation. Where values are
    /// combined in the order of the ranks, that order stays.
    pub fn reorder(&mut self, order: &[usize]) {
        let mut after = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &before)| after[before] = rank);
        self.ranks = order.iter().map(|&before| self.ranks[before]).collect();
        for step in &mut self.steps {
            (step.from, step.to) = (after[step.from], after[step.to]);
        }
        for block in &mut self.blocks {
            block.owners.iter_mut().for_each(|rank| *rank = after[*rank]);
            block.goals.iter_mut().for_each(|(rank, _)| *rank = after[*rank]);
        }
    }

    /// Whether every owner has a value for each target: then its input has a block for every rank.
    pub fn input_by_rank(&self) -> bool {
        ["scatter", "all-to-all", "reduce-scatter"].contains(&self.collective)
    }

    /// Whether every target gets a value of each owner: then its output has a block for every rank.
    pub fn output_by_rank(&self) -> bool {
        ["gather", "all-gather", "all-to-all"].contains(&self.collective)
    }

    /// Which block of its owner's input a demand is about.
    pub fn input_block(&self, demand: usize) -> usize {
        let goal = self.blocks.get(demand).and_then(|block| block.goals.first());
        if self.input_by_rank() { goal.map_or(0, |&(rank, _)| rank) } else { 0 }
    }

    /// Which block of the output a demand is about.
    pub fn output_block(&self, demand: usize) -> usize {
        let owner = self.blocks.get(demand).and_then(|block| block.owners.first());
        if self.output_by_rank() { owner.copied().unwrap_or(0) } else { 0 }
    }

    /// Blocks of the input, and of the output, of every rank.
    pub fn sizes(&self) -> [usize; 2] {
        [self.input_by_rank(), self.output_by_rank()].map(|by_rank| if by_rank { self.participants } else { 1 })
    }

    /// What a rank copies from its own input to its own output: input block, output block. No step brings it.
    pub fn own(&self, rank: usize) -> Option<[usize; 2]> {
        let is_root = |rank: usize| self.blocks.first().is_some_and(|block| block.owners.first() == Some(&rank));
        let is_target =
            |rank: usize| self.blocks.first().is_some_and(|block| block.goals.first().map(|it| it.0) == Some(rank));
        let has = match self.collective {
            "all-gather" | "all-to-all" => true,
            "scatter" | "broadcast" => is_root(rank),
            "gather" => is_target(rank),
            "scan" => rank == 0,
            _ => self.participants == 1,
        };
        let block = |by_rank: bool| if by_rank { rank } else { 0 };
        (has && rank < self.participants).then(|| [block(self.input_by_rank()), block(self.output_by_rank())])
    }
}

/// Who takes part, in the order of ranks: those of operands where values are combined, the root first otherwise.
fn ranks(problem: Problem<'_>, combines: bool) -> Vec<NodeId> {
    let mut roles = problem.collective().cast();
    if combines {
        roles.reverse();
    }
    let mut seen = BTreeSet::new();
    roles.into_iter().flatten().copied().filter(|&node| seen.insert(node)).collect()
}
