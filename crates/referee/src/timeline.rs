//! Checks a timeline: follows every message of a concrete run from its source to its target, and executes every merge
//! of values, for a run of any program.

mod buffers;
mod copies;
mod dated;
mod follow;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use oneport_plan::{Message, Problem, Resource, Timeline};
use oneport_platform::{Rational, SharedId, whole};

use crate::Violation;
use crate::arithmetic::{Scale, is_positive, parts};
use crate::case::Case;
use crate::violation::{count_name, fault, shown};
use buffers::Buffers;
use dated::{CheckedMerge, Dated, DatedMerge, ZERO, check_event, check_merge_event};

/// Results of a correct run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimelineReport {
    /// Instances delivered completely: all that were started.
    pub delivered: u64,
    /// `(starting_periods + clean_up_periods) * period`, in units of time.
    pub horizon: Rational,
    /// `delivered / horizon`, in instances per unit of time: start-up and clean-up included.
    pub throughput: Rational,
    /// When the last message arrives, or the last merge ends.
    pub last_arrival: Rational,
    /// `(k, n)`: by the end of the first `k` periods, `n` instances are complete. One pair for each growth of `n`,
    /// ascending.
    pub complete: Vec<(u64, u64)>,
    /// Per node id: the most messages that the node held at one time, without messages of which it is source or target.
    /// A message is held from its arrival until it has been forwarded whole. A partial result from its arrival, or its
    /// making, until it has been forwarded whole or the merge that takes it ends.
    pub peak_buffer: Vec<usize>,
    /// When instances are complete, ascending, over a common denominator.
    ends: Vec<BigUint>,
    denominator: BigUint,
}

impl TimelineReport {
    /// Instances complete by a date, in units of time.
    pub fn complete_by(&self, date: &Rational) -> u64 {
        let Some(numerator) = date.numer().to_biguint() else {
            return 0;
        };
        let (until, denominator) = (numerator * &self.denominator, date.denom().magnitude());
        self.ends.partition_point(|end| end * denominator <= until) as u64
    }

    /// Instances complete by the end of the first `periods` periods. Compare with `periods` times the instances per
    /// period, an upper bound for every run if the throughput is optimal.
    pub fn complete_after(&self, periods: u64) -> u64 {
        let later = self
            .complete
            .partition_point(|&(period, _)| period <= periods);
        later
            .checked_sub(1)
            .and_then(|last| self.complete.get(last))
            .map_or(0, |&(_, instances)| instances)
    }
}

/// Checks a run by its events and merges alone.
///
/// - An event's pieces are positive (over a link of cost 0 it has one, of length 0), ascending, disjoint, within
///   `0..horizon`, and add up to `size * cost`, or more on a link that shares capacities. A merge takes `work *
///   compute`, at a processor, without a break.
/// - At no time does a shared capacity carry more than its rate, each transfer at one rate from its first piece to its
///   last.
/// - At no time do more pieces overlap at a port than it serves, nor two on a link, nor two merges at a processor. They
///   may touch. Merges of length 0 occupy nothing. Merges do not hinder transfers.
/// - Transfers that start at one date happen in the order of the list: a message passes links of cost 0 in no time.
/// - A message for one target is at its source at any time. It leaves a node only after its last piece has arrived
///   there, once. It never comes back to a node, and ends at its target.
/// - A partial result for one target is made once, at the processor of its merge. It travels like a message to the
///   processor of the one merge that takes it. That merge starts after its arrival. `v[0,N]` ends at the target.
/// - A message, or a partial result, for several targets stays at the nodes at which it arrived or was made. It may be
///   used there any number of times from then on. A node that does not replicate uses it once for every arrival.
///   Every target gets it.
/// - `v[i,i]` is at its owner at any time: participant `i`, or for commutative operators the node where it is first
///   used.
/// - Values are carried along. The result is the concatenation of all participants' values in their order, for
///   commutative operators in any order.
/// - Every message, and every result, of every started instance arrives.
/// - The dates agree with the period: an instance's first task starts in the instance's starting period, unless the run
///   is eager, and the last task ends in the last period, unless that is a starting period.
///
/// O(P log P) comparisons for P pieces and merges.
///
/// # Errors
/// The first rule broken.
pub fn check_timeline(problem: &Problem, timeline: &Timeline) -> Result<TimelineReport, Violation> {
    let case = Case::new(problem);
    let run = DatedRun::new(case, timeline)?;
    for (index, event) in run.events.iter().enumerate() {
        run.check_event(index, event)?;
    }
    for (index, merge) in run.merges.iter().enumerate() {
        run.check_merge(index, merge)?;
    }
    run.check_ports()?;
    run.check_shared()?;
    run.check_processors()?;
    let mut buffers = Buffers::default();
    run.follow_all(&mut buffers)?;
    let (starts, ends) = run.spans();
    if !timeline.eager {
        run.check_starts(&starts)?;
    }
    let last = ends.values().max().cloned().unwrap_or_default();
    run.check_clean_up(&last)?;
    Ok(run.report(&ends, last, buffers))
}

/// Start and end of something that occupies a port or a processor, and its index in the list.
type Stretch<'r> = (&'r BigUint, &'r BigUint, usize);

/// A timeline whose ids exist and whose dates are not negative.
struct DatedRun<'a> {
    case: Case<'a>,
    timeline: &'a Timeline,
    scale: Scale,
    period: BigUint,
    /// Starting and clean-up periods together.
    periods: u128,
    horizon: BigUint,
    events: Vec<Dated<'a>>,
    merges: Vec<DatedMerge<'a>>,
}

impl<'a> DatedRun<'a> {
    fn new(case: Case<'a>, timeline: &'a Timeline) -> Result<DatedRun<'a>, Violation> {
        if !is_positive(&timeline.period) {
            return Err(
                fault!(Schedule, "the period is {}", shown(&timeline.period); "it must be positive"),
            );
        }
        if timeline.starting_periods == 0 || timeline.instances_per_period == 0 {
            let (periods, instances) = (timeline.starting_periods, timeline.instances_per_period);
            let found =
                format!("{periods} starting periods of {instances} instances start nothing");
            return Err(fault!(Run, "{found}"; "both must be positive"));
        }
        let started =
            u128::from(timeline.starting_periods) * u128::from(timeline.instances_per_period);
        let mut pieces = timeline.events.len() + timeline.merges.len();
        for (index, event) in timeline.events.iter().enumerate() {
            check_event(&case, index, event, started)?;
            pieces += 4 * event.pieces.len();
        }
        let checked = |(index, merge)| check_merge_event(&case, index, merge, started);
        let merges: Vec<CheckedMerge<'a>> = timeline
            .merges
            .iter()
            .enumerate()
            .map(checked)
            .collect::<Result<_, Violation>>()?;
        let dates = timeline
            .events
            .iter()
            .flat_map(|event| &event.pieces)
            .flat_map(|(start, end)| [start, end]);
        let dates = dates.chain(
            timeline
                .merges
                .iter()
                .flat_map(|merge| [&merge.start, &merge.end]),
        );
        let scale = Scale::new("the dates", dates.chain([&timeline.period]), pieces)?;
        let events = timeline
            .events
            .iter()
            .map(|event| Dated::new(&case, &scale, event))
            .collect();
        let merges = merges
            .into_iter()
            .map(|merge| DatedMerge::new(&scale, merge))
            .collect();
        let periods = u128::from(timeline.starting_periods) + u128::from(timeline.clean_up_periods);
        let period = scale.scaled(&timeline.period);
        let horizon = &period * periods;
        Ok(DatedRun {
            case,
            timeline,
            scale,
            period,
            periods,
            horizon,
            events,
            merges,
        })
    }

    fn date(&self, scaled: &BigUint) -> String {
        shown(self.scale.rational(scaled.clone()))
    }

    /// The message of a transfer, in words.
    fn message(&self, dated: &Dated<'_>) -> String {
        self.case
            .message_name(dated.event.instance, dated.event.message)
    }

    /// The message of a transfer, and its link, in words.
    fn transfer(&self, dated: &Dated<'_>) -> String {
        format!(
            "{} over {}",
            self.message(dated),
            self.case.platform.link_name(dated.event.link)
        )
    }

    fn merge(&self, merge: &DatedMerge<'_>) -> String {
        let value = self
            .case
            .message_name(merge.event.instance, merge.event.message);
        format!("the merge that makes {value}")
    }

    /// The pieces of one event.
    fn check_event(&self, index: usize, dated: &Dated<'_>) -> Result<(), Violation> {
        let mut total = BigUint::zero();
        let mut previous: Option<&BigUint> = None;
        let takes_no_time =
            self.case.platform.link(dated.event.link).cost.is_zero() && dated.pieces.len() == 1;
        for (start, end) in &dated.pieces {
            if end < start
                || end == start && !takes_no_time
                || previous.is_some_and(|previous| start < previous)
            {
                let [start, end, previous] =
                    [start, end, previous.unwrap_or(&ZERO)].map(|date| self.date(date));
                let found =
                    format!("piece from {start} to {end} after one that ends at {previous}");
                let location = format!("event {index} ({})", self.transfer(dated));
                return Err(
                    fault!(Run, "{found}"; "pieces must be positive, ascending and disjoint")
                        .at(location),
                );
            }
            total += end - start;
            previous = Some(end);
        }
        if *dated.end() > self.horizon {
            let (transfer, end) = (self.transfer(dated), self.date(dated.end()));
            return Err(
                fault!(Run, "{transfer} ends at {end}"; "the run ends at {}", self.date(&self.horizon)),
            );
        }
        let size = self.case.volumes.size_of(dated.event.message);
        let (size_numerator, size_denominator) = parts(&size);
        let cost = &self.case.platform.link(dated.event.link).cost;
        let (cost_numerator, cost_denominator) = parts(cost);
        let found = &total * size_denominator * cost_denominator;
        let needed = size_numerator * cost_numerator * self.scale.denominator();
        // A link that shares capacities may be slower than if it were alone.
        let shares = !self.case.platform.shared_by(dated.event.link).is_empty();
        if found < needed || found > needed && !shares {
            let (transfer, found, needed) =
                (self.transfer(dated), self.date(&total), shown(size * cost));
            return Err(
                fault!(Run, "event {index} ({transfer}) takes {found}"; "the transfer takes {needed}"),
            );
        }
        Ok(())
    }

    /// The duration of one merge.
    fn check_merge(&self, index: usize, merge: &DatedMerge<'_>) -> Result<(), Violation> {
        let location = || {
            let value = self
                .case
                .message_name(merge.event.instance, merge.event.message);
            format!("merge {index} ({value})")
        };
        if merge.end > self.horizon {
            let (end, horizon) = (self.date(&merge.end), self.date(&self.horizon));
            return Err(fault!(Run, "ends at {end}"; "the run ends at {horizon}").at(location()));
        }
        let needed = self.case.volumes.merge_time(
            self.case.platform,
            merge.event.node,
            merge.part,
            merge.event.split,
        );
        let (numerator, denominator) = parts(&needed);
        let found = &merge.end - &merge.start;
        if &found * denominator != numerator * self.scale.denominator() {
            let (found, needed) = (self.date(&found), shown(needed));
            return Err(fault!(Run, "takes {found}"; "the merge takes {needed}").at(location()));
        }
        Ok(())
    }

    /// No port and no link does more at a time than it can.
    fn check_ports(&self) -> Result<(), Violation> {
        let mut busy: BTreeMap<Resource, Vec<Stretch<'_>>> = BTreeMap::new();
        for (index, dated) in self.events.iter().enumerate() {
            let own = Resource::Link(dated.event.link);
            let uses = Resource::uses(self.case.platform, dated.event.link);
            let whole = uses.filter(|used| used.part.is_none());
            let mut exclusive: BTreeSet<Resource> = whole.map(|used| used.resource).collect();
            if exclusive.is_empty() {
                exclusive.insert(own);
            }
            for resource in exclusive {
                let stretches = busy.entry(resource).or_default();
                // Pieces of length 0 occupy nothing.
                let pieces = dated.pieces.iter().filter(|(start, end)| start < end);
                stretches.extend(pieces.map(|(start, end)| (start, end, index)));
            }
        }
        self.check_capacities(busy, &|index| {
            self.events.get(index).map(|dated| self.transfer(dated))
        })
    }

    /// No shared capacity carries more than its rate. Every transfer has one rate: its size over the time of its
    /// pieces.
    fn check_shared(&self) -> Result<(), Violation> {
        let platform = self.case.platform;
        for (index, shared) in platform.shared().iter().enumerate() {
            // Per date: the change of the capacity's use, in parts of its rate. Starts add to it, ends subtract.
            let mut changes: BTreeMap<&BigUint, Rational> = BTreeMap::new();
            for dated in &self.events {
                let Some(&weight) = shared.weights.get(&dated.event.link) else {
                    continue;
                };
                let total: BigUint = dated.pieces.iter().map(|(start, end)| end - start).sum();
                if total.is_zero() {
                    continue;
                }
                let size = self.case.volumes.size_of(dated.event.message);
                let rate = size / self.scale.rational(total) * whole(weight);
                let part = rate / &shared.rate;
                for (start, end) in &dated.pieces {
                    *changes.entry(start).or_default() += &part;
                    *changes.entry(end).or_default() -= &part;
                }
            }
            let mut carried = Rational::zero();
            for (date, change) in changes {
                carried += change;
                if carried > Rational::one() {
                    let resource = Resource::Shared(SharedId::new(index)).describe(platform);
                    let (date, carried) = (self.date(date), shown(&carried));
                    let found = format!("the {resource} carries {carried} of its rate from {date}");
                    return Err(fault!(Run, "{found}"; "at most 1 is possible"));
                }
            }
        }
        Ok(())
    }

    /// No processor does two things at a time.
    fn check_processors(&self) -> Result<(), Violation> {
        let mut busy: BTreeMap<Resource, Vec<Stretch<'_>>> = BTreeMap::new();
        for (index, merge) in self
            .merges
            .iter()
            .enumerate()
            .filter(|(_, merge)| !merge.is_instant())
        {
            let stretches = busy.entry(Resource::Compute(merge.event.node)).or_default();
            stretches.push((&merge.start, &merge.end, index));
        }
        self.check_capacities(busy, &|index| {
            self.merges.get(index).map(|merge| self.merge(merge))
        })
    }

    /// Checks per resource: at no time do more stretches overlap than it serves.
    fn check_capacities(
        &self,
        busy: BTreeMap<Resource, Vec<Stretch<'_>>>,
        name: &dyn Fn(usize) -> Option<String>,
    ) -> Result<(), Violation> {
        for (resource, mut stretches) in busy {
            let capacity = resource.capacity(self.case.platform);
            stretches.sort_unstable();
            // Active stretches, by their ends.
            let mut active: BTreeSet<(&BigUint, usize)> = BTreeSet::new();
            for (start, end, index) in stretches {
                while active.first().is_some_and(|(end, _)| *end <= start) {
                    active.pop_first();
                }
                if let Some(&(until, first)) =
                    active.first().filter(|_| active.len() >= capacity as usize)
                {
                    let [first, second] =
                        [first, index].map(|index| name(index).unwrap_or_default());
                    let (start, end, resource) = (
                        self.date(start),
                        self.date(until),
                        resource.describe(self.case.platform),
                    );
                    let found = format!(
                        "the {resource} starts {second} at {start}, while {first} lasts until {end}"
                    );
                    return Err(
                        fault!(Run, "{found}"; "it serves {} at a time", count_name(capacity)),
                    );
                }
                active.insert((end, index));
            }
        }
        Ok(())
    }

    /// When each instance starts and ends.
    fn spans(&self) -> (BTreeMap<u64, &BigUint>, BTreeMap<u64, BigUint>) {
        let mut starts: BTreeMap<u64, &BigUint> = BTreeMap::new();
        let mut ends: BTreeMap<u64, BigUint> = BTreeMap::new();
        // A demand that is executed several times per instance counts each time.
        let rates = self.case.rates();
        let own = |time: u64, message: Message| {
            time / rates.get(message.demand).copied().unwrap_or(1).max(1)
        };
        let transfers = self.events.iter().map(|dated| {
            (
                own(dated.event.instance, dated.event.message),
                dated.start(),
                dated.end(),
            )
        });
        let merges = self.merges.iter().map(|merge| {
            (
                own(merge.event.instance, merge.event.message),
                &merge.start,
                &merge.end,
            )
        });
        for (instance, start, end) in transfers.chain(merges) {
            let earliest = starts.entry(instance).or_insert(start);
            *earliest = start.min(*earliest);
            let latest = ends.entry(instance).or_default();
            if end > latest {
                latest.clone_from(end);
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
                let [start, from, until] = [start, &from, &until].map(|date| self.date(date));
                let right =
                    format!("it belongs to period {period}, from {from} until before {until}");
                return Err(fault!(Run, "instance {instance} starts at {start}"; "{right}"));
            }
        }
        Ok(())
    }

    /// Checks that the last task ends in the last period, or that there is no clean-up.
    fn check_clean_up(&self, last: &BigUint) -> Result<(), Violation> {
        // A task of length 0 at the border of two periods belongs to the later one.
        let instants = self.merges.iter().filter(|merge| merge.is_instant());
        let instants = instants
            .map(|merge| merge.start.div_floor(&self.period) + 1u32)
            .max()
            .unwrap_or_default();
        let needed = last
            .div_ceil(&self.period)
            .max(instants)
            .max(self.timeline.starting_periods.into());
        if needed < self.periods.into() {
            let (stated, last) = (self.timeline.clean_up_periods, self.date(last));
            let right = (needed - self.timeline.starting_periods)
                .to_u64()
                .unwrap_or(u64::MAX);
            let found =
                format!("{stated} clean-up periods, but the last message arrives at {last}");
            return Err(fault!(Run, "{found}"; "{right} are enough"));
        }
        Ok(())
    }

    fn report(
        &self,
        ends: &BTreeMap<u64, BigUint>,
        last: BigUint,
        buffers: Buffers<'_>,
    ) -> TimelineReport {
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
        let mut dates: Vec<BigUint> = ends.values().cloned().collect();
        dates.sort_unstable();
        TimelineReport {
            delivered,
            throughput: whole(delivered) / &horizon,
            horizon,
            last_arrival: self.scale.rational(last),
            complete,
            peak_buffer: buffers.peaks(self.case.platform.nodes().len()),
            ends: dates,
            denominator: self.scale.denominator().clone(),
        }
    }
}
