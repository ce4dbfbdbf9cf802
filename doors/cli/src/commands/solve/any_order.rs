//! Hint: how much `--commutative` would gain.

use std::time::{Duration, Instant};

use num_traits::One;
use oneport::watch::{Left, Watch};
use oneport::{Options, Plan, Problem, Rating, Rational, Status, rate};

use crate::answers::bottleneck::IN_ORDER;
use crate::flags::question::{self, QuestionArguments};
use crate::words::numbers::percent;

/// Minimum time limit of the second solve; if the first took longer, its time is the limit. Trades lateness for the
/// hint. Not measured.
const LEAST: Duration = Duration::from_secs(1);

/// The hint that operands are combined in their order, with the gain of any order if it is found quickly. `None` if any
/// order is proved to gain nothing.
pub fn hint(plan: &Plan, arguments: &QuestionArguments, options: &Options, took: Duration) -> Option<String> {
    let may = IN_ORDER.to_string();
    let Some((throughput, upper_bound, status)) = any_order(plan, arguments, options, took) else { return Some(may) };
    let own = &plan.steady_state.throughput;
    if upper_bound <= *own {
        return None;
    }
    let more = throughput / own - Rational::one();
    match status {
        _ if more <= Rational::default() => Some(may),
        Status::Optimal => {
            Some(format!("operands are combined in their order; --commutative gives {} more", percent(&more)))
        }
        Status::Feasible => {
            Some(format!("operands are combined in their order; --commutative gives at least {} more", percent(&more)))
        }
    }
}

/// The throughput in any order, its bound, and whether they meet. `None` if too little time is left, or if no rating is
/// found.
fn any_order(
    plan: &Plan,
    arguments: &QuestionArguments,
    options: &Options,
    took: Duration,
) -> Option<(Rational, Rational, Status)> {
    let arguments = QuestionArguments { commutative: true, ..arguments.clone() };
    let collective = question::collective(&plan.platform, &arguments).ok()?;
    let problem = Problem::new(&plan.platform, &collective, &plan.volumes).ok()?;
    let left = options.watch.time_left().unwrap_or(Duration::MAX);
    if left < took.min(LEAST) {
        return None;
    }
    let most = left.min(took.max(LEAST));
    let (started, memory) = (Instant::now(), options.watch.clone());
    let left = move || Left { time: Some(most.saturating_sub(started.elapsed())), ..memory.left() };
    let options = Options { watch: Watch::new(left), ..options.clone() };
    match rate(problem, &options, None).ok()? {
        Rating::Rated(rated) => Some((rated.steady_state.throughput, rated.upper_bound, rated.status)),
        Rating::Unlisted(_) | Rating::Unreachable(_) => None,
    }
}
