//! Turns any program's rates into a plan.

use std::time::Duration;

use oneport_extract::{ExtractError, Extracted, LeftOver, extract};
use oneport_lp::{LpError, Question, Solution};
use oneport_period as period;
use oneport_plan::{Certificate, Problem, Rates, State, Status, SteadyState};
use oneport_platform::Rational;
use oneport_referee::{self as referee, Answer, Proved, Violation};
use oneport_schedule::{self as schedule, Whole};
use oneport_watch::Watch;

use crate::bounding::bounded;
use crate::proving::checking;
use crate::{Error, Options};

/// A plan made of rates.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FromRates {
    /// The answer. Its steady state consists of the patterns of the rates.
    pub answer: Answer,
    /// Transfers that are in no pattern: circulations, and unneeded copies.
    pub left_over: Vec<LeftOver>,
    /// The cost of whole messages, if the options request them.
    pub whole: Option<Whole>,
}

/// Why rates make no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractionError {
    /// The rates are not a sum of patterns.
    #[error(transparent)]
    Extract(#[from] ExtractError),
    /// The throughput is 0.
    #[error("the throughput is 0: there is nothing to schedule; give a positive one")]
    Nothing,
    /// Ports, links or processors have too little time for them.
    #[error("the rates cannot be kept up: {0}")]
    Overloaded(Violation),
    /// The plan could not be made.
    #[error(transparent)]
    Plan(#[from] Error),
}

/// Turns rates into patterns, and these into a periodic schedule: a plan whose steady state has the throughput given.
///
/// Rates prove nothing by themselves. The plan's bound is that of `prices` or, if that is above the throughput, the
/// better of it and of the bound of [`Goal::Bound`](crate::Goal::Bound). The status follows from it. The schedule is
/// the smallest that rounding finds for these patterns under the options. It cuts no message if the options forbid it.
/// Transfers that are left over are in no plan.
///
/// # Errors
/// [`ExtractionError`]: rates that do not balance, by node and amount. Rates that keep a port, a link or a processor
/// busy for more time than there is. The errors of [`solve`](crate::solve) about periods.
pub fn plan_of_rates(
    problem: &Problem,
    rates: &Rates,
    prices: &Certificate,
    options: &Options,
) -> Result<FromRates, ExtractionError> {
    if rates.throughput == Rational::default() {
        return Err(ExtractionError::Nothing);
    }
    let Extracted {
        patterns,
        left_over,
    } = extract(problem, rates, &options.watch)?;
    let steady_state = SteadyState {
        throughput: rates.throughput.clone(),
        patterns,
    };
    referee::check_steady_state(problem, &steady_state, &Watch::unlimited())
        .map_err(ExtractionError::Overloaded)?;
    let best = best(problem, &steady_state.throughput, prices, options)?;
    let proof = best.bound().zip(best.certificate());
    let (upper_bound, certificate) = proof.ok_or(Error::from(LpError::Contradiction(
        "nothing bounds the rates",
    )))?;
    let solution = Solution {
        upper_bound: upper_bound.clone(),
        steady_state: steady_state.clone(),
        tight: Vec::new(),
        certificate: certificate.clone(),
        // The patterns are the given ones: no others are looked for.
        status: Status::Feasible,
        solver_time: Duration::default(),
        repaired: false,
    };
    let question = Question::new(problem).watched(options.watch.clone());
    let whole = period::whole_patterns(&question, &solution, &options.period, false)
        .map_err(Error::from)?;
    let schedule = schedule::periodic(problem, whole, &Watch::unlimited()).map_err(Error::from)?;
    let (schedule, whole) = if options.whole_messages {
        let (schedule, whole) = schedule::whole_messages(problem, &schedule);
        (schedule, Some(whole))
    } else {
        (schedule, None)
    };
    if whole.is_some() {
        referee::check_whole_messages(problem, &schedule).map_err(Error::from)?;
    }
    let watch = checking(problem, &options.watch);
    let state = State::Listed(steady_state);
    let answer = best.with(Some(state), Some(schedule), &watch);
    Ok(FromRates {
        answer: answer.map_err(Error::from)?,
        left_over,
        whole,
    })
}

/// The bound of the given prices if they prove the throughput, else the better of it and of the bound that the search
/// finds.
fn best(
    problem: &Problem,
    throughput: &Rational,
    prices: &Certificate,
    options: &Options,
) -> Result<Proved, ExtractionError> {
    let mut proved = Proved::about(problem);
    // Prices that prove nothing leave the bound to the search.
    let _ = proved.prove(prices.clone(), &options.watch);
    if proved.bound() != Some(throughput) {
        let found: Proved = bounded(problem, options)?.answer.into();
        proved.merge(found.bound_alone());
    }
    Ok(proved)
}
