//! Follows every message and every partial result, by dates alone.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use oneport_plan::{Demand, Goals, Interval, Kind, Message};
use oneport_platform::NodeId;

use super::DatedRun;
use super::buffers::Buffers;
use super::dated::{Dated, DatedMerge, ZERO};
use crate::Violation;
use crate::violation::{elsewhere, fault, not_made, part_name, used_again, wrong_result};

/// All that happens for one demand of one instance.
#[derive(Default)]
pub(super) struct Delivery<'r, 'a> {
    /// Per part, in order of start.
    pub(super) transfers: BTreeMap<Interval, Vec<&'r Dated<'a>>>,
    pub(super) merges: Vec<&'r DatedMerge<'a>>,
}

/// The node of a value, and the date since which it is there. `None`: always.
struct Stay<'r> {
    node: NodeId,
    since: Option<&'r BigUint>,
}

/// One reduction of one instance, during its execution.
struct Reduction<'r, 'a> {
    instance: u64,
    commodity: usize,
    demand: Demand<'a>,
    target: NodeId,
    delivery: Delivery<'r, 'a>,
    /// The merge that makes each part, and the one that takes it.
    makers: BTreeMap<Interval, &'r DatedMerge<'a>>,
    takers: BTreeMap<Interval, &'r DatedMerge<'a>>,
}

impl<'a> DatedRun<'a> {
    /// Follows each value from its owner to its targets.
    pub(super) fn follow_all<'r>(&'r self, buffers: &mut Buffers<'r>) -> Result<(), Violation> {
        let mut deliveries: BTreeMap<(u64, usize), Delivery<'r, 'a>> = BTreeMap::new();
        for dated in &self.events {
            let Message { demand, part } = dated.event.message;
            let delivery = deliveries
                .entry((dated.event.instance, demand))
                .or_default();
            delivery.transfers.entry(part).or_default().push(dated);
        }
        for merge in &self.merges {
            let delivery = deliveries
                .entry((merge.event.instance, merge.event.message.demand))
                .or_default();
            delivery.merges.push(merge);
        }
        self.check_complete(deliveries.keys())?;
        for ((instance, index), mut delivery) in deliveries {
            for events in delivery.transfers.values_mut() {
                events.sort_by_key(|dated| dated.start());
            }
            // Messages have been checked: the demand exists.
            let Some(demand) = self.case.demand(index) else {
                continue;
            };
            match (demand.kind(), demand.goals) {
                (Kind::Route, Goals::At(target)) => {
                    self.follow_message(instance, index, &demand, target, &delivery, buffers)?;
                }
                (Kind::Combine, Goals::At(target)) => {
                    self.reduction(instance, index, demand.clone(), target, delivery)?
                        .carry_out(self, buffers)?;
                }
                (
                    Kind::Route | Kind::Copy | Kind::Combine | Kind::CombineCopy | Kind::Prefix,
                    _,
                ) => {
                    self.follow_copies(instance, index, &demand, &delivery, buffers)?;
                }
            }
        }
        Ok(())
    }

    /// Something happens for every commodity of every started instance. Stops at the first without: the counts of a
    /// timeline may be far larger than its list of events.
    fn check_complete<'k>(
        &self,
        mut found: impl Iterator<Item = &'k (u64, usize)>,
    ) -> Result<(), Violation> {
        let commodities = self.case.demands();
        let rates = self.case.rates();
        let rate = |index: usize| u128::from(rates.get(index).copied().unwrap_or(1));
        let started = u128::from(self.timeline.starting_periods)
            * u128::from(self.timeline.instances_per_period);
        let values_of = |rate: u128| started.saturating_mul(rate);
        let most = values_of(rates.iter().copied().max().map_or(1, u128::from));
        let mut instance: u128 = 0;
        while instance < most {
            for index in (0..commodities).filter(|&index| instance < values_of(rate(index))) {
                let next = found
                    .next()
                    .map(|&(instance, commodity)| (u128::from(instance), commodity));
                if next != Some((instance, index)) {
                    return Err(self.missing(u64::try_from(instance).unwrap_or(u64::MAX), index));
                }
            }
            instance += 1;
        }
        Ok(())
    }

    /// Nothing happens for a demand of an instance.
    fn missing(&self, instance: u64, index: usize) -> Violation {
        let Some(demand) = self.case.demand(index) else {
            return self
                .case
                .unknown_demand(format!("instance {instance}"), index);
        };
        let named = format!("{} of instance {instance}", self.case.demand_name(index));
        match (
            demand.kind(),
            demand.operands.first(),
            demand.goals().first(),
        ) {
            (Kind::Route, Some(&source), Some(&(target, _))) => {
                let message = self.case.message_name(
                    instance,
                    Message {
                        demand: index,
                        part: Interval::single(0),
                    },
                );
                self.undelivered(message, source, target)
            }
            (Kind::Combine, ..) => not_made(demand.whole()).at(named),
            (kind, _, goal) => {
                let node = goal
                    .map(|&(node, _)| self.case.name(node))
                    .unwrap_or_default();
                let part = goal
                    .filter(|_| kind.combines())
                    .map(|(_, part)| part_name(part));
                let value = part.unwrap_or_else(|| "the message".to_string());
                fault!(Run, "{value} never arrives at '{node}', where it is wanted").at(named)
            }
        }
    }

    fn undelivered(&self, message: String, at: NodeId, target: NodeId) -> Violation {
        let (at, target) = (self.case.name(at), self.case.name(target));
        fault!(Run, "{message} gets no further than '{at}'"; "it must arrive at '{target}'")
    }

    /// Follows one message from its source to its target.
    fn follow_message<'r>(
        &'r self,
        instance: u64,
        index: usize,
        demand: &Demand<'_>,
        target: NodeId,
        delivery: &Delivery<'r, 'a>,
        buffers: &mut Buffers<'r>,
    ) -> Result<(), Violation> {
        let start = Stay {
            node: demand.operands.first().copied().unwrap_or(target),
            since: None,
        };
        let events = delivery
            .transfers
            .get(&Interval::single(0))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let end = self.travel(start, Some(target), events, buffers)?;
        if end.node != target {
            let message = self.case.message_name(
                instance,
                Message {
                    demand: index,
                    part: Interval::single(0),
                },
            );
            return Err(self.undelivered(message, end.node, target));
        }
        Ok(())
    }

    /// Follows one value from its owner, event by event in the order of their starts.
    fn travel<'r>(
        &'r self,
        start: Stay<'r>,
        target: Option<NodeId>,
        events: &[&'r Dated<'a>],
        buffers: &mut Buffers<'r>,
    ) -> Result<Stay<'r>, Violation> {
        let mut stay = start;
        let mut visited = BTreeSet::from([stay.node]);
        for dated in events {
            let starts = || {
                let (message, link) = (
                    self.message(dated),
                    self.case.platform.link_name(dated.event.link),
                );
                format!(
                    "{message} starts over {link} at {}",
                    self.date(dated.start())
                )
            };
            let holder = self.case.platform.name(stay.node);
            if target == Some(stay.node) {
                return Err(fault!(
                    Run,
                    "{}, after its arrival at its target '{holder}'",
                    starts()
                ));
            }
            if dated.from != stay.node {
                return Err(fault!(
                    Run,
                    "{}, but '{holder}' holds it then, or is about to",
                    starts()
                ));
            }
            if stay.since.is_some_and(|since| dated.start() < since) {
                let arrival = self.date(stay.since.unwrap_or(&ZERO));
                return Err(fault!(
                    Run,
                    "{}, but arrives at '{holder}' only at {arrival}",
                    starts()
                ));
            }
            if !visited.insert(dated.to) {
                let (message, link) = (
                    self.message(dated),
                    self.case.platform.link_name(dated.event.link),
                );
                let found = format!(
                    "{message} comes over {link} to '{}', where it has been",
                    self.case.name(dated.to)
                );
                return Err(fault!(Run, "{found} before"; "deliver it once"));
            }
            if let Some(since) = stay.since {
                buffers.hold(stay.node, since, dated.end());
            }
            stay = Stay {
                node: dated.to,
                since: Some(dated.end()),
            };
        }
        Ok(stay)
    }

    /// Every part is made once and taken once.
    fn reduction<'r>(
        &'r self,
        instance: u64,
        commodity: usize,
        demand: Demand<'a>,
        target: NodeId,
        delivery: Delivery<'r, 'a>,
    ) -> Result<Reduction<'r, 'a>, Violation> {
        let (mut makers, mut takers) = (BTreeMap::new(), BTreeMap::new());
        for &merge in &delivery.merges {
            if makers.insert(merge.part, merge).is_some() {
                let found = format!("{} is made twice", part_name(&merge.part));
                return Err(fault!(Task, "{found}"; "make every part once").at(self.merge(merge)));
            }
            for part in merge.operands {
                if takers.insert(part, merge).is_some() {
                    return Err(used_again(part).at(self.merge(merge)));
                }
            }
        }
        Ok(Reduction {
            instance,
            commodity,
            demand,
            target,
            delivery,
            makers,
            takers,
        })
    }
}

impl<'r, 'a> Reduction<'r, 'a> {
    /// Follows every part, the smaller first, from its merge to its use, with its values.
    fn carry_out(&self, run: &'r DatedRun<'a>, buffers: &mut Buffers<'r>) -> Result<(), Violation> {
        let (target, result) = (self.target, self.demand.whole());
        let mut values: BTreeMap<Interval, Vec<NodeId>> = BTreeMap::new();
        for (_, part) in self.parts() {
            let (start, value) = self.made(run, part, &mut values)?;
            let events = self
                .delivery
                .transfers
                .get(&part)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let end = run.travel(start, (part == result).then_some(target), events, buffers)?;
            if part != result {
                self.taken(run, part, &end, buffers)?;
            } else if end.node != target {
                return Err(run.undelivered(self.name(run, part), end.node, target));
            }
            values.insert(part, value);
        }
        let found = values.remove(&result).unwrap_or_default();
        self.check_result(run, &found)
    }

    fn name(&self, run: &DatedRun<'_>, part: Interval) -> String {
        run.case.message_name(
            self.instance,
            Message {
                demand: self.commodity,
                part,
            },
        )
    }

    fn location(&self, run: &DatedRun<'_>) -> String {
        format!(
            "{} of instance {}",
            run.case.demand_name(self.commodity),
            self.instance
        )
    }

    fn unused(&self, run: &DatedRun<'_>, part: Interval) -> Violation {
        let part = part_name(&part);
        fault!(Run, "{part} is never merged"; "everything must be merged into one result")
            .at(self.location(run))
    }

    /// All parts that occur: single operands, the result, and each part that is moved, made or taken. The smaller
    /// first.
    fn parts(&self) -> BTreeSet<(usize, Interval)> {
        let result = self.demand.whole();
        let single = (result.first..=result.last).map(|operand| Interval {
            first: operand,
            last: operand,
        });
        let moved = self.delivery.transfers.keys().copied();
        let parts = single
            .chain([result])
            .chain(moved)
            .chain(self.makers.keys().copied());
        parts
            .chain(self.takers.keys().copied())
            .map(|part| (part.operands(), part))
            .collect()
    }

    /// Node and date at which a part comes to be, and the owners of the values that it combines.
    fn made(
        &self,
        run: &DatedRun<'_>,
        part: Interval,
        values: &mut BTreeMap<Interval, Vec<NodeId>>,
    ) -> Result<(Stay<'r>, Vec<NodeId>), Violation> {
        if part.first == part.last {
            let owner = self.owner(run, part)?;
            return Ok((
                Stay {
                    node: owner,
                    since: None,
                },
                vec![owner],
            ));
        }
        let Some(&merge) = self.makers.get(&part) else {
            return Err(not_made(part).at(self.location(run)));
        };
        let value = merge
            .operands
            .iter()
            .flat_map(|operand| values.remove(operand).unwrap_or_default())
            .collect();
        Ok((
            Stay {
                node: merge.event.node,
                since: Some(&merge.end),
            },
            value,
        ))
    }

    /// The owner of an operand. Each instance of a commutative operator has its own order of operands, so the first use
    /// of an operand determines its owner.
    fn owner(&self, run: &DatedRun<'_>, part: Interval) -> Result<NodeId, Violation> {
        if !self.demand.commutative {
            let owner = self.demand.operands.get(part.first).copied();
            return owner.ok_or_else(|| not_made(part).at(self.location(run)));
        }
        let sent = self
            .delivery
            .transfers
            .get(&part)
            .and_then(|events| events.first())
            .map(|dated| dated.from);
        let taken = self.takers.get(&part).map(|merge| merge.event.node);
        sent.or(taken).ok_or_else(|| self.unused(run, part))
    }

    /// The part is merged into a larger one, once it is there.
    fn taken(
        &self,
        run: &'r DatedRun<'a>,
        part: Interval,
        stay: &Stay<'r>,
        buffers: &mut Buffers<'r>,
    ) -> Result<(), Violation> {
        let Some(merge) = self.takers.get(&part) else {
            return Err(self.unused(run, part));
        };
        let name = |node: NodeId| run.case.name(node);
        if merge.event.node != stay.node {
            let (node, holder) = (name(merge.event.node), name(stay.node));
            return Err(elsewhere(part, &node, &holder).at(run.merge(merge)));
        }
        let Some(since) = stay.since else {
            return Ok(());
        };
        if merge.start < *since {
            let (start, part, arrival) =
                (run.date(&merge.start), part_name(&part), run.date(since));
            let found = format!(
                "starts at {start}, but {part} is at '{}' only from {arrival}",
                name(stay.node)
            );
            return Err(fault!(Run, "{found}").at(run.merge(merge)));
        }
        buffers.hold(stay.node, since, &merge.end);
        Ok(())
    }

    /// The values of all participants, each once, in their order unless that does not matter.
    fn check_result(&self, run: &DatedRun<'_>, found: &[NodeId]) -> Result<(), Violation> {
        let sorted = |nodes: &[NodeId]| {
            let mut nodes = nodes.to_vec();
            if self.demand.commutative {
                nodes.sort_unstable();
            }
            nodes
        };
        let right = &self.demand.operands;
        if sorted(found) == sorted(right) {
            return Ok(());
        }
        let names = |nodes: &[NodeId]| {
            nodes
                .iter()
                .map(|&node| run.case.name(node))
                .collect::<Vec<_>>()
                .join(", ")
        };
        Err(wrong_result(&names(found), &names(right)).at(self.location(run)))
    }
}
