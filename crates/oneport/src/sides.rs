//! Cheap bounds and cheap feasible throughputs, all recomputed by the referee.
//!
//! The search for a bound begins with them, an answer with a gap falls back on them, and without room for a schedule
//! they are the answer. So these answers agree.

use std::collections::BTreeSet;

use oneport_lp::{self as lp, LpError, Question};
use oneport_plan::{Certificate, Collective, Kind, Problem, Routing, State};
use oneport_platform::Rational;
use oneport_referee::{Proved, Rule};
use oneport_watch::{Limit, Watch};

use crate::error::Error;

/// Demands times nodes up to which each certificate is checked at once. Trades a tighter bound for time. Not measured.
const MOMENT: usize = 1 << 16;

/// Participants of an all-reduce up to which its all-gather is asked for cuts. Trades a tighter bound (a ring loses 1
/// part in the number of participants) for time and memory. Measured: 65,536 around a switch take 80 s and 16 GB.
const MANY: usize = 1 << 14;

/// The best of both sides so far. The referee has computed it.
pub(crate) struct Sides<'a> {
    pub(crate) problem: &'a Problem,
    /// The referee's.
    pub(crate) watch: Watch,
    /// The facts that the referee has computed.
    pub(crate) proved: Proved,
    /// A throughput that another state sustains: a bound equal to it ends the search.
    pub(crate) enough: Option<Rational>,
    /// The limit that ended a search, if one has.
    pub(crate) ended: Option<Limit>,
}

impl<'a> Sides<'a> {
    pub(crate) fn new(problem: &'a Problem, watch: Watch) -> Self {
        Sides {
            problem,
            watch,
            proved: Proved::about(problem),
            enough: None,
            ended: None,
        }
    }

    /// Whether more cannot be found.
    pub(crate) fn is_done(&self) -> bool {
        let bound = self.proved.bound();
        bound.is_some_and(|bound| self.attained().is_some_and(|attained| bound <= attained))
    }

    /// The largest throughput that is known to be sustained.
    fn attained(&self) -> Option<&Rational> {
        self.proved.throughput().max(self.enough.as_ref())
    }

    /// Throughput of messages with a single path. Nothing if other demands or several paths exist.
    pub(crate) fn only_way(&mut self) {
        let moment = self.problem.collective().demands() <= 4 * MOMENT;
        let watch = if moment {
            Watch::unlimited()
        } else {
            self.watch.clone()
        };
        let way = State::Compact(Routing::OnlyWay);
        if let Err(violation) = self.proved.sustain(way, &watch) {
            self.ended = self.ended.or(violation.stopped());
        }
    }

    /// The bounds of [`lp::QUICK`]. Bounds of all-reduces are left out if the program has computed them.
    pub(crate) fn quick(&mut self, question: &Question, again: bool) -> Result<(), Error> {
        let all_reduce = question
            .problem()
            .blocks()
            .iter()
            .any(|block| block.kind == Kind::CombineCopy);
        for search in lp::QUICK.iter().filter(|_| again || !all_reduce) {
            if self.is_done() {
                break;
            }
            match search(question, self.attained()) {
                Ok(found) => found
                    .into_iter()
                    .try_for_each(|found| self.prove(found.certificate))?,
                Err(error) => self.end(error)?,
            }
        }
        Ok(())
    }

    /// Bounds that need no search, if there are no others.
    pub(crate) fn at_least(&mut self, question: &Question) {
        if self.proved.bound().is_some() {
            return;
        }
        for certificate in lp::of_one_node(question) {
            let watch = self.checking(&certificate);
            // One of them may prove nothing here.
            let _ = self.proved.prove(certificate, &watch);
        }
    }

    /// Takes in a certificate, if it proves more than the one known.
    fn prove(&mut self, certificate: Certificate) -> Result<(), Error> {
        let watch = self.checking(&certificate);
        match self.proved.prove(certificate, &watch) {
            Ok(()) => {}
            Err(violation) if matches!(violation.rule(), Rule::TooLarge | Rule::NoBound) => {}
            Err(violation) => self.ended = Some(violation.stopped().ok_or(Error::from(violation))?),
        }
        Ok(())
    }

    /// The watch of a check: none if it takes a moment, because cuts and borders are added up, or the problem is small.
    /// Trees of reductions that have no need are priced, which takes longer.
    fn checking(&self, certificate: &Certificate) -> Watch {
        let added_up = !certificate.needs.is_empty() && !prices_trees(self.problem, certificate);
        if added_up || is_small(self.problem) {
            Watch::unlimited()
        } else {
            self.watch.clone()
        }
    }

    /// Takes note of a limit.
    fn end(&mut self, error: LpError) -> Result<(), Error> {
        match error {
            LpError::Stopped(limit) => self.ended = Some(limit),
            error => return Err(error.into()),
        }
        Ok(())
    }

    /// Adds the throughput that a routing sustains.
    fn routed(&mut self, routing: Routing) -> Result<(), Error> {
        if let Err(violation) = self.proved.sustain(State::Compact(routing), &self.watch) {
            self.ended = Some(violation.stopped().ok_or(Error::from(violation))?);
        }
        Ok(())
    }

    /// Trees that cuts promise, then rings, then flows and their prices.
    pub(crate) fn routings(&mut self, question: &Question) -> Result<(), Error> {
        if self.is_done() {
            return Ok(());
        }
        if let Some(trees) = self.branchings(question)? {
            // If others than members have to copy, the theorem promises nothing.
            let _ = self.proved.sustain(State::Compact(trees), &self.watch);
        }
        if self.is_done() {
            return Ok(());
        }
        for ring in lp::ring_routings(question) {
            match ring {
                Ok(ring) => self.routed(ring)?,
                Err(error) => self.end(error)?,
            }
            if self.is_done() {
                return Ok(());
            }
        }
        self.flows(question)
    }

    /// Flows of messages that travel alone, and what their prices prove.
    pub(crate) fn flows(&mut self, question: &Question) -> Result<(), Error> {
        match lp::spread(question) {
            Ok(None) => {}
            Ok(Some(lp::Spread {
                certificate,
                routing,
            })) => {
                self.routed(routing)?;
                if !self.is_done() {
                    self.prove(certificate)?;
                }
            }
            Err(error) => self.end(error)?,
        }
        Ok(())
    }

    /// Trees at the rates that the least cuts allow. `None` if ports count, or demands are of other kinds.
    fn branchings(&mut self, question: &Question) -> Result<Option<Routing>, Error> {
        let platform = self.problem.platform();
        if !platform.only_links() {
            return Ok(None);
        }
        let [block] = self.problem.blocks()[..] else {
            return Ok(None);
        };
        let proof = self.proved.bound().cloned();
        let mut all = |collective: Collective| -> Result<Option<Rational>, Error> {
            let Ok(problem) = self.problem.asking(collective) else {
                return Ok(None);
            };
            let part = Question::new(&problem).watched(question.watch().clone());
            match lp::cut_bound(&part) {
                Ok(bound) => Ok(bound.map(|bound| bound.throughput)),
                Err(error) => self.end(error).map(|()| None),
            }
        };
        let rates = match block.kind {
            Kind::Copy | Kind::Combine => (proof.clone(), proof),
            // Messages of all to all are counted one by one.
            Kind::CombineCopy if block.operands().len() > MANY => (None, None),
            Kind::CombineCopy => {
                let participants = block.operands().to_vec();
                let gather = Collective::all_gather(participants.clone());
                (all(gather)?, all(Collective::reduce_scatter(participants))?)
            }
            Kind::Route | Kind::Prefix => (None, None),
        };
        let (Some(copied), Some(combined)) = rates else {
            return Ok(None);
        };
        Ok(Some(Routing::Branchings { copied, combined }))
    }
}

/// Whether a reduction has no need in the certificate, so that the referee prices its trees.
fn prices_trees(problem: &Problem, certificate: &Certificate) -> bool {
    let reductions: usize = problem
        .blocks()
        .iter()
        .filter(|block| block.kind == Kind::Combine)
        .map(|block| block.count)
        .sum();
    // A need without a demand holds for all of them.
    let needy: Option<BTreeSet<usize>> = certificate.needs.iter().map(|need| need.demand).collect();
    needy.is_some_and(|needy| needy.len() < reductions)
}

/// Whether every check of the problem takes a moment.
pub(crate) fn is_small(problem: &Problem) -> bool {
    problem
        .collective()
        .demands()
        .saturating_mul(problem.platform().nodes().len())
        <= MOMENT
}
