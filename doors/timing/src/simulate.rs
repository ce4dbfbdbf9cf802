//! Simulates a list of tasks: every task starts as soon as its inputs and its resources allow.

use oneport_platform::whole;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::Zero;
use oneport_numbers::{Scaled, Whole};
use oneport_plan::{Problem, Rational, Run, RunTask, TimedTask};
use oneport_watch::Watch;

use crate::TimingError;
use crate::task_graph::{Kind, TaskGraph, inputs};

/// Events between two checks of the watch. One event may visit all waiting tasks. Trades lateness after a limit for
/// calls. Not measured.
const ASKED: u64 = 16;
/// Sends and merges dated in sequence between two checks of the watch. Trades lateness after a limit for calls. Not
/// measured.
const BETWEEN: usize = 4096;

/// Start dates of all tasks of a list, as integers in one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    unit: Rational,
    length: BigUint,
    starts: Arc<Starts>,
}

/// Start dates, per task.
#[derive(Debug, PartialEq, Eq)]
enum Starts {
    Short(Vec<u64>),
    Long(Vec<u128>),
    Any(Vec<BigUint>),
}

impl Timing {
    /// The date at which all values have arrived and are combined.
    pub fn length(&self) -> Rational {
        &self.unit * whole(self.length.clone())
    }

    /// The time that dates count.
    pub(crate) fn unit(&self) -> &Rational {
        &self.unit
    }

    /// The dates, multiplied by `factor`.
    pub(crate) fn times(&self, factor: &Rational) -> Timing {
        Timing {
            unit: &self.unit * factor,
            ..self.clone()
        }
    }

    /// Number of dated tasks.
    pub(crate) fn tasks(&self) -> usize {
        match &*self.starts {
            Starts::Short(starts) => starts.len(),
            Starts::Long(starts) => starts.len(),
            Starts::Any(starts) => starts.len(),
        }
    }

    /// The tasks with their start dates.
    pub(crate) fn timed(&self, tasks: &[RunTask]) -> Vec<TimedTask> {
        fn at<N: Clone + Into<BigUint>>(starts: &[N], tasks: &[RunTask]) -> Vec<TimedTask> {
            let task = |(start, task): (&N, &RunTask)| TimedTask {
                start: start.clone().into(),
                task: task.clone(),
            };
            starts.iter().zip(tasks).map(task).collect()
        }
        match &*self.starts {
            Starts::Short(starts) => at(starts, tasks),
            Starts::Long(starts) => at(starts, tasks),
            Starts::Any(starts) => at(starts, tasks),
        }
    }
}

/// Durations of tasks, in one unit.
struct Lengths {
    unit: Rational,
    /// Per kind: the time that it occupies its site, and the latency from its end to its arrival.
    kinds: Vec<[BigUint; 2]>,
}

impl Lengths {
    fn of(problem: &Problem, graph: &TaskGraph) -> Result<Lengths, TimingError> {
        let (platform, volumes) = (problem.platform(), problem.volumes());
        let (Some(size), Some(work)) = (volumes.size.constant(), volumes.work.constant()) else {
            return Err(TimingError::NotConstant);
        };
        let (size, work) = (size * &graph.share, work * &graph.share);
        let mut times: Vec<Rational> = Vec::new();
        for id in platform.link_ids() {
            let (link, share) = (platform.link(id), graph.list.shares.get(&id));
            let time = &link.cost * &size;
            let time = share.map_or_else(|| time.clone(), |share| &time / share);
            times.extend([link.latency(), link.overhead(), time]);
        }
        let compute =
            |node: &oneport_platform::Node| node.merge_time().map(|compute| compute * &work);
        for node in platform.nodes() {
            times.extend([
                Rational::zero(),
                Rational::zero(),
                compute(node).unwrap_or_default(),
            ]);
        }
        let Scaled { values, unit } = Scaled::coarsest(&times);
        let kind = |kind: &Kind| {
            let [latency, overhead, time] = [0, 1, 2].map(|part| &values[3 * kind.site + part]);
            [overhead + time * &kind.shares, latency.clone()]
        };
        Ok(Lengths {
            unit,
            kinds: graph.kinds.iter().map(kind).collect(),
        })
    }

    /// Bits of an upper bound on every date: the sum of all durations and latencies.
    fn bits(&self, graph: &TaskGraph) -> u64 {
        let longest_use =
            |([takes, latency], kind): (&[BigUint; 2], &Kind)| (takes + latency) * kind.count;
        self.kinds
            .iter()
            .zip(&graph.kinds)
            .map(longest_use)
            .sum::<BigUint>()
            .bits()
    }
}

impl Lengths {
    /// Per resource: the idle time that it can afford. A run in which it idles this long cannot end before the limit.
    fn spare<N: Whole>(&self, graph: &TaskGraph, limit: &BigUint) -> Vec<N> {
        let mut busy: Vec<(BigUint, Option<&BigUint>)> =
            vec![Default::default(); graph.lanes.len()];
        for ([takes, latency], kind) in self.kinds.iter().zip(&graph.kinds) {
            for &resource in graph.occupied.of(kind.site) {
                let (sum, least) = &mut busy[resource as usize];
                *sum += takes * kind.count;
                *least = Some(least.map_or(latency, |least| least.min(latency)));
            }
        }
        let spare = |(sum, least): (BigUint, Option<&BigUint>)| {
            let needed = least.map_or(sum.clone(), |least| sum + least);
            if needed < *limit {
                N::narrow(&(limit - needed))
            } else {
                Some(N::zero())
            }
        };
        busy.into_iter()
            .map(spare)
            .collect::<Option<_>>()
            .unwrap_or_default()
    }
}

impl TaskGraph {
    /// Simulates the run: a task starts when its inputs have arrived and its resources are free. If several tasks wait
    /// for a resource, the earlier in the list starts first. The problem has the platform of the graph. Sizes may
    /// differ. `O(d log d)` for `d` tasks, and as much again for every time that a task that waited for one resource
    /// finds another one occupied.
    ///
    ///
    /// # Errors
    /// Sizes or work depend on the combined operands, [`TimingError::Stopped`] if the watch ended, or
    /// [`TimingError::AboveLimit`] if the length would not be below the limit. That often shows long before the end:
    /// from the idle time of a resource and its remaining work.
    pub fn simulate(
        &self,
        problem: &Problem,
        limit: Option<&Rational>,
        watch: &Watch,
    ) -> Result<Timing, TimingError> {
        let lengths = Lengths::of(problem, self)?;
        let limit = limit.map(|limit| {
            (limit / &lengths.unit)
                .ceil()
                .to_integer()
                .magnitude()
                .clone()
        });
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

    /// The tasks with their dates, which must be dates of this graph.
    pub fn run(&self, timing: &Timing) -> Run {
        Run {
            pieces: self.list.pieces.clone(),
            shares: self.list.shares.clone(),
            unit: timing.unit().clone(),
            tasks: timing.timed(&self.list.tasks),
        }
    }
}

impl TaskGraph {
    /// Dates by which every port, link, processor and shared capacity keeps the order of the list: each send or merge
    /// starts as soon as its inputs have arrived and its resources are free. If there are several ports, it takes the
    /// one that is free first. The problem has the platform of the graph. Sizes may differ. `O(d)` for `d` sends and
    /// merges.
    ///
    /// # Errors
    /// The errors of [`TaskGraph::simulate`].
    pub fn simulate_in_order(
        &self,
        problem: &Problem,
        limit: Option<&Rational>,
        watch: &Watch,
    ) -> Result<Timing, TimingError> {
        let lengths = Lengths::of(problem, self)?;
        let timing = match lengths.bits(self) {
            bits if bits < u64::BITS.into() => self.in_turn(&lengths, watch, Starts::Short)?,
            bits if bits < u128::BITS.into() => self.in_turn(&lengths, watch, Starts::Long)?,
            _ => self.in_turn(&lengths, watch, Starts::Any)?,
        };
        if limit.is_some_and(|limit| timing.length() >= *limit) {
            Err(TimingError::AboveLimit)
        } else {
            Ok(timing)
        }
    }

    fn in_turn<N: Whole>(
        &self,
        lengths: &Lengths,
        watch: &Watch,
        starts: fn(Vec<N>) -> Starts,
    ) -> Result<Timing, TimingError> {
        let narrow = |value: &BigUint| N::narrow(value).unwrap_or_else(N::zero);
        let kinds: Vec<[N; 2]> = lengths
            .kinds
            .iter()
            .map(|[takes, latency]| [narrow(takes), narrow(latency)])
            .collect();
        let mut lanes: Vec<Vec<N>> = self
            .lanes
            .iter()
            .map(|&lanes| vec![N::zero(); lanes as usize])
            .collect();
        let pool = |units: &Option<u64>| units.map(Pool::<N>::new);
        let mut pools: Vec<Option<Pool<N>>> = self.units.iter().map(pool).collect();
        let (mut begun, mut arrivals) = (
            Vec::with_capacity(self.tasks()),
            Vec::<N>::with_capacity(self.tasks()),
        );
        let mut length = N::zero();
        for (number, task) in self.list().tasks.iter().enumerate() {
            if number % BETWEEN == 0 {
                watch.ask().map_err(TimingError::Stopped)?;
            }
            let kind = self.kind[number] as usize;
            let occupied = self.occupied.of(self.kinds[kind].site);
            let ready = inputs(task).map(|input| &arrivals[input as usize]);
            // The lane of a shared capacity is the date of the last transfer that takes up a part of it.
            let free = occupied
                .iter()
                .filter_map(|&own| lanes[own as usize].iter().min());
            let mut start = ready.chain(free).max().cloned().unwrap_or_else(N::zero);
            let site = self.kinds[kind].site;
            for (own, units) in self.occupied.with_units(site) {
                if let Some(pool) = &mut pools[own as usize] {
                    while !pool.has(units, &start)
                        && let Some(end) = pool.next_end()
                    {
                        start = end.clone();
                    }
                }
            }
            let end = start.plus(&kinds[kind][0]);
            for (own, units) in self.occupied.with_units(site) {
                let pool = pools[own as usize].as_mut();
                let until = if pool.is_some() { &start } else { &end };
                if let Some(lane) = lanes[own as usize].iter_mut().min() {
                    *lane = until.clone();
                }
                if let Some(pool) = pool {
                    pool.take(units, end.clone());
                }
            }
            let arrival = end.plus(&kinds[kind][1]);
            length = length.max(arrival.clone());
            arrivals.push(arrival);
            begun.push(start);
        }
        let starts = starts(begun);
        Ok(Timing {
            unit: lengths.unit.clone(),
            length: length.into(),
            starts: Arc::new(starts),
        })
    }
}

/// Tasks of one kind.
struct Takes<N> {
    /// Time that it occupies its site, and time from its end to its arrival.
    takes: N,
    latency: N,
    site: usize,
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
            (Some(first), Some(Reverse(other))) if other < first => {
                self.others.pop().map(|Reverse(number)| number)
            }
            (None, _) => self.others.pop().map(|Reverse(number)| number),
            _ => self.ascending.pop_front(),
        }
    }

    fn peek(&self) -> Option<u32> {
        let other = self.others.peek().map(|Reverse(number)| *number);
        let front = self.ascending.front().copied();
        [front, other].into_iter().flatten().min()
    }

    fn is_empty(&self) -> bool {
        self.ascending.is_empty() && self.others.is_empty()
    }
}

/// A task during the simulation. One struct keeps its fields together in memory.
struct Waiting<N> {
    start: N,
    /// Inputs that are not there yet.
    waits: u32,
    kind: u32,
}

/// The part of a shared capacity that is free.
struct Pool<N> {
    /// Units that no transfer takes up.
    left: u64,
    /// End dates of transfers, with the units of each.
    running: BinaryHeap<Reverse<(N, u64)>>,
}

impl<N: Ord> Pool<N> {
    fn new(units: u64) -> Pool<N> {
        Pool {
            left: units,
            running: BinaryHeap::new(),
        }
    }

    /// Whether this number of units is free at the date. Dates must not decrease between calls.
    fn has(&mut self, units: u64, date: &N) -> bool {
        while let Some(Reverse((end, ended))) = self.running.peek()
            && end <= date
        {
            self.left += ended;
            self.running.pop();
        }
        units <= self.left
    }

    fn take(&mut self, units: u64, end: N) {
        self.left -= units;
        self.running.push(Reverse((end, units)));
    }

    fn next_end(&self) -> Option<&N> {
        self.running.peek().map(|Reverse((end, _))| end)
    }
}

/// The state of the simulation.
struct Simulation<'l, N> {
    graph: &'l TaskGraph,
    kinds: Vec<Takes<N>>,
    tasks: Vec<Waiting<N>>,
    /// The length has to be below.
    limit: Option<N>,
    /// Per resource: the idle time that is left.
    spare: Vec<N>,
    /// Per resource: the date from which a lane is free.
    free: Vec<N>,
    /// Per resource: the date from which each lane is free. Empty if there is only one lane.
    lanes: Vec<Vec<N>>,
    /// Per resource: its free part, if it is a shared capacity.
    pools: Vec<Option<Pool<N>>>,
    /// Per link or processor: results in flight, in order of arrival, since it runs one task at a time.
    flying: Vec<VecDeque<(N, u32)>>,
    /// Date at which the first result of a site arrives.
    arriving: BinaryHeap<Reverse<(N, u32)>>,
    /// Date at which a resource is checked.
    freeing: BinaryHeap<Reverse<(N, u32)>>,
    /// Tasks that became ready at the present date.
    ready: Queue,
    /// Per resource: tasks that wait for it.
    parked: Vec<Queue>,
    /// Per resource: the date of its next visit.
    woken: Vec<Option<N>>,
}

impl<'l, N: Whole> Simulation<'l, N> {
    /// All durations and their sum fit `N`.
    fn new(graph: &'l TaskGraph, lengths: &Lengths, limit: Option<&BigUint>) -> Self {
        let narrow = |value: &BigUint| N::narrow(value).unwrap_or_else(N::zero);
        let kind = |([takes, latency], kind): (&[BigUint; 2], &Kind)| Takes {
            takes: narrow(takes),
            latency: narrow(latency),
            site: kind.site,
        };
        let lanes = |&lanes: &u32| {
            if lanes > 1 {
                vec![N::zero(); lanes as usize]
            } else {
                Vec::new()
            }
        };
        let waiting = |(&kind, &waits): (&u32, &u32)| Waiting {
            start: N::zero(),
            waits,
            kind,
        };
        let resources = graph.lanes.len();
        let sites = graph
            .kinds
            .iter()
            .map(|kind| kind.site + 1)
            .max()
            .unwrap_or(0);
        Simulation {
            graph,
            kinds: lengths.kinds.iter().zip(&graph.kinds).map(kind).collect(),
            tasks: graph.kind.iter().zip(&graph.waits).map(waiting).collect(),
            limit: limit.and_then(N::narrow),
            spare: limit.map_or_else(Vec::new, |limit| lengths.spare(graph, limit)),
            free: vec![N::zero(); resources],
            lanes: graph.lanes.iter().map(lanes).collect(),
            pools: graph
                .units
                .iter()
                .map(|units| units.map(Pool::new))
                .collect(),
            flying: (0..sites).map(|_| VecDeque::new()).collect(),
            arriving: BinaryHeap::new(),
            freeing: BinaryHeap::new(),
            ready: Queue::default(),
            parked: (0..resources).map(|_| Queue::default()).collect(),
            woken: vec![None; resources],
        }
    }

    fn run(
        mut self,
        lengths: &Lengths,
        watch: &Watch,
        starts: fn(Vec<N>) -> Starts,
    ) -> Result<Timing, TimingError> {
        let (mut date, mut length) = (N::zero(), N::zero());
        // A task without inputs is ready at date 0.
        let first = (0_u32..)
            .zip(&self.graph.waits)
            .filter(|(_, waits)| **waits == 0);
        for (task, _) in first {
            self.ready.push(task);
        }
        for count in 1_u64.. {
            if count.is_multiple_of(ASKED) {
                watch.ask().map_err(TimingError::Stopped)?;
            }
            // Resources that become free come first, then ready tasks in the order of the list.
            let started = if let Some(resource) = next_at(&mut self.freeing, &date) {
                self.freed(resource, &date)
            } else if let Some(task) = self.ready.pop() {
                self.ready(task, &date)
            } else {
                let next = [self.arriving.peek(), self.freeing.peek()]
                    .into_iter()
                    .flatten()
                    .map(|Reverse(next)| &next.0);
                let Some(next) = next.min().cloned() else {
                    break;
                };
                date = next;
                self.arrive_at(&date);
                None
            };
            if let Some(task) = started {
                let arrival = self.start(task, &date).ok_or(TimingError::AboveLimit)?;
                length = length.max(arrival);
            }
        }
        if self.limit.is_some_and(|limit| length >= limit) {
            return Err(TimingError::AboveLimit);
        }
        let starts = starts(self.tasks.into_iter().map(|task| task.start).collect());
        Ok(Timing {
            unit: lengths.unit.clone(),
            length: length.into(),
            starts: Arc::new(starts),
        })
    }

    /// The resources that a task occupies.
    fn needed(&self, task: u32) -> &'l [u32] {
        let kind = self.tasks[task as usize].kind;
        self.graph.occupied.of(self.kinds[kind as usize].site)
    }

    /// A resource that the task needs and that is occupied at the date.
    fn occupied_at(&mut self, task: u32, date: &N) -> Option<u32> {
        let needed = self.needed(task).iter().copied();
        let mut needed = needed.filter(|&resource| !self.serves(resource, task, date));
        needed.next()
    }

    /// Whether the resource has room for the task at the date.
    fn serves(&mut self, resource: u32, task: u32, date: &N) -> bool {
        let units = || {
            let kind = self.tasks[task as usize].kind;
            let site = self.kinds[kind as usize].site;
            self.graph.occupied.units(site, resource)
        };
        match &mut self.pools[resource as usize] {
            Some(pool) => pool.has(units(), date),
            None => self.free[resource as usize] <= *date,
        }
    }

    /// Starts a task and returns the arrival of its result. `None` if the run cannot end before the limit.
    fn start(&mut self, task: u32, date: &N) -> Option<N> {
        let Takes {
            takes,
            latency,
            site,
        } = &self.kinds[self.tasks[task as usize].kind as usize];
        let (site, end) = (*site, date.plus(takes));
        let arrival = end.plus(latency);
        for (resource, units) in self.graph.occupied.with_units(site) {
            match &mut self.pools[resource as usize] {
                Some(pool) => pool.take(units, end.clone()),
                None => {
                    self.idle(resource as usize, date)?;
                    self.occupy(resource as usize, &end);
                }
            }
            if !self.parked[resource as usize].is_empty() {
                self.wake(resource, date);
            }
        }
        self.tasks[task as usize].start = date.clone();
        if arrival == *date {
            self.arrive(task);
        } else {
            if self.flying[site].is_empty() {
                self.arriving.push(Reverse((arrival.clone(), site as u32)));
            }
            self.flying[site].push_back((arrival.clone(), task));
        }
        Some(arrival)
    }

    /// Charges the idle time up to `date` to the resource. `None` if its spare time is used up.
    fn idle(&mut self, resource: usize, date: &N) -> Option<()> {
        let Some(spare) = self
            .spare
            .get_mut(resource)
            .filter(|_| self.lanes[resource].is_empty())
        else {
            return Some(());
        };
        let idle = date.minus(&self.free[resource]);
        *spare = (idle < *spare).then(|| spare.minus(&idle))?;
        Some(())
    }

    /// Occupies the lane that is free first, until `end`.
    fn occupy(&mut self, resource: usize, end: &N) {
        let lanes = &mut self.lanes[resource];
        if let Some(lane) = lanes.iter_mut().min() {
            *lane = end.clone();
        }
        self.free[resource] = lanes.iter().min().unwrap_or(end).clone();
    }

    /// A ready task: returns it if it can start now. Otherwise it waits at an occupied resource, or behind the tasks
    /// that wait already.
    fn ready(&mut self, task: u32, date: &N) -> Option<u32> {
        let occupied = self.occupied_at(task, date);
        let waited = |resource: &u32| !self.parked[*resource as usize].is_empty();
        let queue = || self.needed(task).iter().copied().find(waited);
        let Some(resource) = occupied.or_else(queue) else {
            return Some(task);
        };
        self.parked[resource as usize].push(task);
        self.wake(resource, date);
        None
    }

    /// The first waiting task that can start. A task that another resource blocks moves to that resource.
    fn freed(&mut self, resource: u32, date: &N) -> Option<u32> {
        if self.woken[resource as usize].as_ref() != Some(date) {
            return None;
        }
        self.woken[resource as usize] = None;
        while let Some(task) = self.parked[resource as usize].peek() {
            if !self.serves(resource, task, date) {
                self.wake(resource, date);
                return None;
            }
            self.parked[resource as usize].pop();
            let Some(other) = self.occupied_at(task, date) else {
                return Some(task);
            };
            self.parked[other as usize].push(task);
            self.wake(other, date);
        }
        None
    }

    /// Schedules a check of the resource for the date at which it is free for its first waiting task, at least `date`.
    /// An earlier scheduled check is kept.
    fn wake(&mut self, resource: u32, date: &N) {
        let first = self.parked[resource as usize].peek();
        let served = first.is_some_and(|task| self.serves(resource, task, date));
        let free = match &self.pools[resource as usize] {
            Some(pool) => pool.next_end().filter(|_| !served).unwrap_or(date),
            None => &self.free[resource as usize],
        };
        let date = free.max(date);
        let woken = &mut self.woken[resource as usize];
        if woken.as_ref().is_none_or(|before| date < before) {
            *woken = Some(date.clone());
            self.freeing.push(Reverse((date.clone(), resource)));
        }
    }

    /// All results that arrive at this date.
    fn arrive_at(&mut self, date: &N) {
        while let Some(site) = next_at(&mut self.arriving, date) {
            while let Some((_, task)) =
                self.flying[site as usize].pop_front_if(|(arrival, _)| arrival == date)
            {
                self.arrive(task);
            }
            if let Some((arrival, _)) = self.flying[site as usize].front() {
                self.arriving.push(Reverse((arrival.clone(), site)));
            }
        }
    }

    /// Delivers a result. Tasks for which it was the last missing input become ready.
    fn arrive(&mut self, task: u32) {
        for &user in self.graph.users.of(task as usize) {
            let waits = &mut self.tasks[user as usize].waits;
            *waits -= 1;
            if *waits == 0 {
                self.ready.push(user);
            }
        }
    }
}

/// The next event, if it is due at this date.
fn next_at<N: Ord>(events: &mut BinaryHeap<Reverse<(N, u32)>>, date: &N) -> Option<u32> {
    if events.peek().is_some_and(|Reverse((next, _))| next <= date) {
        return events.pop().map(|Reverse((_, number))| number);
    }
    None
}
