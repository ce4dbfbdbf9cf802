//! Proved bounds, and the best steady state known. No schedule is made.

use oneport_lp::{self as lp, LpError, Question, Until};
use oneport_plan::{Block, Kind, Problem, State};
use oneport_watch::{Limit, Watch};

use crate::error::{Error, GRACE, Refusal};
use crate::options::Options;
use crate::rating::rated;
use crate::sides::Sides;
use crate::solved::Solved;

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
/// meta_cluster's broadcast stays at 125 MB/s. Its optimum is 75 MB/s.
const QUESTIONS: u64 = 1 << 16;
/// Percent of the time and memory left for the search. The rest is for the referee. Trades a tighter bound for an
/// answer in time. Not measured.
const SEARCH: u32 = 60;

/// Limit: messages, each counted once per receiver.
const MOST: u64 = 1 << 28;

/// The least bound and the largest throughput that several searches find: see [`Goal::Bound`](crate::Goal::Bound).
///
/// # Errors
/// [`Error::Problem`] of too many messages. [`Error::Stopped`] if a limit came before anything was proved.
pub(crate) fn bounded(problem: &Problem, options: &Options) -> Result<Solved, Error> {
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
    if sides.proved.throughput().is_none() {
        simply(&mut sides, &question);
    }
    let Sides { proved, ended, .. } = sides;
    let ended_by = ended.or(watch.ended());
    match ended_by {
        _ if proved.bound().is_some() => Ok(Solved::of(proved.answer()?, ended_by)),
        Some(limit) => Err(Error::Stopped(limit)),
        None => Err(LpError::Contradiction("nothing bounds the problem").into()),
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

/// The program, within its budget.
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
    match rated(sides.problem, &options, Some(sides.proved.bound_alone())) {
        Ok(answer) => sides.proved.merge(answer.into()),
        _ => {
            sides.ended = sides.ended.or(options
                .watch
                .ended()
                .filter(|limit| *limit != Limit::Caller))
        }
    }
    Ok(())
}

/// One pattern for each demand, if there is no better routing and enough memory.
fn simply(sides: &mut Sides<'_>, question: &Question) {
    let problem = sides.problem;
    let tasks = (problem.collective().demands() as u64)
        .saturating_mul(problem.platform().nodes().len() as u64);
    let fits = tasks <= lp::room_for_tasks(question.watch()).0;
    let state = fits.then(|| lp::simple_state(question).ok()).flatten();
    if let Some(state) = state {
        // A pattern that shares a port with itself may not fit.
        let _ = sides
            .proved
            .sustain(State::Listed(state), &Watch::unlimited());
    }
}

/// How far the program may go.
enum Budget {
    Nothing,
    Rounds(usize),
    Whole,
}

/// The whole program on small platforms. Else rounds that look at [`ARCS`] arcs together, if they are worth it.
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
