//! Represents one reduction as a run of one period, so that every format can hold it.
//!
//! The platform has a node per processor and a link per transfer, and every node takes part in one transfer at a time.
//! The period is the length of the schedule, with one instance; all dates are those of the file. Operands keep their
//! order, or are numbered as the tree combines them where the operator is commutative.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use oneport_plan::{
    Amount, Collective, Costs, Interval, LinkId, NodeId, OneReduction, Pattern, PeriodicSchedule,
    Platform, Problem, Rational, Reduction, ScheduledPattern, Slot, Volumes,
};
use oneport_platform::{Node, PortModel};
use oneport_schedule::{DatedTask, Execution, Piece};

use crate::{ExportError, Request};

/// Limit on processors.
const MOST: usize = 1_000_000;

/// The name in messages.
const NAME: &str = "one reduction";

/// One reduction as a run.
#[derive(Debug)]
pub struct OneRun {
    problem: Problem,
    schedule: PeriodicSchedule,
    execution: Execution,
}

impl OneRun {
    /// The run of a reduction that the referee accepts. O(n log n).
    ///
    /// # Errors
    /// [`ExportError::Refused`]: fewer than two processors or more than a million, transfers without duration, and
    /// invalid schedules.
    pub fn new(one: &OneReduction) -> Result<OneRun, ExportError> {
        let draft = Draft::new(one)?;
        let pattern = draft.pattern(one.commutative)?;
        let execution = draft.execution(&pattern)?;
        let schedule = PeriodicSchedule {
            period: one.reduction.length.clone(),
            instances: 1u8.into(),
            patterns: vec![ScheduledPattern {
                pattern,
                copies: 1u8.into(),
            }],
            slots: draft.slots(),
        };
        let nodes: Vec<NodeId> = (0..draft.processors()).map(NodeId::new).collect();
        let target = NodeId::new(one.reduction.root as usize);
        let work = merge_time(&one.reduction);
        let collective = Collective::reduce(target, nodes).commutative(one.commutative);
        let volumes = Volumes {
            size: Amount::Constant(Rational::one()),
            work: Amount::Constant(work),
        };
        Ok(OneRun {
            problem: Problem::new(draft.platform, collective, volumes)
                .map_err(|error| refused(error.to_string()))?,
            schedule,
            execution,
        })
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

/// How long a processor sends; 0 where the file does not say it.
fn transfer_time(reduction: &Reduction, processor: usize) -> Rational {
    let time = reduction.costs.transfer(processor);
    time.cloned().unwrap_or_default()
}

/// How long a merge takes; no time of its own where it is part of the transfer.
fn merge_time(reduction: &Reduction) -> Rational {
    match &reduction.costs {
        Costs::Equal { compute, .. } => compute.clone(),
        Costs::PerSender(_) => Rational::zero(),
    }
}

/// The reduction on its platform.
struct Draft<'a> {
    reduction: &'a Reduction,
    platform: Platform,
    /// Per processor: the link to its receiver; `None` for the root.
    links: Vec<Option<LinkId>>,
    /// Per processor: its senders, by the dates of merging.
    children: Vec<Vec<usize>>,
}

impl<'a> Draft<'a> {
    fn new(one: &'a OneReduction) -> Result<Draft<'a>, ExportError> {
        let reduction = &one.reduction;
        let processors = reduction.receivers.len();
        if !(2..=MOST).contains(&processors) {
            return Err(refused(format!(
                "it has {processors} processors; from 2 to {MOST} can be written as a run"
            )));
        }
        let mut builder = Platform::builder();
        builder.model(PortModel::HalfDuplex);
        let wrong = |error: oneport_platform::PlatformError| refused(error.to_string());
        for processor in 0..processors {
            builder
                .node(Node::processor(format!("P{processor}"), Rational::one()))
                .map_err(wrong)?;
        }
        let mut links = vec![None; processors];
        let mut children = vec![Vec::new(); processors];
        for (processor, &receiver) in reduction.receivers.iter().enumerate() {
            if processor == reduction.root as usize {
                continue;
            }
            let cost = transfer_time(reduction, processor);
            if cost.is_zero() {
                return Err(refused(format!(
                    "the transfer from processor {processor} takes no time; no link does so"
                )));
            }
            let link = builder.link(NodeId::new(processor), NodeId::new(receiver as usize), cost);
            links[processor] = Some(link.map_err(wrong)?);
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
        let platform = builder.build().map_err(wrong)?;
        let draft = Draft {
            reduction,
            platform,
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

    /// The processor whose value is operand `i` of the pattern: a processor, then what it receives, in the order of
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
        let mut place = vec![0; order.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(operand, &processor)| place[processor] = operand);
        let mut pattern = Pattern::new(0);
        let mut held: Vec<(Interval, Option<u32>)> = place
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

    /// Every task at its date, in the order of the pattern, which is that of the tree: inputs come first.
    fn execution(&self, pattern: &Pattern) -> Result<Execution, ExportError> {
        let reduction = self.reduction;
        let compute = merge_time(reduction);
        let mut dated = Vec::with_capacity(pattern.tasks.len());
        for processor in self.upwards() {
            for &child in &self.children[processor] {
                let start = match &reduction.merges {
                    Some(merges) => merges.get(child),
                    // Merging is part of the transfer: it takes no time at its end.
                    None => self.end(child),
                };
                dated.push((start.unwrap_or_default(), compute.clone(), false));
            }
            if self.links[processor].is_some() {
                let start = reduction.starts.get(processor).unwrap_or_default();
                dated.push((start, transfer_time(reduction, processor), true));
            }
        }
        let dates = dated
            .iter()
            .flat_map(|(start, length, _)| [start, length])
            .chain([&reduction.length]);
        let units = dates.fold(BigInt::one(), |units, date| units.lcm(date.denom()));
        let ticks = |time: &Rational| time.numer() * (&units / time.denom());
        let tasks = pattern.tasks.iter().zip(&dated).enumerate();
        let tasks = tasks.map(|(place, (task, (start, length, sends)))| {
            let inputs = match *task {
                oneport_plan::Task::Merge { left, right, .. } => [left, right],
                oneport_plan::Task::Send { after, .. } => [after, None],
            };
            let (start, duration) = (ticks(start), ticks(length));
            let lane = sends.then_some(0);
            DatedTask {
                pattern: 0,
                place,
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
        let period = ticks(&reduction.length);
        Ok(Execution {
            units,
            period,
            instances: 1,
            depth: 1,
            started: BTreeMap::from([(0, 1)]),
            tasks,
        })
    }

    fn end(&self, processor: usize) -> Option<Rational> {
        Some(self.reduction.starts.get(processor)? + self.reduction.costs.transfer(processor)?)
    }

    /// Busy links per slot: a slot reaches from each start or end to the next.
    fn slots(&self) -> Vec<Slot> {
        let mut changes: BTreeMap<Rational, (Vec<LinkId>, Vec<LinkId>)> = BTreeMap::new();
        for (processor, link) in self.links.iter().enumerate() {
            let Some(link) = *link else { continue };
            let (Some(start), Some(end)) =
                (self.reduction.starts.get(processor), self.end(processor))
            else {
                continue;
            };
            changes.entry(start).or_default().0.push(link);
            changes.entry(end).or_default().1.push(link);
        }
        let (mut slots, mut busy, mut now) = (Vec::new(), BTreeSet::new(), Rational::zero());
        for (date, (starting, ending)) in changes {
            if date > now {
                slots.push(Slot {
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
}
