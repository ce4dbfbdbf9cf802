//! The referee's verdict on a certificate, and the bound that an answer with a gap falls back on.

use oneport_lp::{LpError, Question};
use oneport_plan::{Bound, Certificate, Problem};
use oneport_platform::Rational;
use oneport_referee::{self as referee, Rule};
use oneport_watch::Watch;

use crate::error::{Error, GRACE};
use crate::sides::{Sides, is_small};

/// Percent of the time left for the referee's cheapest patterns. Trades a tighter bound for an answer in time. Not
/// measured.
const SEARCH: u32 = 50;
/// Percent of the time left after it for quick bounds. Trades a tighter bound for an answer in time. Not measured.
const QUICK: u32 = 30;

/// The bound that the certificate proves. Where that is more than the throughput that is sustained, it is compared with
/// what is `known` to be proved or else with the quick bounds: an answer never says less than they do.
///
/// # Errors
/// The referee's objections; [`Error::Stopped`] where a limit came before it had found any bound.
pub(crate) fn proved(
    question: &Question,
    certificate: Certificate,
    throughput: &Rational,
    watch: &Watch,
    known: Option<Bound>,
) -> Result<Bound, Error> {
    let finishing = watch.finishing(GRACE);
    let is_known = known.is_some();
    let mut sides = Sides {
        best: known,
        ..Sides::new(question.problem(), finishing.clone())
    };
    sides.sustained(throughput.clone());
    let mut refused = None;
    match referee::bound_watched(question.problem(), &certificate, &finishing.stage(SEARCH)) {
        Ok(throughput) => sides.proved(Bound {
            throughput,
            certificate,
        }),
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
    match sides.best {
        Some(bound) => Ok(bound),
        None => Err(refused.map_or(
            Error::from(LpError::Contradiction("nothing is proved")),
            Error::from,
        )),
    }
}

/// The watch of a check: none where it takes a moment, so that a small plan is shown whatever the limits are.
pub(crate) fn checking(problem: &Problem, watch: &Watch) -> Watch {
    if is_small(problem) {
        Watch::unlimited()
    } else {
        watch.finishing(GRACE)
    }
}
