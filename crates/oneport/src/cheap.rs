//! Bounds that take a moment, in one list: `bound` begins with them, and no answer with a gap has a worse one.

use std::ops::ControlFlow;

use oneport_lp::{self as lp, Bound, LpError, Question};
use oneport_plan::{Certificate, Problem};
use oneport_platform::Rational;
use oneport_referee as referee;
use oneport_watch::{Limit, Watch};

use crate::error::Error;

/// A search for a bound that takes a moment, or asks the question's watch.
pub(crate) type Cheap = fn(&Question<'_>) -> Result<Option<Bound>, LpError>;

/// All of them: cuts, partitions for all-reduces.
pub(crate) const CHEAP: [Cheap; 2] = [lp::cut_bound, of_all_reduce];

/// The best certificate so far, and what the referee has found that it proves.
pub(crate) struct Proofs<'a> {
    pub(crate) problem: Problem<'a>,
    /// The referee's.
    pub(crate) watch: Watch,
    pub(crate) best: Option<(Certificate, Rational)>,
    /// The limit that ended a search, if one has.
    pub(crate) ended: Option<Limit>,
}

impl<'a> Proofs<'a> {
    pub(crate) fn new(problem: Problem<'a>, watch: Watch) -> Self {
        Proofs { problem, watch, best: None, ended: None }
    }

    pub(crate) fn bound(&self) -> Option<&Rational> {
        self.best.as_ref().map(|(_, bound)| bound)
    }

    /// Tries the searches in sequence.
    pub(crate) fn search(&mut self, question: &Question<'_>, searches: &[Cheap]) -> Result<(), Error> {
        for search in searches {
            match search(question) {
                Ok(found) => found.into_iter().try_for_each(|found| self.prove(found.certificate))?,
                Err(error) => self.end(error)?,
            }
        }
        Ok(())
    }

    /// Takes in a certificate, if it proves more than the one known.
    pub(crate) fn prove(&mut self, certificate: Certificate) -> Result<(), Error> {
        match referee::bound_watched(self.problem, &certificate, &self.watch) {
            Ok(bound) => self.proved(certificate, bound),
            Err(violation) => self.ended = Some(violation.stopped().ok_or(Error::Referee(violation))?),
        }
        Ok(())
    }

    /// Takes in what the referee has computed; of equals the first is kept, which is the simpler one.
    pub(crate) fn proved(&mut self, certificate: Certificate, bound: Rational) {
        if self.bound().is_none_or(|known| bound < *known) {
            self.best = Some((certificate, bound));
        }
    }

    /// Takes note of a limit.
    pub(crate) fn end(&mut self, error: LpError) -> Result<(), Error> {
        match error {
            LpError::Stopped(limit) => self.ended = Some(limit),
            error => return Err(error.into()),
        }
        Ok(())
    }
}

/// The best cheap proof of a bound, for a problem whose answer is not known to be optimal. `None` if nothing is proved.
/// If the answer was not cut short (`is_short` is false), searches that its own program has made already are left out.
pub(crate) fn cheaply(problem: Problem<'_>, watch: &Watch, is_short: bool) -> Option<(Certificate, Rational)> {
    let question = Question::new(problem).watched(watch.clone());
    let mut proofs = Proofs::new(problem, watch.clone());
    // A failure here has been reported before.
    let _ = proofs.search(&question, if is_short { &CHEAP[..] } else { &CHEAP[..1] });
    if let Ok(Some(spread)) = lp::spread(&question) {
        let _ = proofs.prove(spread.certificate);
    }
    proofs.best
}

/// The bound of an all-reduce by the best partition; where ports count, by what single participants exchange.
fn of_all_reduce(question: &Question<'_>) -> Result<Option<Bound>, LpError> {
    // More than anything: the search ends with the first bound.
    let enough = Rational::from_integer(i64::MAX.into());
    lp::all_reduce_bound(question, &enough, &mut |_| ControlFlow::Continue(()))
}
