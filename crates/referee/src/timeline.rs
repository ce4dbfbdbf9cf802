//! A timeline: every message of a concrete run followed from its source to its target, whoever made it.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use oneport_plan::{Collective, Event, Timeline};
use oneport_platform::{NodeId, Platform, Rational};

use crate::Violation;
use crate::arithmetic::{Scale, is_non_negative, is_positive, parts};
use crate::case::Case;

/// What a correct run achieves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimelineReport {
    /// Instances delivered completely: all that were started.
    pub delivered: u64,
    /// `(starting_periods + clean_up_periods) * period`, in units of time.
    pub horizon: Rational,
    /// `delivered / horizon`, in instances per unit of time: start-up and clean-up included.
    pub throughput: Rational,
    /// When the last message arrives.
    pub last_arrival: Rational,
    /// `(k, n)`: by the end of the first `k` periods, `n` instances are complete; wherever `n` grows, ascending.
    pub complete: Vec<(u64, u64)>,
    /// By node id: the most messages that the node held at one time, neither as their source nor as their
    /// target. A message is held from its arrival until it has been forwarded whole.
    pub peak_buffer: Vec<usize>,
}

impl TimelineReport {
    /// Instances complete by the end of the first `periods` periods; compare with `periods` times the instances
    /// per period, which no run exceeds at the optimum.
    pub fn complete_after(&self, periods: u64) -> u64 {
        let later = self.complete.partition_point(|&(period, _)| period <= periods);
        later.checked_sub(1).and_then(|last| self.complete.get(last)).map_or(0, |&(_, instances)| instances)
    }
}

/// Checks a run by its events alone.
///
/// - An event's pieces are positive, ascending, disjoint, within `0..horizon`, and add up to `size * cost`.
/// - No two pieces overlap at a send port or at a receive port (they may touch).
/// - A message is at its source at any time; it leaves a node only after its last piece has arrived there, once;
///   it never comes back to a node, and ends at its target.
/// - Every message of every started instance arrives.
/// - The dates agree with the period: an instance's first transfer starts in the instance's starting period,
///   and the last message arrives in the last period, unless that is a starting period.
///
/// O(P log P) comparisons for P pieces.
///
/// # Errors
/// The first rule broken.
pub fn check_timeline(
    platform: &Platform,
    collective: &Collective,
    size: &Rational,
    timeline: &Timeline,
) -> Result<TimelineReport, Violation> {
    let case = Case::new(platform, collective, size)?;
    let run = Run::new(case, timeline)?;
    for (place, event) in run.events.iter().enumerate() {
        run.check_event(place, event)?;
    }
    run.check_ports()?;
    let messages = run.messages();
    run.check_complete(&messages)?;
    let mut buffers = Buffers::default();
    for message in messages.values() {
        run.follow(message, &mut buffers)?;
    }
    let (starts, ends) = run.spans();
    run.check_starts(&starts)?;
    let last = ends.values().max().cloned().unwrap_or_default();
    run.check_clean_up(&last)?;
    Ok(run.report(&ends, last, buffers))
}

/// An event with its ends looked up and its dates scaled to integers.
struct Dated<'a> {
    event: &'a Event,
    from: NodeId,
    to: NodeId,
    /// At least one.
    pieces: Vec<(BigUint, BigUint)>,
}

static ZERO: BigUint = BigUint::ZERO;

impl Dated<'_> {
    fn start(&self) -> &BigUint {
        self.pieces.first().map_or(&ZERO, |(start, _)| start)
    }

    fn end(&self) -> &BigUint {
        self.pieces.last().map_or(&ZERO, |(_, end)| end)
    }
}

/// Identity of what travels: instance and commodity.
type Identity = (u64, usize);

/// A timeline whose ids exist and whose dates are not negative.
struct Run<'a> {
    case: Case<'a>,
    timeline: &'a Timeline,
    scale: Scale,
    period: BigUint,
    /// Starting and clean-up periods together.
    periods: u128,
    horizon: BigUint,
    events: Vec<Dated<'a>>,
}

impl<'a> Run<'a> {
    fn new(case: Case<'a>, timeline: &'a Timeline) -> Result<Run<'a>, Violation> {
        if !is_positive(&timeline.period) {
            return Err(Violation::BadPeriod { found: Box::new(timeline.period.clone()) });
        }
        if timeline.starting_periods == 0 || timeline.instances_per_period == 0 {
            return Err(Violation::EmptyRun {
                starting_periods: timeline.starting_periods,
                instances_per_period: timeline.instances_per_period,
            });
        }
        let started = u128::from(timeline.starting_periods) * u128::from(timeline.instances_per_period);
        let mut pieces = 0;
        for (place, event) in timeline.events.iter().enumerate() {
            check_ids(&case, place, event, started)?;
            pieces += event.pieces.len();
            for date in event.pieces.iter().flat_map(|(start, end)| [start, end]) {
                if !is_non_negative(date) {
                    return Err(Violation::BadDate {
                        message: case.message_name(event.instance, event.message.commodity),
                        link: case.platform.link_name(event.link),
                        found: Box::new(date.clone()),
                    });
                }
            }
        }
        let dates = timeline.events.iter().flat_map(|event| &event.pieces).flat_map(|(start, end)| [start, end]);
        let scale = Scale::new("the dates", dates.chain([&timeline.period]), 4 * pieces + timeline.events.len())?;
        let events = timeline.events.iter().map(|event| dated(&case, &scale, event)).collect();
        let periods = u128::from(timeline.starting_periods) + u128::from(timeline.clean_up_periods);
        let period = scale.scaled(&timeline.period);
        let horizon = &period * periods;
        Ok(Run { case, timeline, scale, period, periods, horizon, events })
    }

    fn date(&self, scaled: &BigUint) -> Box<Rational> {
        Box::new(self.scale.rational(scaled.clone()))
    }

    fn message(&self, dated: &Dated<'_>) -> String {
        self.case.message_name(dated.event.instance, dated.event.message.commodity)
    }

    fn link(&self, dated: &Dated<'_>) -> String {
        self.case.platform.link_name(dated.event.link)
    }

    /// The pieces of one event.
    fn check_event(&self, place: usize, dated: &Dated<'_>) -> Result<(), Violation> {
        let mut total = BigUint::zero();
        let mut previous: Option<&BigUint> = None;
        for (start, end) in &dated.pieces {
            if end <= start || previous.is_some_and(|previous| start < previous) {
                return Err(Violation::PieceOrder {
                    event: place,
                    message: self.message(dated),
                    link: self.link(dated),
                    start: self.date(start),
                    end: self.date(end),
                    previous: self.date(previous.unwrap_or(&ZERO)),
                });
            }
            total += end - start;
            previous = Some(end);
        }
        if *dated.end() > self.horizon {
            return Err(Violation::AfterHorizon {
                message: self.message(dated),
                link: self.link(dated),
                end: self.date(dated.end()),
                horizon: self.date(&self.horizon),
            });
        }
        let (size, size_denominator) = parts(self.case.size);
        let cost = &self.case.platform.link(dated.event.link).cost;
        let (cost_numerator, cost_denominator) = parts(cost);
        if &total * size_denominator * cost_denominator != size * cost_numerator * self.scale.denominator() {
            return Err(Violation::EventTime {
                event: place,
                message: self.message(dated),
                link: self.link(dated),
                found: self.date(&total),
                needed: Box::new(self.case.size * cost),
            });
        }
        Ok(())
    }

    /// No port does two things at a time.
    fn check_ports(&self) -> Result<(), Violation> {
        let nodes = self.case.platform.nodes().len();
        let mut send: Vec<Vec<(&(BigUint, BigUint), &Dated<'_>)>> = vec![Vec::new(); nodes];
        let mut receive = send.clone();
        for dated in &self.events {
            for piece in &dated.pieces {
                send[dated.from.index()].push((piece, dated));
                receive[dated.to.index()].push((piece, dated));
            }
        }
        for (kind, ports) in [("send", send), ("receive", receive)] {
            for (node, mut pieces) in self.case.platform.node_ids().zip(ports) {
                pieces.sort_by_key(|&(piece, _)| piece);
                for pair in pieces.windows(2) {
                    let [((_, end), first), ((start, _), second)] = pair else { continue };
                    if start < end {
                        return Err(Violation::PortOverlap {
                            kind,
                            node: self.case.name(node),
                            first: format!("{} over {}", self.message(first), self.link(first)),
                            second: format!("{} over {}", self.message(second), self.link(second)),
                            start: self.date(start),
                            end: self.date(end),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// The events of each message, by start.
    fn messages(&self) -> BTreeMap<Identity, Vec<&Dated<'a>>> {
        let mut messages: BTreeMap<Identity, Vec<&Dated<'a>>> = BTreeMap::new();
        for dated in &self.events {
            messages.entry((dated.event.instance, dated.event.message.commodity)).or_default().push(dated);
        }
        for events in messages.values_mut() {
            events.sort_by_key(|dated| dated.start());
        }
        messages
    }

    /// Every message of every started instance is sent at all. Stops at the first that is not: the counts of a
    /// timeline may be far larger than its list of events.
    fn check_complete(&self, messages: &BTreeMap<Identity, Vec<&Dated<'a>>>) -> Result<(), Violation> {
        let commodities = self.case.commodities() as u128;
        let started = u128::from(self.timeline.starting_periods) * u128::from(self.timeline.instances_per_period);
        let mut sent = messages.keys();
        let mut place: u128 = 0;
        loop {
            let expected = (place / commodities, place % commodities);
            if expected.0 == started {
                return Ok(());
            }
            let found = sent.next().map(|&(instance, commodity)| (u128::from(instance), commodity as u128));
            if found != Some(expected) {
                let instance = u64::try_from(expected.0).unwrap_or(u64::MAX);
                return Err(self.undelivered(instance, usize::try_from(expected.1).unwrap_or(usize::MAX), None));
            }
            place += 1;
        }
    }

    fn undelivered(&self, instance: u64, commodity: usize, at: Option<NodeId>) -> Violation {
        let commodities = self.case.commodity(commodity);
        let name = |node: Option<NodeId>| node.map(|node| self.case.name(node)).unwrap_or_default();
        Violation::Undelivered {
            message: self.case.message_name(instance, commodity),
            node: name(at.or(commodities.map(|commodity| commodity.source))),
            target: name(commodities.map(|commodity| commodity.target)),
        }
    }

    /// Follows one message, event by event in the order of their starts, from its source to its target.
    fn follow<'r>(&'r self, events: &[&'r Dated<'a>], buffers: &mut Buffers<'r>) -> Result<(), Violation> {
        let Some((first, commodity)) =
            events.first().and_then(|first| Some((first, self.case.commodity(first.event.message.commodity)?)))
        else {
            return Ok(());
        };
        let mut holder = commodity.source;
        let mut arrival: Option<&BigUint> = None;
        let mut visited = BTreeSet::from([holder]);
        for dated in events {
            let named = || (self.message(dated), self.link(dated), self.date(dated.start()));
            if holder == commodity.target {
                let (message, link, start) = named();
                return Err(Violation::LeavesTarget { message, link, start, target: self.case.name(holder) });
            }
            if dated.from != holder {
                let (message, link, start) = named();
                return Err(Violation::NotThere { message, link, start, holder: self.case.name(holder) });
            }
            if arrival.is_some_and(|arrival| dated.start() < arrival) {
                let (message, link, start) = named();
                let arrival = self.date(arrival.unwrap_or(&ZERO));
                return Err(Violation::NotArrived { message, link, start, node: self.case.name(holder), arrival });
            }
            if !visited.insert(dated.to) {
                let (message, link, _) = named();
                return Err(Violation::DeliveredTwice { message, link, node: self.case.name(dated.to) });
            }
            if let Some(arrival) = arrival {
                buffers.hold(holder, arrival, dated.end());
            }
            holder = dated.to;
            arrival = Some(dated.end());
        }
        if holder != commodity.target {
            return Err(self.undelivered(first.event.instance, first.event.message.commodity, Some(holder)));
        }
        Ok(())
    }

    /// When each instance starts and ends.
    fn spans(&self) -> (BTreeMap<u64, &BigUint>, BTreeMap<u64, BigUint>) {
        let mut starts: BTreeMap<u64, &BigUint> = BTreeMap::new();
        let mut ends: BTreeMap<u64, BigUint> = BTreeMap::new();
        for dated in &self.events {
            let start = starts.entry(dated.event.instance).or_insert(dated.start());
            *start = (*start).min(dated.start());
            let end = ends.entry(dated.event.instance).or_default();
            if dated.end() > end {
                end.clone_from(dated.end());
            }
        }
        (starts, ends)
    }

    /// Instance `i` starts in period `i / instances_per_period`.
    fn check_starts(&self, starts: &BTreeMap<u64, &BigUint>) -> Result<(), Violation> {
        for (&instance, &start) in starts {
            let period = instance / self.timeline.instances_per_period;
            let from = &self.period * period;
            let until = &from + &self.period;
            if *start < from || *start >= until {
                return Err(Violation::StartPeriod {
                    instance,
                    period,
                    found: self.date(start),
                    from: self.date(&from),
                    until: self.date(&until),
                });
            }
        }
        Ok(())
    }

    /// The last message arrives in the last period, or there is no clean-up.
    fn check_clean_up(&self, last: &BigUint) -> Result<(), Violation> {
        let needed = last.div_ceil(&self.period).max(self.timeline.starting_periods.into());
        if needed < self.periods.into() {
            return Err(Violation::IdleCleanUp {
                stated: self.timeline.clean_up_periods,
                right: (needed - self.timeline.starting_periods).to_u64().unwrap_or(u64::MAX),
                last: self.date(last),
            });
        }
        Ok(())
    }

    fn report(&self, ends: &BTreeMap<u64, BigUint>, last: BigUint, buffers: Buffers<'_>) -> TimelineReport {
        let mut by_period: BTreeMap<u64, u64> = BTreeMap::new();
        for end in ends.values() {
            let period = end.div_ceil(&self.period).to_u64().unwrap_or(u64::MAX);
            *by_period.entry(period).or_default() += 1;
        }
        let mut delivered = 0;
        let mut complete = Vec::with_capacity(by_period.len());
        for (period, instances) in by_period {
            delivered += instances;
            complete.push((period, delivered));
        }
        let horizon = self.scale.rational(self.horizon.clone());
        TimelineReport {
            delivered,
            throughput: Rational::from_integer(delivered.into()) / &horizon,
            horizon,
            last_arrival: self.scale.rational(last),
            complete,
            peak_buffer: buffers.peaks(self.case.platform.nodes().len()),
        }
    }
}

/// The ids of an event exist, and it has pieces.
fn check_ids(case: &Case<'_>, place: usize, event: &Event, started: u128) -> Result<(), Violation> {
    let commodity = event.message.commodity;
    if case.commodity(commodity).is_none() {
        let commodities = case.commodities();
        return Err(Violation::UnknownCommodity { place: format!("event {place}"), commodity, commodities });
    }
    case.link(event.link, || format!("event {place}"))?;
    if u128::from(event.instance) >= started {
        return Err(Violation::UnknownInstance { event: place, instance: event.instance, started });
    }
    if event.pieces.is_empty() {
        return Err(Violation::NoPieces {
            event: place,
            message: case.message_name(event.instance, commodity),
            link: case.platform.link_name(event.link),
        });
    }
    Ok(())
}

/// Scales the dates of an event.
fn dated<'a>(case: &Case<'_>, scale: &Scale, event: &'a Event) -> Dated<'a> {
    let link = case.platform.link(event.link);
    let pieces: Vec<(BigUint, BigUint)> =
        event.pieces.iter().map(|(start, end)| (scale.scaled(start), scale.scaled(end))).collect();
    Dated { event, from: link.from, to: link.to, pieces }
}

/// Arrivals (+1) and departures (-1) of messages in transit, by node.
#[derive(Default)]
struct Buffers<'r> {
    changes: BTreeMap<NodeId, Vec<(&'r BigUint, i8)>>,
}

impl<'r> Buffers<'r> {
    fn hold(&mut self, node: NodeId, from: &'r BigUint, until: &'r BigUint) {
        self.changes.entry(node).or_default().extend([(from, 1), (until, -1)]);
    }

    /// A message that leaves when another arrives makes room for it.
    fn peaks(self, nodes: usize) -> Vec<usize> {
        let mut peaks = vec![0; nodes];
        for (node, mut changes) in self.changes {
            changes.sort_unstable();
            let mut held: usize = 0;
            for (_, change) in changes {
                held = held.saturating_add_signed(change.into());
                if let Some(peak) = peaks.get_mut(node.index()) {
                    *peak = held.max(*peak);
                }
            }
        }
        peaks
    }
}
