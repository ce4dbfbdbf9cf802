//! The papers' own policy for messages that travel alone (RR-4872 section 3.4): a node sends its amount per period as
//! soon as its buffer holds that amount at the start of a period. At the end, sources stop and buffers are emptied.
//!
//! Amounts of a commodity are a flow. Circulations are cancelled first: they would fill buffers only once they run.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};
use oneport_plan::{Kind, PeriodicSchedule, Problem, Task};
use oneport_platform::{LinkId, NodeId, Platform, Rational, whole};

/// The result of the policy on a schedule, for every number of periods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The longest path of any commodity's flow, in links: `L`.
    pub longest: u64,
    /// Periods until every node sends, at most `L - 1`.
    pub filling: u64,
    /// Periods after the sources have stopped until everything has arrived, at most `L - 1`.
    pub clean_up: u64,
    /// The fullest buffer at the start or end of a period, over the amount that its node forwards per period, below 2.
    pub fullest_between_periods: Rational,
    /// The fullest buffer at any date, if a node receives the whole amount of a period before it sends. No order of the
    /// transfers within a period fills a buffer more. Below 3.
    pub fullest: Rational,
    /// Instances per period.
    instances: BigUint,
}

impl Policy {
    /// Follows every commodity from its first period until it is steady, and from the end of the sources to its last.
    /// `None` where messages are copied or combined. `O(L m)` rationals per commodity with `m` links.
    pub fn of(problem: &Problem, schedule: &PeriodicSchedule) -> Option<Policy> {
        let mut flows: BTreeMap<usize, BTreeMap<LinkId, BigInt>> = BTreeMap::new();
        for scheduled in &schedule.patterns {
            let flow = flows.entry(scheduled.pattern.demand).or_default();
            for task in &scheduled.pattern.tasks {
                let Task::Send { link, .. } = *task else {
                    return None;
                };
                *flow.entry(link).or_default() += BigInt::from(scheduled.copies.clone());
            }
        }
        let mut policy = Policy {
            longest: 0,
            filling: 0,
            clean_up: 0,
            fullest_between_periods: Rational::zero(),
            fullest: Rational::zero(),
            instances: schedule.instances.clone(),
        };
        for (index, flow) in flows {
            let demand = problem
                .collective()
                .demand(index)
                .filter(|demand| demand.kind() == Kind::Route)?;
            let (&source, &target) = (demand.operands.first()?, demand.targets().first()?);
            let mut commodity = Commodity::new(
                problem.platform(),
                source,
                target,
                acyclic(problem.platform(), flow),
            );
            policy.longest = policy.longest.max(commodity.longest());
            policy.filling = policy.filling.max(commodity.fill());
            policy.clean_up = policy.clean_up.max(commodity.empty());
            let [between, within] = commodity.fullest;
            policy.fullest_between_periods = policy.fullest_between_periods.max(between);
            policy.fullest = policy.fullest.max(within);
        }
        Some(policy)
    }

    /// Instances delivered within a time: periods that fill, steady ones, and clean-up. 0 if the time is too short for
    /// filling and emptying.
    pub fn delivered(&self, until: &Rational, period: &Rational) -> BigUint {
        let sending = self
            .steady(until, period)
            .map(|steady| steady + self.filling)
            .unwrap_or_default();
        sending * &self.instances
    }

    /// Periods within a time in which every node sends. `None` if the time is too short to fill and empty.
    pub fn steady(&self, until: &Rational, period: &Rational) -> Option<BigUint> {
        let periods = (until / period).floor().to_integer() - self.filling - self.clean_up;
        (!periods.is_negative()).then(|| periods.magnitude().clone())
    }
}

/// The flow without its circulations: while there is a cycle, its least amount is subtracted from all its links.
fn acyclic(platform: &Platform, mut flow: BTreeMap<LinkId, BigInt>) -> BTreeMap<LinkId, BigInt> {
    flow.retain(|_, amount| amount.is_positive());
    while let Some(cycle) = cycle(platform, &flow) {
        let least = cycle
            .iter()
            .filter_map(|link| flow.get(link))
            .min()
            .cloned()
            .unwrap_or_default();
        for link in cycle {
            if let Some(amount) = flow.get_mut(&link) {
                *amount -= &least;
            }
        }
        flow.retain(|_, amount| amount.is_positive());
    }
    flow
}

/// Links of a directed cycle, if there is one: nodes without incoming links are taken away, then one walks backwards.
fn cycle(platform: &Platform, flow: &BTreeMap<LinkId, BigInt>) -> Option<Vec<LinkId>> {
    let mut links: Vec<LinkId> = flow.keys().copied().collect();
    loop {
        let before = links.len();
        let entered: Vec<NodeId> = links.iter().map(|&link| platform.link(link).to).collect();
        links.retain(|&link| entered.contains(&platform.link(link).from));
        if links.len() == before {
            break;
        }
    }
    let mut walk = vec![*links.first()?];
    loop {
        let from = platform.link(*walk.last()?).from;
        if let Some(end) = walk.iter().position(|&link| platform.link(link).to == from) {
            return Some(walk.split_off(end));
        }
        walk.push(*links.iter().find(|&&link| platform.link(link).to == from)?);
    }
}

/// One commodity's flow and buffers.
struct Commodity {
    source: NodeId,
    target: NodeId,
    /// Sender, receiver, amount per period.
    flow: Vec<(NodeId, NodeId, Rational)>,
    /// For each forwarding node: the amount that it sends per period, and the amount that it holds.
    buffers: BTreeMap<NodeId, [Rational; 2]>,
    /// The fullest buffer over the amount that its node sends per period: between periods, and at any date.
    fullest: [Rational; 2],
}

impl Commodity {
    fn new(
        platform: &Platform,
        source: NodeId,
        target: NodeId,
        flow: BTreeMap<LinkId, BigInt>,
    ) -> Commodity {
        let moved = |(link, amount): (LinkId, BigInt)| {
            let link = platform.link(link);
            (link.from, link.to, whole(amount))
        };
        let flow: Vec<_> = flow.into_iter().map(moved).collect();
        let mut buffers: BTreeMap<NodeId, [Rational; 2]> = BTreeMap::new();
        for (from, _, amount) in flow.iter().filter(|(from, ..)| *from != source) {
            buffers.entry(*from).or_default()[0] += amount;
        }
        Commodity {
            source,
            target,
            flow,
            buffers,
            fullest: [Rational::zero(), Rational::zero()],
        }
    }

    /// The longest path in links.
    fn longest(&self) -> u64 {
        let mut distance: BTreeMap<NodeId, u64> = BTreeMap::from([(self.source, 0)]);
        // Without cycles, no more rounds than nodes.
        for _ in 0..=self.flow.len() {
            for (from, to, _) in &self.flow {
                let next = distance.get(from).map_or(0, |before| before + 1);
                let known = distance.entry(*to).or_default();
                *known = next.max(*known);
            }
        }
        distance.get(&self.target).copied().unwrap_or(0)
    }

    /// Moves the share of each sender, out of the buffers before the period. Nothing passes two links in a period.
    fn period(&mut self, share: impl Fn(&[Rational; 2]) -> Rational, source: bool) {
        let mut moved = Vec::with_capacity(self.flow.len());
        for (from, to, amount) in &self.flow {
            let share = match self.buffers.get(from) {
                Some(buffer) => share(buffer),
                None => whole(u32::from(source)),
            };
            moved.push((*from, *to, amount * share));
        }
        for (_, to, amount) in &moved {
            if let Some(buffer) = self.buffers.get_mut(to) {
                buffer[1] += amount;
            }
        }
        self.look(1);
        for (from, _, amount) in moved {
            if let Some(buffer) = self.buffers.get_mut(&from) {
                buffer[1] -= amount;
            }
        }
        self.look(0);
    }

    fn look(&mut self, when: usize) {
        for [sent, held] in self.buffers.values() {
            let most = &mut self.fullest[when];
            *most = std::mem::take(most).max(held / sent);
        }
    }

    /// Periods until every forwarding node holds the amount that it sends. One more period is followed without being
    /// counted: in it, as in all steady ones, every node sends and receives.
    fn fill(&mut self) -> u64 {
        let mut periods = 0;
        let full = |[sent, held]: &[Rational; 2]| whole(u32::from(held >= sent));
        while self.buffers.values().any(|[sent, held]| held < sent)
            && periods <= self.flow.len() as u64
        {
            self.period(full, true);
            periods += 1;
        }
        self.period(full, true);
        periods
    }

    /// Periods until buffers are empty, after the source has stopped. Part of a period's amount is divided in
    /// proportion.
    fn empty(&mut self) -> u64 {
        let mut periods = 0;
        while self.buffers.values().any(|[_, held]| held.is_positive())
            && periods <= 2 * self.flow.len() as u64
        {
            let part = |[sent, held]: &[Rational; 2]| (held / sent).min(whole(1));
            self.period(part, false);
            periods += 1;
        }
        periods
    }
}
