//! The referee's verdict on a certificate, and the bound that an answer with a gap falls back on.

use oneport_lp::{LpError, Question};
use oneport_plan::{Certificate, Problem};
use oneport_platform::Rational;
use oneport_referee::{Proved, Rule};
use oneport_watch::Watch;

use crate::error::{Error, GRACE};
use crate::sides::{Sides, is_small};

/// Percent of the time left for the referee's cheapest patterns. Trades a tighter bound for an answer in time. Not
/// measured.
const SEARCH: u32 = 50;
/// Percent of the time left after it for quick bounds. Trades a tighter bound for an answer in time. Not measured.
const QUICK: u32 = 30;

/// The bound that the certificate proves. If it is above the throughput that is sustained, the least of it and of the
/// `known` bound, or else of it and of the quick bounds: no answer says less than they do.
///
/// # Errors
/// The referee's objections. [`Error::Stopped`] if a limit came before any bound was found.
pub(crate) fn proved(
    question: &Question,
    certificate: Certificate,
    throughput: Option<Rational>,
    watch: &Watch,
    known: Option<Proved>,
) -> Result<Proved, Error> {
    let finishing = watch.finishing(GRACE);
    let mut sides = Sides::new(question.problem(), finishing.clone());
    sides.enough = throughput;
    let is_known = known.as_ref().is_some_and(|known| known.bound().is_some());
    if let Some(known) = known {
        sides.proved = known;
    }
    let mut refused = None;
    match sides.proved.prove(certificate, &finishing.stage(SEARCH)) {
        Ok(()) => {}
        Err(violation) if violation.stopped().is_some() || violation.rule() == Rule::TooLarge => {
            refused = Some(violation);
        }
        Err(violation) => return Err(violation.into()),
    }
    if !sides.is_done() && !is_known {
        let quick = question.clone().watched(finishing.stage(QUICK));
        sides.quick(&quick, watch.ended_by().is_some() || refused.is_some())?;
        if !sides.is_done() {
            sides.flows(&quick)?;
        }
        sides.at_least(&quick);
    }
    // The state that is sustained has patterns. A compact one of the quick searches does not take its place.
    match sides.proved.bound() {
        Some(_) => Ok(sides.proved.bound_alone()),
        None => Err(refused.map_or(
            LpError::Contradiction("nothing is proved").into(),
            Error::from,
        )),
    }
}

/// The watch of a check. A short check has none, so that a small plan is shown under all limits.
pub(crate) fn checking(problem: &Problem, watch: &Watch) -> Watch {
    if is_small(problem) {
        Watch::unlimited()
    } else {
        watch.finishing(GRACE)
    }
}
