//! The number of pieces with the least total time.

use oneport_baselines::{Algorithm, Routes};
use oneport_plan::{Problem, Rational};
use oneport_watch::Watch;

use crate::{Draft, OnceError};

/// A doubling that gains less than this part of the time counts as none.
const GAIN: u64 = 1000;

/// The best number of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortest {
    /// How many segments, or pieces of a steady state's values.
    pub pieces: u32,
    /// What one operation takes.
    pub length: Rational,
}

/// How far numbers of pieces are tried.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The number that is tried first; above 1, one that helped for a smaller size.
    pub guess: u32,
    /// Runs have at most about so many deeds.
    pub deeds: usize,
    /// Most pieces: as many as a message has bytes, for example.
    pub pieces: u32,
    /// Ends the search at any number but the first: what is best so far is the answer.
    pub watch: &'a Watch,
}

/// The best number of segments of an algorithm; with a quarter of the deeds where it cannot take less than `goal`.
///
/// # Errors
/// A message that nobody can send; sizes or work that are not constant; too many deeds even in one segment.
pub fn shortest_of(
    problem: Problem<'_>,
    algorithm: &Algorithm,
    routes: &Routes,
    search: &Search<'_>,
    goal: Option<&Rational>,
) -> Result<Shortest, OnceError> {
    // What its messages keep busy, no number of segments shortens.
    let sustained = algorithm.loads(problem, routes).and_then(|loads| loads.throughput(problem));
    let least = sustained.map(|sustained| sustained.throughput.recip()).unwrap_or_default();
    let deeds = if goal.is_some_and(|goal| least >= *goal) { search.deeds / 4 } else { search.deeds };
    let draft = |segments| Draft::of_algorithm(problem, algorithm, routes, segments);
    shortest(problem, &Search { deeds, ..*search }, &least, draft)
}

/// Tries 1 piece, or the guess, and 2, 4, ... times as many, as long as that helps and the search goes, and ends where
/// no time below `least` is possible and next to nothing can be gained.
///
/// # Errors
/// What the drafts say; sizes or work that are not constant.
pub fn shortest(
    problem: Problem<'_>,
    search: &Search<'_>,
    least: &Rational,
    draft: impl Fn(u32) -> Result<Draft, OnceError>,
) -> Result<Shortest, OnceError> {
    let tried = |pieces: u32, watch: &Watch| -> Result<(Shortest, usize), OnceError> {
        let draft = draft(pieces)?;
        Ok((Shortest { pieces, length: draft.dated_watched(problem, watch)?.length() }, draft.deeds.len()))
    };
    let small = |gain: Rational, whole: &Rational| gain * Rational::from_integer(GAIN.into()) < *whole;
    let (mut best, mut deeds) = tried(search.guess.clamp(1, search.pieces.max(1)), &Watch::unlimited())?;
    let mut pieces = best.pieces;
    // From the start, two in a row that do not help end the search.
    let patience = if search.guess > 1 { 1 } else { 2 };
    let mut misses = 0;
    while misses < patience && !small(&best.length - least, &best.length) && search.watch.ask().is_ok() {
        // The last time, as many as there may be.
        let fitting = u64::from(pieces) * search.deeds as u64 / deeds.max(1) as u64;
        let fitting = u32::try_from(fitting).unwrap_or(u32::MAX).min(search.pieces);
        let next = fitting.min(pieces.saturating_mul(2));
        if next <= pieces + pieces / 8 {
            break;
        }
        let (found, more) = match tried(next, search.watch) {
            Err(OnceError::Stopped(_)) => break,
            tried => tried?,
        };
        misses = if small(&best.length - &found.length, &best.length) { misses + 1 } else { 0 };
        (pieces, deeds) = (next, more);
        if found.length < best.length {
            best = found;
        }
    }
    Ok(best)
}
