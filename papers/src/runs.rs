//! Start-up, steady state and clean-up, measured: instances delivered against time (RR-4872, section 3.4).

use std::collections::{BTreeMap, VecDeque};

use anyhow::{Context, Result, bail};
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use oneport::plan::{Kind, PeriodicSchedule, Task};
use oneport::platform::LinkId;
use oneport::referee::TimelineReport;
use oneport::{NodeId, Platform, Problem, Rational, referee, schedule};
use oneport_numbers::ratio;

use crate::cases::Case;
use crate::numbers::{unit_volumes, whole};
use crate::rows::Finding;

/// A run of a periodic schedule, executed message by message by the referee.
pub struct ScheduleRun {
    /// The name in tables and curves.
    pub name: String,
    /// The schedule's period.
    pub period: Rational,
    /// Instances per period.
    pub instances: u64,
    /// `I` of section 3.4 in periods: the platform's diameter in links. For reduces, for which the paper does not
    /// define it, the number of stages.
    pub initial: u64,
    /// Periods in which instances were started.
    pub periods: u64,
    /// Stages of the deepest pattern.
    depth: u64,
    report: TimelineReport,
}

impl ScheduleRun {
    /// Unrolls the schedule and has the referee follow every message.
    ///
    /// # Errors
    /// The referee's objection.
    pub fn new(
        name: &str,
        case: &Case,
        schedule: &PeriodicSchedule,
        periods: u64,
    ) -> Result<ScheduleRun> {
        let size = unit_volumes();
        let timeline = schedule::timeline(&case.problem(), schedule, periods)?;
        let report = referee::check_timeline(
            &Problem::new(&case.platform, &case.collective, size)?,
            &timeline,
        )?;
        let depth = schedule.depth() as u64;
        Ok(ScheduleRun {
            name: name.to_string(),
            period: schedule.period.clone(),
            instances: schedule
                .instances
                .to_u64()
                .context("too many instances per period")?,
            initial: if case
                .collective
                .blocks()
                .iter()
                .any(|block| block.kind == Kind::Combine)
            {
                depth
            } else {
                diameter(&case.platform)
            },
            periods,
            depth,
            report,
        })
    }

    /// Instances complete by the end of `periods` periods.
    pub fn delivered(&self, periods: u64) -> u64 {
        self.report.complete_after(periods)
    }

    /// `TP(G) K` after `periods` periods, for a schedule that attains the optimum.
    pub fn ceiling(&self, periods: u64) -> u64 {
        periods * self.instances
    }

    /// The paper's lower bound `steady(G, K) = floor((K - 2I - T) / T) T TP` after `periods` periods, `I` the time to
    /// fill the buffers.
    pub fn paper_floor(&self, periods: u64) -> u64 {
        periods.saturating_sub(2 * self.initial + 1) * self.instances
    }

    /// Whether `steady(G, K) <= delivered <= TP K` at the end of every period.
    pub fn is_between(&self) -> bool {
        (0..=self.periods).all(|k| {
            self.paper_floor(k) <= self.delivered(k) && self.delivered(k) <= self.ceiling(k)
        })
    }

    /// The number of instances that `TP K` is ahead, if it is the same at every `K` after the start. Then the ratio
    /// tends to 1.
    pub fn constant_loss(&self) -> Option<u64> {
        let loss = |k: u64| self.ceiling(k).checked_sub(self.delivered(k));
        let last = loss(self.periods)?;
        (self.depth..self.periods)
            .all(|k| loss(k) == Some(last))
            .then_some(last)
    }

    /// Whether no node ever held more than twice `buff-min-size`, the messages that it forwards per period.
    pub fn buffers_hold(&self, platform: &Platform, schedule: &PeriodicSchedule) -> bool {
        let mut forwarded = vec![BigUint::zero(); platform.nodes().len()];
        for scheduled in &schedule.patterns {
            for task in &scheduled.pattern.tasks {
                // Forwarded values, not sent by their source.
                if let Task::Send {
                    link,
                    after: Some(_),
                    ..
                } = *task
                {
                    forwarded[platform.link(link).from.index()] += &scheduled.copies;
                }
            }
        }
        self.report
            .peak_buffer
            .iter()
            .zip(forwarded)
            .all(|(&peak, least)| BigUint::from(peak) <= least * 2u32)
    }

    /// Points for a curve: 1, 2, 5, 10, ... periods.
    pub fn grid(&self) -> Vec<u64> {
        let decades = (0..)
            .map(|power| 10u64.pow(power))
            .take_while(|&power| power <= self.periods);
        let points = decades.flat_map(|power| [power, 2 * power, 3 * power, 5 * power, 7 * power]);
        points.filter(|&point| point <= self.periods).collect()
    }
}

/// The largest number of links on a shortest path between two nodes that are connected.
pub fn diameter(platform: &Platform) -> u64 {
    platform
        .node_ids()
        .filter_map(|node| hops(platform, node).into_iter().flatten().max())
        .max()
        .unwrap_or(0)
}

fn hops(platform: &Platform, start: NodeId) -> Vec<Option<u64>> {
    let mut distance = vec![None; platform.nodes().len()];
    distance[start.index()] = Some(0);
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &link in platform.outgoing(node) {
            let next = platform.link(link).to;
            if distance[next.index()].is_none() {
                distance[next.index()] = distance[node.index()].map(|hops| hops + 1);
                queue.push_back(next);
            }
        }
    }
    distance
}

/// Whole messages of one kind that each link carries per period.
pub type Flow = BTreeMap<LinkId, u64>;

/// The paper's initialisation phase, period by period: a node sends nothing until its buffer holds the messages it
/// sends per period, then sends all of it. Returns the number of periods until all buffers are that full at once, and
/// the fullest any buffer has been, relative to that size.
///
/// # Errors
/// It takes more than `limit` periods.
pub fn filling_periods(
    platform: &Platform,
    source: NodeId,
    target: NodeId,
    flow: &Flow,
    limit: u64,
) -> Result<(u64, Rational)> {
    let sent = |node: NodeId| {
        platform
            .outgoing(node)
            .iter()
            .filter_map(|link| flow.get(link))
            .sum::<u64>()
    };
    let least: Vec<u64> = platform.node_ids().map(sent).collect();
    let mut buffer = vec![0; least.len()];
    let forwards = |node: &NodeId| *node != source && *node != target && least[node.index()] > 0;
    let forwarders: Vec<NodeId> = platform.node_ids().filter(forwards).collect();
    let mut fullest = Rational::zero();
    for period in 0..=limit {
        if forwarders
            .iter()
            .all(|node| buffer[node.index()] >= least[node.index()])
        {
            return Ok((period, fullest));
        }
        let sends = |node: NodeId| node == source || buffer[node.index()] >= least[node.index()];
        let moved: Vec<(NodeId, NodeId, u64)> = flow
            .iter()
            .map(|(&link, &amount)| (platform.link(link), amount))
            .filter(|(link, _)| sends(link.from))
            .map(|(link, amount)| (link.from, link.to, amount))
            .collect();
        for (from, to, amount) in moved {
            buffer[to.index()] += amount;
            if from != source {
                buffer[from.index()] -= amount;
            }
        }
        for node in &forwarders {
            fullest = fullest.max(ratio(buffer[node.index()], least[node.index()]));
        }
    }
    bail!("the buffers are not full after {limit} periods")
}

/// The paper's policy for one kind of message on a schedule, message by message: the number of messages that a node
/// sends per period, and the most messages that it holds. A message is held from the end of its reception until it has
/// been sent.
///
/// # Errors
/// A message is cut by the border of a period.
pub fn fullest_within(
    platform: &Platform,
    schedule: &PeriodicSchedule,
    node: NodeId,
    periods: u64,
) -> Result<(usize, usize)> {
    // Every message of a period by the date at which its transfer ends.
    let mut ends: Vec<(Rational, LinkId)> = Vec::new();
    for link in platform.link_ids() {
        let (mut date, mut busy) = (Rational::zero(), Rational::zero());
        for slot in &schedule.slots {
            if slot.links.contains(&link) {
                let before = (&busy / &platform.link(link).cost).floor();
                let after = (&busy + &slot.length) / &platform.link(link).cost;
                let mut message = before + whole(1);
                while message <= after {
                    ends.push((&date + &message * &platform.link(link).cost - &busy, link));
                    message += whole(1);
                }
                busy += &slot.length;
            }
            date += &slot.length;
        }
        let messages = busy / &platform.link(link).cost;
        anyhow::ensure!(messages.is_integer(), "{messages} messages per period");
    }
    ends.sort();
    let count = |node| {
        ends.iter()
            .filter(|(_, link)| platform.link(*link).from == node)
            .count()
    };
    let sent: Vec<usize> = platform.node_ids().map(count).collect();
    let source = |node: NodeId| platform.incoming(node).is_empty();
    let (mut held, mut most) = (vec![0usize; sent.len()], 0);
    for _ in 0..periods {
        let full: Vec<bool> = platform
            .node_ids()
            .map(|node| source(node) || held[node.index()] >= sent[node.index()])
            .collect();
        for (_, link) in &ends {
            let ends = platform.link(*link);
            if full[ends.from.index()] {
                held[ends.to.index()] += 1;
                if !source(ends.from) {
                    held[ends.from.index()] -= 1;
                }
                most = most.max(held[node.index()]);
            }
        }
    }
    Ok((sent[node.index()], most))
}

/// The paper's clean-up phase, period by period: the source sends nothing more. All other buffers begin with the
/// contents that the steady state needs. Per period, a node sends the messages that it holds, at most its number of
/// messages per period. Returns the number of periods until all buffers are empty.
///
/// # Errors
/// It takes more than `limit` periods, or a node sends over several links.
pub fn emptying_periods(
    platform: &Platform,
    source: NodeId,
    flow: &Flow,
    limit: u64,
) -> Result<u64> {
    let mut buffer: BTreeMap<NodeId, u64> = BTreeMap::new();
    for (&link, &amount) in flow {
        let from = platform.link(link).from;
        if from != source && buffer.insert(from, amount).is_some() {
            bail!("{} sends over several links", platform.name(from));
        }
    }
    for period in 0..=limit {
        if buffer.values().all(|&left| left == 0) {
            return Ok(period);
        }
        let moved = flow.iter().map(|(&link, &amount)| {
            let ends = platform.link(link);
            (
                ends,
                buffer.get(&ends.from).copied().unwrap_or(0).min(amount),
            )
        });
        for (ends, amount) in moved.collect::<Vec<_>>() {
            if amount > 0 {
                buffer.entry(ends.from).and_modify(|left| *left -= amount);
                buffer.entry(ends.to).and_modify(|left| *left += amount);
            }
        }
    }
    bail!("the buffers are not empty after {limit} periods")
}

/// Propositions 1 and 2: between the paper's bound and `TP K`, and at most a constant behind.
pub fn limit_is_one(runs: &[ScheduleRun]) -> Result<Finding> {
    let mut holds = true;
    let mut tried = Vec::new();
    for run in runs {
        let loss = run.constant_loss();
        holds &= run.is_between() && loss.is_some();
        let loss = loss.map_or("varying".to_string(), |loss| loss.to_string());
        tried.push(format!("{}: {loss}", run.name));
    }
    let longest = runs.iter().map(|run| run.periods).max().unwrap_or(0);
    Ok(Finding::claim(holds, format!("instances behind TP K, the same at every K: {}", tried.join("; "))).note(
        format!("runs of up to {longest} periods, executed by the referee; never below the paper's own lower bound"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn a_run_gains_an_instance_per_period_once_started() -> Result<()> {
        let line = cases::platform("s r t", &[("s", "r", "1"), ("r", "t", "2")])?;
        let case = cases::scatter("line", line, "s", "t")?;
        let solved = case.answer()?;
        let plan = solved.plan()?;
        let run = ScheduleRun::new("line", &case, plan.schedule, 5)?;
        assert_eq!(
            (0..=5).map(|k| run.delivered(k)).collect::<Vec<_>>(),
            [0, 0, 1, 2, 3, 4]
        );
        assert_eq!(run.grid(), [1, 2, 3, 5]);
        assert_eq!(diameter(&case.platform), 2);
        assert!(run.is_between());
        Ok(())
    }
}
