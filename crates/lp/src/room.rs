//! How large an answer may be: what time and memory leave room for, before anything is made.
//!
//! Every task of an answer is rounded, scheduled, checked and written after it was found. So an answer that is found
//! at the last moment comes too late, and is too large, if it has many.

use oneport_watch::{Limit, Watch};

use crate::tasks::MOST;
use crate::{LpError, Question};

/// Bytes that a task takes by the time it is checked: once in the steady state, once in the schedule, and what the
/// checks note of it.
const BYTES: u64 = 150;
/// Tasks for which there is time in a millisecond of what the program may take; the stages after it have as much again.
const A_MILLISECOND: u64 = 500;

/// How many tasks there is room for, and what says so.
pub fn tasks(watch: &Watch) -> (u64, Option<Limit>) {
    let left = watch.left();
    let time = left.time.map(|time| (u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Limit::Time));
    let time = time.map(|(milliseconds, limit)| (milliseconds.saturating_mul(A_MILLISECOND), Some(limit)));
    let memory = left.bytes.map(|bytes| (bytes / BYTES, Some(Limit::Memory)));
    [time, memory].into_iter().flatten().fold((MOST, None), |least, next| if next.0 < least.0 { next } else { least })
}

/// Refuses an answer of so many tasks.
///
/// # Errors
/// [`LpError::TooManyTasks`] of what is too large in itself, [`LpError::Stopped`] of what a limit leaves no room for.
pub fn fits(question: &Question<'_>, needed: u64) -> Result<(), LpError> {
    match tasks(question.watch()) {
        (most, _) if needed <= most => Ok(()),
        (most, None) => Err(LpError::TooManyTasks { collective: question.collective().name(), needed, most }),
        (_, Some(limit)) => {
            question.watch().end(limit);
            Err(LpError::Stopped(limit))
        }
    }
}
