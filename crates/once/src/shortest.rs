//! The number of pieces with the least total time.

use oneport_plan::{Problem, Rational};

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

/// Tries 1, 2, 4, ... pieces, beginning at `guess`, as long as that helps, with drafts of at most about `most` deeds.
///
/// # Errors
/// What the drafts say.
pub fn shortest(
    problem: Problem<'_>,
    guess: u32,
    most: usize,
    draft: impl Fn(u32) -> Result<Draft, OnceError>,
) -> Result<Shortest, OnceError> {
    let tried = |pieces: u32| -> Result<(Shortest, usize), OnceError> {
        let draft = draft(pieces)?;
        Ok((Shortest { pieces, length: draft.dated(problem)?.length() }, draft.deeds.len()))
    };
    let (mut best, mut deeds) = tried(guess.max(1))?;
    let mut down = best.pieces;
    while down > 1 {
        down /= 2;
        let (found, _) = tried(down)?;
        if found.length > best.length {
            break;
        }
        best = found;
    }
    let mut up = guess.max(1);
    // Two in a row that do not help end the search.
    let mut misses = 0;
    while misses < 2 && deeds * 2 <= most {
        up *= 2;
        let (found, more) = tried(up)?;
        deeds = more;
        let gain = Rational::from_integer(GAIN.into()) * (&best.length - &found.length);
        misses = if gain >= best.length { 0 } else { misses + 1 };
        if found.length < best.length {
            best = found;
        }
    }
    Ok(best)
}
