//! The number of pieces with the least total time.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_traits::{ToPrimitive, Zero};
use oneport_baselines::{Algorithm, Routes};
use oneport_plan::{PeriodicSchedule, Problem, Rational, Run, SteadyState, Volumes};
use oneport_watch::Watch;

use crate::{Dated, Draft, Layout, OnceError};

/// By how many quarters of a round deeds come earlier for every deed ahead: the best is the smaller, the longer an
/// operation takes beside its latencies.
const AHEAD: [u32; 5] = [0, 1, 4, 16, 64];
/// A doubling that gains less than this part of the time counts as none.
const GAIN: u64 = 1000;
/// Layouts are kept from size to size unless they have more deeds and pieces carried.
const KEPT: usize = 1_000_000;

/// The best number of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortest {
    /// How many segments, or pieces of a steady state's values.
    pub pieces: u32,
    /// By how many quarters of a round a deed of a steady state's patterns comes earlier for every deed ahead of it.
    pub ahead: u32,
    /// What one operation takes.
    pub length: Rational,
}

/// How many times the known volumes the others are, if sizes and work are numbers and grow alike.
pub fn proportion(known: &Volumes, others: &Volumes) -> Option<Rational> {
    let size = known.size.constant().filter(|size| !size.is_zero())?;
    let factor = others.size.constant()? / size;
    (*others.work.constant()? == known.work.constant()? * &factor).then_some(factor)
}

/// The best number of pieces, and its dates.
#[derive(Debug)]
pub struct Found {
    /// Number and time.
    pub shortest: Shortest,
    layout: Arc<Layout>,
    dated: Dated,
    in_turn: bool,
}

impl Found {
    /// The same in as many pieces, for another size: what takes so long for a larger one takes no longer for a smaller.
    ///
    /// # Errors
    /// Sizes or work that are not constant; the watch ended it.
    pub fn at(&self, problem: Problem<'_>, watch: &Watch) -> Result<Found, OnceError> {
        let dated = match self.in_turn {
            true => self.layout.dated_in_turn(problem, None, watch),
            false => self.layout.dated(problem, None, watch),
        }?;
        let shortest = Shortest { length: dated.length(), ..self.shortest.clone() };
        Ok(Found { shortest, layout: self.layout.clone(), dated, in_turn: self.in_turn })
    }

    /// The least share of its demand that a piece carries.
    pub fn least_share(&self) -> Rational {
        self.layout.draft().pieces.iter().map(|piece| &piece.share).min().cloned().unwrap_or_default()
    }

    /// What is done when.
    pub fn run(&self) -> Run {
        self.layout.run(&self.dated)
    }
}

/// How far numbers of pieces are tried.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// Runs have at most about so many deeds.
    pub deeds: usize,
    /// Most pieces: as many as a message has bytes, for example.
    pub pieces: u32,
    /// Ends the search at any number but the first: what is best so far is the answer.
    pub watch: &'a Watch,
}

/// Into how many pieces, and by how many quarters of a round a deed comes earlier for every deed ahead of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    pieces: u32,
    ahead: u32,
}

/// A way to carry out an operation, for one size after the other: what does not depend on sizes is kept.
pub struct Way<'a> {
    problem: Problem<'a>,
    /// The best number in the first order, for the last size.
    best: u32,
    draft: Box<dyn Fn(Cut) -> Result<Draft, OnceError> + Send + Sync + 'a>,
    /// How many pieces of each demand the number stands for, at least.
    each: u32,
    /// Whether everything is done in the order of the draft.
    in_turn: bool,
    /// By how much earlier deeds may come, ascending; and the place of the best for the last size, if there was one.
    orders: &'static [u32],
    order: Option<usize>,
    /// Whether the next size that tries a neighbour of this order lets deeds come earlier, not later; how often that
    /// did not help in a row, and how many sizes go without: one more after two failures.
    earlier: bool,
    failures: u32,
    without: u32,
    kept: BTreeMap<Cut, Arc<Layout>>,
    /// For these volumes; where nothing delays.
    dated: Option<(Volumes, BTreeMap<Cut, Tried>)>,
}

/// What is known of a cut.
enum Tried {
    Dated(Dated),
    /// It takes at least so long.
    AtLeast(Rational),
}

impl<'a> Way<'a> {
    /// A way that is drafted in any number of pieces; drafts are laid out on the platform of the problem, whose sizes
    /// do not matter.
    pub fn new(problem: Problem<'a>, draft: impl Fn(u32) -> Result<Draft, OnceError> + Send + Sync + 'a) -> Self {
        Way::in_orders(problem, &AHEAD[..1], move |cut| draft(cut.pieces))
    }

    /// The patterns of a steady state, each on its share, with the better of several orders of deeds.
    pub fn of_patterns(problem: Problem<'a>, steady_state: &'a SteadyState) -> Self {
        let draft = move |cut: Cut| Draft::of_patterns(problem, steady_state, cut.pieces, cut.ahead);
        Way::in_orders(problem, &AHEAD, draft)
    }

    /// The periods of a schedule, each on its share, in the schedule's own order: who is busy with whom follows its
    /// matchings. Pieces are copies of patterns, or parts of them where the schedule cuts messages.
    pub fn of_schedule(problem: Problem<'a>, schedule: PeriodicSchedule) -> Self {
        let each = schedule.instances.to_u32().unwrap_or(u32::MAX).max(1);
        let draft = move |cut: Cut| Draft::of_schedule(problem, &schedule, cut.pieces);
        Way { each, in_turn: true, ..Way::in_orders(problem, &AHEAD[..1], draft) }
    }

    fn in_orders(
        problem: Problem<'a>,
        orders: &'static [u32],
        draft: impl Fn(Cut) -> Result<Draft, OnceError> + Send + Sync + 'a,
    ) -> Self {
        Way {
            problem,
            best: 1,
            each: 1,
            in_turn: false,
            draft: Box::new(draft),
            orders,
            order: None,
            earlier: true,
            failures: 0,
            without: 0,
            kept: BTreeMap::new(),
            dated: None,
        }
    }

    /// Tries 1 piece, or what was best for the last size, and 2, 4, ... times as many, as long as that helps and the
    /// search goes, and ends where no time below `least` is possible and next to nothing can be gained. Then it tries
    /// other orders of as many pieces: all for the first size, from then on the last size's best and those next to it.
    /// The problem is the way's own, or differs from it in sizes alone.
    ///
    /// # Errors
    /// What the drafts say; sizes or work that are not constant.
    pub fn shortest(
        &mut self,
        problem: Problem<'_>,
        search: &Search<'_>,
        least: &Rational,
    ) -> Result<Found, OnceError> {
        let search = &Search { pieces: (search.pieces / self.each).max(1), ..*search };
        let first = Cut { pieces: self.best.min(search.pieces.max(1)), ahead: 0 };
        // From the start, two in a row that do not help end the search.
        let patience = if self.best > 1 { 1 } else { 2 };
        let dated = self.dated(problem, first, None, &Watch::unlimited())?;
        let mut best = Best { cut: first, length: dated.length(), dated };
        self.in_more_pieces(problem, search, least, patience, &mut best)?;
        self.best = best.cut.pieces;
        self.in_other_orders(problem, search, least, &mut best)?;
        let layout = self.layout(best.cut)?;
        // The next size begins where this one ends.
        let order = self.place(best.cut.ahead);
        self.order = Some(order);
        let (orders, pieces) = (self.orders, best.cut.pieces);
        let near = |ahead: u32| {
            ahead == 0 || (order.saturating_sub(1)..order + 2).any(|place| orders.get(place) == Some(&ahead))
        };
        self.kept.retain(|cut, layout| cut.pieces >= pieces && near(cut.ahead) && layout.extent() <= KEPT);
        let pieces = if self.in_turn { layout.draft().most_pieces() } else { pieces };
        let shortest = Shortest { pieces, ahead: best.cut.ahead, length: best.length };
        Ok(Found { shortest, layout, dated: best.dated, in_turn: self.in_turn })
    }

    fn place(&self, ahead: u32) -> usize {
        self.orders.iter().position(|order| *order == ahead).unwrap_or(0)
    }

    /// More pieces in the first order.
    fn in_more_pieces(
        &mut self,
        problem: Problem<'_>,
        search: &Search<'_>,
        least: &Rational,
        patience: u32,
        best: &mut Best,
    ) -> Result<(), OnceError> {
        let (mut cut, mut deeds, mut misses) = (best.cut, best.dated.deeds(), 0);
        while misses < patience && !small(&best.length - least, &best.length) && search.watch.ask().is_ok() {
            // The last time, as many as there may be.
            let fitting = u64::from(cut.pieces) * search.deeds as u64 / deeds.max(1) as u64;
            let fitting = u32::try_from(fitting).unwrap_or(u32::MAX).min(search.pieces);
            let next = fitting.min(cut.pieces.saturating_mul(2));
            if next <= cut.pieces + cut.pieces / 8 {
                break;
            }
            cut.pieces = next;
            let before = best.length.clone();
            let Some(_) = self.better(problem, cut, &before, search.watch, best)? else { break };
            misses = if small(&before - &best.length, &before) { misses + 1 } else { 0 };
            deeds = self.layout(cut)?.deeds();
        }
        Ok(())
    }

    /// Other orders of as many pieces, from the last size's best on; from there to one side as long as that helps, else
    /// the other side is for a later size.
    fn in_other_orders(
        &mut self,
        problem: Problem<'_>,
        search: &Search<'_>,
        least: &Rational,
        best: &mut Best,
    ) -> Result<(), OnceError> {
        let helps = |way: &mut Self, place: usize, best: &mut Best| {
            if small(&best.length - least, &best.length) || search.watch.ask().is_err() {
                return Ok(None);
            }
            // Small gains are not worth a change.
            let limit = &best.length - &best.length / Rational::from_integer(GAIN.into());
            way.better(problem, Cut { ahead: way.orders[place], ..best.cut }, &limit, search.watch, best)
        };
        let Some(last) = self.order else {
            for place in 1..self.orders.len() {
                helps(self, place, best)?;
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
        let from = self.place(best.cut.ahead);
        let side: Vec<usize> = match self.earlier || from == 0 {
            true => (from + 1..self.orders.len()).collect(),
            false => (1..from).rev().collect(),
        };
        for place in side.into_iter().filter(|place| *place != last) {
            if helps(self, place, best)? != Some(true) {
                break;
            }
        }
        self.earlier = !self.earlier;
        self.failures = if self.place(best.cut.ahead) == from { self.failures + 1 } else { 0 };
        self.without = self.failures / 2;
        Ok(())
    }

    /// Takes a cut that is shorter than the limit, and says whether it is; `None` where the watch ended it.
    fn better(
        &mut self,
        problem: Problem<'_>,
        cut: Cut,
        limit: &Rational,
        watch: &Watch,
        best: &mut Best,
    ) -> Result<Option<bool>, OnceError> {
        match self.dated(problem, cut, Some(limit), watch) {
            Err(OnceError::Stopped(_)) => Ok(None),
            Err(OnceError::Late) => Ok(Some(false)),
            found => {
                let dated = found?;
                *best = Best { cut, length: dated.length(), dated };
                Ok(Some(true))
            }
        }
    }

    fn layout(&mut self, cut: Cut) -> Result<Arc<Layout>, OnceError> {
        if let Some(layout) = self.kept.get(&cut) {
            return Ok(layout.clone());
        }
        let layout = Arc::new((self.draft)(cut)?.laid_out(self.problem));
        self.kept.insert(cut, layout.clone());
        Ok(layout)
    }

    /// Without latency and overhead all that is done takes a time in proportion to the size, so all dates do, if work
    /// grows alike: each is a sum of such times, and which of two is earlier does not change.
    fn dated(
        &mut self,
        problem: Problem<'_>,
        cut: Cut,
        limit: Option<&Rational>,
        watch: &Watch,
    ) -> Result<Dated, OnceError> {
        let factor = self.dated.as_ref().and_then(|(known, _)| proportion(known, problem.volumes()));
        if let (Some((_, all)), Some(factor)) = (&self.dated, &factor) {
            let late = |length: &Rational| limit.is_some_and(|limit| *limit <= length * factor);
            match all.get(&cut) {
                Some(Tried::Dated(dated)) if late(&dated.length()) => return Err(OnceError::Late),
                Some(Tried::Dated(dated)) => return Ok(dated.times(factor)),
                Some(Tried::AtLeast(length)) if late(length) => return Err(OnceError::Late),
                _ => {}
            }
        }
        let layout = self.layout(cut)?;
        let dated = match self.in_turn {
            true => layout.dated_in_turn(problem, limit, watch),
            false => layout.dated(problem, limit, watch),
        };
        if !problem.platform().links().iter().any(|link| link.delays.is_some()) {
            let known = self.dated.take_if(|_| factor.is_some());
            let (volumes, mut all) = known.unwrap_or_else(|| (problem.volumes().clone(), BTreeMap::new()));
            let factor = factor.map_or_else(|| Rational::from_integer(1.into()), |factor| factor.recip());
            let tried = match (&dated, limit) {
                (Ok(dated), _) => Some(Tried::Dated(dated.times(&factor))),
                (Err(OnceError::Late), Some(limit)) => Some(Tried::AtLeast(limit * &factor)),
                _ => None,
            };
            all.extend(tried.map(|tried| (cut, tried)));
            self.dated = Some((volumes, all));
        }
        dated
    }
}

/// The best so far.
struct Best {
    cut: Cut,
    length: Rational,
    dated: Dated,
}

/// Whether a gain counts as none.
fn small(gain: Rational, whole: &Rational) -> bool {
    gain * Rational::from_integer(GAIN.into()) < *whole
}

/// A named algorithm, for one size after the other.
pub struct Named<'a> {
    algorithm: &'a Algorithm,
    routes: &'a Routes,
    way: Way<'a>,
    /// For these volumes: what its messages keep busy, no number of segments shortens.
    sustained: Option<(Volumes, Rational)>,
    /// Its longest chain of latencies and overheads, which no number of segments shortens either.
    delay: Option<Rational>,
}

impl<'a> Named<'a> {
    /// The algorithm over these routes.
    pub fn new(problem: Problem<'a>, algorithm: &'a Algorithm, routes: &'a Routes) -> Self {
        let draft = move |segments| Draft::of_algorithm(problem, algorithm, routes, segments);
        Named { algorithm, routes, way: Way::new(problem, draft), sustained: None, delay: None }
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        &self.algorithm.name
    }

    /// The best number of segments; with a quarter of the deeds where it cannot take less than `goal`.
    ///
    /// # Errors
    /// A message that nobody can send; sizes or work that are not constant; too many deeds even in one segment.
    pub fn shortest(
        &mut self,
        problem: Problem<'_>,
        search: &Search<'_>,
        goal: Option<&Rational>,
    ) -> Result<Found, OnceError> {
        let least = self.sustained(problem);
        let delay = self.delay()?;
        let deeds =
            if goal.is_some_and(|goal| least >= *goal || delay >= *goal) { search.deeds / 4 } else { search.deeds };
        self.way.shortest(problem, &Search { deeds, ..*search }, &least)
    }

    fn delay(&mut self) -> Result<Rational, OnceError> {
        if let Some(delay) = &self.delay {
            return Ok(delay.clone());
        }
        let layout = self.way.layout(Cut { pieces: 1, ahead: 0 })?;
        let delay = layout.delay(self.way.problem.platform());
        Ok(self.delay.insert(delay).clone())
    }

    fn sustained(&mut self, problem: Problem<'_>) -> Rational {
        if let Some((known, sustained)) = &self.sustained
            && let Some(factor) = proportion(known, problem.volumes())
        {
            return sustained * factor;
        }
        let found = self.algorithm.loads(problem, self.routes).and_then(|loads| loads.throughput(problem));
        let sustained = found.map(|found| found.throughput.recip()).unwrap_or_default();
        self.sustained = Some((problem.volumes().clone(), sustained.clone()));
        sustained
    }
}
