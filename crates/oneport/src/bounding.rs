//! Proved bounds, and the best steady state known; no schedule is made.

use oneport_lp::{self as lp, LpError, Question, Until};
use oneport_plan::{Block, Bound, Kind, Problem};
use oneport_referee as referee;
use oneport_watch::{Limit, Watch};

use crate::Options;
use crate::bounded::Bounded;
use crate::error::{Error, GRACE, Refusal};
use crate::rating::{Rating, program_rated};
use crate::sides::Sides;

/// Nodes and links up to which the optimum itself is computed if cuts do not decide. Trades a tighter bound for time.
/// Not measured.
const SMALL: (usize, usize) = (64, 400);
/// On larger platforms, rounds times arcs of the program. Trades a tighter bound for time. Not measured.
const ARCS: usize = 1 << 25;
/// The same, rounds times patterns. Trades a tighter bound for time. Measured: an all-gather on 100 half-duplex nodes
/// takes minutes with 83,000, 7 s of CPU with these.
const PATTERNS: usize = 1 << 12;
/// Rounds below which the program is not started. Trades a tighter bound for time. Not measured.
const FEWEST_ROUNDS: usize = 8;
/// Flow variables of a program for messages that travel alone. Trades a tighter bound for time. Not measured.
const MOST_FLOWS: usize = 1 << 14;
/// Checks of the watch after which the program ends. Trades a tighter bound for time. Measured: with a quarter,
/// meta_cluster's broadcast stays at 125 MB/s; its optimum is 75 MB/s.
const QUESTIONS: u64 = 1 << 16;
/// Percent of the time and memory left for the search; the rest is for the referee. Trades a tighter bound for an
/// answer in time. Not measured.
const SEARCH: u32 = 60;

/// Limit: messages, each counted once per receiver.
const MOST: u64 = 1 << 28;

/// Upper bound on the throughput of every schedule of a problem, with its proof; no schedule is made. The result also
/// has the throughput of the best steady state found.
///
/// Several searches, until one steady state attains what is proved:
///
/// 1. Cuts where only links are exclusive ([`lp::cut_bound`]), partitions for all-reduces ([`lp::all_reduce_bound`]),
///    what passes one port.
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
/// use oneport::{Options, Problem, Volumes, bound, platform::generate};
/// let box_of_gpus = generate::dgx1()?;
/// let gather = Collective::all_gather(box_of_gpus.processors().collect());
/// let volumes = Volumes::default();
/// let problem = Problem::new(box_of_gpus, gather, volumes)?;
/// let bounded = bound(&problem, &Options::default())?;
/// assert_eq!(bounded.bound, oneport::parse_rational("150/7")?);
/// assert!(bounded.is_attained());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Problem`] of too many messages; [`Error::Stopped`] if a limit came before anything was proved.
pub fn bound(problem: &Problem, options: &Options) -> Result<Bounded, Error> {
    check_size(problem)?;
    let watch = options.watch.stage(SEARCH);
    let question = Question::new(problem).watched(watch.clone());
    let mut sides = Sides::new(problem, options.watch.finishing(GRACE));
    sides.only_way();
    sides.quick(&question, true)?;
    sides.routings(&question)?;
    if !sides.is_done() {
        program(&mut sides, &options.watch)?;
    }
    sides.at_least(&question);
    if sides.known.is_none() {
        simply(&mut sides, &question);
    }
    let Sides {
        best, known, ended, ..
    } = sides;
    match (best, ended.or(watch.ended())) {
        (
            Some(Bound {
                throughput: bound,
                certificate,
            }),
            ended_by,
        ) => Ok(Bounded {
            bound,
            certificate,
            known,
            ended_by,
        }),
        (None, Some(limit)) => Err(Error::Stopped(limit)),
        (None, None) => Err(Error::from(LpError::Contradiction(
            "nothing bounds the problem",
        ))),
    }
}

/// Refuses what would be looked at for minutes before anything is proved.
fn check_size(problem: &Problem) -> Result<(), Error> {
    let of_block = |block: &Block<'_>| {
        let wanted = block.demand(0).map_or(0, |demand| {
            demand.targets().len().max(demand.operands.len())
        });
        (block.count as u64).saturating_mul(wanted as u64)
    };
    let messages = problem
        .blocks()
        .iter()
        .map(of_block)
        .fold(0, u64::saturating_add);
    if messages <= MOST {
        Ok(())
    } else {
        Err(Error::Problem(Refusal::TooLarge {
            collective: problem.collective().name(),
            messages,
            most: MOST,
        }))
    }
}

/// The program, as far as its budget goes.
fn program(sides: &mut Sides<'_>, watch: &Watch) -> Result<(), Error> {
    let (watch, until) = match budget(sides.problem) {
        Budget::Whole => (watch.stage(SEARCH), Until::default()),
        Budget::Rounds(rounds) => (
            watch.stage(SEARCH).at_most(QUESTIONS),
            Until::rounds(rounds),
        ),
        Budget::Nothing => return Ok(()),
    };
    let options = Options {
        watch,
        until,
        ..Options::default()
    };
    match program_rated(sides.problem, &options, None, sides.best.clone()) {
        Ok(Rating::Rated(rated)) => {
            sides.sustained(rated.steady_state.throughput);
            sides.proved(Bound {
                throughput: rated.upper_bound,
                certificate: rated.certificate,
            });
        }
        _ => {
            sides.ended = sides.ended.or(options
                .watch
                .ended()
                .filter(|limit| *limit != Limit::Caller))
        }
    }
    Ok(())
}

/// One pattern for each demand, where nothing better is known and there is room for it.
fn simply(sides: &mut Sides<'_>, question: &Question) {
    let problem = sides.problem;
    let tasks = (problem.collective().demands() as u64)
        .saturating_mul(problem.platform().nodes().len() as u64);
    let fits = tasks <= lp::room_for_tasks(question.watch()).0;
    let state = fits.then(|| lp::simple_state(question).ok()).flatten();
    if let Some(state) = state.filter(|state| referee::check_steady_state(problem, state).is_ok()) {
        sides.sustained(state.throughput);
    }
}

/// How far the program may go.
enum Budget {
    Nothing,
    Rounds(usize),
    Whole,
}

/// The whole program on small platforms; else rounds that look at [`ARCS`] arcs together, if they are worth it.
fn budget(problem: &Problem) -> Budget {
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
        let flows = lp::flow::groups(&Question::new(problem))
            .len()
            .saturating_mul(links);
        return if flows <= MOST_FLOWS {
            Budget::Whole
        } else {
            Budget::Nothing
        };
    }
    // Arborescences are made of routes between nodes that replicate.
    let hubs = platform
        .nodes()
        .iter()
        .filter(|node| node.replicates)
        .count();
    let arcs = if hubs < nodes {
        links.max(hubs.saturating_mul(hubs))
    } else {
        links
    };
    match (ARCS / patterns.max(1).saturating_mul(arcs).max(1)).min(PATTERNS / patterns.max(1)) {
        rounds if rounds >= FEWEST_ROUNDS => Budget::Rounds(rounds),
        _ => Budget::Nothing,
    }
}
