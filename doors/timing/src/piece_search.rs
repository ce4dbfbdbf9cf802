//! The number of pieces with the least total time.

use oneport_platform::whole;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use num_traits::{ToPrimitive, Zero};
use oneport_baselines::{Algorithm, Routes};
use oneport_plan::{PeriodicSchedule, Problem, Rational, Run, SteadyState, Volumes};
use oneport_watch::Watch;

use crate::task_list::TASK;
use crate::{TaskGraph, TaskList, Timing, TimingError};

/// Priority offsets to try, in quarter rounds per task of the longest remaining chain. If an operation is long relative
/// to its latencies, small offsets are best. Trades time for shorter runs. Measured: 1 GiB with 5 us, 13 fixtures and 8
/// collectives: each run is within 10 % of its bound.
const PRIORITY_OFFSETS: [u32; 5] = [0, 1, 4, 16, 64];
/// Limit on the age of a request to end before the first candidate is dated. Trades lateness for an answer. Not
/// measured.
const FIRST: Duration = Duration::from_secs(3);
/// Percent of the time left in which the first candidate is dated. The rest is for its check. Trades an answer for one
/// in time. Measured: an all-gather among 500 hosts under a limit of 5 s, six programs on two cores, took 6.9 s
/// without.
const DATED: u32 = 70;
/// Gains below 1/1000 of the time are ignored. Trades the last 0.1 % for time. Not measured.
const GAIN: u64 = 1000;
/// Tasks plus dependencies up to which a task graph is cached between sizes. Trades memory for time. Not measured
/// alone.
const KEPT: usize = 1_000_000;

/// The best number of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BestPieces {
    /// Number of segments, or of pieces of a steady state's values.
    pub pieces: u32,
    /// The priority offset of a steady state's patterns, in quarter rounds per task of the longest remaining chain. 0
    /// for named algorithms.
    pub priority_offset: u32,
    /// The time of one operation.
    pub length: Rational,
}

/// Ratio of `others` to `known`, if sizes and work are numbers with the same ratio.
pub fn proportion(known: &Volumes, others: &Volumes) -> Option<Rational> {
    let size = known.size.constant().filter(|size| !size.is_zero())?;
    let factor = others.size.constant()? / size;
    (*others.work.constant()? == known.work.constant()? * &factor).then_some(factor)
}

/// The best number of pieces, and its dates.
#[derive(Debug, Clone)]
pub struct TimedPieces {
    /// Number and time.
    pub shortest: BestPieces,
    graph: Arc<TaskGraph>,
    timing: Timing,
    in_turn: bool,
}

impl TimedPieces {
    /// These tasks in this number of pieces, for another size. For a smaller size they take at most as long.
    ///
    /// # Errors
    /// Sizes or work are not constant, or the watch ended it.
    pub fn at(&self, problem: &Problem, watch: &Watch) -> Result<TimedPieces, TimingError> {
        let timing = if self.in_turn {
            self.graph.simulate_in_order(problem, None, watch)
        } else {
            self.graph.simulate(problem, None, watch)
        }?;
        let shortest = BestPieces {
            length: timing.length(),
            ..self.shortest.clone()
        };
        Ok(TimedPieces {
            shortest,
            graph: self.graph.clone(),
            timing,
            in_turn: self.in_turn,
        })
    }

    /// The least share of its demand that a piece carries.
    pub fn least_share(&self) -> Rational {
        self.graph
            .list()
            .pieces
            .iter()
            .map(|piece| &piece.share)
            .min()
            .cloned()
            .unwrap_or_default()
    }

    /// The tasks with their dates.
    pub fn run(&self) -> Run {
        self.graph.run(&self.timing)
    }
}

/// Limits of a search.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits<'a> {
    /// Approximate limit on the tasks of a run.
    pub tasks: usize,
    /// Limit on the pieces of a message: for example, the number of its bytes.
    pub pieces: u32,
    /// Ends the search and keeps the best candidate so far. A young request to end does not keep the first number of
    /// pieces from being evaluated.
    pub watch: &'a Watch,
}

/// A candidate: the number of pieces and the priority offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    pieces: u32,
    priority_offset: u32,
}

/// Lists the tasks of a candidate.
type Lister<'a> = dyn Fn(Candidate, &Watch) -> Result<TaskList, TimingError> + Send + Sync + 'a;

/// Searches the best number of pieces for a sequence of sizes. Task graphs are cached: they do not depend on sizes.
pub struct PieceSearch<'a> {
    problem: &'a Problem,
    /// The best number in the first order, for the last size.
    best: u32,
    list: Box<Lister<'a>>,
    /// Pieces per message of one unit of the searched number: 1, or the instances of a period.
    each: u32,
    /// Messages that the searched number cuts into pieces at once: those of the demand with the most, or with the
    /// fewest if all are cut alike. 1 if messages stay whole.
    messages: u64,
    /// Whether every resource keeps the order of the list.
    in_turn: bool,
    /// Priority offsets to try, ascending.
    orders: &'static [u32],
    /// Index of the best offset for the previous size. `None` before the first size.
    order: Option<usize>,
    /// The next size that tries neighbours of the best offset tries larger ones.
    earlier: bool,
    /// Consecutive sizes whose neighbours did not improve.
    failures: u32,
    /// Sizes to skip before the next try: `failures / 2`.
    without: u32,
    /// Cached task graphs.
    kept: BTreeMap<Candidate, Arc<TaskGraph>>,
    /// Results for these volumes. Used only on platforms without latency and overhead.
    timings: Option<(Volumes, BTreeMap<Candidate, Tried>)>,
}

/// The cached result of a candidate.
enum Tried {
    Timing(Timing),
    /// Lower bound on its time.
    AtLeast(Rational),
}

impl<'a> PieceSearch<'a> {
    /// A search over `list(pieces)`. Task graphs are made on the platform of `problem`. Its sizes do not matter.
    pub fn new(
        problem: &'a Problem,
        list: impl Fn(u32, &Watch) -> Result<TaskList, TimingError> + Send + Sync + 'a,
    ) -> Self {
        PieceSearch::in_orders(problem, &PRIORITY_OFFSETS[..1], move |candidate, watch| {
            list(candidate.pieces, watch)
        })
    }

    /// The patterns of a steady state, each on its share, with several priority offsets.
    pub fn of_patterns(problem: &'a Problem, steady_state: &'a SteadyState) -> Self {
        let list = move |candidate: Candidate, watch: &Watch| {
            let Candidate {
                pieces,
                priority_offset,
            } = candidate;
            TaskList::of_patterns(problem, steady_state, pieces, priority_offset, watch)
        };
        PieceSearch {
            messages: messages(problem).max().unwrap_or(1),
            ..PieceSearch::in_orders(problem, &PRIORITY_OFFSETS, list)
        }
    }

    /// The periods of a schedule, each on its share, in the order of the schedule, so that simultaneous transfers
    /// follow its matchings. A piece is a copy of a pattern, or a part of one if the schedule cuts messages.
    pub fn of_schedule(problem: &'a Problem, schedule: PeriodicSchedule) -> Self {
        let each = schedule.instances.to_u32().unwrap_or(u32::MAX).max(1);
        let list = move |candidate: Candidate, watch: &Watch| {
            TaskList::of_schedule(problem, &schedule, candidate.pieces, watch)
        };
        PieceSearch {
            each,
            in_turn: true,
            ..PieceSearch::in_orders(problem, &PRIORITY_OFFSETS[..1], list)
        }
    }

    fn in_orders(
        problem: &'a Problem,
        orders: &'static [u32],
        list: impl Fn(Candidate, &Watch) -> Result<TaskList, TimingError> + Send + Sync + 'a,
    ) -> Self {
        PieceSearch {
            problem,
            best: 1,
            each: 1,
            messages: 1,
            in_turn: false,
            list: Box::new(list),
            orders,
            order: None,
            earlier: true,
            failures: 0,
            without: 0,
            kept: BTreeMap::new(),
            timings: None,
        }
    }

    /// Searches the number of pieces, then the priority offset. It starts with 1 piece, later with the best number of
    /// the previous size, and doubles it while the gain is more than 1/1000. It stops if the watch ends or the time is
    /// within 1/1000 of `least`. All offsets are tried for the first size, then those near the best one of the
    /// previous size. `problem` differs from the search's own in sizes at most.
    ///
    /// # Errors
    /// The errors of the lists, sizes or work that are not constant, or [`TimingError::Stopped`] before the first
    /// candidate is dated.
    pub fn shortest(
        &mut self,
        problem: &Problem,
        limits: &SearchLimits<'_>,
        least: &Rational,
    ) -> Result<TimedPieces, TimingError> {
        let limits = &SearchLimits {
            pieces: self.most_pieces(limits.pieces),
            ..*limits
        };
        let first = Candidate {
            pieces: self.best.min(limits.pieces.max(1)),
            priority_offset: 0,
        };
        // From the start, two in a row that do not help end the search.
        let patience = if self.best > 1 { 1 } else { 2 };
        let timing = self.timing(
            problem,
            first,
            None,
            &limits.watch.finishing(FIRST).turn(DATED),
        )?;
        let mut best = Best {
            candidate: first,
            length: timing.length(),
            timing,
        };
        self.in_more_pieces(problem, limits, least, patience, &mut best)?;
        self.best = best.candidate.pieces;
        self.in_other_orders(problem, limits, least, &mut best)?;
        let graph = self.graph(best.candidate, &Watch::unlimited())?;
        // The next size begins at the end of this one.
        let order = self.order_of(best.candidate.priority_offset);
        self.order = Some(order);
        let (orders, pieces) = (self.orders, best.candidate.pieces);
        let near = |priority_offset: u32| {
            priority_offset == 0
                || (order.saturating_sub(1)..order + 2)
                    .any(|index| orders.get(index) == Some(&priority_offset))
        };
        self.kept.retain(|candidate, graph| {
            candidate.pieces >= pieces && near(candidate.priority_offset) && graph.extent() <= KEPT
        });
        let pieces = if self.in_turn {
            graph.list().most_pieces()
        } else {
            pieces
        };
        let shortest = BestPieces {
            pieces,
            priority_offset: best.candidate.priority_offset,
            length: best.length,
        };
        Ok(TimedPieces {
            shortest,
            graph,
            timing: best.timing,
            in_turn: self.in_turn,
        })
    }

    /// The largest number to be searched if a message may have this many pieces.
    fn most_pieces(&self, of_a_message: u32) -> u32 {
        let most = u64::from(of_a_message).saturating_mul(self.messages) / u64::from(self.each);
        u32::try_from(most).unwrap_or(u32::MAX).max(1)
    }

    fn order_of(&self, priority_offset: u32) -> usize {
        self.orders
            .iter()
            .position(|order| *order == priority_offset)
            .unwrap_or(0)
    }

    /// More pieces in the first order.
    fn in_more_pieces(
        &mut self,
        problem: &Problem,
        limits: &SearchLimits<'_>,
        least: &Rational,
        patience: u32,
        best: &mut Best,
    ) -> Result<(), TimingError> {
        let (mut candidate, mut tasks, mut misses) = (best.candidate, best.timing.tasks(), 0);
        while misses < patience
            && !small(&best.length - least, &best.length)
            && limits.watch.ask().is_ok()
        {
            // The last attempt uses the largest number that fits.
            let fitting = u64::from(candidate.pieces) * limits.tasks as u64 / tasks.max(1) as u64;
            let fitting = u32::try_from(fitting)
                .unwrap_or(u32::MAX)
                .min(limits.pieces);
            let next = fitting.min(candidate.pieces.saturating_mul(2));
            if next <= candidate.pieces + candidate.pieces / 8 {
                break;
            }
            candidate.pieces = next;
            let before = best.length.clone();
            let Some(_) = self.better(problem, candidate, &before, limits.watch, best)? else {
                break;
            };
            misses = if small(&before - &best.length, &before) {
                misses + 1
            } else {
                0
            };
            tasks = self.graph(candidate, &Watch::unlimited())?.tasks();
        }
        Ok(())
    }

    /// Tries other offsets at the same number of pieces: first the best one of the previous size, then its neighbours
    /// in one direction while they improve. The other direction waits for a later size.
    fn in_other_orders(
        &mut self,
        problem: &Problem,
        limits: &SearchLimits<'_>,
        least: &Rational,
        best: &mut Best,
    ) -> Result<(), TimingError> {
        let helps = |search: &mut Self, index: usize, best: &mut Best| {
            if small(&best.length - least, &best.length) || limits.watch.ask().is_err() {
                return Ok(None);
            }
            // Small gains are not worth a change.
            let limit = &best.length - &best.length / whole(GAIN);
            search.better(
                problem,
                Candidate {
                    priority_offset: search.orders[index],
                    ..best.candidate
                },
                &limit,
                limits.watch,
                best,
            )
        };
        let Some(last) = self.order else {
            for index in 1..self.orders.len() {
                helps(self, index, best)?;
            }
            return Ok(());
        };
        if last > 0 && helps(self, last, best)?.is_none() {
            return Ok(());
        }
        if self.without > 0 {
            self.without -= 1;
            return Ok(());
        }
        let from = self.order_of(best.candidate.priority_offset);
        let side: Vec<usize> = if self.earlier || from == 0 {
            (from + 1..self.orders.len()).collect()
        } else {
            (1..from).rev().collect()
        };
        for index in side.into_iter().filter(|index| *index != last) {
            if helps(self, index, best)? != Some(true) {
                break;
            }
        }
        self.earlier = !self.earlier;
        self.failures = if self.order_of(best.candidate.priority_offset) == from {
            self.failures + 1
        } else {
            0
        };
        self.without = self.failures / 2;
        Ok(())
    }

    /// Evaluates a candidate and adopts it if it takes less than `limit`. Returns whether it did. `None` if the watch
    /// ended.
    fn better(
        &mut self,
        problem: &Problem,
        candidate: Candidate,
        limit: &Rational,
        watch: &Watch,
        best: &mut Best,
    ) -> Result<Option<bool>, TimingError> {
        match self.timing(problem, candidate, Some(limit), watch) {
            Err(TimingError::Stopped(_)) => Ok(None),
            Err(TimingError::AboveLimit) => Ok(Some(false)),
            found => {
                let timing = found?;
                *best = Best {
                    candidate,
                    length: timing.length(),
                    timing,
                };
                Ok(Some(true))
            }
        }
    }

    fn graph(
        &mut self,
        candidate: Candidate,
        watch: &Watch,
    ) -> Result<Arc<TaskGraph>, TimingError> {
        if let Some(graph) = self.kept.get(&candidate) {
            return Ok(graph.clone());
        }
        let list = (self.list)(candidate, watch)?;
        watch.room_for((list.tasks.len() as u64).saturating_mul(TASK / 2))?;
        let graph = Arc::new(list.graph(self.problem, watch)?);
        self.kept.insert(candidate, graph.clone());
        Ok(graph)
    }

    /// Dates of a candidate. If there is no latency and overhead and work is in proportion to size, cached dates are
    /// scaled: every date is a sum of durations that grow alike, so the order of events stays the same.
    fn timing(
        &mut self,
        problem: &Problem,
        candidate: Candidate,
        limit: Option<&Rational>,
        watch: &Watch,
    ) -> Result<Timing, TimingError> {
        let factor = self
            .timings
            .as_ref()
            .and_then(|(known, _)| proportion(known, problem.volumes()));
        if let (Some((_, all)), Some(factor)) = (&self.timings, &factor) {
            let late = |length: &Rational| limit.is_some_and(|limit| *limit <= length * factor);
            match all.get(&candidate) {
                Some(Tried::Timing(timing)) if late(&timing.length()) => {
                    return Err(TimingError::AboveLimit);
                }
                Some(Tried::Timing(timing)) => return Ok(timing.times(factor)),
                Some(Tried::AtLeast(length)) if late(length) => {
                    return Err(TimingError::AboveLimit);
                }
                _ => {}
            }
        }
        let graph = self.graph(candidate, watch)?;
        let timing = if self.in_turn {
            graph.simulate_in_order(problem, limit, watch)
        } else {
            graph.simulate(problem, limit, watch)
        };
        if !problem
            .platform()
            .links()
            .iter()
            .any(|link| link.delays.is_some())
        {
            let known = self.timings.take_if(|_| factor.is_some());
            let (volumes, mut all) =
                known.unwrap_or_else(|| (problem.volumes().clone(), BTreeMap::new()));
            let factor = factor.map_or_else(|| whole(1), |factor| factor.recip());
            let tried = match (&timing, limit) {
                (Ok(timing), _) => Some(Tried::Timing(timing.times(&factor))),
                (Err(TimingError::AboveLimit), Some(limit)) => {
                    Some(Tried::AtLeast(limit * &factor))
                }
                _ => None,
            };
            all.extend(tried.map(|tried| (candidate, tried)));
            self.timings = Some((volumes, all));
        }
        timing
    }
}

/// The messages of each demand, 1 if they stay whole.
fn messages(problem: &Problem) -> impl Iterator<Item = u64> {
    let (collective, is_cut) = (problem.collective(), problem.collective().is_cut());
    (0..collective.demands()).map(move |demand| if is_cut { collective.rate(demand) } else { 1 })
}

/// The best so far.
struct Best {
    candidate: Candidate,
    length: Rational,
    timing: Timing,
}

/// Whether a gain is negligible.
fn small(gain: Rational, all: &Rational) -> bool {
    gain * whole(GAIN) < *all
}

/// Searches the best number of segments of an algorithm for a sequence of sizes.
pub struct NamedSearch<'a> {
    algorithm: &'a Algorithm,
    routes: &'a Routes,
    search: PieceSearch<'a>,
    /// Time of the busiest resource for these volumes: a lower bound for every number of segments.
    bottleneck: Option<(Volumes, Rational)>,
    /// The longest chain of latencies and overheads: another lower bound for every number of segments.
    delay: Option<Rational>,
}

impl<'a> NamedSearch<'a> {
    /// The algorithm over these routes.
    pub fn new(problem: &'a Problem, algorithm: &'a Algorithm, routes: &'a Routes) -> Self {
        let list = move |segments, watch: &Watch| {
            TaskList::of_algorithm(problem, algorithm, routes, segments, watch)
        };
        NamedSearch {
            algorithm,
            routes,
            search: PieceSearch {
                messages: messages(problem).min().unwrap_or(1),
                ..PieceSearch::new(problem, list)
            },
            bottleneck: None,
            delay: None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        &self.algorithm.name
    }

    /// The best number of segments. If a lower bound reaches `goal` already, only a quarter of the tasks is allowed.
    ///
    /// # Errors
    /// A message between unconnected nodes or of a block that the sender does not hold, sizes or work that are not
    /// constant, too many tasks even in one segment, or [`TimingError::Stopped`] before that is dated.
    pub fn shortest(
        &mut self,
        problem: &Problem,
        limits: &SearchLimits<'_>,
        goal: Option<&Rational>,
    ) -> Result<TimedPieces, TimingError> {
        limits.watch.ask()?;
        let least = self.bottleneck(problem, limits.watch);
        limits.watch.ask()?;
        let delay = self.delay(limits.watch)?;
        let tasks = if goal.is_some_and(|goal| least >= *goal || delay >= *goal) {
            limits.tasks / 4
        } else {
            limits.tasks
        };
        self.search
            .shortest(problem, &SearchLimits { tasks, ..*limits }, &least)
    }

    fn delay(&mut self, watch: &Watch) -> Result<Rational, TimingError> {
        if let Some(delay) = &self.delay {
            return Ok(delay.clone());
        }
        let first = Candidate {
            pieces: 1,
            priority_offset: 0,
        };
        let graph = self.search.graph(first, watch)?;
        let delay = graph.delay(self.search.problem.platform());
        Ok(self.delay.insert(delay).clone())
    }

    fn bottleneck(&mut self, problem: &Problem, watch: &Watch) -> Rational {
        if let Some((known, bottleneck)) = &self.bottleneck
            && let Some(factor) = proportion(known, problem.volumes())
        {
            return bottleneck * factor;
        }
        let found = self
            .algorithm
            .loads(problem, self.routes, watch)
            .and_then(|loads| loads.throughput(problem));
        let bottleneck = found
            .map(|found| found.throughput.recip())
            .unwrap_or_default();
        self.bottleneck = Some((problem.volumes().clone(), bottleneck.clone()));
        bottleneck
    }
}
