//! Every deed as early as it can be.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_numbers::{Scaled, Whole};
use oneport_plan::{Action, Deed, Problem, Rational, Resource, Run};
use oneport_watch::Watch;

use crate::{Draft, OnceError};

/// Events between two questions to the watch: one may look at all deeds that wait.
const ASKED: u64 = 16;

/// Dates of a draft, in a unit of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    unit: Rational,
    starts: Vec<BigUint>,
    length: BigUint,
}

impl Dated {
    /// When everything has arrived and is combined.
    pub fn length(&self) -> Rational {
        &self.unit * Rational::from_integer(self.length.clone().into())
    }

    /// The draft with these dates.
    pub fn run(&self, draft: Draft) -> Run {
        let action = |(start, deed): (&BigUint, Deed)| Action { start: start.clone(), deed };
        let actions = self.starts.iter().zip(draft.deeds).map(action).collect();
        Run { pieces: draft.pieces, unit: self.unit.clone(), actions }
    }
}

/// What deeds take, in one unit: a part for every deed, a part for its share.
struct Lengths {
    unit: Rational,
    /// By link: latency, overhead, time of the smallest share.
    links: Vec<[BigUint; 3]>,
    /// By node: time of a merge of the smallest share.
    nodes: Vec<BigUint>,
    /// By piece: how many smallest shares.
    shares: Vec<BigUint>,
}

impl Lengths {
    fn of(problem: Problem<'_>, draft: &Draft) -> Result<Lengths, OnceError> {
        let (platform, volumes) = (problem.platform(), problem.volumes());
        let (Some(size), Some(work)) = (volumes.size.constant(), volumes.work.constant()) else {
            return Err(OnceError::NotConstant);
        };
        let shares = Scaled::coarsest(draft.pieces.iter().map(|piece| &piece.share));
        let (size, work) = (size * &shares.unit, work * &shares.unit);
        let mut times: Vec<Rational> = Vec::new();
        for link in platform.links() {
            times.extend([link.latency(), link.overhead(), &link.cost * &size]);
        }
        let compute = |node: &oneport_platform::Node| node.compute.as_ref().map(|compute| compute * &work);
        times.extend(platform.nodes().iter().map(|node| compute(node).unwrap_or_default()));
        let Scaled { values, unit } = Scaled::coarsest(&times);
        let (links, nodes) = values.split_at(3 * platform.links().len());
        let three = |three: &[BigUint]| [three[0].clone(), three[1].clone(), three[2].clone()];
        Ok(Lengths { unit, links: links.chunks(3).map(three).collect(), nodes: nodes.to_vec(), shares: shares.values })
    }

    /// Bits of a number that no date exceeds: all deeds one after another.
    fn bits(&self, deeds: &[Deed]) -> u64 {
        let mut sum = BigUint::zero();
        for deed in deeds {
            match deed {
                Deed::Send { link, carried } => {
                    let [latency, overhead, time] = &self.links[link.index()];
                    let shares: BigUint = carried.iter().map(|&(piece, _)| &self.shares[piece as usize]).sum();
                    sum += latency + overhead + time * shares;
                }
                Deed::Merge { node, piece, .. } => sum += &self.nodes[node.index()] * &self.shares[*piece as usize],
            }
        }
        sum.bits()
    }
}

impl Draft {
    /// Dates by which every deed starts as soon as its inputs are there and what it occupies is free; of those that
    /// wait for a resource, the least in order goes first. `O(d log d)` for `d` deeds, and as much again whenever a
    /// deed that waits for one resource finds another occupied.
    ///
    /// # Errors
    /// Sizes or work that depend on what is combined.
    pub fn dated(&self, problem: Problem<'_>) -> Result<Dated, OnceError> {
        self.dated_watched(problem, &Watch::unlimited())
    }

    /// [`dated`](Self::dated) under a watch.
    ///
    /// # Errors
    /// As [`dated`](Self::dated); [`OnceError::Stopped`] where the watch ended it.
    pub fn dated_watched(&self, problem: Problem<'_>, watch: &Watch) -> Result<Dated, OnceError> {
        let lengths = Lengths::of(problem, self)?;
        match lengths.bits(&self.deeds) {
            bits if bits < u64::BITS.into() => Simulation::<u64>::new(problem, self, &lengths).run(self, watch),
            bits if bits < u128::BITS.into() => Simulation::<u128>::new(problem, self, &lengths).run(self, watch),
            _ => Simulation::<BigUint>::new(problem, self, &lengths).run(self, watch),
        }
    }
}

/// What is known of a deed.
struct State<N> {
    takes: N,
    latency: N,
    /// When all inputs are there, as far as these are known.
    ready: N,
    /// Inputs without a date.
    waits: u32,
    /// Which of the lists of resources it occupies.
    occupies: u32,
}

struct Simulation<N> {
    unit: Rational,
    states: Vec<State<N>>,
    /// By deed: the range of those that use its result, in `users`.
    first_user: Vec<u32>,
    users: Vec<u32>,
    /// Lists of resources: by link, then by node.
    occupied: Vec<Vec<u32>>,
    /// By resource: when each of its lanes is free.
    free: Vec<Vec<N>>,
}

fn inputs(deed: &Deed) -> impl Iterator<Item = u32> + '_ {
    let (carried, two) = match deed {
        Deed::Send { carried, .. } => (&carried[..], [None, None]),
        Deed::Merge { left, right, .. } => (&[][..], [*left, *right]),
    };
    // What a message carries has often come together.
    let mut last = None;
    let carried = carried.iter().filter_map(|&(_, behind)| behind);
    let carried = carried.filter(move |&behind| last.replace(behind) != Some(behind));
    carried.chain(two.into_iter().flatten())
}

impl<N: Whole> Simulation<N> {
    fn new(problem: Problem<'_>, draft: &Draft, lengths: &Lengths) -> Self {
        let platform = problem.platform();
        let narrow = |value: &BigUint| N::narrow(value).unwrap_or_else(N::zero);
        let links: Vec<[N; 3]> =
            lengths.links.iter().map(|three| [0, 1, 2].map(|place| narrow(&three[place]))).collect();
        let nodes: Vec<N> = lengths.nodes.iter().map(narrow).collect();
        let shares: Vec<N> = lengths.shares.iter().map(narrow).collect();
        let state = |deed: &Deed| {
            let waits = inputs(deed).count() as u32;
            let (takes, latency, occupies) = match deed {
                Deed::Send { link, carried } => {
                    let [latency, overhead, time] = &links[link.index()];
                    let mut share = N::zero();
                    carried.iter().for_each(|&(piece, _)| share += &shares[piece as usize]);
                    (overhead.clone() + time.clone() * share, latency.clone(), link.index())
                }
                Deed::Merge { node, piece, .. } => {
                    let takes = nodes[node.index()].clone() * shares[*piece as usize].clone();
                    (takes, N::zero(), platform.links().len() + node.index())
                }
            };
            State { takes, latency, ready: N::zero(), waits, occupies: occupies as u32 }
        };
        let states: Vec<State<N>> = draft.deeds.iter().map(state).collect();
        let mut first_user = vec![0_u32; states.len() + 1];
        draft.deeds.iter().flat_map(inputs).for_each(|input| first_user[input as usize + 1] += 1);
        (1..first_user.len()).for_each(|place| first_user[place] += first_user[place - 1]);
        let mut next = first_user.clone();
        let mut users = vec![0_u32; first_user.last().copied().unwrap_or(0) as usize];
        for (deed, number) in draft.deeds.iter().zip(0_u32..) {
            for input in inputs(deed) {
                users[next[input as usize] as usize] = number;
                next[input as usize] += 1;
            }
        }
        let mut numbers: BTreeMap<Resource, u32> = BTreeMap::new();
        let mut free: Vec<Vec<N>> = Vec::new();
        let mut number = |resource: Resource| {
            *numbers.entry(resource).or_insert_with(|| {
                free.push(vec![N::zero(); resource.capacity(platform) as usize]);
                free.len() as u32 - 1
            })
        };
        let mut occupied: Vec<Vec<u32>> = Vec::with_capacity(links.len() + nodes.len());
        for link in platform.link_ids() {
            occupied.push(Resource::of_link(platform, link).map(&mut number).collect());
        }
        occupied.extend(platform.node_ids().map(|node| vec![number(Resource::Compute(node))]));
        Simulation { unit: lengths.unit.clone(), states, first_user, users, occupied, free }
    }

    /// A resource that a deed needs and that is occupied at a date.
    fn occupied_at(&self, deed: usize, date: &N) -> Option<u32> {
        let needed = self.occupied[self.states[deed].occupies as usize].iter().copied();
        needed.into_iter().find(|&resource| self.free_from(resource).is_some_and(|free| free > date))
    }

    /// When the resource has a free lane.
    fn free_from(&self, resource: u32) -> Option<&N> {
        self.free[resource as usize].iter().min()
    }

    fn run(mut self, draft: &Draft, watch: &Watch) -> Result<Dated, OnceError> {
        let mut starts = vec![N::zero(); self.states.len()];
        let mut length = N::zero();
        let mut queues = Queues::new(self.free.len());
        for (number, state) in (0_u32..).zip(&self.states).filter(|(_, state)| state.waits == 0) {
            queues.events.push(Reverse((state.ready.clone(), Event::Ready(number))));
        }
        for count in 1_u64.. {
            let Some(Reverse((date, event))) = queues.events.pop() else { break };
            if count.is_multiple_of(ASKED) {
                watch.ask().map_err(OnceError::Stopped)?;
            }
            let started = match event {
                Event::Ready(number) => self.ready(number, &date, draft, &mut queues),
                Event::Free(resource) => self.freed(resource, &date, &mut queues),
            };
            let Some(number) = started else { continue };
            let deed = number as usize;
            let end = date.plus(&self.states[deed].takes);
            for &resource in &self.occupied[self.states[deed].occupies as usize] {
                if let Some(lane) = self.free[resource as usize].iter_mut().min() {
                    *lane = end.clone();
                }
            }
            for place in 0..self.occupied[self.states[deed].occupies as usize].len() {
                let resource = self.occupied[self.states[deed].occupies as usize][place];
                if !queues.parked[resource as usize].is_empty() {
                    let free = self.free_from(resource).unwrap_or(&end).clone().max(date.clone());
                    queues.wake(resource, free);
                }
            }
            let arrival = end.plus(&self.states[deed].latency);
            self.arrive(deed, &arrival, &mut queues);
            starts[deed] = date;
            length = length.max(arrival);
        }
        Ok(Dated { unit: self.unit, starts: starts.into_iter().map(Into::into).collect(), length: length.into() })
    }

    /// A deed whose inputs are there: it starts, or waits where others wait or where something is occupied.
    fn ready(&self, number: u32, date: &N, draft: &Draft, queues: &mut Queues<N>) -> Option<u32> {
        let needed = &self.occupied[self.states[number as usize].occupies as usize];
        let queue = needed.iter().copied().find(|&resource| !queues.parked[resource as usize].is_empty());
        let busy = self.occupied_at(number as usize, date).or(queue);
        let Some(resource) = busy else { return Some(number) };
        queues.park(resource, draft.order[number as usize], number);
        let free = self.free_from(resource).unwrap_or(date).clone().max(date.clone());
        queues.wake(resource, free);
        None
    }

    /// Of those that wait for a resource, the first that can start; whoever waits for something else, too, goes there.
    fn freed(&self, resource: u32, date: &N, queues: &mut Queues<N>) -> Option<u32> {
        if queues.woken[resource as usize].as_ref() != Some(date) {
            return None;
        }
        queues.woken[resource as usize] = None;
        if self.free_from(resource).is_some_and(|free| free > date) {
            if !queues.parked[resource as usize].is_empty() {
                let free = self.free_from(resource).unwrap_or(date).clone();
                queues.wake(resource, free);
            }
            return None;
        }
        while let Some(Reverse((order, number))) = queues.parked[resource as usize].pop() {
            let Some(other) = self.occupied_at(number as usize, date) else { return Some(number) };
            queues.park(other, order, number);
            let free = self.free_from(other).unwrap_or(date).clone();
            queues.wake(other, free);
        }
        None
    }

    /// Whoever waited for this input.
    fn arrive(&mut self, deed: usize, arrival: &N, queues: &mut Queues<N>) {
        for place in self.first_user[deed]..self.first_user[deed + 1] {
            let user = self.users[place as usize];
            let state = &mut self.states[user as usize];
            state.waits -= 1;
            if *arrival > state.ready {
                state.ready = arrival.clone();
            }
            if state.waits == 0 {
                queues.events.push(Reverse((state.ready.clone(), Event::Ready(user))));
            }
        }
    }
}

/// What happens at a date: first, something becomes free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A resource.
    Free(u32),
    /// The inputs of a deed are there.
    Ready(u32),
}

/// Who waits for what.
struct Queues<N> {
    events: BinaryHeap<Reverse<(N, Event)>>,
    /// By resource: deeds that wait for it, by their order.
    parked: Vec<BinaryHeap<Reverse<(u64, u32)>>>,
    /// By resource: when it is looked at next.
    woken: Vec<Option<N>>,
}

impl<N: Whole> Queues<N> {
    fn new(resources: usize) -> Self {
        let parked = (0..resources).map(|_| BinaryHeap::new()).collect();
        Queues { events: BinaryHeap::new(), parked, woken: vec![None; resources] }
    }

    fn park(&mut self, resource: u32, order: u64, number: u32) {
        self.parked[resource as usize].push(Reverse((order, number)));
    }

    /// The resource is looked at at this date, or before.
    fn wake(&mut self, resource: u32, date: N) {
        let woken = &mut self.woken[resource as usize];
        if woken.as_ref().is_none_or(|before| date < *before) {
            *woken = Some(date.clone());
            self.events.push(Reverse((date, Event::Free(resource))));
        }
    }
}
