//! Every deed as early as it can be.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_numbers::{Scaled, Whole};
use oneport_plan::{Action, Deed, Problem, Rational, Run};
use oneport_watch::Watch;

use crate::OnceError;
use crate::layout::{Kind, Layout, inputs};

/// Events between two questions to the watch: one may look at all deeds that wait.
const ASKED: u64 = 16;
/// Sends and merges dated in turn between two questions.
const BETWEEN: usize = 4096;

/// Dates of a draft, in a unit of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    unit: Rational,
    length: BigUint,
    starts: Arc<Starts>,
}

/// By deed.
#[derive(Debug, PartialEq, Eq)]
enum Starts {
    Short(Vec<u64>),
    Long(Vec<u128>),
    Any(Vec<BigUint>),
}

impl Dated {
    /// When everything has arrived and is combined.
    pub fn length(&self) -> Rational {
        &self.unit * Rational::from_integer(self.length.clone().into())
    }

    /// The time that dates count.
    pub(crate) fn unit(&self) -> &Rational {
        &self.unit
    }

    /// The same dates, each so many times as late.
    pub(crate) fn times(&self, factor: &Rational) -> Dated {
        Dated { unit: &self.unit * factor, ..self.clone() }
    }

    /// How many deeds have dates.
    pub(crate) fn deeds(&self) -> usize {
        match &*self.starts {
            Starts::Short(starts) => starts.len(),
            Starts::Long(starts) => starts.len(),
            Starts::Any(starts) => starts.len(),
        }
    }

    /// These deeds at these dates.
    pub(crate) fn actions(&self, deeds: &[Deed]) -> Vec<Action> {
        fn at<N: Clone + Into<BigUint>>(starts: &[N], deeds: &[Deed]) -> Vec<Action> {
            let action = |(start, deed): (&N, &Deed)| Action { start: start.clone().into(), deed: deed.clone() };
            starts.iter().zip(deeds).map(action).collect()
        }
        match &*self.starts {
            Starts::Short(starts) => at(starts, deeds),
            Starts::Long(starts) => at(starts, deeds),
            Starts::Any(starts) => at(starts, deeds),
        }
    }
}

/// What deeds take, in one unit.
struct Lengths {
    unit: Rational,
    /// By kind: how long it occupies its place, and what passes from its end to its arrival.
    kinds: Vec<[BigUint; 2]>,
}

impl Lengths {
    fn of(problem: Problem<'_>, layout: &Layout) -> Result<Lengths, OnceError> {
        let (platform, volumes) = (problem.platform(), problem.volumes());
        let (Some(size), Some(work)) = (volumes.size.constant(), volumes.work.constant()) else {
            return Err(OnceError::NotConstant);
        };
        let (size, work) = (size * &layout.share, work * &layout.share);
        let mut times: Vec<Rational> = Vec::new();
        for link in platform.links() {
            times.extend([link.latency(), link.overhead(), &link.cost * &size]);
        }
        let compute = |node: &oneport_platform::Node| node.compute.as_ref().map(|compute| compute * &work);
        for node in platform.nodes() {
            times.extend([Rational::zero(), Rational::zero(), compute(node).unwrap_or_default()]);
        }
        let Scaled { values, unit } = Scaled::coarsest(&times);
        let kind = |kind: &Kind| {
            let [latency, overhead, time] = [0, 1, 2].map(|place| &values[3 * kind.place + place]);
            [overhead + time * &kind.shares, latency.clone()]
        };
        Ok(Lengths { unit, kinds: layout.kinds.iter().map(kind).collect() })
    }

    /// Bits of a number that no date exceeds: all deeds one after another.
    fn bits(&self, layout: &Layout) -> u64 {
        let all = |([takes, latency], kind): (&[BigUint; 2], &Kind)| (takes + latency) * kind.count;
        self.kinds.iter().zip(&layout.kinds).map(all).sum::<BigUint>().bits()
    }
}

impl Lengths {
    /// By resource: with less idle time than this, all it does and the last result there can be over before the limit.
    fn spare<N: Whole>(&self, layout: &Layout, limit: &BigUint) -> Vec<N> {
        let mut busy: Vec<(BigUint, Option<&BigUint>)> = vec![Default::default(); layout.lanes.len()];
        for ([takes, latency], kind) in self.kinds.iter().zip(&layout.kinds) {
            for &resource in layout.occupied.of(kind.place) {
                let (sum, least) = &mut busy[resource as usize];
                *sum += takes * kind.count;
                *least = Some(least.map_or(latency, |least| least.min(latency)));
            }
        }
        let spare = |(sum, least): (BigUint, Option<&BigUint>)| {
            let needed = least.map_or(sum.clone(), |least| sum + least);
            if needed < *limit { N::narrow(&(limit - needed)) } else { Some(N::zero()) }
        };
        busy.into_iter().map(spare).collect::<Option<_>>().unwrap_or_default()
    }
}

impl Layout {
    /// Dates by which every deed starts as soon as its inputs are there and what it occupies is free; of those that
    /// wait for a resource, the first goes first. The problem is on the platform of the layout; sizes may differ.
    /// `O(d log d)` for `d` deeds, and as much again whenever a deed that waits for one resource finds another
    /// occupied.
    ///
    ///
    /// # Errors
    /// Sizes or work that depend on what is combined; [`OnceError::Stopped`] where the watch ended it;
    /// [`OnceError::Late`] where the length would not be below the limit. That is often seen long before the end: from
    /// how long a resource was idle, and what it still has to do.
    pub fn dated(&self, problem: Problem<'_>, limit: Option<&Rational>, watch: &Watch) -> Result<Dated, OnceError> {
        let lengths = Lengths::of(problem, self)?;
        let limit = limit.map(|limit| (limit / &lengths.unit).ceil().to_integer().magnitude().clone());
        let limit = limit.as_ref();
        match lengths.bits(self) {
            bits if bits < u64::BITS.into() => {
                Simulation::new(self, &lengths, limit).run(&lengths, watch, Starts::Short)
            }
            bits if bits < u128::BITS.into() => {
                Simulation::new(self, &lengths, limit).run(&lengths, watch, Starts::Long)
            }
            _ => Simulation::new(self, &lengths, limit).run(&lengths, watch, Starts::Any),
        }
    }

    /// The draft with these dates, which are its own.
    pub fn run(&self, dated: &Dated) -> Run {
        Run { pieces: self.draft.pieces.clone(), unit: dated.unit().clone(), actions: dated.actions(&self.draft.deeds) }
    }
}

impl Layout {
    /// Dates by which every port, link and processor keeps the order of the draft: each send or merge starts as soon as
    /// its inputs are there and what it occupies is free; where there are several ports, at the one that is free first.
    /// The problem is on the platform of the layout; sizes may differ. `O(d)` for `d` sends and merges.
    ///
    /// # Errors
    /// As [`Layout::dated`].
    pub fn dated_in_turn(
        &self,
        problem: Problem<'_>,
        limit: Option<&Rational>,
        watch: &Watch,
    ) -> Result<Dated, OnceError> {
        let lengths = Lengths::of(problem, self)?;
        let dated = match lengths.bits(self) {
            bits if bits < u64::BITS.into() => self.in_turn(&lengths, watch, Starts::Short)?,
            bits if bits < u128::BITS.into() => self.in_turn(&lengths, watch, Starts::Long)?,
            _ => self.in_turn(&lengths, watch, Starts::Any)?,
        };
        if limit.is_some_and(|limit| dated.length() >= *limit) { Err(OnceError::Late) } else { Ok(dated) }
    }

    fn in_turn<N: Whole>(
        &self,
        lengths: &Lengths,
        watch: &Watch,
        starts: fn(Vec<N>) -> Starts,
    ) -> Result<Dated, OnceError> {
        let narrow = |value: &BigUint| N::narrow(value).unwrap_or_else(N::zero);
        let kinds: Vec<[N; 2]> =
            lengths.kinds.iter().map(|[takes, latency]| [narrow(takes), narrow(latency)]).collect();
        let mut lanes: Vec<Vec<N>> = self.lanes.iter().map(|&lanes| vec![N::zero(); lanes as usize]).collect();
        let (mut begun, mut arrivals) = (Vec::with_capacity(self.deeds()), Vec::<N>::with_capacity(self.deeds()));
        let mut length = N::zero();
        for (number, deed) in self.draft().deeds.iter().enumerate() {
            if number % BETWEEN == 0 {
                watch.ask().map_err(OnceError::Stopped)?;
            }
            let kind = self.kind[number] as usize;
            let occupied = self.occupied.of(self.kinds[kind].place);
            let ready = inputs(deed).map(|input| &arrivals[input as usize]);
            let free = occupied.iter().filter_map(|&own| lanes[own as usize].iter().min());
            let start = ready.chain(free).max().cloned().unwrap_or_else(N::zero);
            let end = start.plus(&kinds[kind][0]);
            for &own in occupied {
                if let Some(lane) = lanes[own as usize].iter_mut().min() {
                    *lane = end.clone();
                }
            }
            let arrival = end.plus(&kinds[kind][1]);
            length = length.max(arrival.clone());
            arrivals.push(arrival);
            begun.push(start);
        }
        let starts = starts(begun);
        Ok(Dated { unit: lengths.unit.clone(), length: length.into(), starts: Arc::new(starts) })
    }
}

/// Deeds of one kind.
struct Takes<N> {
    /// How long it occupies its place, and what passes from its end to its arrival.
    takes: N,
    latency: N,
    place: usize,
}

/// Numbers, the least first. Most come in order, and need no heap.
#[derive(Debug, Default)]
struct Queue {
    ascending: VecDeque<u32>,
    others: BinaryHeap<Reverse<u32>>,
}

impl Queue {
    fn push(&mut self, number: u32) {
        match self.ascending.back() {
            Some(&last) if last > number => self.others.push(Reverse(number)),
            _ => self.ascending.push_back(number),
        }
    }

    fn pop(&mut self) -> Option<u32> {
        match (self.ascending.front(), self.others.peek()) {
            (Some(first), Some(Reverse(other))) if other < first => self.others.pop().map(|Reverse(number)| number),
            (None, _) => self.others.pop().map(|Reverse(number)| number),
            _ => self.ascending.pop_front(),
        }
    }

    fn is_empty(&self) -> bool {
        self.ascending.is_empty() && self.others.is_empty()
    }
}

/// A deed while dates are found; what belongs together stands together in memory.
struct Waiting<N> {
    start: N,
    /// Inputs that are not there yet.
    waits: u32,
    kind: u32,
}

/// What is known while dates are found.
struct Simulation<'l, N> {
    layout: &'l Layout,
    kinds: Vec<Takes<N>>,
    deeds: Vec<Waiting<N>>,
    /// The length has to be below.
    limit: Option<N>,
    /// By resource: for how long it may still be idle.
    spare: Vec<N>,
    /// By resource: from when on a lane is free.
    free: Vec<N>,
    /// By resource: when each lane is free; nothing where there is but one.
    lanes: Vec<Vec<N>>,
    /// By place: results on their way. A place does one deed after the other, so they arrive in this order.
    flying: Vec<VecDeque<(N, u32)>>,
    /// When the first result of a place arrives.
    arriving: BinaryHeap<Reverse<(N, u32)>>,
    /// When a resource is looked at.
    freeing: BinaryHeap<Reverse<(N, u32)>>,
    /// Deeds whose last inputs have arrived at the present date.
    ready: Queue,
    /// By resource: deeds that wait for it.
    parked: Vec<Queue>,
    /// By resource: when it is looked at next.
    woken: Vec<Option<N>>,
}

impl<'l, N: Whole> Simulation<'l, N> {
    /// The lengths, and their sum over all deeds, fit.
    fn new(layout: &'l Layout, lengths: &Lengths, limit: Option<&BigUint>) -> Self {
        let narrow = |value: &BigUint| N::narrow(value).unwrap_or_else(N::zero);
        let kind = |([takes, latency], kind): (&[BigUint; 2], &Kind)| Takes {
            takes: narrow(takes),
            latency: narrow(latency),
            place: kind.place,
        };
        let lanes = |&lanes: &u32| if lanes > 1 { vec![N::zero(); lanes as usize] } else { Vec::new() };
        let waiting = |(&kind, &waits): (&u32, &u32)| Waiting { start: N::zero(), waits, kind };
        let resources = layout.lanes.len();
        let places = layout.kinds.iter().map(|kind| kind.place + 1).max().unwrap_or(0);
        Simulation {
            layout,
            kinds: lengths.kinds.iter().zip(&layout.kinds).map(kind).collect(),
            deeds: layout.kind.iter().zip(&layout.waits).map(waiting).collect(),
            limit: limit.and_then(N::narrow),
            spare: limit.map_or_else(Vec::new, |limit| lengths.spare(layout, limit)),
            free: vec![N::zero(); resources],
            lanes: layout.lanes.iter().map(lanes).collect(),
            flying: (0..places).map(|_| VecDeque::new()).collect(),
            arriving: BinaryHeap::new(),
            freeing: BinaryHeap::new(),
            ready: Queue::default(),
            parked: (0..resources).map(|_| Queue::default()).collect(),
            woken: vec![None; resources],
        }
    }

    fn run(mut self, lengths: &Lengths, watch: &Watch, starts: fn(Vec<N>) -> Starts) -> Result<Dated, OnceError> {
        let (mut date, mut length) = (N::zero(), N::zero());
        // Who has no inputs is ready at date 0.
        let first = (0_u32..).zip(&self.layout.waits).filter(|(_, waits)| **waits == 0);
        first.for_each(|(deed, _)| self.ready.push(deed));
        for count in 1_u64.. {
            if count.is_multiple_of(ASKED) {
                watch.ask().map_err(OnceError::Stopped)?;
            }
            // First, something becomes free; then come those that are ready, in their order.
            let started = if let Some(resource) = next_at(&mut self.freeing, &date) {
                self.freed(resource, &date)
            } else if let Some(deed) = self.ready.pop() {
                self.ready(deed, &date)
            } else {
                let next =
                    [self.arriving.peek(), self.freeing.peek()].into_iter().flatten().map(|Reverse(next)| &next.0);
                let Some(next) = next.min().cloned() else { break };
                date = next;
                self.arrive_at(&date);
                None
            };
            if let Some(deed) = started {
                let arrival = self.start(deed, &date).ok_or(OnceError::Late)?;
                length = length.max(arrival);
            }
        }
        if self.limit.is_some_and(|limit| length >= limit) {
            return Err(OnceError::Late);
        }
        let starts = starts(self.deeds.into_iter().map(|deed| deed.start).collect());
        Ok(Dated { unit: lengths.unit.clone(), length: length.into(), starts: Arc::new(starts) })
    }

    /// What a deed of this number occupies.
    fn needed(&self, deed: u32) -> &'l [u32] {
        let kind = self.deeds[deed as usize].kind;
        self.layout.occupied.of(self.kinds[kind as usize].place)
    }

    /// A resource that a deed needs and that is occupied at a date.
    fn occupied_at(&self, deed: u32, date: &N) -> Option<u32> {
        self.needed(deed).iter().copied().find(|&resource| self.free[resource as usize] > *date)
    }

    /// A deed starts; when its result is there. `None` if all cannot be over before the limit.
    fn start(&mut self, deed: u32, date: &N) -> Option<N> {
        let Takes { takes, latency, place } = &self.kinds[self.deeds[deed as usize].kind as usize];
        let (place, end) = (*place, date.plus(takes));
        let arrival = end.plus(latency);
        for &resource in self.layout.occupied.of(place) {
            self.idle(resource as usize, date)?;
            self.occupy(resource as usize, &end);
            if !self.parked[resource as usize].is_empty() {
                self.wake(resource, date);
            }
        }
        self.deeds[deed as usize].start = date.clone();
        if arrival == *date {
            self.arrive(deed);
        } else {
            if self.flying[place].is_empty() {
                self.arriving.push(Reverse((arrival.clone(), place as u32)));
            }
            self.flying[place].push_back((arrival.clone(), deed));
        }
        Some(arrival)
    }

    /// A resource was idle until this date; `None` if that was too long.
    fn idle(&mut self, resource: usize, date: &N) -> Option<()> {
        let Some(spare) = self.spare.get_mut(resource).filter(|_| self.lanes[resource].is_empty()) else {
            return Some(());
        };
        let idle = date.minus(&self.free[resource]);
        *spare = (idle < *spare).then(|| spare.minus(&idle))?;
        Some(())
    }

    /// The lane that is free first is occupied until then.
    fn occupy(&mut self, resource: usize, end: &N) {
        let lanes = &mut self.lanes[resource];
        if let Some(lane) = lanes.iter_mut().min() {
            *lane = end.clone();
        }
        self.free[resource] = lanes.iter().min().unwrap_or(end).clone();
    }

    /// A deed whose inputs are there: it starts, or waits where others wait or where something is occupied.
    fn ready(&mut self, deed: u32, date: &N) -> Option<u32> {
        let waited = |resource: &u32| !self.parked[*resource as usize].is_empty();
        let queue = || self.needed(deed).iter().copied().find(waited);
        let Some(resource) = self.occupied_at(deed, date).or_else(queue) else { return Some(deed) };
        self.parked[resource as usize].push(deed);
        self.wake(resource, date);
        None
    }

    /// Of those that wait for a resource, the first that can start; whoever waits for something else, too, goes there.
    fn freed(&mut self, resource: u32, date: &N) -> Option<u32> {
        if self.woken[resource as usize].as_ref() != Some(date) {
            return None;
        }
        self.woken[resource as usize] = None;
        if self.free[resource as usize] > *date {
            if !self.parked[resource as usize].is_empty() {
                self.wake(resource, date);
            }
            return None;
        }
        while let Some(deed) = self.parked[resource as usize].pop() {
            let Some(other) = self.occupied_at(deed, date) else { return Some(deed) };
            self.parked[other as usize].push(deed);
            self.wake(other, date);
        }
        None
    }

    /// The resource is looked at when it is free, at this date or later; or before.
    fn wake(&mut self, resource: u32, date: &N) {
        let free = &self.free[resource as usize];
        let date = free.max(date);
        let woken = &mut self.woken[resource as usize];
        if woken.as_ref().is_none_or(|before| date < before) {
            *woken = Some(date.clone());
            self.freeing.push(Reverse((date.clone(), resource)));
        }
    }

    /// All results that arrive at this date.
    fn arrive_at(&mut self, date: &N) {
        while let Some(place) = next_at(&mut self.arriving, date) {
            while let Some((_, deed)) = self.flying[place as usize].pop_front_if(|(arrival, _)| arrival == date) {
                self.arrive(deed);
            }
            if let Some((arrival, _)) = self.flying[place as usize].front() {
                self.arriving.push(Reverse((arrival.clone(), place)));
            }
        }
    }

    /// A result is there; so are, perhaps, all inputs of those that use it.
    fn arrive(&mut self, deed: u32) {
        for &user in self.layout.users.of(deed as usize) {
            let waits = &mut self.deeds[user as usize].waits;
            *waits -= 1;
            if *waits == 0 {
                self.ready.push(user);
            }
        }
    }
}

/// What comes next, if it does so at this date.
fn next_at<N: Ord>(events: &mut BinaryHeap<Reverse<(N, u32)>>, date: &N) -> Option<u32> {
    if events.peek().is_some_and(|Reverse((next, _))| next <= date) {
        return events.pop().map(|Reverse((_, number))| number);
    }
    None
}
