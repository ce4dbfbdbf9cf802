//! Numbers of pieces that fit what GPU libraries run.

use num_traits::{One, Zero};
use oneport_platform::{Rational, decimal, whole};

use crate::pieces::{lost, powers_of_two};
use crate::{ExportError, Request};

/// Writes with the first power of two that fits, in the order of [`powers_of_two`]. `write` returns the limit that a
/// number of pieces violates. Larger numbers than a refused one are not tried.
///
/// # Errors
/// The refusals of `write`; the limit that the smallest number of pieces violates.
pub(crate) fn fitting<T>(
    request: &Request<'_>,
    format: &'static str,
    write: impl Fn(u64) -> Result<Result<T, String>, ExportError>,
) -> Result<(T, u64), ExportError> {
    let (mut too_many, mut refusal) = (u64::MAX, String::new());
    for pieces in powers_of_two(request.problem, request.schedule)? {
        if pieces >= too_many {
            continue;
        }
        match write(pieces)? {
            Ok(written) => return Ok((written, pieces)),
            Err(limit) => (too_many, refusal) = (pieces, limit),
        }
    }
    let reason = format!("with {too_many} pieces per message, {refusal}; fewer do not fit either");
    Err(ExportError::refused(format, reason))
}

/// Number of pieces of each message, and their loss, in words.
///
/// # Errors
/// Those of [`lost`].
pub(crate) fn note(request: &Request<'_>, pieces: u64) -> Result<String, ExportError> {
    let loss = lost(request.problem, request.schedule, pieces)?;
    let count = if pieces == 1 {
        "1 piece".to_string()
    } else {
        format!("{pieces} pieces")
    };
    if loss.is_zero() {
        return Ok(format!(
            "pieces: {count} per message, no loss of throughput"
        ));
    }
    let (kept, percent) = (Rational::one() - &loss, decimal(&(&loss * whole(100)), 2));
    let exact = &request.schedule.instances;
    Ok(format!(
        "pieces: {count} per message, {kept} of the plan's throughput, loss {loss} ({percent} %); --pieces exact has \
         {exact} and no loss"
    ))
}
