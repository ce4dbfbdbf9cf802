//! Represents one reduction, one broadcast or one all-reduction as a run of one period, so that every format can hold
//! it.
//!
//! The platform has a node per processor and a link per pair that transfers, and every node takes part in one transfer
//! at a time. The period is the length of the schedule, with one instance. All dates are those of the file. The dates
//! of the broadcast of an all-reduction count from the end of its reduction. Operands keep their order. If the operator
//! is commutative, they are numbered in the order in which the tree combines them. That a sender of a broadcast with
//! equal costs prepares every transfer is in the dates alone.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use oneport_plan::{
    Amount, Broadcast, Collective, Interval, LinkId, NodeId, Pattern, PeriodicSchedule, Platform,
    Problem, Rational, Reduction, ScheduledPattern, SingleAllReduce, SingleBroadcast, SingleCosts,
    SingleReduction, Slot, Volumes,
};
use oneport_platform::{Node, PlatformBuilder, PortModel};
use oneport_schedule::{DatedTask, Execution, Piece};

use crate::{ExportError, Request};

/// Limit on processors.
const MOST: usize = 1_000_000;

/// The name in messages.
const NAME: &str = "one reduction";

/// One reduction, broadcast or all-reduction as a run.
#[derive(Debug)]
pub struct SingleRun {
    problem: Problem,
    schedule: PeriodicSchedule,
    execution: Execution,
}

impl SingleRun {
    /// The run of a reduction that the referee accepts. O(n log n).
    ///
    /// # Errors
    /// [`ExportError::Refused`]: fewer than two processors or more than a million, transfers without duration, and
    /// invalid schedules.
    pub fn new(one: &SingleReduction) -> Result<SingleRun, ExportError> {
        let reduction = &one.reduction;
        let mut net = Net::new(reduction.receivers.len())?;
        let draft = Draft::new(reduction, &mut net)?;
        let pattern = draft.pattern(one.commutative)?;
        let target = NodeId::new(reduction.root as usize);
        let collective = Collective::reduce(target, net.nodes()).commutative(one.commutative);
        let (tasks, work) = (draft.tasks(), merge_time(reduction));
        net.run(collective, work, pattern, tasks, &reduction.length)
    }

    /// The run of a broadcast that the referee accepts. O(n log n).
    ///
    /// # Errors
    /// The errors of [`SingleRun::new`].
    pub fn of_broadcast(one: &SingleBroadcast) -> Result<SingleRun, ExportError> {
        let broadcast = &one.broadcast;
        let mut net = Net::new(broadcast.senders.len())?;
        let (hops, tasks) = copies(broadcast, &Rational::zero(), &mut net)?;
        let source = NodeId::new(broadcast.root as usize);
        let targets = net.nodes().into_iter().filter(|&node| node != source);
        let collective = Collective::broadcast(source, targets.collect());
        let pattern = Pattern::arborescence(0, hops);
        let work = Rational::zero();
        net.run(collective, work, pattern, tasks, &broadcast.length)
    }

    /// The run of an all-reduction that the referee accepts. O(n log n).
    ///
    /// # Errors
    /// The errors of [`SingleRun::new`].
    pub fn of_all_reduce(all: &SingleAllReduce) -> Result<SingleRun, ExportError> {
        let reduction = &all.reduction;
        let mut net = Net::new(reduction.receivers.len())?;
        let draft = Draft::new(reduction, &mut net)?;
        let (hops, copied) = copies(&all.broadcast, &reduction.length, &mut net)?;
        let mut pattern = draft.pattern(true)?;
        let result = Interval {
            first: 0,
            last: reduction.receivers.len() - 1,
        };
        // The last task of the reduction is the root's last merge.
        pattern.copy(result, pattern.last(), hops);
        let mut tasks = draft.tasks();
        tasks.extend(copied);
        let collective = Collective::all_reduce(net.nodes()).commutative(true);
        let work = merge_time(reduction);
        net.run(collective, work, pattern, tasks, &all.length())
    }

    /// Request for the formats: one period, the dates of the file.
    pub fn request(&self) -> Request<'_> {
        Request {
            periods: Some(1),
            dated: Some(&self.execution),
            ..Request::new(&self.problem, &self.schedule)
        }
    }
}

fn refused(reason: impl Into<String>) -> ExportError {
    ExportError::refused(NAME, reason)
}

/// Time that a processor sends. 0 if the file does not state it.
fn transfer_time(reduction: &Reduction, processor: usize) -> Rational {
    let time = reduction.costs.transfer(processor);
    time.cloned().unwrap_or_default()
}

/// Time of a merge. 0 if it is part of the transfer.
fn merge_time(reduction: &Reduction) -> Rational {
    match &reduction.costs {
        SingleCosts::Equal { compute, .. } => compute.clone(),
        SingleCosts::PerSender(_) => Rational::zero(),
    }
}

/// A task at its date.
struct Dated {
    start: Rational,
    duration: Rational,
    /// The link of a transfer.
    link: Option<LinkId>,
}

/// Processors and the links between them.
struct Net {
    builder: PlatformBuilder,
    processors: usize,
    links: BTreeMap<(usize, usize), LinkId>,
}

impl Net {
    fn new(processors: usize) -> Result<Net, ExportError> {
        if !(2..=MOST).contains(&processors) {
            return Err(refused(format!(
                "it has {processors} processors; from 2 to {MOST} can be written as a run"
            )));
        }
        let mut builder = Platform::builder();
        builder.model(PortModel::HalfDuplex);
        for processor in 0..processors {
            builder
                .node(Node::processor(format!("P{processor}"), Rational::one()))
                .map_err(|error| refused(error.to_string()))?;
        }
        Ok(Net {
            builder,
            processors,
            links: BTreeMap::new(),
        })
    }

    fn nodes(&self) -> Vec<NodeId> {
        (0..self.processors).map(NodeId::new).collect()
    }

    /// The link of a transfer that takes this time.
    fn link(&mut self, from: usize, to: usize, time: &Rational) -> Result<LinkId, ExportError> {
        if time.is_zero() {
            return Err(refused(format!(
                "the transfer from processor {from} takes no time; no link does so"
            )));
        }
        if let Some(&link) = self.links.get(&(from, to)) {
            return Ok(link);
        }
        let link = self
            .builder
            .link(NodeId::new(from), NodeId::new(to), time.clone())
            .map_err(|error| refused(error.to_string()))?;
        self.links.insert((from, to), link);
        Ok(link)
    }

    /// The run of one pattern, its tasks at these dates.
    fn run(
        self,
        collective: Collective,
        work: Rational,
        pattern: Pattern,
        tasks: Vec<Dated>,
        length: &Rational,
    ) -> Result<SingleRun, ExportError> {
        let platform = self
            .builder
            .build()
            .map_err(|error| refused(error.to_string()))?;
        let volumes = Volumes {
            size: Amount::Constant(Rational::one()),
            work: Amount::Constant(work),
        };
        let execution = execution(&pattern, &tasks, length);
        Ok(SingleRun {
            problem: Problem::new(platform, collective, volumes)
                .map_err(|error| refused(error.to_string()))?,
            schedule: PeriodicSchedule {
                period: length.clone(),
                instances: 1u8.into(),
                patterns: vec![ScheduledPattern {
                    pattern,
                    copies: 1u8.into(),
                }],
                slots: slots(&tasks),
            },
            execution,
        })
    }
}

/// The hops of a broadcast in the order of their dates, each with the index of the hop that brought the message to its
/// sender, and their tasks, with dates counted from `from`.
type Hops = (Vec<(LinkId, Option<u32>)>, Vec<Dated>);

fn copies(broadcast: &Broadcast, from: &Rational, net: &mut Net) -> Result<Hops, ExportError> {
    let root = broadcast.root as usize;
    let start = |to: usize| broadcast.starts.get(to).unwrap_or_default();
    let mut receivers: Vec<usize> = (0..broadcast.senders.len())
        .filter(|&to| to != root)
        .collect();
    receivers.sort_by_cached_key(|&to| (start(to), to));
    let mut brought: Vec<Option<u32>> = vec![None; broadcast.senders.len()];
    let (mut hops, mut tasks) = (Vec::new(), Vec::new());
    for (index, to) in (0_u32..).zip(receivers) {
        let sender = broadcast.senders[to] as usize;
        let duration = broadcast
            .costs
            .transfer(sender)
            .cloned()
            .unwrap_or_default();
        let link = net.link(sender, to, &duration)?;
        let after = brought.get(sender).copied().flatten();
        if sender != root && after.is_none() {
            return Err(refused(format!(
                "processor {sender} sends before it has the message"
            )));
        }
        hops.push((link, after));
        brought[to] = Some(index);
        tasks.push(Dated {
            start: from + start(to),
            duration,
            link: Some(link),
        });
    }
    Ok((hops, tasks))
}

/// Every task at its date, in the order of the pattern: inputs come first.
fn execution(pattern: &Pattern, dated: &[Dated], length: &Rational) -> Execution {
    let dates = dated
        .iter()
        .flat_map(|task| [&task.start, &task.duration])
        .chain([length]);
    let units = dates.fold(BigInt::one(), |units, date| units.lcm(date.denom()));
    let ticks = |time: &Rational| time.numer() * (&units / time.denom());
    let tasks = pattern.tasks.iter().zip(dated).enumerate();
    let tasks = tasks.map(|(index, (task, dated))| {
        let inputs = match *task {
            oneport_plan::Task::Merge { left, right, .. } => [left, right],
            oneport_plan::Task::Send { after, .. } => [after, None],
        };
        let (start, duration) = (ticks(&dated.start), ticks(&dated.duration));
        let lane = dated.link.map(|_| 0);
        DatedTask {
            pattern: 0,
            index,
            copy: 0,
            stage: 0,
            task: *task,
            message: pattern.message(task.part()),
            inputs: inputs.map(|it| it.map(|it| it as usize)),
            pieces: vec![Piece {
                end: &start + &duration,
                start,
                lanes: [lane, lane],
            }],
            duration,
        }
    });
    let tasks = tasks.collect();
    let period = ticks(length);
    Execution {
        units,
        period,
        instances: 1,
        depth: 1,
        started: BTreeMap::from([(0, 1)]),
        tasks,
    }
}

/// Busy links per slot: a slot reaches from each start or end to the next.
fn slots(tasks: &[Dated]) -> Vec<Slot> {
    let mut changes: BTreeMap<Rational, (Vec<LinkId>, Vec<LinkId>)> = BTreeMap::new();
    for task in tasks {
        let Some(link) = task.link else { continue };
        changes.entry(task.start.clone()).or_default().0.push(link);
        let end = &task.start + &task.duration;
        changes.entry(end).or_default().1.push(link);
    }
    let (mut slots, mut busy, mut now) = (Vec::new(), BTreeSet::new(), Rational::zero());
    for (date, (starting, ending)) in changes {
        if date > now {
            slots.push(Slot {
                shares: Vec::new(),
                length: &date - &now,
                links: busy.iter().copied().collect(),
            });
            now = date;
        }
        for link in ending {
            busy.remove(&link);
        }
        busy.extend(starting);
    }
    slots
}

/// The tree of a reduction.
struct Draft<'a> {
    reduction: &'a Reduction,
    /// Per processor: the link to its receiver. `None` for the root.
    links: Vec<Option<LinkId>>,
    /// Per processor: its senders, by the dates of merging.
    children: Vec<Vec<usize>>,
}

impl<'a> Draft<'a> {
    fn new(reduction: &'a Reduction, net: &mut Net) -> Result<Draft<'a>, ExportError> {
        let processors = reduction.receivers.len();
        let mut links = vec![None; processors];
        let mut children = vec![Vec::new(); processors];
        for (processor, &receiver) in reduction.receivers.iter().enumerate() {
            if processor == reduction.root as usize {
                continue;
            }
            let time = transfer_time(reduction, processor);
            links[processor] = Some(net.link(processor, receiver as usize, &time)?);
            if let Some(of) = children.get_mut(receiver as usize) {
                of.push(processor);
            }
        }
        let date = |processor: usize| {
            reduction
                .merges
                .as_ref()
                .unwrap_or(&reduction.starts)
                .get(processor)
        };
        for (parent, list) in children.iter_mut().enumerate() {
            list.sort_by_cached_key(|&child| (date(child), child.abs_diff(parent), child));
        }
        let draft = Draft {
            reduction,
            links,
            children,
        };
        if draft.upwards().len() != processors {
            let root = reduction.root;
            return Err(refused(format!(
                "not every processor reaches the root, processor {root}; it is not a tree"
            )));
        }
        Ok(draft)
    }

    fn processors(&self) -> usize {
        self.links.len()
    }

    /// Processors, each after all its senders.
    fn upwards(&self) -> Vec<usize> {
        let mut order = vec![self.reduction.root as usize];
        let mut next = 0;
        while let Some(&processor) = order.get(next) {
            order.extend_from_slice(&self.children[processor]);
            next += 1;
        }
        order.reverse();
        order
    }

    /// The processor whose value is operand `i` of the pattern: a processor, then its receptions, in the order of
    /// merging.
    fn order(&self) -> Vec<usize> {
        let (mut order, mut open) = (
            Vec::with_capacity(self.processors()),
            vec![self.reduction.root as usize],
        );
        while let Some(processor) = open.pop() {
            order.push(processor);
            open.extend(self.children[processor].iter().rev());
        }
        order
    }

    /// The tree: sends and merges, each after its inputs.
    fn pattern(&self, commutative: bool) -> Result<Pattern, ExportError> {
        let order = if commutative {
            self.order()
        } else {
            (0..self.processors()).collect()
        };
        let mut operand_of = vec![0; order.len()];
        for (operand, &processor) in order.iter().enumerate() {
            operand_of[processor] = operand;
        }
        let mut pattern = Pattern::new(0);
        let mut held: Vec<(Interval, Option<u32>)> = operand_of
            .into_iter()
            .map(|operand| (Interval::single(operand), None))
            .collect();
        for processor in self.upwards() {
            for &child in &self.children[processor] {
                let (own, received) = (held[processor], held[child]);
                let (left, right) = if received.0.first < own.0.first {
                    (received, own)
                } else {
                    (own, received)
                };
                if left.0.last.checked_add(1) != Some(right.0.first) {
                    let why = "that are not neighbours, but the operator is not commutative";
                    return Err(refused(format!(
                        "processor {processor} merges operands with those of {child} {why}"
                    )));
                }
                let part = Interval {
                    first: left.0.first,
                    last: right.0.last,
                };
                let made =
                    pattern.merge(NodeId::new(processor), part, left.0.last, [left.1, right.1]);
                held[processor] = (part, made);
            }
            let (part, after) = held[processor];
            if let Some(link) = self.links[processor] {
                held[processor].1 = pattern.send(link, part, after);
            }
        }
        pattern.order = commutative.then_some(order);
        Ok(pattern)
    }

    /// Every task at its date, in the order of the pattern.
    fn tasks(&self) -> Vec<Dated> {
        let reduction = self.reduction;
        let compute = merge_time(reduction);
        let mut dated = Vec::with_capacity(2 * self.processors());
        for processor in self.upwards() {
            for &child in &self.children[processor] {
                let start = match &reduction.merges {
                    Some(merges) => merges.get(child),
                    // Merging is part of the transfer: it takes no time at its end.
                    None => self.end(child),
                };
                dated.push(Dated {
                    start: start.unwrap_or_default(),
                    duration: compute.clone(),
                    link: None,
                });
            }
            if let Some(link) = self.links[processor] {
                dated.push(Dated {
                    start: reduction.starts.get(processor).unwrap_or_default(),
                    duration: transfer_time(reduction, processor),
                    link: Some(link),
                });
            }
        }
        dated
    }

    fn end(&self, processor: usize) -> Option<Rational> {
        Some(self.reduction.starts.get(processor)? + self.reduction.costs.transfer(processor)?)
    }
}
