//! The number of pieces with the least total time.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_traits::Zero;
use oneport_baselines::{Algorithm, Routes};
use oneport_plan::{Problem, Rational, Run, SteadyState, Volumes};
use oneport_watch::Watch;

use crate::{Dated, Draft, Layout, OnceError};

/// A doubling that gains less than this part of the time counts as none.
const GAIN: u64 = 1000;
/// Layouts are kept from size to size unless they have more deeds and pieces carried.
const KEPT: usize = 1_000_000;

/// The best number of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortest {
    /// How many segments, or pieces of a steady state's values.
    pub pieces: u32,
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
}

impl Found {
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

/// A way to carry out an operation, for one size after the other: what does not depend on sizes is kept.
pub struct Way<'a> {
    problem: Problem<'a>,
    /// The best number for the last size.
    best: u32,
    draft: Box<dyn Fn(u32) -> Result<Draft, OnceError> + Send + Sync + 'a>,
    /// By number of pieces.
    kept: BTreeMap<u32, Arc<Layout>>,
    /// For these volumes, by number of pieces; where nothing delays.
    dated: Option<(Volumes, BTreeMap<u32, Dated>)>,
}

impl<'a> Way<'a> {
    /// A way that is drafted in any number of pieces; drafts are laid out on the platform of the problem, whose sizes
    /// do not matter.
    pub fn new(problem: Problem<'a>, draft: impl Fn(u32) -> Result<Draft, OnceError> + Send + Sync + 'a) -> Self {
        Way { problem, best: 1, draft: Box::new(draft), kept: BTreeMap::new(), dated: None }
    }

    /// The patterns of a steady state, each on its share.
    pub fn of_patterns(problem: Problem<'a>, steady_state: &'a SteadyState) -> Self {
        Way::new(problem, move |pieces| Draft::of_patterns(problem, steady_state, pieces))
    }

    /// Tries 1 piece, or what was best for the last size, and 2, 4, ... times as many, as long as that helps and the
    /// search goes, and ends where no time below `least` is possible and next to nothing can be gained. The problem is
    /// the way's own, or differs from it in sizes alone.
    ///
    /// # Errors
    /// What the drafts say; sizes or work that are not constant.
    pub fn shortest(
        &mut self,
        problem: Problem<'_>,
        search: &Search<'_>,
        least: &Rational,
    ) -> Result<Found, OnceError> {
        let small = |gain: Rational, whole: &Rational| gain * Rational::from_integer(GAIN.into()) < *whole;
        let mut pieces = self.best.min(search.pieces.max(1));
        // From the start, two in a row that do not help end the search.
        let patience = if self.best > 1 { 1 } else { 2 };
        let mut dated = self.dated(problem, pieces, &Watch::unlimited())?;
        let (mut length, mut deeds) = (dated.length(), dated.deeds());
        self.best = pieces;
        let mut misses = 0;
        while misses < patience && !small(&length - least, &length) && search.watch.ask().is_ok() {
            // The last time, as many as there may be.
            let fitting = u64::from(pieces) * search.deeds as u64 / deeds.max(1) as u64;
            let fitting = u32::try_from(fitting).unwrap_or(u32::MAX).min(search.pieces);
            let next = fitting.min(pieces.saturating_mul(2));
            if next <= pieces + pieces / 8 {
                break;
            }
            let found = match self.dated(problem, next, search.watch) {
                Err(OnceError::Stopped(_)) => break,
                found => found?,
            };
            let shorter = found.length();
            misses = if small(&length - &shorter, &length) { misses + 1 } else { 0 };
            (pieces, deeds) = (next, found.deeds());
            if shorter < length {
                (self.best, length, dated) = (next, shorter, found);
            }
        }
        let layout = self.layout(self.best)?;
        // The next size begins where this one ends.
        let best = self.best;
        self.kept.retain(|pieces, layout| *pieces >= best && layout.extent() <= KEPT);
        Ok(Found { shortest: Shortest { pieces: best, length }, layout, dated })
    }

    fn layout(&mut self, pieces: u32) -> Result<Arc<Layout>, OnceError> {
        if let Some(layout) = self.kept.get(&pieces) {
            return Ok(layout.clone());
        }
        let layout = Arc::new((self.draft)(pieces)?.laid_out(self.problem));
        self.kept.insert(pieces, layout.clone());
        Ok(layout)
    }

    /// Without latency and overhead all that is done takes a time in proportion to the size, so all dates do, if work
    /// grows alike: each is a sum of such times, and which of two is earlier does not change.
    fn dated(&mut self, problem: Problem<'_>, pieces: u32, watch: &Watch) -> Result<Dated, OnceError> {
        let factor = self.dated.as_ref().and_then(|(known, _)| proportion(known, problem.volumes()));
        if let (Some((_, all)), Some(factor)) = (&self.dated, &factor)
            && let Some(dated) = all.get(&pieces)
        {
            return Ok(dated.times(factor));
        }
        let dated = self.layout(pieces)?.dated(problem, watch)?;
        if !problem.platform().links().iter().any(|link| link.delays.is_some()) {
            let known = self.dated.take_if(|_| factor.is_some());
            let (volumes, mut all) = known.unwrap_or_else(|| (problem.volumes().clone(), BTreeMap::new()));
            let factor = factor.map_or_else(|| Rational::from_integer(1.into()), |factor| factor.recip());
            all.insert(pieces, dated.times(&factor));
            self.dated = Some((volumes, all));
        }
        Ok(dated)
    }
}

/// A named algorithm, for one size after the other.
pub struct Named<'a> {
    algorithm: &'a Algorithm,
    routes: &'a Routes,
    way: Way<'a>,
    /// For these volumes: what its messages keep busy, no number of segments shortens.
    sustained: Option<(Volumes, Rational)>,
}

impl<'a> Named<'a> {
    /// The algorithm over these routes.
    pub fn new(problem: Problem<'a>, algorithm: &'a Algorithm, routes: &'a Routes) -> Self {
        let draft = move |segments| Draft::of_algorithm(problem, algorithm, routes, segments);
        Named { algorithm, routes, way: Way::new(problem, draft), sustained: None }
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
        let deeds = if goal.is_some_and(|goal| least >= *goal) { search.deeds / 4 } else { search.deeds };
        self.way.shortest(problem, &Search { deeds, ..*search }, &least)
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
