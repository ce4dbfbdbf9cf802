//! Attempts on questions that are answered by column generation: everything but messages that travel alone
//! ([`messages`]).

pub(crate) mod messages;

use crate::bounds::slowest_cut::slowest_cut;
use crate::bounds::{self, prove, shared_tasks};
use crate::column_generation::{generate, generate_from};
use crate::compact::{copies, reduce};
use crate::findings::Findings;
use crate::mixture::Mixture;
use crate::oracles::{Patterns, is_composed};
use crate::question::is_all_reduce;
use crate::quick;
use crate::resources::Resources;
use crate::support;
use crate::symmetry::Quotient;
use crate::{Formulation, LpError, Options, Question, Until};

use crate::known::Bound;
use oneport_plan::{Amount, Block, Kind, SteadyState};
use oneport_platform::whole;

/// The quotient of a symmetric question. Chains are found sooner than all routes between many nodes behind switches,
/// with or without symmetry.
pub(crate) fn quotient_first(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    if has_many_routes(question) || check_size(question).is_err() {
        Ok(())
    } else {
        quotient(question, options, found)
    }
}

/// The quotient of a symmetric question that was put off.
pub(crate) fn quotient_last(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    if has_many_routes(question) {
        quotient(question, options, found)
    } else {
        Ok(())
    }
}

fn quotient(question: &Question, options: &Options, found: &mut Findings) -> Result<(), LpError> {
    match Quotient::new(question).filter(|_| options.formulation == Formulation::Columns) {
        Some(quotient) => quotient.solve(options, found),
        None => Ok(()),
    }
}

/// Rings and lines. They settle the question if the program would be too large, or if it has all routes between
/// switches and the gap is small.
pub(crate) fn chains(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    let (sized, routed) = (check_size(question).is_ok(), has_many_routes(question));
    if options.formulation != Formulation::Columns || (sized && is_one_tree(question) && !routed) {
        return Ok(());
    }
    quick::offer(question, &mut found.known)?;
    let is_near = |(state, bound): (&SteadyState, &Bound)| {
        &bound.throughput - &state.throughput <= &state.throughput / whole(NEAR)
    };
    let answer = found.known.state().zip(found.known.bound());
    found.settled = answer.is_some_and(|answer| !sized || routed && is_near(answer));
    Ok(())
}

/// Chains that lose at most one part in this number are near the optimum. Trades an optimum for time. Not measured.
const NEAR: i64 = 128;

/// Whether one tree answers the whole question: one message to several nodes, or one commutative reduction that one
/// search prices exactly. Chains would take a search for each participant.
fn is_one_tree(question: &Question) -> bool {
    let is_one = |block: &Block<'_>| match block.kind {
        Kind::Copy => block.count == 1,
        Kind::Combine => {
            block.count == 1 && block.is_commutative() && Patterns::new(question).is_exact()
        }
        Kind::Route | Kind::CombineCopy | Kind::Prefix => false,
    };
    question.block().is_some_and(|block| is_one(&block))
}

/// Replicating nodes, on platforms with switches, whose routes between all pairs are looked at first. Trades time for a
/// smaller program. Not measured.
const ROUTED: usize = 256;

/// Whether chains are found sooner than one tree, because of the number of routes through switches.
fn has_many_routes(question: &Question) -> bool {
    let nodes = question.platform().nodes();
    let replicating = nodes.iter().filter(|node| node.replicates).count();
    replicating < nodes.len() && replicating > ROUTED
}

/// The program.
pub(crate) fn program(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    let patterns = Patterns::new(question);
    let mixture = match options.formulation {
        Formulation::Columns => {
            let around = found
                .known
                .state()
                .into_iter()
                .flat_map(|state| &state.patterns);
            let known = question
                .known()
                .iter()
                .chain(around.map(|weighted| &weighted.pattern))
                .cloned()
                .collect();
            generate_from(
                question,
                resources(question),
                &patterns,
                known,
                &options.until,
            )?
        }
        Formulation::Compact => compact(question, &patterns, &options.until)?,
    };
    let mixture = support::reduced(question, patterns.rates(), mixture)?;
    let bound = mixture.bound();
    found.mixture(mixture);
    if question
        .block()
        .is_some_and(|block| block.kind == Kind::Prefix)
    {
        found
            .known
            .offer_bound(shared_tasks::of_scan(question, bound)?);
    } else if !question.problem().blocks().iter().any(is_composed) {
        found.known.offer_bound(bound);
    }
    Ok(())
}

/// All resources of a question.
fn resources(question: &Question) -> Resources {
    Resources::new(question.platform(), question.collective().combines())
}

/// Rounds of trees after the compact program ran out of time. Trades throughput for time. Not measured.
const FEW_ROUNDS: usize = 50;

/// The papers' programs. None of them models compositions.
fn compact(
    question: &Question,
    patterns: &Patterns<'_>,
    until: &Until,
) -> Result<Mixture, LpError> {
    let collective = question.collective();
    let trees = |until: &Until| generate(question, resources(question), patterns, until);
    match question.block().map(|block| block.kind) {
        Some(Kind::Copy) => {
            let flow = match slowest_cut(question, None) {
                Some(cut) => Some((cut, None)),
                None => copies::solve(question)?,
            };
            let Some((
                Bound {
                    throughput: at_most,
                    certificate: prices,
                },
                state,
            )) = flow
            else {
                return trees(until);
            };
            // Trees, and the bound of the flow program. It proves the trees optimal if the two meet.
            let Mixture { state, effort, .. } = match state {
                Some(state) => Mixture::of(state, &at_most),
                None => trees(until)?,
            };
            Ok(Mixture {
                state,
                tight: Vec::new(),
                prices,
                at_most,
                effort,
            })
        }
        Some(Kind::Combine) if collective.is_commutative() => Err(LpError::CompactCommutative),
        Some(Kind::Combine) => match reduce::solve(question)? {
            Some(mixture) => Ok(mixture),
            // The compact program ran out of time. Column generation gets the rest, and few rounds.
            None => trees(&Until {
                rounds: until.rounds.into_iter().chain([FEW_ROUNDS]).min(),
                ..until.clone()
            }),
        },
        _ => Err(LpError::NoCompact {
            collective: collective.name(),
        }),
    }
}

/// The counting theorem and the exchange theorem bound an all-reduce.
pub(crate) fn all_reduce(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    if !question.block().is_some_and(|block| is_all_reduce(&block)) {
        return Ok(());
    }
    let until = found.until(options);
    bounds::bound(question, &resources(question), &until, &mut found.known)
}

/// A bound that holds for every schedule and not only for compositions. First the prices of the compositions are tried,
/// then the best prices if the gap remains. (Their own prices may prove nothing: compositions pay for resources that
/// other schedules do not need.)
pub(crate) fn compositions(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    let alone = question.block().is_some_and(|block| is_all_reduce(&block));
    if alone || !question.problem().blocks().iter().any(is_composed) {
        return Ok(());
    }
    if let Some(prices) = &found.prices
        && let Some(bound) = prove(question, prices)?
    {
        found.known.offer_bound(bound);
    }
    if !found.known.is_optimal() {
        let least = bounds::least_patterns(question);
        let direct = generate(question, resources(question), &least, &found.until(options))?;
        found.known.offer_bound(direct.bound());
    }
    Ok(())
}

/// Settles scans of many participants by chains. Scans too large for the program that bounds them are left to [`size`].
pub(crate) fn scans(
    question: &Question,
    options: &Options,
    found: &mut Findings,
) -> Result<(), LpError> {
    if check_size(question).is_ok() {
        quick::chains::attempt(question, options, found)
    } else {
        Ok(())
    }
}

/// Refuses questions that are too large for a program.
pub(crate) fn size(question: &Question, _: &Options, _: &mut Findings) -> Result<(), LpError> {
    check_size(question)
}

/// Intervals of operands times processors up to which the cheapest trees in order are sought. Trades an optimum for
/// memory: two tables of a quarter of a gigabyte. Not measured: computed.
const MOST_PRICES: u128 = 1 << 25;

/// Refuses operands in order that are too many, before any table is made of them.
fn check_size(question: &Question) -> Result<(), LpError> {
    let in_order = question
        .problem()
        .demands()
        .filter(|demand| !demand.commutative && demand.operands.len() > 1);
    let operands = in_order
        .map(|demand| demand.operands.len())
        .max()
        .unwrap_or(0);
    let processors = question.platform().mergers().count();
    let intervals = (operands as u128) * (operands as u128 + 1) / 2;
    // If work is by task, there is a work for every split, too.
    let by_task = matches!(question.volumes().work, Amount::Tasks(_));
    let prices = intervals
        * processors as u128
        * if by_task {
            (operands as u128).div_ceil(3)
        } else {
            1
        };
    if prices <= MOST_PRICES {
        return Ok(());
    }
    let collective = question.collective().name();
    Err(LpError::TooManyOperands {
        collective,
        operands,
        processors,
        prices,
        most: MOST_PRICES,
    })
}
