//! Every deed as early as it can be.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_numbers::{Scaled, Whole};
use oneport_plan::{Action, Deed, Problem, Rational};
use oneport_watch::Watch;

use crate::OnceError;
use crate::layout::{Kind, Layout};

/// Events between two questions to the watch: one may look at all deeds that wait.
const ASKED: u64 = 16;

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

impl Layout {
    /// Dates by which every deed starts as soon as its inputs are there and what it occupies is free; of those that
    /// wait for a resource, the first goes first. The problem is on the platform of the layout; sizes may differ.
    /// `O(d log d)` for `d` deeds, and as much again whenever a deed that waits for one resource finds another
    /// occupied.
    ///
    /// # Errors
    /// Sizes or work that depend on what is combined; [`OnceError::Stopped`] where the watch ended it.
    pub fn dated(&self, problem: Problem<'_>, watch: &Watch) -> Result<Dated, OnceError> {
        let lengths = Lengths::of(problem, self)?;
        match lengths.bits(self) {
            bits if bits < u64::BITS.into() => Simulation::new(self, &lengths).run(lengths.unit, watch, Starts::Short),
            bits if bits < u128::BITS.into() => Simulation::new(self, &lengths).run(lengths.unit, watch, Starts::Long),
            _ => Simulation::new(self, &lengths).run(lengths.unit, watch, Starts::Any),
        }
    }
}

/// Deeds of one kind.
struct Takes<N> {
    /// How long it occupies its place, and what passes from its end to its arrival.
    takes: N,
    latency: N,
    place: usize,
}

/// What is known while dates are found.
struct Simulation<'l, N> {
    layout: &'l Layout,
    kinds: Vec<Takes<N>>,
    /// By deed: when all inputs are there, as far as these are known; once it has started, its start.
    dates: Vec<N>,
    /// By deed: inputs without a date.
    waits: Vec<u32>,
    /// By resource: from when on a lane is free.
    free: Vec<N>,
    /// By resource: when each lane is free; nothing where there is but one.
    lanes: Vec<Vec<N>>,
    /// What happens next.
    events: BinaryHeap<Reverse<(N, Event)>>,
    /// By resource: deeds that wait for it.
    parked: Vec<BinaryHeap<Reverse<u32>>>,
    /// By resource: when it is looked at next.
    woken: Vec<Option<N>>,
}

/// What happens at a date: first, something becomes free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A resource.
    Free(u32),
    /// The inputs of a deed are there.
    Ready(u32),
}

impl<'l, N: Whole> Simulation<'l, N> {
    /// The lengths, and their sum over all deeds, fit.
    fn new(layout: &'l Layout, lengths: &Lengths) -> Self {
        let narrow = |value: &BigUint| N::narrow(value).unwrap_or_else(N::zero);
        let kind = |([takes, latency], kind): (&[BigUint; 2], &Kind)| Takes {
            takes: narrow(takes),
            latency: narrow(latency),
            place: kind.place,
        };
        let lanes = |&lanes: &u32| if lanes > 1 { vec![N::zero(); lanes as usize] } else { Vec::new() };
        let resources = layout.lanes.len();
        Simulation {
            layout,
            kinds: lengths.kinds.iter().zip(&layout.kinds).map(kind).collect(),
            dates: vec![N::zero(); layout.kind.len()],
            waits: layout.waits.clone(),
            free: vec![N::zero(); resources],
            lanes: layout.lanes.iter().map(lanes).collect(),
            events: BinaryHeap::new(),
            parked: vec![BinaryHeap::new(); resources],
            woken: vec![None; resources],
        }
    }

    fn run(mut self, unit: Rational, watch: &Watch, starts: fn(Vec<N>) -> Starts) -> Result<Dated, OnceError> {
        let mut length = N::zero();
        // Who has no inputs is ready at date 0: in order, and after what is free then.
        let mut first = (0_u32..).zip(&self.layout.waits).filter(|(_, waits)| **waits == 0).peekable();
        for count in 1_u64.. {
            if count.is_multiple_of(ASKED) {
                watch.ask().map_err(OnceError::Stopped)?;
            }
            let now = (N::zero(), Event::Ready(first.peek().map_or(u32::MAX, |(deed, _)| *deed)));
            let (date, event) = match self.events.peek() {
                Some(Reverse(event)) if first.peek().is_none() || *event < now => match self.events.pop() {
                    Some(Reverse(event)) => event,
                    None => break,
                },
                _ if first.next().is_some() => now,
                _ => break,
            };
            let started = match event {
                Event::Ready(deed) => self.ready(deed, &date),
                Event::Free(resource) => self.freed(resource, &date),
            };
            if let Some(deed) = started {
                length = length.max(self.start(deed, date));
            }
        }
        Ok(Dated { unit, length: length.into(), starts: Arc::new(starts(self.dates)) })
    }

    /// What a deed of this number occupies.
    fn needed(&self, deed: u32) -> &'l [u32] {
        let kind = self.layout.kind[deed as usize];
        self.layout.occupied.of(self.kinds[kind as usize].place)
    }

    /// A resource that a deed needs and that is occupied at a date.
    fn occupied_at(&self, deed: u32, date: &N) -> Option<u32> {
        self.needed(deed).iter().copied().find(|&resource| self.free[resource as usize] > *date)
    }

    /// A deed starts; when its result is there.
    fn start(&mut self, deed: u32, date: N) -> N {
        let Takes { takes, latency, .. } = &self.kinds[self.layout.kind[deed as usize] as usize];
        let end = date.plus(takes);
        let arrival = end.plus(latency);
        for &resource in self.needed(deed) {
            self.occupy(resource as usize, &end);
            if !self.parked[resource as usize].is_empty() {
                self.wake(resource, &date);
            }
        }
        self.arrive(deed, &arrival);
        self.dates[deed as usize] = date;
        arrival
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
        self.parked[resource as usize].push(Reverse(deed));
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
        while let Some(Reverse(deed)) = self.parked[resource as usize].pop() {
            let Some(other) = self.occupied_at(deed, date) else { return Some(deed) };
            self.parked[other as usize].push(Reverse(deed));
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
            self.events.push(Reverse((date.clone(), Event::Free(resource))));
        }
    }

    /// Whoever waited for this input.
    fn arrive(&mut self, deed: u32, arrival: &N) {
        for &user in self.layout.users.of(deed as usize) {
            let (waits, ready) = (&mut self.waits[user as usize], &mut self.dates[user as usize]);
            *waits -= 1;
            if *arrival > *ready {
                *ready = arrival.clone();
            }
            if *waits == 0 {
                self.events.push(Reverse((ready.clone(), Event::Ready(user))));
            }
        }
    }
}
