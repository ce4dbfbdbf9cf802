//! Questions answered by column generation: everything but messages that travel alone.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::around::{self, better};
use crate::bounds;
use crate::bounds::shared_tasks;
use crate::bounds::slowest_cut::{SlowestCut, slowest_cut};
use crate::chains;
use crate::column_generation::{generate, generate_from, proved};
use crate::compact::copies::{self, FlowBound};
use crate::compact::reduce;
use crate::oracle::Pricing;
use crate::oracles::prefix;
use crate::oracles::{Patterns, is_composed};
use crate::question::is_all_reduce;
use crate::resources::Resources;
use crate::solution::{Observer, Progress};
use crate::support;
use crate::symmetry::Quotient;
use crate::{Formulation, LpError, Options, Question, Solution};

use oneport_plan::{Amount, Block, Certificate, Kind, Status, SteadyState};
use oneport_platform::Rational;

/// Solves a question whose values can all reach where they are wanted.
///
/// # Errors
/// As [`solve`](crate::solve).
pub fn solve(question: &Question<'_>, options: &Options, watch: Observer<'_>) -> Result<Solution, LpError> {
    let size = check_size(question);
    // Between many nodes behind switches chains are found sooner than all routes, whatever the symmetry.
    let routed = has_many_routes(question);
    if !routed && let Some(solution) = of_quotient(question, options, size.is_ok(), watch)? {
        return Ok(solution);
    }
    if options.formulation == Formulation::Columns
        && size.is_ok()
        && let Some(block) = question.block().filter(|block| block.kind == Kind::Prefix)
        && prefix::is_large(question.platform(), block.operands().len())
    {
        let solution = chains::solve(question, block.operands(), options.time_limit, watch)?;
        return shared_tasks::scan(question, solution, options.time_limit);
    }
    let one_tree = size.is_ok() && is_one_tree(question) && !routed;
    let needs_no_chains = options.formulation != Formulation::Columns || one_tree;
    let around = match if needs_no_chains { None } else { around::solve(question)? } {
        // If the program would be too large, chains are the answer.
        Some(solution) if solution.status == Status::Optimal || size.is_err() => return Ok(solution),
        // Nor are programs over all routes worth the little that chains leave.
        Some(solution) if routed && is_near(&solution) => return Ok(solution),
        around => around,
    };
    size?;
    if routed && let Some(solution) = of_quotient(question, options, true, watch)? {
        return Ok(match around {
            Some(around) => better(question, around, solution),
            None => solution,
        });
    }
    let solution = match (from_scratch(question, options, around.as_ref(), watch), around) {
        (Err(LpError::Stopped(_)), Some(around)) => around,
        (solution, Some(around)) => better(question, around, solution?),
        (solution, None) => solution?,
    };
    bounded(question, solution, options.time_limit, watch)
}

/// The solution of a symmetric question by its quotient; `None` where nothing is symmetric.
fn of_quotient(
    question: &Question<'_>,
    options: &Options,
    sized: bool,
    watch: Observer<'_>,
) -> Result<Option<Solution>, LpError> {
    if options.formulation != Formulation::Columns || !sized {
        return Ok(None);
    }
    match Quotient::new(question) {
        Some(quotient) => quotient.solve(options, watch),
        None => Ok(None),
    }
}

/// Whether one tree answers the whole question: one message to some, or one commutative reduction that one search
/// prices exactly. Chains take a search for each participant, and a chain is one tree of many that the program looks
/// at.
fn is_one_tree(question: &Question<'_>) -> bool {
    let is_one = |block: &Block<'_>| match block.kind {
        Kind::Copy => block.count == 1,
        Kind::Combine => block.count == 1 && block.is_commutative() && Patterns::new(question).is_exact(),
        Kind::Route | Kind::CombineCopy | Kind::Prefix => false,
    };
    question.block().is_some_and(|block| is_one(&block))
}

/// Replicating nodes, on platforms with switches, whose routes between all pairs are looked at first. Trades time for a
/// smaller program. Not measured.
const ROUTED: usize = 256;

/// Whether chains are found sooner than one tree, because of the number of routes through switches.
fn has_many_routes(question: &Question<'_>) -> bool {
    let nodes = question.platform().nodes();
    let replicating = nodes.iter().filter(|node| node.replicates).count();
    replicating < nodes.len() && replicating > ROUTED
}

/// Whether chains lose one part in 128 at most.
fn is_near(solution: &Solution) -> bool {
    let throughput = &solution.steady_state.throughput;
    &solution.upper_bound - throughput <= throughput / Rational::from_integer(128.into())
}

/// The program's solution.
fn from_scratch(
    question: &Question<'_>,
    options: &Options,
    around: Option<&Solution>,
    watch: Observer<'_>,
) -> Result<Solution, LpError> {
    let collective = question.collective();
    let patterns = Patterns::new(question);
    let resources = Resources::new(question.platform(), collective.combines());
    let kind = question.block().map(|block| block.kind);
    let solution = match options.formulation {
        Formulation::Columns => {
            let around = around.into_iter().flat_map(|solution| &solution.steady_state.patterns);
            let known = question.known().iter().chain(around.map(|weighted| &weighted.pattern)).cloned().collect();
            generate_from(question, resources, (&patterns, known), options.time_limit, watch)?
        }
        Formulation::Compact if kind == Some(Kind::Copy) => {
            let flow = match slowest_cut(question, None) {
                Some(SlowestCut { throughput, certificate }) => {
                    Some(FlowBound { throughput, certificate, steady_state: None })
                }
                None => copies::solve(question, options)?,
            };
            match flow {
                Some(FlowBound { throughput, certificate, steady_state: Some(trees) }) => {
                    attained(throughput, certificate, trees)
                }
                flow => {
                    let trees = generate(question, resources, &patterns, options.time_limit, watch)?;
                    flow.map_or(trees.clone(), |flow| both(trees, flow))
                }
            }
        }
        Formulation::Compact if kind != Some(Kind::Combine) => {
            return Err(LpError::NoCompact { collective: collective.name() });
        }
        Formulation::Compact if collective.is_commutative() => return Err(LpError::CompactCommutative),
        Formulation::Compact => match reduce::solve(question, options)? {
            Some(solution) => solution,
            // The compact program ran out of time. Column generation gets the same time again, and few rounds.
            None => generate(question, resources, &patterns, options.time_limit, &mut few_rounds(watch))?,
        },
    };
    support::reduced(question, &patterns, solution)
}

/// Tightens a solution's bound with one that holds for every scheme, for questions whose patterns are not all schemes:
/// it may lower the upper bound and attach its proof. Other questions' solutions pass unchanged.
type Bound = fn(&Question<'_>, Solution, Option<Duration>, Observer<'_>) -> Result<Solution, LpError>;

/// All of them, in the order in which they are tried.
const BOUNDS: [Bound; 4] = [of_scan, of_all_reduce, of_compositions, of_shared_tasks];

/// The solution with the bounds that hold for every scheme.
fn bounded(
    question: &Question<'_>,
    solution: Solution,
    time_limit: Option<Duration>,
    watch: Observer<'_>,
) -> Result<Solution, LpError> {
    BOUNDS.iter().try_fold(solution, |solution, bound| bound(question, solution, time_limit, watch))
}

/// Tasks that several goals share bound a scan.
fn of_scan(
    question: &Question<'_>,
    solution: Solution,
    time_limit: Option<Duration>,
    _: Observer<'_>,
) -> Result<Solution, LpError> {
    match question.block() {
        Some(block) if block.kind == Kind::Prefix => shared_tasks::scan(question, solution, time_limit),
        _ => Ok(solution),
    }
}

/// The counting theorem and the exchange theorem bound an all-reduce.
fn of_all_reduce(
    question: &Question<'_>,
    solution: Solution,
    _: Option<Duration>,
    watch: Observer<'_>,
) -> Result<Solution, LpError> {
    if !question.block().is_some_and(|block| is_all_reduce(&block)) {
        return Ok(solution);
    }
    let resources = Resources::new(question.platform(), question.collective().combines());
    bounds::bounded(question, &resources, solution, watch)
}

/// Tasks that several goals share bound what is composed of reductions and broadcasts.
fn of_shared_tasks(
    question: &Question<'_>,
    solution: Solution,
    time_limit: Option<Duration>,
    _: Observer<'_>,
) -> Result<Solution, LpError> {
    let composed = question.problem().blocks().iter().any(is_composed);
    if composed { shared_tasks::all_reduce(question, solution, time_limit) } else { Ok(solution) }
}

/// Intervals of operands times processors up to which the cheapest trees in order are sought. Trades an optimum for
/// memory: two tables of a quarter of a gigabyte. Not measured: computed.
const MOST_PRICES: u128 = 1 << 25;

/// Refuses operands in order that are too many, before any table is made of them.
fn check_size(question: &Question<'_>) -> Result<(), LpError> {
    let in_order = question.problem().demands().filter(|demand| !demand.commutative && demand.operands.len() > 1);
    let operands = in_order.map(|demand| demand.operands.len()).max().unwrap_or(0);
    let processors = question.platform().processors().count();
    let intervals = (operands as u128) * (operands as u128 + 1) / 2;
    // If work is by task, there is a work for every split, too.
    let by_task = matches!(question.volumes().work, Amount::Tasks(_));
    let prices = intervals * processors as u128 * if by_task { (operands as u128).div_ceil(3) } else { 1 };
    if prices <= MOST_PRICES {
        return Ok(());
    }
    let collective = question.collective().name();
    Err(LpError::TooManyOperands { collective, operands, processors, prices, most: MOST_PRICES })
}

/// The solution with a bound that holds for every schedule, and not only for compositions: what its own prices prove,
/// or, where that is more than its throughput, what the best prices do. (Its own may prove nothing at all: compositions
/// pay for resources that other schedules can do without.)
fn of_compositions(
    question: &Question<'_>,
    solution: Solution,
    time_limit: Option<Duration>,
    watch: Observer<'_>,
) -> Result<Solution, LpError> {
    let alone = question.block().is_some_and(|block| is_all_reduce(&block));
    if alone || !question.problem().blocks().iter().any(is_composed) {
        return Ok(solution);
    }
    let (resources, prices) = Resources::of_certificate(question.platform(), &solution.certificate);
    let least = bounds::least_patterns(question);
    let throughput = &solution.steady_state.throughput;
    let bound = proved(&least, &resources, &prices);
    if question.watch().ask().is_err() {
        // These prices bound compositions only: the referee recomputes the bound from them for all schedules.
        return Ok(Solution { status: Status::Feasible, ..solution });
    }
    if bound?.is_some_and(|bound| bound == *throughput) {
        return Ok(Solution { status: Status::Optimal, upper_bound: throughput.clone(), ..solution });
    }
    let resources = Resources::new(question.platform(), question.collective().combines());
    let direct = generate(question, resources, &least, time_limit, &mut |progress| {
        if progress.upper_bound <= *throughput { ControlFlow::Break(()) } else { watch(progress) }
    });
    let direct = match direct {
        Err(LpError::Stopped(_)) => return Ok(Solution { status: Status::Feasible, ..solution }),
        other => other?,
    };
    let status = Status::of(throughput, &direct.upper_bound);
    Ok(Solution { status, upper_bound: direct.upper_bound, certificate: direct.certificate, ..solution })
}

/// Trees, and the flow program's bound, which proves them optimal where the two meet.
fn both(trees: Solution, flow: FlowBound) -> Solution {
    let status = Status::of(&trees.steady_state.throughput, &flow.throughput);
    Solution { status, upper_bound: flow.throughput, certificate: flow.certificate, tight: Vec::new(), ..trees }
}

/// Trees that the flow program's solution is made of.
fn attained(throughput: Rational, certificate: Certificate, steady_state: SteadyState) -> Solution {
    Solution {
        steady_state,
        tight: Vec::new(),
        certificate,
        upper_bound: throughput,
        status: Status::Optimal,
        solver_time: Duration::default(),
        repaired: false,
    }
}

/// Rounds of column generation after the compact program ran out of time. Trades throughput for time. Not measured.
const FEW_ROUNDS: usize = 50;

fn few_rounds(watch: Observer<'_>) -> impl FnMut(&Progress) -> ControlFlow<()> {
    let mut rounds = 0;
    move |progress| {
        rounds += 1;
        if rounds >= FEW_ROUNDS { ControlFlow::Break(()) } else { watch(progress) }
    }
}
