//! Proved bounds, and the best steady state known; no schedule is made.

use std::ops::ControlFlow;

use num_traits::{One, Zero};
use oneport_lp::{self as lp, LpError, Question};
use oneport_plan::{Block, Certificate, Collective, Commodity, Kind, Problem, Routing};
use oneport_platform::{PortModel, Rational};
use oneport_referee as referee;
use oneport_watch::{Limit, Watch};

use crate::cheap::{CHEAP, Proofs};
use crate::error::{Error, GRACE};
use crate::proving::{Proved, quickest};
use crate::rating::{Rating, program_rated};
use crate::{Options, Stage};

/// Most nodes and links of a platform on which the optimum itself is computed where cuts do not decide.
const SMALL: (usize, usize) = (64, 400);
/// On larger ones the program may go on for as many rounds as look at this number of arcs together.
const ARCS: usize = 1 << 25;
/// Fewest rounds that are worth a beginning.
const FEWEST_ROUNDS: usize = 8;
/// Most flow variables of a program for messages that travel alone.
const MOST_FLOWS: usize = 1 << 14;
/// Questions that the watch of such a program answers.
const QUESTIONS: u64 = 1 << 16;
/// Percent of the time and memory left that the search may use.
const SEARCH: u32 = 60;

/// Most messages, each counted where it is wanted, that are looked at.
const MOST: u64 = 1 << 28;

/// A bound; the referee has recomputed it from the certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounded {
    /// No schedule has a larger throughput.
    pub bound: Rational,
    /// Why.
    pub certificate: Certificate,
    /// The largest throughput of a steady state that was found during the search, as computed by the referee. `None` if
    /// none was found.
    pub known: Option<Rational>,
    /// Which limit ended the search before its time: with more, less may be proved.
    pub ended_by: Option<Limit>,
}

impl Bounded {
    /// Whether a steady state is known that attains the bound.
    pub fn is_attained(&self) -> bool {
        self.known.as_ref() == Some(&self.bound)
    }

    /// The part of the bound that no known steady state attains: 0 where one attains it, 1 where none is known.
    pub fn gap(&self) -> Rational {
        let attained = self.known.as_ref().map_or_else(Rational::zero, |known| known / &self.bound);
        Rational::one() - attained
    }
}

/// The result of [`bound`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bounding {
    /// A bound.
    Bounded(Box<Bounded>),
    /// No throughput at all: these messages cannot arrive.
    Unreachable(Vec<Commodity>),
}

/// Upper bound on the throughput of every schedule of a problem, with its proof; no schedule is made. The result also
/// has the throughput of the best steady state found.
///
/// Several searches, until one steady state attains what is proved:
///
/// 1. Cuts where only links are exclusive ([`lp::cut_bound`]), and partitions for all-reduces
///    ([`lp::all_reduce_bound`]).
/// 2. Trees that attain the cut by Edmonds' theorem; a ring of all participants ([`lp::ring_routings`]); for messages
///    that travel alone, prices by multiplicative weights and the flows that come of them ([`lp::spread()`]).
/// 3. The program of [`rate`](crate::rate): on small platforms to its end, on others as far as a counted budget of
///    work goes, so that the answer is the same on every machine. Its bound and its steady state both count.
///
/// A limit ends the search; what is proved by then, or proved in a moment, is kept, and [`Bounded::ended_by`] names the
/// limit.
///
/// ```
/// use oneport::plan::Collective;
/// use oneport::{Bounding, Options, Problem, Volumes, bound, platform::generate};
/// let box_of_gpus = generate::dgx1()?;
/// let gather = Collective::AllGather { participants: box_of_gpus.processors().collect() };
/// let volumes = Volumes::default();
/// let problem = Problem::new(&box_of_gpus, &gather, &volumes)?;
/// let Bounding::Bounded(bounded) = bound(problem, &Options::default())? else { panic!("connected") };
/// assert_eq!(bounded.bound, oneport::parse_rational("150/7")?);
/// assert!(bounded.is_attained());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of the solver and of the referee; [`LpError::Stopped`] if a limit came before anything was proved;
/// [`Error::TooLarge`].
pub fn bound(problem: Problem<'_>, options: &Options) -> Result<Bounding, Error> {
    check_size(problem)?;
    let unreachable = problem.unreachable();
    if !unreachable.is_empty() {
        return Ok(Bounding::Unreachable(unreachable));
    }
    let watch = options.watch.stage(SEARCH);
    let question = Question::new(problem).watched(watch.clone());
    let mut search = Search { proofs: Proofs::new(problem, options.watch.finishing(GRACE)), known: None };
    search.proofs.search(&question, &CHEAP)?;
    search.routings(&question)?;
    if !search.is_done() {
        search.program(&options.watch)?;
    }
    if search.proofs.best.is_none()
        && let Some(Proved { bound, certificate }) = quickest(&question, &search.proofs.watch)
    {
        search.proofs.proved(certificate, bound);
    }
    if search.known.is_none() {
        search.simply(&question);
    }
    let Search { proofs, known } = search;
    match (proofs.best, proofs.ended.or(watch.ended())) {
        (Some((certificate, bound)), ended_by) => {
            Ok(Bounding::Bounded(Box::new(Bounded { bound, certificate, known, ended_by })))
        }
        (None, Some(limit)) => Err(Error::Question(LpError::Stopped(limit))),
        (None, None) => Err(Error::Question(LpError::Contradiction("nothing bounds the problem"))),
    }
}

/// Refuses what would be looked at for minutes before anything is proved.
fn check_size(problem: Problem<'_>) -> Result<(), Error> {
    let of_block = |block: &Block<'_>| {
        let wanted = block.demand(0).map_or(0, |demand| demand.targets().len().max(demand.operands.len()));
        (block.count as u64).saturating_mul(wanted as u64)
    };
    let messages = problem.blocks().iter().map(of_block).fold(0, u64::saturating_add);
    match messages <= MOST {
        true => Ok(()),
        false => Err(Error::TooLarge { collective: problem.collective().name(), messages, most: MOST }),
    }
}

/// The best of both sides so far; the referee has computed it.
struct Search<'a> {
    proofs: Proofs<'a>,
    known: Option<Rational>,
}

impl<'a> Search<'a> {
    fn problem(&self) -> Problem<'a> {
        self.proofs.problem
    }

    /// Whether more cannot be found.
    fn is_done(&self) -> bool {
        let proved = |known: &Rational| self.proofs.bound().is_some_and(|bound| bound <= known);
        self.known.as_ref().is_some_and(proved)
    }

    fn sustained(&mut self, throughput: Rational) {
        if self.known.as_ref().is_none_or(|known| *known < throughput) {
            self.known = Some(throughput);
        }
    }

    /// Takes in what a routing sustains.
    fn routed(&mut self, routing: &Routing) -> Result<(), Error> {
        match referee::sustained(self.problem(), routing, &self.proofs.watch) {
            Ok(throughput) => self.sustained(throughput),
            Err(violation) => self.proofs.ended = Some(violation.stopped().ok_or(Error::Referee(violation))?),
        }
        Ok(())
    }

    /// Trees that cuts promise; rings; flows and their prices.
    fn routings(&mut self, question: &Question<'_>) -> Result<(), Error> {
        if let Some(trees) = self.branchings(question)? {
            // Where others than members have to copy, the theorem promises nothing.
            let promised = referee::sustained(self.problem(), &trees, &self.proofs.watch);
            promised.into_iter().for_each(|throughput| self.sustained(throughput));
        }
        if self.is_done() {
            return Ok(());
        }
        for ring in lp::ring_routings(question) {
            match ring {
                Ok(ring) => self.routed(&ring)?,
                Err(error) => self.proofs.end(error)?,
            }
            if self.is_done() {
                break;
            }
        }
        match lp::spread(question) {
            Ok(None) => {}
            Ok(Some(lp::Spread { certificate, routing })) => {
                self.routed(&routing)?;
                if !self.is_done() {
                    self.proofs.prove(certificate)?;
                }
            }
            Err(error) => self.proofs.end(error)?,
        }
        Ok(())
    }

    /// Trees at the rates that the least cuts allow; `None` where ports count, or demands are of other kinds.
    fn branchings(&mut self, question: &Question<'_>) -> Result<Option<Routing>, Error> {
        let platform = self.problem().platform();
        if platform.node_ids().any(|node| platform.model_of(node) != PortModel::Links) {
            return Ok(None);
        }
        let [block] = self.problem().blocks()[..] else { return Ok(None) };
        let proof = self.proofs.bound().cloned();
        let all = |collective: &Collective| -> Result<Option<Rational>, Error> {
            let Ok(problem) = Problem::new(platform, collective, self.problem().volumes()) else { return Ok(None) };
            let part = Question::new(problem).watched(question.watch().clone());
            Ok(lp::cut_bound(&part)?.map(|bound| bound.throughput))
        };
        let rates = match block.kind {
            Kind::Copy | Kind::Combine => (proof.clone(), proof),
            Kind::CombineCopy => {
                let participants = block.operands().to_vec();
                let gather = Collective::AllGather { participants: participants.clone() };
                (all(&gather)?, all(&Collective::ReduceScatter { participants, commutative: true })?)
            }
            Kind::Route | Kind::Prefix => (None, None),
        };
        let (Some(copied), Some(combined)) = rates else { return Ok(None) };
        Ok(Some(Routing::Branchings { copied, combined }))
    }

    /// The program, as far as its budget goes.
    fn program(&mut self, watch: &Watch) -> Result<(), Error> {
        let (watch, mut rounds) = match budget(self.problem()) {
            Budget::Whole => (watch.stage(SEARCH), usize::MAX),
            Budget::Rounds(rounds) => (watch.stage(SEARCH).at_most(QUESTIONS), rounds),
            Budget::Nothing => return Ok(()),
        };
        let options = Options { watch, ..Options::default() };
        let rated = program_rated(self.problem(), &options, None, &mut |stage| {
            rounds = rounds.saturating_sub(usize::from(matches!(stage, Stage::Round(_))));
            if rounds == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match rated {
            Ok(Rating::Rated(rated)) => {
                self.sustained(rated.steady_state.throughput);
                self.proofs.proved(rated.certificate, rated.upper_bound);
            }
            _ => {
                self.proofs.ended = self.proofs.ended.or(options.watch.ended().filter(|limit| *limit != Limit::Caller))
            }
        }
        Ok(())
    }

    /// One pattern for each demand, where nothing better is known.
    fn simply(&mut self, question: &Question<'_>) {
        let tasks = self.problem().collective().demands().saturating_mul(self.problem().platform().nodes().len());
        let solution = (tasks <= ARCS).then(|| lp::simple_solution(question).ok()).flatten();
        let state = solution.map(|solution| solution.steady_state);
        if let Some(state) = state.filter(|state| referee::check_steady_state(self.problem(), state).is_ok()) {
            self.sustained(state.throughput);
        }
    }
}

/// How far the program may go.
enum Budget {
    Nothing,
    Rounds(usize),
    Whole,
}

/// The whole program on small platforms; else rounds that look at [`ARCS`] arcs together, if they are worth it.
fn budget(problem: Problem<'_>) -> Budget {
    let platform = problem.platform();
    let (nodes, links) = (platform.nodes().len(), platform.links().len());
    if nodes <= SMALL.0 && links <= SMALL.1 {
        return Budget::Whole;
    }
    let blocks = problem.blocks();
    // Each demand has separate patterns. Values that all need are reduced to, and copied from, every participant in
    // turn.
    let patterns = blocks.iter().map(|block| match block.kind {
        Kind::CombineCopy => 4 * block.operands().len(),
        _ => block.count,
    });
    let patterns: usize = patterns.sum();
    if blocks.iter().all(|block| block.kind == Kind::Route) {
        // One flow for each source, or for each target.
        let flows = lp::flow::groups(&Question::new(problem)).len().saturating_mul(links);
        return if flows <= MOST_FLOWS { Budget::Whole } else { Budget::Nothing };
    }
    // Arborescences are made of routes between nodes that replicate.
    let hubs = platform.nodes().iter().filter(|node| node.replicates).count();
    let arcs = if hubs < nodes { links.max(hubs.saturating_mul(hubs)) } else { links };
    match ARCS / patterns.max(1).saturating_mul(arcs).max(1) {
        rounds if rounds >= FEWEST_ROUNDS => Budget::Rounds(rounds),
        _ => Budget::Nothing,
    }
}
