//! The referee's verdict on a certificate, and the bound that an answer falls back on where a limit has come first.

use oneport_lp::{self as lp, Question};
use oneport_plan::{Certificate, Problem};
use oneport_platform::Rational;
use oneport_referee::{self as referee, Rule};
use oneport_watch::Watch;

use crate::error::{Error, GRACE};

/// Percent of the time left that the referee may look for what is cheapest under a certificate's prices.
const SEARCH: u32 = 50;
/// Percent of the time left then that quick bounds may take.
const QUICK: u32 = 30;
/// Demands times nodes up to which every quick certificate is checked in a moment.
const MOMENT: usize = 1 << 16;

/// A bound as the referee has recomputed it.
pub(crate) struct Proved {
    pub(crate) bound: Rational,
    pub(crate) certificate: Certificate,
}

/// The bound that the certificate proves. If a limit has ended anything and this bound is above the throughput, the
/// quick bounds are tried, too: an answer's bound is never above theirs.
///
/// # Errors
/// The referee's objections; [`Error::Unchecked`] where a limit came before it had found any bound.
pub(crate) fn proved(
    question: &Question<'_>,
    certificate: Certificate,
    throughput: &Rational,
    watch: &Watch,
) -> Result<Proved, Error> {
    let finishing = watch.finishing(GRACE);
    let (own, refused) = match referee::bound_watched(question.problem(), &certificate, &finishing.stage(SEARCH)) {
        Ok(bound) => (Some(Proved { bound, certificate }), None),
        Err(violation) if violation.stopped().is_some() || violation.rule() == Rule::TooLarge => {
            (None, Some(violation))
        }
        Err(violation) => return Err(violation.into()),
    };
    let enough = |own: &Proved| own.bound == *throughput || watch.ended_by().is_none();
    if own.as_ref().is_some_and(enough) {
        return own.ok_or(Error::Question(lp::LpError::Contradiction("a bound is none")));
    }
    let quick = question.clone().watched(finishing.stage(QUICK));
    let best = quickest(&quick, &finishing).into_iter().chain(own).min_by(|one, other| one.bound.cmp(&other.bound));
    best.ok_or_else(|| refused.map_or(Error::Question(lp::LpError::Contradiction("nothing is proved")), Error::from))
}

/// The best of the bounds that are found and checked quickly. The question's watch ends the search for them; `watch`
/// ends slower checks.
pub(crate) fn quickest(question: &Question<'_>, watch: &Watch) -> Option<Proved> {
    let certificates = lp::simple_certificates(question).into_iter();
    let proved = certificates.filter_map(|certificate| {
        let bound = checked(question.problem(), &certificate, watch)?;
        Some(Proved { bound, certificate })
    });
    proved.min_by(|one, other| one.bound.cmp(&other.bound))
}

/// The watch of a check: none where it takes a moment, so that a small plan is shown whatever the limits are.
pub(crate) fn checking(problem: Problem<'_>, watch: &Watch) -> Watch {
    if is_small(problem) { Watch::unlimited() } else { watch.finishing(GRACE) }
}

fn is_small(problem: Problem<'_>) -> bool {
    problem.collective().demands().saturating_mul(problem.platform().nodes().len()) <= MOMENT
}

/// The bound that the certificate proves, if any: cuts and borders are added up whatever the watch says.
fn checked(problem: Problem<'_>, certificate: &Certificate, watch: &Watch) -> Option<Rational> {
    let added_up = !certificate.cuts.is_empty() || !certificate.borders.is_empty();
    match is_small(problem) || added_up {
        true => referee::bound(problem, certificate).ok(),
        false => referee::bound_watched(problem, certificate, watch).ok(),
    }
}
